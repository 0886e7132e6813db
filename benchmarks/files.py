"""New files in a folder of thousands: ten JSON files have come since the last load, and are loaded into Parquet."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.core.checking import Fingerprint, fingerprint, parquet_check
from benchmarks.core.phases import Phases
from benchmarks.core.results import Bench, Case, Goal
from benchmarks.core.room import REGION, Room, dynamodb, new_run_id, new_watermarks, spark_session
from benchmarks.core.snapshot import Snapshot
from benchmarks.core.timing import Contender, measure

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from scripts.helpers.watermarks import Watermarks

OURS, PLAIN = "this package", "plain Spark, modifiedAfter"
STREAMING, LATER = "Structured Streaming, AvailableNow", "Structured Streaming, later on"
LISTS, NAMES = "listing", "naming"
NEW, ROWS_PER_FILE, WEEKS = 10, 20, 5
ROUNDS, SLOW_ROUNDS = 11, 3
# Beyond that, looking at all files of its first load would keep Structured Streaming busy for minutes in every round.
MOST_AT_ONCE = 20_000
SCHEMA = "claim_id BIGINT, amount DECIMAL(12, 2), status STRING, made TIMESTAMP"
COLUMNS = {"claim_id": "bigint", "amount": "decimal(12,2)", "status": "string", "made": "timestamp"}
ABOUT = (
    f"{NEW} new JSON files of {ROWS_PER_FILE} rows each lie in one folder among thousands of old ones, whose times "
    f"are spread over {WEEKS} weeks. They are loaded into Parquet. Structured Streaming has a checkpoint in which it"
    " has seen all the old ones; plain Spark is told the time after which files are new, and keeps no state."
)

NOTES = {
    STREAMING: f"{STREAMING}: its last load was that of all old files, at each of which it looks again as it starts.",
    LATER: f"{LATER}: its last load was one of {NEW} files, as on most days.",
}


@dataclass(frozen=True)
class Landing:
    """A folder of files, old ones and new ones, and what a right load of the new ones looks like."""

    folder: Path
    last_old: datetime
    expected: Fingerprint


@dataclass(frozen=True)
class Stage:
    """All that the contenders work with."""

    room: Room
    spark: SparkSession
    watermarks: Watermarks
    client: object


def run(room: Room) -> Bench:
    """Measure loads of ten files among more and more others."""
    sizes = (200, 2_000) if room.quick else (2_000, 20_000, 100_000)
    import boto3

    with dynamodb() as endpoint_url, spark_session(room) as spark:
        client = boto3.client("dynamodb", endpoint_url=endpoint_url, region_name=REGION)
        stage = Stage(room, spark, new_watermarks(endpoint_url), client)
        notes: list[str] = []
        cases = tuple(case(stage, size, notes if size == sizes[0] else None) for size in sizes)
    return Bench(room.name, "Files: ten new ones among thousands", ABOUT, cases, tuple(notes), quick=room.quick)


def case(stage: Stage, size: int, notes: list[str] | None) -> Case:
    """Have the contenders load the new files in turns, and note where the time goes if that was asked for."""
    name = f"{NEW} new among {size:,}"
    folder = stage.room.fresh("landing")
    stage.room.tell(f"writing {size:,} files")
    last_old = write_old(folder, size)
    before, checkpoints = ours_before(stage, folder, size), streaming_before(stage, folder, size)
    write_new(folder, size)
    expected = fingerprint(stage.spark.read.schema(SCHEMA).json([str(file) for file in folder.glob("new-*")]), COLUMNS)
    if expected.rows != NEW * ROWS_PER_FILE:
        raise RuntimeError(f"The new files have {expected.rows} rows.")
    landing = Landing(folder, last_old, expected)
    contenders = (
        ours(stage, landing, size, before),
        plain(stage, landing),
        *(streaming(stage, landing, name, checkpoint) for name, checkpoint in checkpoints.items()),
    )
    measured = measure(name, contenders, rounds=ROUNDS, warm_ups=2, tell=stage.room.tell)
    if notes is not None:
        notes.append(profile(stage, landing, size, before))
    goals = [Goal("≤ 1.5 × modifiedAfter", 1.5, (PLAIN,))]
    if size == 20_000:
        goals.append(Goal("≥ 10 × faster than streaming", 0.1, (STREAMING,)))
    return Case(name, "s", measured, tuple(goals))


def write_old(folder: Path, size: int) -> datetime:
    """Write the old files, the last of them an hour ago."""
    last = datetime.now(timezone.utc).replace(microsecond=0) - timedelta(hours=1)
    step = timedelta(weeks=WEEKS) / size
    for number in range(size):
        write_file(folder / f"claims-{number:06}.json", number, last - step * (size - 1 - number))
    return last


def write_new(folder: Path, size: int) -> None:
    """Write the new files, some minutes ago."""
    now = datetime.now(timezone.utc)
    for number in range(NEW):
        write_file(folder / f"new-{number:06}.json", size + number, now - timedelta(minutes=5, seconds=number))


def write_file(path: Path, number: int, modified: datetime) -> None:
    """Write one file, as if at that time."""
    rows = (
        {
            "claim_id": number * ROWS_PER_FILE + row,
            "amount": f"{(number * 7919 + row) % 100_000 / 100:.2f}",
            "status": ("open", "paid", "refused")[row % 3],
            "made": f"2026-01-01T{row:02}:00:00Z",
        }
        for row in range(ROWS_PER_FILE)
    )
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    os.utime(path, (modified.timestamp(), modified.timestamp()))


def ours_before(stage: Stage, folder: Path, size: int) -> Snapshot:
    """Have a first run take all old files; it does not have to read them for the state to be the same."""
    job = f"files {size}"
    with stage.watermarks.job_run(job, "jr_before") as run_:
        run_.new_files(stage.spark, str(folder), format="json", schema=SCHEMA, transformation_ctx="claims")
    return Snapshot.take(stage.client, stage.watermarks.table_name, job)


def ours(stage: Stage, landing: Landing, size: int, before: Snapshot) -> Contender:
    """Load with a `JobRun`: its begin and commit are part of the time."""
    target = str(stage.room.folder / "targets" / "ours")

    def load() -> None:
        with stage.watermarks.job_run(f"files {size}", new_run_id()) as this_run:
            new = this_run.new_files(
                stage.spark, str(landing.folder), format="json", schema=SCHEMA, transformation_ctx="claims"
            )
            new.write.mode("overwrite").parquet(target)

    return Contender(OURS, load, _check(stage, OURS, landing, target), before.restore)


def plain(stage: Stage, landing: Landing) -> Contender:
    """Let Spark drop old files while it lists them, by a time that somebody else knows."""
    target = str(stage.room.folder / "targets" / "plain")
    after = landing.last_old.strftime("%Y-%m-%dT%H:%M:%S")

    def load() -> None:
        new = stage.spark.read.schema(SCHEMA).option("modifiedAfter", after).json(str(landing.folder))
        new.write.mode("overwrite").parquet(target)

    return Contender(PLAIN, load, _check(stage, PLAIN, landing, target))


def profile(stage: Stage, landing: Landing, size: int, before: Snapshot) -> str:
    """Say where the time of this package goes, beside what plain Spark needs."""
    phases, target = Phases(), str(stage.room.folder / "targets" / "steps")
    after = landing.last_old.strftime("%Y-%m-%dT%H:%M:%S")
    for number in range(13):
        if number == 4:
            phases.forget()
        before.restore()
        this_run = stage.watermarks.job_run(f"files {size}", new_run_id())
        with phases.step("begin"):
            this_run.begin()
        with phases.step("new_files"):
            new = this_run.new_files(
                stage.spark, str(landing.folder), format="json", schema=SCHEMA, transformation_ctx="claims"
            )
        with phases.step("write"):
            new.write.mode("overwrite").parquet(target)
        with phases.step("commit"):
            this_run.commit()
        with phases.step(LISTS):
            old = stage.spark.read.format("binaryFile").option("modifiedAfter", after).load(str(landing.folder))
        with phases.step(NAMES):
            old.select("path", "length").collect()
    told, _, spark = phases.words().partition(f", {LISTS} ")
    lists, _, names = spark.partition(f", {NAMES} ")
    return (
        f"Where the time of {NEW} new among {size:,} goes: {told}. Of `new_files`, Spark needs {lists} to list the "
        f"folder, as everybody does, and {names} for the job that tells the names and times of the new files, which "
        "plain Spark does not ask for: without them nobody knows which files were read."
    )


def streaming_before(stage: Stage, folder: Path, size: int) -> dict[str, Path]:
    """Have the query see all old files once, and keep the checkpoints that it leaves: then, and after a later load.

    When it starts, Structured Streaming looks once more at all files of the last load: thousands in the first case.
    """
    stage.room.tell("the first run of Structured Streaming")
    last = [folder / f"claims-{size - 1 - number:06}.json" for number in range(NEW)]
    hidden = [file.rename(stage.room.folder / file.name) for file in last]
    checkpoint, target = stage.room.fresh("checkpoint-later"), str(stage.room.fresh("targets/streaming"))
    stream(stage, folder, checkpoint, target)
    for file, place in zip(hidden, last, strict=True):
        file.rename(place)
    stream(stage, folder, checkpoint, target)
    if size > MOST_AT_ONCE:
        return {LATER: checkpoint}
    at_once = stage.room.fresh("checkpoint-at-once")
    stream(stage, folder, at_once, str(stage.room.fresh("targets/streaming")))
    return {STREAMING: at_once, LATER: checkpoint}


def streaming(stage: Stage, landing: Landing, name: str, before: Path) -> Contender:
    """Load with a query that ends when it has caught up, from a checkpoint that knows the old files."""
    target, checkpoint = stage.room.folder / "targets" / "streaming", stage.room.folder / "checkpoint"

    def prepare() -> None:
        for folder in (target, checkpoint):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(before, checkpoint)

    def load() -> None:
        stream(stage, landing.folder, checkpoint, str(target))

    return Contender(name, load, _check(stage, name, landing, str(target)), prepare, NOTES[name], rounds=SLOW_ROUNDS)


def stream(stage: Stage, folder: Path, checkpoint: Path, target: str) -> None:
    """Run the query until it has caught up."""
    rows = stage.spark.readStream.schema(SCHEMA).json(str(folder))
    query = rows.writeStream.format("parquet").option("checkpointLocation", str(checkpoint)).trigger(availableNow=True)
    query.start(target).awaitTermination()


def _check(stage: Stage, who: str, landing: Landing, target: str) -> Callable[[], None]:
    return parquet_check(stage.spark, who, lambda: target, COLUMNS, landing.expected)
