"""A table that others write to while jobs read it: with `delay` or `lag`, nothing is lost and nothing comes twice."""

import random
import threading
import time
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.databases import Database, load_table
from tests.support.postgres import Postgres
from tests.support.tables import Clock, EmulatedTable

pytestmark = pytest.mark.classic


def rows_after_a_late_commit(
    spark: SparkSession, watermarks: Watermarks, job: str, table: Database, clock: Clock, **options: Any
) -> list[list[int]]:
    """What three runs load, when a row of 11:58 is committed at 12:02, after a row of 11:59 was."""
    assert table.server is not None
    table.create("TIMESTAMP", ["'2023-03-16 11:00:00'"])
    slow = table.server.connect()
    try:
        slow.cursor().execute(f"INSERT INTO {table.table} VALUES (2, '2023-03-16 11:58:00')")
        table.insert(["'2023-03-16 11:59:00'"], start=3)
        taken = [load_table(spark, watermarks, job, table, **options)]
        clock.turn(minutes=2)
        slow.commit()
    finally:
        slow.close()
    for minutes in (3, 10):
        clock.turn(minutes=minutes)
        taken.append(load_table(spark, watermarks, job, table, **options))
    return taken


def test_late_commit__is_lost_without_delay_or_lag(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, clock: Clock
) -> None:
    taken = rows_after_a_late_commit(spark, watermarks, job, on_postgres, clock)

    assert taken == [[1, 3], [], []]


def test_late_commit__is_waited_for_with_delay(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, clock: Clock
) -> None:
    taken = rows_after_a_late_commit(spark, watermarks, job, on_postgres, clock, delay=timedelta(minutes=5))

    assert taken == [[1], [2, 3], []]


def test_late_commit__is_caught_up_with_lag(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, clock: Clock
) -> None:
    asked = []

    def already_loaded() -> Any:
        """What the runs before wrote."""
        asked.append("once more")
        batches = "(3, timestamp '2023-03-16 11:59:00', 1), (2, timestamp '2023-03-16 11:58:00', 2)"
        written = spark.sql(f"SELECT * FROM VALUES {batches} AS t(n, value, batch_id)")
        return written.where(f"batch_id <= {len(asked)}")

    options = {"lag": timedelta(minutes=5), "already_loaded": already_loaded, "keys": ["n"]}
    taken = rows_after_a_late_commit(spark, watermarks, job, on_postgres, clock, **options)

    assert taken == [[1, 3], [2], []]


def test_writers__while_jobs_read(
    spark: SparkSession, moto_table: EmulatedTable, job: str, on_postgres: Database, postgres: Postgres
) -> None:
    on_postgres.create("TIMESTAMP WITH TIME ZONE")
    ahead = timedelta(0)
    watermarks: Watermarks = moto_table.watermarks(clock=lambda: datetime.now(timezone.utc) + ahead)

    def write(first: int, seed: int) -> None:
        chance, connection = random.Random(seed), postgres.connect()
        insert = f"INSERT INTO {on_postgres.table} VALUES (%s, clock_timestamp())"
        for n in range(first, first + 100):
            connection.cursor().execute(insert, (n,))
            # Some transactions stay open for a while, within the delay.
            time.sleep(chance.choice([0, 0, 0, 0.03, 0.1]))
            connection.commit()
        connection.close()

    writers = [threading.Thread(target=write, args=(1 + number * 100, number)) for number in range(3)]
    for writer in writers:
        writer.start()
    taken: list[int] = []
    while any(writer.is_alive() for writer in writers):
        taken += load_table(spark, watermarks, job, on_postgres, delay=timedelta(seconds=1), num_partitions=2)
    while_writing = len(taken)
    ahead = timedelta(hours=1)
    taken += load_table(spark, watermarks, job, on_postgres, delay=timedelta(seconds=1), num_partitions=2)

    assert sorted(taken) == list(range(1, 301))
    assert 0 < while_writing < 300
