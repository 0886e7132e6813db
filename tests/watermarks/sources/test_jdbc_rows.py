"""`new_jdbc_rows`: a table of a database, full and then only what is new, in parallel partitions of the window."""

import logging
import uuid
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import FutureValuesError, NullValuesError, Watermarks
from scripts.helpers.watermarks.window import Window
from tests.support.databases import Database, load_table, reading
from tests.support.frames import mark, numbers, session_zone
from tests.support.tables import Clock, EmulatedTable

pytestmark = pytest.mark.classic

UTC = timezone.utc
TYPES = [
    pytest.param("BIGINT", [str(2**53), str(2**53 + 1), str(2**53 + 2)], 2**53 + 2, id="bigint"),
    pytest.param("SMALLINT", ["-1", "0", "1"], 1, id="smallint"),
    pytest.param("NUMERIC(12,2)", ["1.50", "1.51", "1.52"], Decimal("1.52"), id="numeric"),
    pytest.param(
        "NUMERIC(30,0)", [f"{10**29}", f"{10**29 + 1}", f"{10**29 + 2}"], 10**29 + 2, id="numeric-of-30-digits"
    ),
    pytest.param("DATE", ["'2023-03-01'", "'2023-03-02'", "'2023-03-03'"], date(2023, 3, 3), id="date"),
    pytest.param(
        "TIMESTAMP",
        [f"'2023-03-01 12:00:00.00000{micro}'" for micro in (1, 2, 3)],
        datetime(2023, 3, 1, 12, 0, 0, 3, tzinfo=UTC),
        id="timestamp",
    ),
    pytest.param("VARCHAR(40)", ["'O''Brien'", "'O''Bryan'", "'O''Hara'"], "O'Hara", id="varchar"),
]


@pytest.mark.parametrize(("data_type", "values", "highest"), TYPES)
def test_full_delta_and_nothing_new(
    spark: SparkSession,
    watermarks: Watermarks,
    job: str,
    database: Database,
    data_type: str,
    values: list[str],
    highest: object,
) -> None:
    database.create(data_type, values[:1])
    assert load_table(spark, watermarks, job, database) == [1]
    database.insert(values[1:], start=2)

    assert load_table(spark, watermarks, job, database) == [2, 3]
    assert load_table(spark, watermarks, job, database) == []
    assert mark(watermarks, job) == highest


def test_window__is_told_without_a_count(
    spark: SparkSession, watermarks: Watermarks, moto_table: EmulatedTable, job: str, database: Database
) -> None:
    database.create("BIGINT", ["1", "2"])

    with reading(spark, watermarks, job, database) as (run, _):
        assert run.is_full_load("repairs")
        assert run.window("repairs") == Window(None, 2, None)

    record = moto_table.item(job, run.run_id)["sources"]["M"]["repairs"]["M"]
    assert (record["mark"], record["high"]) == ({"N": "2"}, {"N": "2"})
    assert "rows" not in record


def test_frame__does_not_grow_while_the_job_runs(
    spark: SparkSession, watermarks: Watermarks, job: str, derby: Database
) -> None:
    derby.create("INT", ["1", "2"])

    with reading(spark, watermarks, job, derby) as (_, frame):
        derby.insert(["3"], start=3)
        assert numbers(frame) == [1, 2]

    assert load_table(spark, watermarks, job, derby) == [3]


def test_nulls__come_once_with_the_first_load(
    spark: SparkSession, watermarks: Watermarks, moto_table: EmulatedTable, job: str, database: Database
) -> None:
    database.create("INT", [None, None])
    with reading(spark, watermarks, job, database) as (run, frame):
        assert numbers(frame) == [1, 2]
    # Nobody counted: that would be a scan.
    assert "rows" not in moto_table.item(job, run.run_id)["sources"]["M"]["repairs"]["M"]
    database.insert([None, "5"], start=3)

    assert load_table(spark, watermarks, job, database) == [4]


@pytest.mark.parametrize("partitions", [1, 4])
def test_nulls__with_values(
    spark: SparkSession, watermarks: Watermarks, job: str, database: Database, partitions: int
) -> None:
    database.create("INT", ["1", None, "5", "9", None])

    assert load_table(spark, watermarks, job, database, num_partitions=partitions) == [1, 2, 3, 4, 5]


def test_nulls__excluded(spark: SparkSession, watermarks: Watermarks, job: str, derby: Database) -> None:
    derby.create("INT", ["1", None, "5", "9"])

    assert load_table(spark, watermarks, job, derby, nulls="exclude", num_partitions=3) == [1, 3, 4]


def test_nulls__that_are_an_error(spark: SparkSession, watermarks: Watermarks, job: str, database: Database) -> None:
    database.create("INT", ["1"])
    assert load_table(spark, watermarks, job, database, nulls="error") == [1]
    database.insert([None, None, "2"], start=2)

    with pytest.raises(NullValuesError, match="'value' is null in 2 rows"):
        load_table(spark, watermarks, job, database, nulls="error")
    assert mark(watermarks, job) == 1


