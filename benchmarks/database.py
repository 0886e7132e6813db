"""A table of PostgreSQL, loaded into Parquet: the full load, a delta, and a run that finds nothing new."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.contenders.dlt_load import DltLoad
from benchmarks.contenders.onetl_load import OnetlLoad
from benchmarks.core.checking import Fingerprint, fingerprint, parquet_check
from benchmarks.core.results import Bench, Case, Goal
from benchmarks.core.room import REGION, Room, dynamodb, new_run_id, new_watermarks, spark_session
from benchmarks.core.snapshot import Snapshot
from benchmarks.core.timing import Contender, measure
from tests.support.postgres import Postgres, PostgresError, driver_jar, postgres

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from scripts.helpers.watermarks import Watermarks

OURS, PLAIN, BOUNDED = "this package", "plain spark.read.jdbc", "plain spark.read.jdbc, bounds known"
ONETL, DLT = "onETL IncrementalStrategy", "dlt sql_table, pyarrow"
TABLE, COLUMN = "repairs", "last_modified"
START, STEP = datetime(2023, 1, 1, tzinfo=timezone.utc), timedelta(seconds=4)
COLUMNS = {
    "id": "bigint",
    "last_modified": "timestamp",
    "property_id": "int",
    "status": "string",
    "amount": "decimal(12,2)",
    "note": "string",
}
ABOUT = (
    "A table of 6 columns with an index on `last_modified` is loaded into Parquet. All are told the table, the "
    "column and nothing else, and end with the next mark known: plain Spark by the `max` of what it loaded. Only "
    "the contender whose bounds are known was told the lowest and the highest value, and to use two connections; it"
    " is there as the limit."
)


@dataclass(frozen=True)
class Work:
    """One load: where everybody stands before it, and what is expected of it."""

    name: str
    mark: datetime | None
    expected: Fingerprint


@dataclass(frozen=True)
class Stage:
    """All that the contenders work with."""

    room: Room
    spark: SparkSession
    server: Postgres
    watermarks: Watermarks
    client: object
    rows: int

    def target(self, name: str) -> Path:
        """Give the folder that a contender writes to."""
        return self.room.folder / "targets" / name

    def moment(self, number: int) -> datetime:
        """Give the time of a row."""
        return START + STEP * number

    def check(self, who: str, target: Path, work: Work) -> Callable[[], None]:
        """Give the check of what a contender wrote."""
        return parquet_check(self.spark, who, lambda: str(target), COLUMNS, work.expected)


def run(room: Room) -> Bench:
    """Measure the loads."""
    import boto3

    rows, new = (60_000, 5_000) if room.quick else (3_000_000, 100_000)
    jar = driver_jar()
    if jar is None:
        raise PostgresError("PostgreSQL's JDBC driver is not installed: `apt-get install libpostgresql-jdbc-java`")
    with dynamodb() as endpoint_url, postgres() as server:
        fill(room, server, rows)
        with spark_session(room, {"spark.driver.extraClassPath": jar}) as spark:
            client = boto3.client("dynamodb", endpoint_url=endpoint_url, region_name=REGION)
            stage = Stage(room, spark, server, new_watermarks(endpoint_url), client, rows)
            works = [
                work_of(stage, name, count)
                for name, count in (("full load", rows), (f"delta of {new:,}", new), ("nothing new", 0))
            ]
            cases = tuple(case(stage, work) for work in works)
        version = server.run("SHOW server_version")[0][0].split()[0]
    return Bench(
        room.name,
        f"Database: {rows:,} rows of PostgreSQL",
        ABOUT,
        cases,
        quick=room.quick,
        facts={"PostgreSQL": version},
    )


def fill(room: Room, server: Postgres, rows: int) -> None:
    """Make the table: a row every 4 seconds."""
    room.tell(f"writing {rows:,} rows")
    server.run(
        f"CREATE TABLE {TABLE} AS SELECT id, "
        f"to_timestamp({int(START.timestamp())} + id * 4) AS last_modified, (id * 7919 % 50000)::int AS property_id, "
        "(ARRAY['open', 'assigned', 'waiting', 'done', 'refused'])[(id % 5)::int + 1] AS status, "
        "((id * 104729 % 1000000) / 100.0)::numeric(12, 2) AS amount, substr(md5(id::text), 1, 20) AS note "
        f"FROM generate_series(0::bigint, {rows - 1}) AS id",
        f"CREATE INDEX ON {TABLE} (last_modified)",
        f"ANALYZE {TABLE}",
    )


def work_of(stage: Stage, name: str, new: int) -> Work:
    """Work out what is new, and what a right load of it looks like."""
    mark = None if new == stage.rows else stage.moment(stage.rows - new - 1)
    if not new:
        return Work(name, mark, Fingerprint(0, 0))
    rows = jdbc(stage, f"(SELECT * FROM {TABLE} WHERE id >= {stage.rows - new}) t")
    expected = fingerprint(rows, COLUMNS)
    if expected.rows != new:
        raise RuntimeError(f"The table has {expected.rows} rows for {name}, not {new}.")
    return Work(name, mark, expected)


def case(stage: Stage, work: Work) -> Case:
    """Have the contenders do one load in turns."""
    contenders = [ours(stage, work), plain(stage, work), onetl(stage, work), dlt_(stage, work)]
    if work.mark is None:
        contenders.append(bounded(stage, work))
    rounds = 3 if work.mark is None else 7
    measured = measure(
        work.name, contenders, rounds=rounds, warm_ups=1 if work.mark is None else 2, tell=stage.room.tell
    )
    if work.mark is None:
        goals = (Goal("≥ 1.5 × faster than the best of the others", 1 / 1.5, (PLAIN, ONETL, DLT)),)
    else:
        goals = (Goal("not slower than any Spark contender", 1.0, (PLAIN, ONETL)),)
    return Case(work.name, "s", measured, goals)


def ours(stage: Stage, work: Work) -> Contender:
    """Load with a `JobRun`: its begin and commit are part of the time."""
    watermarks, job, target = stage.watermarks, f"database {work.name}", stage.target("ours")

    def new_rows(run_: object, **options: object) -> object:
        return run_.new_jdbc_rows(  # type: ignore[attr-defined]
            stage.spark,
            url=stage.server.url,
            properties=stage.server.properties,
            table=TABLE,
            column=COLUMN,
            transformation_ctx=TABLE,
            **options,
        )

    if work.mark is not None:
        with watermarks.job_run(job, "jr_before") as earlier:
            new_rows(earlier, until=work.mark)
    before = Snapshot.take(stage.client, watermarks.table_name, job)

    def load() -> None:
        with watermarks.job_run(job, new_run_id()) as this_run:
            new_rows(this_run).write.mode("overwrite").parquet(str(target))  # type: ignore[attr-defined]

    return Contender(OURS, load, stage.check(OURS, target, work), before.restore)


def plain(stage: Stage, work: Work) -> Contender:
    """Filter by a mark that somebody else knows, write, and find the next one."""
    from pyspark.sql import functions as F

    target = stage.target("plain")

    def load() -> None:
        table = jdbc(stage, TABLE)
        new = table if work.mark is None else table.where(F.col(COLUMN) > F.lit(work.mark))
        new.write.mode("overwrite").parquet(str(target))
        new.agg(F.max(COLUMN)).collect()

    return Contender(PLAIN, load, stage.check(PLAIN, target, work))


def bounded(stage: Stage, work: Work) -> Contender:
    """Read through two connections, with bounds that somebody else knows."""
    target = stage.target("bounded")
    bounds = {
        "partitionColumn": COLUMN,
        "lowerBound": f"{START:%Y-%m-%d %H:%M:%S}",
        "upperBound": f"{stage.moment(stage.rows):%Y-%m-%d %H:%M:%S}",
        "numPartitions": "2",
        "fetchsize": "10000",
    }

    def load() -> None:
        jdbc(stage, TABLE, **bounds).write.mode("overwrite").parquet(str(target))

    return Contender(BOUNDED, load, stage.check(BOUNDED, target, work), note=f"{BOUNDED}: does not find the next mark.")


def onetl(stage: Stage, work: Work) -> Contender:
    """Load with onETL."""
    target, store = stage.target("onetl"), stage.room.fresh(f"hwm-{work.name}")
    load = OnetlLoad(stage.spark, stage.server.port, TABLE, COLUMN, store)

    def prepare() -> None:
        shutil.rmtree(store)
        store.mkdir()
        if work.mark is not None:
            load.stand_at(work.mark)

    return Contender(ONETL, lambda: load(str(target)), stage.check(ONETL, target, work), prepare)


def dlt_(stage: Stage, work: Work) -> Contender:
    """Load with dlt, which has loaded the thousand rows before the mark in an earlier run."""
    target, home, before = stage.target("dlt"), stage.room.folder / "dlt", stage.room.fresh(f"dlt-{work.name}")
    load = DltLoad(stage.server.port, TABLE, COLUMN, home)
    shutil.rmtree(home, ignore_errors=True)
    if work.mark is not None:
        stage.room.fresh("targets/dlt")
        load(target, above=work.mark - 1_000 * STEP, up_to=work.mark)
        shutil.copytree(home, before / "home")
        shutil.copytree(target, before / "target", ignore=shutil.ignore_patterns("*.parquet"))

    def prepare() -> None:
        for folder, kept in ((home, before / "home"), (target, before / "target")):
            shutil.rmtree(folder, ignore_errors=True)
            if kept.exists():
                shutil.copytree(kept, folder)
        target.mkdir(parents=True, exist_ok=True)

    return Contender(DLT, lambda: load(target), stage.check(DLT, target, work), prepare)


def jdbc(stage: Stage, table: str, **options: str):  # type: ignore[no-untyped-def]
    """Read the table with Spark's own reader."""
    reader = stage.spark.read.format("jdbc").options(**stage.server.properties).options(**options)
    return reader.option("url", stage.server.url).option("dbtable", table).load()
