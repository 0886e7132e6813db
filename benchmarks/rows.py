"""Rows of Parquet files: the full load, and deltas of 1 % and of 10 %, written to Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.contenders.original import OriginalStore
from benchmarks.core.checking import Fingerprint, fingerprint, parquet_check, require_same
from benchmarks.core.phases import Phases
from benchmarks.core.results import Bench, Case, Goal
from benchmarks.core.room import REGION, Room, dynamodb, new_run_id, new_watermarks, spark_session
from benchmarks.core.snapshot import Snapshot
from benchmarks.core.timing import Contender, measure

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from scripts.helpers.watermarks import Watermarks

OURS, LIMIT, BY_HAND = "this package", "plain Spark, mark known (the limit)", "hand-written: filter, write, max"
LOOKS_FIRST = "plain Spark, looks before it loads"
START, STEP, MICROSECOND = datetime(2023, 1, 1, tzinfo=timezone.utc), timedelta(seconds=4), timedelta(microseconds=1)
FLOOR = "max of one row"
COLUMNS = {
    "id": "bigint",
    "last_modified": "timestamp",
    "property_id": "int",
    "status": "string",
    "amount": "decimal(12,2)",
    "note": "string",
}
ABOUT = (
    "Parquet files with rows of 6 columns in the order of `last_modified`, as a growing source has them, are loaded"
    " into Parquet. The limit reads and writes the same rows and is told the mark; it keeps no state. The hand-"
    "written job looks its mark up as the platform's original class does, filters, writes, finds the `max` of what "
    "it loaded, and records it. The one that looks before it loads is told the mark, asks for the `max` above it, and "
    "loads up to that: the least that anybody does who keeps the window from growing while it is read. The mark is "
    "another one in every round, as in every run, but for the last two cases, where it is the same in all: Spark then "
    "finds the code that it compiled in the round before."
)


@dataclass(frozen=True)
class Work:
    """One load: which rows are already there, and what is expected of the others."""

    name: str
    mark: datetime | None
    highest: datetime
    expected: Fingerprint
    moves: timedelta = MICROSECOND

    def marks(self) -> Iterator[datetime | None]:
        """Give a mark for each round, all of them between the same two rows.

        No two runs of a job have the same one. If rounds had, Spark would find the code that it generated and compiled
        for the filter in the round before, which it never does in real life.
        """
        return (self.mark and self.mark + number * self.moves for number in count())


@dataclass(frozen=True)
class Stage:
    """All that the contenders work with."""

    room: Room
    spark: SparkSession
    source: str
    watermarks: Watermarks
    original: OriginalStore

    def read(self) -> DataFrame:
        """Read the source, as every job begins."""
        return self.spark.read.parquet(self.source)

    def target(self, name: str) -> str:
        """Give the folder that a contender writes to."""
        return str(self.room.folder / "targets" / name)


def run(room: Room) -> Bench:
    """Measure the loads."""
    import boto3

    rows = 400_000 if room.quick else 10_000_000
    with dynamodb() as endpoint_url, spark_session(room) as spark:
        source = generate(room, spark, rows)
        client = boto3.client("dynamodb", endpoint_url=endpoint_url, region_name=REGION)
        original = OriginalStore.create(client, "original")
        stage = Stage(room, spark, source, new_watermarks(endpoint_url), original)
        deltas = [work_of(stage, f"delta of {share} %", rows, rows * share // 100) for share in (10, 1)]
        cases = [
            case(stage, work_of(stage, "full load", rows, rows), rounds=5, factor=1.10),
            *(case(stage, delta, rounds=11, factor=1.25) for delta in deltas),
        ]
        notes = (profile(stage, deltas[-1], cases[-1]),)
        still = (replace(delta, name=f"{delta.name}, same mark", moves=timedelta(0)) for delta in deltas)
        cases += [case(stage, delta, rounds=11) for delta in still]
    return Bench(room.name, f"Rows: {rows:,} rows of Parquet", ABOUT, tuple(cases), notes, quick=room.quick)


def generate(room: Room, spark: SparkSession, rows: int) -> str:
    """Write the source: one row every 4 seconds, one file for every sixteenth of the time."""
    source = str(room.folder / "source")
    room.tell(f"writing {rows:,} rows")
    spark.range(0, rows, 1, 16).selectExpr(
        "id",
        f"timestamp_seconds({int(START.timestamp())} + id * 4) AS last_modified",
        "CAST(xxhash64(id) % 50000 AS INT) AS property_id",
        "element_at(array('open', 'assigned', 'waiting', 'done', 'refused'), CAST(id % 5 AS INT) + 1) AS status",
        "CAST((xxhash64(id, 1) % 1000000) / 100 AS DECIMAL(12, 2)) AS amount",
        "substr(md5(CAST(id AS STRING)), 1, 20) AS note",
    ).write.mode("overwrite").parquet(source)
    megabytes = sum(file.stat().st_size for file in Path(source).glob("*.parquet")) / 1e6
    room.tell(f"the source has {megabytes:.0f} MB")
    return source


def work_of(stage: Stage, name: str, rows: int, new: int) -> Work:
    """Work out what is new, and what a right load of it looks like."""
    mark = None if new == rows else START + STEP * (rows - new - 1)
    expected = fingerprint(stage.read().where(f"id >= {rows - new}"), COLUMNS)
    if expected.rows != new:
        raise RuntimeError(f"The source has {expected.rows} rows for {name}, not {new}.")
    return Work(name, mark, START + STEP * (rows - 1), expected)


def case(stage: Stage, work: Work, *, rounds: int, factor: float | None = None) -> Case:
    """Have the contenders do one load in turns, and hold them to the goals where there are any."""
    contenders = (
        ours(stage, work, f"rows {work.name}"),
        limit(stage, work),
        by_hand(stage, work),
        looks_first(stage, work),
    )
    measured = measure(work.name, contenders, rounds=rounds, warm_ups=2, tell=stage.room.tell)
    goals = factor and (
        Goal(f"≤ {factor:.2f} × the limit", factor, (LIMIT,)),
        Goal("faster than by hand", 1.0, (BY_HAND,)),
    )
    return Case(work.name, "s", measured, goals or ())


def ours(stage: Stage, work: Work, job: str) -> Contender:
    """Load with a `JobRun`: its begin and commit are part of the time."""
    watermarks, target, marks = stage.watermarks, stage.target("ours"), work.marks()
    if work.mark is not None:
        with watermarks.job_run(job, "jr_before") as earlier:
            earlier.new_rows(stage.read(), "last_modified", transformation_ctx="rows", until=work.mark)
    before = Snapshot.take(stage.original.client, watermarks.table_name, job)

    def prepare() -> None:
        before.restore()
        mark = next(marks)
        if mark is not None:
            watermarks.set_mark(job, "rows", mark, reason="another round")

    def load() -> None:
        with watermarks.job_run(job, new_run_id()) as this_run:
            new = this_run.new_rows(stage.read(), "last_modified", transformation_ctx="rows")
            new.write.mode("overwrite").parquet(target)

    def next_mark() -> object:
        return (watermarks.get_watermark_values(job) or {}).get("rows")

    return Contender(OURS, load, check(stage, OURS, target, work, next_mark), prepare)


def limit(stage: Stage, work: Work) -> Contender:
    """Filter by a mark that somebody else knows, and write."""
    from pyspark.sql import functions as F

    target, marks = stage.target("limit"), work.marks()

    def load() -> None:
        source, mark = stage.read(), next(marks)
        new = source if mark is None else source.where(F.col("last_modified") > F.lit(mark))
        new.write.mode("overwrite").parquet(target)

    return Contender(LIMIT, load, check(stage, LIMIT, target, work, lambda: work.highest))


def by_hand(stage: Stage, work: Work) -> Contender:
    """Look the mark up, filter, write, find the next mark, and record it."""
    from pyspark.sql import functions as F

    target, job, store, marks = stage.target("by-hand"), f"rows {work.name}", stage.original, work.marks()

    def prepare() -> None:
        mark = next(marks)
        if mark is not None:
            store.record(job, "jr_before", mark.isoformat())

    def load() -> None:
        # The run is given: left to itself, the original class would find a wrong one.
        known = store.mark(job, "jr_before" if work.mark is not None else None)
        source = stage.read()
        new = source if known is None else source.where(F.col("last_modified") > F.lit(datetime.fromisoformat(known)))
        new.write.mode("overwrite").parquet(target)
        highest = new.agg(F.max("last_modified")).collect()[0][0]
        store.record(f"{job}, done", "jr_now", highest.astimezone(timezone.utc).isoformat())

    def next_mark() -> datetime:
        return datetime.fromisoformat(store.mark(f"{job}, done", "jr_now") or "")

    return Contender(BY_HAND, load, check(stage, BY_HAND, target, work, next_mark), prepare)


def looks_first(stage: Stage, work: Work) -> Contender:
    """Find the highest value above a mark that somebody else knows, and write what is up to that."""
    from pyspark.sql import functions as F

    target, marks, found = stage.target("looks-first"), work.marks(), [work.highest]

    def load() -> None:
        source, mark, column = stage.read(), next(marks), F.col("last_modified")
        new = source if mark is None else source.where(column > F.lit(mark))
        found[:] = [new.agg(F.max("last_modified")).collect()[0][0].astimezone(timezone.utc)]
        new.where(column <= F.lit(found[0])).write.mode("overwrite").parquet(target)

    return Contender(LOOKS_FIRST, load, check(stage, LOOKS_FIRST, target, work, lambda: found[0]))


def profile(stage: Stage, work: Work, measured: Case) -> str:
    """Say where the time of this package's delta goes, and what the least is that a look at a source can cost."""
    phases, job = Phases(), "rows, step by step"
    contender = ours(stage, work, job)
    target, one_row = stage.target("ours"), stage.target("one-row")
    stage.read().limit(1).write.mode("overwrite").parquet(one_row)
    for number in range(9):
        if number == 2:
            phases.forget()
        contender.prepare()
        this_run = stage.watermarks.job_run(job, new_run_id())
        with phases.step("begin"):
            this_run.begin()
        with phases.step("spark.read"):
            source = stage.read()
        with phases.step("new_rows"):
            new = this_run.new_rows(source, "last_modified", transformation_ctx="rows")
        with phases.step("write"):
            new.write.mode("overwrite").parquet(target)
        with phases.step("commit"):
            this_run.commit()
        contender.check()
        table = stage.spark.read.parquet(one_row)
        with phases.step(FLOOR):
            table.where(f"last_modified > timestamp_micros({number}L)").selectExpr("max(last_modified)").collect()
    told, _, floor = phases.words().rpartition(f", {FLOOR} ")
    over = (measured.ours.median - measured.of(LIMIT).median) * 1e3
    own = sum(phases.median(name) for name in ("begin", "new_rows", "commit")) * 1e3
    return (
        f"Where the time of a {work.name} goes: {told}. The same question asked of a file of one row takes {floor}: "
        "what Spark needs to plan, compile and schedule two stages, whatever the source. In turns with the others, "
        f"this package took {over:.0f} ms more than the limit; begin, `new_rows` and commit add up to {own:.0f} ms."
    )


def check(stage: Stage, who: str, target: str, work: Work, next_mark: Callable[[], object]) -> Callable[[], None]:
    """Give the check of what was written, and of the mark that the next run would start from."""
    rows = parquet_check(stage.spark, who, lambda: target, COLUMNS, work.expected)

    def both() -> None:
        rows()
        require_same(who, work.highest, next_mark())

    return both