def test_empty_table__then_its_first_rows(
    spark: SparkSession, watermarks: Watermarks, job: str, derby: Database
) -> None:
    derby.create("DATE")
    assert load_table(spark, watermarks, job, derby) == []
    derby.insert(["'2023-03-01'"])

    assert load_table(spark, watermarks, job, derby) == [1]


def test_future__is_held_until_its_time_has_come(
    spark: SparkSession,
    watermarks: Watermarks,
    job: str,
    database: Database,
    clock: Clock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    database.create("TIMESTAMP", ["'2023-03-16 11:00:00'", "'2023-03-16 12:00:00.5'", "'2023-03-16 13:00:00'"])

    with caplog.at_level(logging.INFO, logger="scripts"):
        assert load_table(spark, watermarks, job, database) == [1]
    assert "some later than now are held back" in caplog.text
    clock.turn(minutes=1)
    assert load_table(spark, watermarks, job, database) == [2]
    clock.turn(days=1)
    assert load_table(spark, watermarks, job, database) == [3]
    assert load_table(spark, watermarks, job, database) == []


def test_future__allowed_or_an_error(spark: SparkSession, watermarks: Watermarks, job: str, derby: Database) -> None:
    derby.create("DATE", ["'2023-03-01'", "'9999-12-31'"])

    with pytest.raises(FutureValuesError, match="later than now in some rows"):
        load_table(spark, watermarks, job, derby, future="error")
    assert load_table(spark, watermarks, job, derby, future="allow") == [1, 2]


def test_until_and_initial_value(spark: SparkSession, watermarks: Watermarks, job: str, derby: Database) -> None:
    derby.create("INT", ["10", "20", "30", "40", None])

    assert load_table(spark, watermarks, job, derby, initial_value=10, until=35) == [2, 3, 5]
    assert load_table(spark, watermarks, job, derby, until=35) == []
    assert load_table(spark, watermarks, job, derby) == [4]


def test_delay__holds_back_what_is_newer(
    spark: SparkSession, watermarks: Watermarks, job: str, database: Database, clock: Clock
) -> None:
    database.create("TIMESTAMP", ["'2023-03-16 10:59:59'", "'2023-03-16 11:00:00'"])

    assert load_table(spark, watermarks, job, database, delay=timedelta(hours=1)) == [1]
    clock.turn(minutes=1)
    assert load_table(spark, watermarks, job, database, delay=timedelta(hours=1)) == [2]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kathmandu"])
@pytest.mark.parametrize("data_type", ["TIMESTAMP", "TIMESTAMP WITH TIME ZONE"])
def test_session_zone__that_is_not_the_machines(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, zone: str, data_type: str
) -> None:
    on_postgres.create(data_type)
    taken: list[list[int]] = []

    with session_zone(spark, zone):
        for n, hour in ((1, 0), (3, 2)):
            on_postgres.insert([f"'2023-03-01 0{hour}:00:00Z'", f"'2023-03-01 0{hour + 1}:00:00.5Z'"], start=n)
            taken.append(load_table(spark, watermarks, job, on_postgres, num_partitions=3))

    assert taken == [[1, 2], [3, 4]]
    assert mark(watermarks, job) == datetime(2023, 3, 1, 3, 0, 0, 500_000, tzinfo=UTC)


def test_query__instead_of_a_table(spark: SparkSession, watermarks: Watermarks, job: str, database: Database) -> None:
    database.create("INT", ["1", "2", "3"])
    query = f"(SELECT n, value * 10 AS tens FROM {database.table} WHERE n <> 2) mine"

    assert load_table(spark, watermarks, job, database, "tens", table=query, num_partitions=2) == [1, 3]
    assert mark(watermarks, job) == 30


def test_connection__of_glue(spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database) -> None:
    on_postgres.create("INT", ["1"])
    # As `glueContext.extract_jdbc_conf` gives it: `url` lacks the database.
    full = on_postgres.url
    connection: dict[str, Any] = {
        "url": full.rpartition("/")[0],
        "fullUrl": full,
        "user": on_postgres.properties["user"],
        "password": on_postgres.properties["password"],
        "vendor": "postgresql",
        "enforceSSL": "false",
        "customJDBCDriverClassName": "org.postgresql.Driver",
    }

    assert load_table(spark, watermarks, job, on_postgres, url=None, properties=None, connection=connection) == [1]


def test_paused_and_disabled_runs(spark: SparkSession, watermarks: Watermarks, job: str, derby: Database) -> None:
    derby.create("INT", ["1", "2"])
    load_table(spark, watermarks, job, derby, until=1)
    modes: list[Any] = ["job-bookmark-pause", "job-bookmark-disable"]
    taken = []

    for mode in modes:
        with watermarks.job_run(job, f"jr_{uuid.uuid4().hex}", mode) as run:
            rows = run.new_jdbc_rows(spark, column="value", transformation_ctx="repairs", **derby.options)
            taken.append(numbers(rows))

    assert taken == [[2], [1, 2]]
    assert mark(watermarks, job) == 1
