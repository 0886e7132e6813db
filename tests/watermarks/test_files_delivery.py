"""Real files, real Spark, a real state: whatever arrives and whatever runs do, each version is delivered once."""

import json
import math
import os
import uuid
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from tests.support.frames import numbers
from tests.support.landing import Landing
from tests.support.tables import Clock, EmulatedTable

BAND = 20.0
SETTINGS: dict[str, Any] = {"band": timedelta(seconds=BAND)}

ARRIVAL = st.tuples(
    st.just("arrive"),
    st.sampled_from(["a", "b 1", "c", "d=4"]),
    # At once, some seconds late, or as late as the band allows.
    st.sampled_from([0.0, 0.0, 0.7, 5.0, BAND]),
)
WAIT = st.tuples(st.just("wait"), st.sampled_from([0.0, 0.2, 0.9, 6.0, BAND, 100.0]))
RUN = st.tuples(st.sampled_from(["commit", "commit", "fail", "pause"]), st.sampled_from([None, None, 1, 2]))
REWIND = st.tuples(st.just("rewind"), st.integers(0, 3))


@dataclass
class World:
    """A folder and a job, and next to them what a target written as `batch_id=N` would hold."""

    landing: Landing
    there: dict[str, int] = field(default_factory=dict)
    batches: dict[int, list[int]] = field(default_factory=dict)
    committed: list[tuple[str, int]] = field(default_factory=list)
    versions: int = 0

    def arrive(self, name: str, late: float) -> None:
        """A file becomes visible, over one of the same name if there is one; its time is cut to the second."""
        self.versions += 1
        # No two of the same length: a late file that looks like the one it replaces could not be told from it.
        file = self.landing.write(f"{name}.json", json.dumps({"n": self.versions}) + " " * self.versions)
        modified = math.floor(self.landing.clock.now.timestamp() - late)
        os.utime(file, (modified, modified))
        self.there[name] = self.versions

    def wait(self, seconds: float) -> None:
        self.landing.clock.turn(seconds=seconds)

    def commit(self, most: int | None = None) -> None:
        run_id = f"jr_{uuid.uuid4().hex}"
        with self.landing.watermarks.job_run(self.landing.job, run_id) as run:
            self.batches[run.batch_id] = numbers(self.landing.new(run, max_files=most, **SETTINGS))
        self.committed.append((run_id, run.batch_id))

    def fail(self, most: int | None) -> None:
        """A run that has written its batch, and fails before it commits: the next one overwrites it."""
        run = self.landing.watermarks.job_run(self.landing.job, f"jr_{uuid.uuid4().hex}").begin()
        self.batches[run.batch_id] = numbers(self.landing.new(run, max_files=most, **SETTINGS))
        run.fail("made up by a test")

    def pause(self, most: int | None) -> None:
        option: Any = "job-bookmark-pause"
        with self.landing.watermarks.job_run(self.landing.job, "jr_paused", bookmark_option=option) as run:
            self.landing.new(run, max_files=most, **SETTINGS)

    def rewind(self, back: int) -> None:
        if len(self.committed) > back:
            run_id, _ = self.committed[-1 - back]
            for batch_id in self.landing.watermarks.rewind(self.landing.job, run_id).batch_ids:
                self.batches.pop(batch_id, None)
            del self.committed[len(self.committed) - back :]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("landing")


# To make a failing example smaller would take longer than a test may.
@settings(max_examples=20, phases=[Phase.reuse, Phase.generate], suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(ARRIVAL, ARRIVAL, WAIT, RUN, REWIND), min_size=8, max_size=16))
def test_delivery__each_version_once(
    spark: SparkSession, moto_table: EmulatedTable, folder: Path, steps: list[tuple[str, Any]]
) -> None:
    clock, job = Clock(), f"job-{uuid.uuid4().hex[:12]}"
    watermarks = moto_table.watermarks(clock=clock, retention=timedelta(days=1))
    table = watermarks._table
    table.backoff = replace(table.backoff, sleep=lambda seconds: clock.turn(seconds=seconds))
    (folder / job).mkdir()
    world = World(Landing(spark, watermarks, job, clock, folder / job))

    for step, *arguments in steps:
        getattr(world, step)(*arguments)
    world.wait(3 * BAND)
    world.commit()
    world.commit()

    delivered = Counter(n for batch in world.batches.values() for n in batch)
    assert {n: times for n, times in delivered.items() if times > 1} == {}, "delivered more than once"
    assert set(world.there.values()) - set(delivered) == set(), "not delivered"
    assert world.batches[world.committed[-1][1]] == [], "the last run found something that the one before had left"
    assert world.landing.position()["digests"] is None, "files are remembered although the horizon has passed them"
