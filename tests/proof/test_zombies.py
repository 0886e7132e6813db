"""Runs that outlive their lease: whoever has the job now commits, the other one cannot, and its target stays whole."""

import json
import signal
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import JobAlreadyRunningError, Watermarks
from scripts.helpers.watermarks.job_run.heartbeat import MARGIN
from scripts.helpers.watermarks.table import Backoff
from scripts.helpers.watermarks.table.model import parse_instant
from tests.proof.crashing_job import SCHEMA, load
from tests.proof.zombie_job import RUN_ID, Zombies
from tests.support.processes import Process, said_by, signal_all, started
from tests.support.runs import commit_run
from tests.support.tables import EmulatedTable

IDS = range(1, 21)
# Longer than anything that a busy machine may do to a heartbeat, and as short as a test can wait for its end.
LEASE = 9.0


@pytest.fixture
def source(spark: SparkSession, tmp_path: Path) -> str:
    rows = spark.range(IDS.start, IDS.stop, 1, 1)
    rows = rows.selectExpr("id", "timestamp_seconds(1678968000 + id) AS last_modified")
    rows.write.parquet(str(tmp_path / "source"))
    return str(tmp_path / "source")


@contextmanager
def at_work(zombies: Zombies) -> Iterator[Process]:
    """The process of zombies, with every job where it is to be frozen or cut off."""
    log = Path(zombies.folder, "zombies.log")
    with started("tests.proof.zombie_job", zombies.to_json(), log=log) as process:
        assert said_by(process) == "arrived", log.read_text()
        yield process


def ids_in(spark: SparkSession, target: str) -> list[int]:
    return sorted(row["id"] for row in spark.read.schema(SCHEMA).parquet(target).select("id").collect())


def test_frozen__past_its_lease_and_woken_when_others_have_committed(
    spark: SparkSession, local_table: EmulatedTable, source: str, tmp_path: Path
) -> None:
    ways = ("about-to-write", "in-the-write", "about-to-work", "about-to-commit")
    jobs = {way: f"job-{uuid.uuid4().hex[:12]}" for way in ways}
    zombies = Zombies(local_table.endpoint_url, local_table.name, str(tmp_path), LEASE, jobs)
    watermarks = local_table.watermarks()

    with at_work(zombies) as process:
        signal_all(process, signal.SIGSTOP)
        for job in jobs.values():
            with pytest.raises(JobAlreadyRunningError, match=f"is held by run '{RUN_ID}'"):
                watermarks.job_run(job, "jr_impatient").begin()
        for way, job in jobs.items():
            with watermarks.job_run(job, "jr_other", wait=timedelta(seconds=60)) as run:
                load(run, spark, source, zombies.target(way))
        items = {job: local_table.items(job) for job in jobs.values()}
        (tmp_path / "go").touch()
        signal_all(process, signal.SIGCONT)
        ended = json.loads(said_by(process))

    for way in ("about-to-write", "about-to-commit"):
        assert ended[way].startswith(f"RunSupersededError: Run {RUN_ID!r} no longer holds job {jobs[way]!r}"), ended
        assert "latest run is now 'jr_other'" in ended[way]
    for way in ("in-the-write", "about-to-work"):
        assert "cancelled" in ended[way].lower(), ended
    # Neither the table nor the target has anything of the zombies.
    for way, job in jobs.items():
        assert local_table.items(job) == items[job]
        assert ids_in(spark, f"{zombies.target(way)}/batch_id=1") == [*IDS], way
    assert list(Path(zombies.target("about-to-work")).glob("scratch/part-*")) == []


def test_cut_off__stops_before_its_lease_ends_and_writes_nothing_after_that(
    spark: SparkSession, local_table: EmulatedTable, source: str, tmp_path: Path, job: str
) -> None:
    with Forwarder.to(local_table.endpoint_url) as forwarder:
        zombies = Zombies(forwarder.endpoint_url, local_table.name, str(tmp_path), LEASE, {"piece-by-piece": job})
        with at_work(zombies) as process:
            forwarder.cut()
            ended = json.loads(said_by(process))
            ended_at = datetime.now(timezone.utc)

    assert "cancelled" in ended["piece-by-piece"].lower()
    lease = local_table.item(job)["lease"]["M"]
    assert lease["runId"] == {"S": RUN_ID}
    until = parse_instant(lease["until"]["S"])
    assert until - timedelta(seconds=LEASE * MARGIN) <= ended_at < until
    # The pieces that are whole were written before that; the one that was under way never became one.
    pieces = sorted(Path(zombies.target("piece-by-piece"), "batch_id=1").glob("piece=*"))
    whole = [piece for piece in pieces if (piece / "_SUCCESS").exists()]
    assert 1 <= len(whole) == len(pieces) - 1
    assert max(piece.stat().st_mtime for piece in pieces) < until.timestamp()

    with local_table.watermarks().job_run(job, f"{RUN_ID}_attempt_1") as run:
        load(run, spark, source, zombies.target("piece-by-piece"))
    assert ids_in(spark, zombies.target("piece-by-piece")) == [*IDS]


@dataclass
class Forwarder:
    """A line on loopback to an emulator, which can be cut."""

    upstream: tuple[str, int]
    listener: socket.socket
    ends: list[socket.socket] = field(default_factory=list)

    @classmethod
    @contextmanager
    def to(cls, endpoint_url: str) -> Iterator["Forwarder"]:
        parts = urlsplit(endpoint_url)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            forwarder = cls((str(parts.hostname), parts.port or 80), listener)
            threading.Thread(target=forwarder._accept, daemon=True).start()
            yield forwarder
            forwarder.cut()

    @property
    def endpoint_url(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def cut(self) -> None:
        """Close the line for those that use it and those that will try."""
        for end in [self.listener, *self.ends]:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            far = socket.create_connection(self.upstream)
            self.ends += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    @staticmethod
    def _pass_on(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                target.sendall(data)
        except OSError:
            pass
        finally:
            target.close()


@pytest.mark.parametrize("polls", [1, 3])
def test_wait__asks_until_the_job_is_free(
    watermarks: Watermarks, local_table: EmulatedTable, job: str, polls: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    holder = watermarks.job_run(job, "jr_1").begin()
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == polls:
            holder.commit()

    patient = local_table.watermarks()
    patient._table.backoff = Backoff(sleep=sleep)
    with patient.job_run(job, "jr_2", wait=timedelta(minutes=10)) as run:
        assert run.batch_id == 2

    assert waited == [1.0] * polls
    assert caplog.text.count(f"{job}: waiting for run jr_1") == polls


def test_wait__is_over_some_time(watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_1"), pytest.raises(JobAlreadyRunningError) as refusal:
        watermarks.job_run(job, "jr_2", wait=timedelta(seconds=0.1)).begin()

    error: Any = refusal.value
    assert (error.job_id, error.run_id, error.holder) == (job, "jr_2", "jr_1")
    assert error.until - error.since == timedelta(minutes=5)
    assert "Wait for it to end (wait=…)" in str(error)
    assert commit_run(watermarks, job, "jr_2") == 2
