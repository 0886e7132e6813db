"""The window of a database table in parallel partitions: every row once, and what the database is asked for it."""

import re
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from scripts.helpers.watermarks.sources import jdbc
from tests.support.databases import Database, load_table, reading
from tests.support.frames import numbers, plan, session_zone
from tests.support.postgres import Postgres

pytestmark = pytest.mark.classic


@pytest.mark.parametrize(
    ("data_type", "values"),
    [
        pytest.param("INT", [str(each) for each in range(0, 101, 5)], id="values-on-the-borders"),
        pytest.param("INT", [*["1"] * 10, *["2"] * 20, "1000000000"], id="skewed"),
        pytest.param("BIGINT", [str(-(2**63)), "-1", "0", "1", str(2**63 - 1)], id="the-whole-of-bigint"),
        pytest.param("NUMERIC(8,3)", ["0.001", "0.999", "1.000", "1.001", "2.500", "3.000", "99.999"], id="numeric"),
        pytest.param("DATE", [f"'2023-03-{day:02d}'" for day in range(1, 12)], id="date"),
        pytest.param(
            "TIMESTAMP",
            [f"'2023-03-01 12:00:00.{micro:06d}'" for micro in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 999_999)],
            id="microseconds",
        ),
    ],
)
def test_every_row__comes_once(
    spark: SparkSession, watermarks: Watermarks, job: str, database: Database, data_type: str, values: list[str]
) -> None:
    first = len(values) // 3
    database.create(data_type, values[:first])
    assert load_table(spark, watermarks, job, database, num_partitions=3) == list(range(1, first + 1))
    database.insert(values[first:], start=first + 1)

    with reading(spark, watermarks, job, database, num_partitions=4) as (_, frame):
        assert numbers(frame) == list(range(first + 1, len(values) + 1))
        assert frame.rdd.getNumPartitions() > 1


def test_night__in_which_clocks_go_back(spark: SparkSession, watermarks: Watermarks, job: str, derby: Database) -> None:
    # Borders of strides are shown in the session's zone, and in New York the hour from one to two came twice.
    times = [f"'2022-11-06 0{hour}:{minute:02d}:00'" for hour in range(8) for minute in range(0, 60, 5)]
    derby.create("TIMESTAMP", times)

    with session_zone(spark, "America/New_York"):
        taken = load_table(spark, watermarks, job, derby, num_partitions=30)

    assert taken == list(range(1, len(times) + 1))


def test_partitions__as_many_as_asked_for(
    spark: SparkSession, watermarks: Watermarks, job: str, derby: Database
) -> None:
    derby.create("INT", ["1", "100"])

    with reading(spark, watermarks, job, derby, num_partitions=7) as (_, frame):
        assert frame.rdd.getNumPartitions() == 7


def test_partitions__of_text_are_one(spark: SparkSession, watermarks: Watermarks, job: str, derby: Database) -> None:
    derby.create("VARCHAR(9)", ["'a'", "'z'"])

    with reading(spark, watermarks, job, derby, num_partitions=7) as (_, frame):
        assert frame.rdd.getNumPartitions() == 1
        assert numbers(frame) == [1, 2]


def test_partitions__by_default_one_for_a_small_delta(
    spark: SparkSession, watermarks: Watermarks, job: str, derby: Database
) -> None:
    derby.create("TIMESTAMP", ["'2013-03-01 00:00:00'", "'2023-03-01 00:00:00'"])
    with reading(spark, watermarks, job, derby) as (_, frame):
        assert frame.rdd.getNumPartitions() == jdbc.parallelism(spark) == 2
    derby.insert(["'2023-03-01 10:00:00'", "'2023-03-02 00:00:00'"], start=3)

    with reading(spark, watermarks, job, derby) as (_, frame):
        assert frame.rdd.getNumPartitions() == 1
        assert numbers(frame) == [3, 4]


@pytest.mark.parametrize(("highest", "partitions"), [(jdbc.IDS_PER_PARTITION, 1), (jdbc.IDS_PER_PARTITION * 5, 2)])
def test_partitions__by_default_one_for_few_ids(
    spark: SparkSession, watermarks: Watermarks, job: str, derby: Database, highest: int, partitions: int
) -> None:
    derby.create("INT", ["1", str(highest)])

    with reading(spark, watermarks, job, derby) as (_, frame):
        assert frame.rdd.getNumPartitions() == partitions


def test_plan__has_the_window_in_the_database(
    spark: SparkSession, watermarks: Watermarks, job: str, database: Database
) -> None:
    database.create("INT", ["1", "2", "3"])
    load_table(spark, watermarks, job, database, until=1)

    with reading(spark, watermarks, job, database, num_partitions=2) as (_, frame):
        told = plan(frame)

    name = "VALUE" if database.name == "derby" else "value"
    assert f"PushedFilters: [*IsNotNull({name}), *GreaterThan({name},1), *LessThanOrEqual({name},3)]" in told
    assert "numPartitions=2" in told
    assert "Filter" not in told.replace("PushedFilters", "")


def asked_of(statements: list[str], table: str) -> list[str]:
    """The queries of a table, without those for its columns and for the next rows of the same query."""
    return [each for each in statements if table in each and "WHERE 1=0" not in each and each.startswith("SELECT")]


def test_statements__one_for_the_bounds_and_the_window_in_every_partition(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, postgres: Postgres
) -> None:
    on_postgres.create("TIMESTAMP", [f"'2023-03-01 12:00:00.00000{micro}'" for micro in range(10)])
    load_table(spark, watermarks, job, on_postgres, until="2023-03-01T12:00:00.000003Z")

    with postgres.statements() as statements:
        assert load_table(spark, watermarks, job, on_postgres, num_partitions=3) == [5, 6, 7, 8, 9, 10]

    bounds, *reads = asked_of(statements, on_postgres.table)
    inner = f'SELECT MIN("value") AS lowest_, MAX("value") AS highest_ FROM {on_postgres.table}'
    assert inner in bounds
    assert "WHERE" not in bounds
    assert len(reads) == 3
    for read in reads:
        assert "(\"value\" > '2023-03-01 12:00:00.000003')" in read
        assert "(\"value\" <= '2023-03-01 12:00:00.000009')" in read
    assert len(set(reads)) == 3


def test_statements__of_a_run_without_anything_new(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, postgres: Postgres
) -> None:
    on_postgres.create("INT", ["1"])
    load_table(spark, watermarks, job, on_postgres)

    with postgres.statements() as statements:
        assert load_table(spark, watermarks, job, on_postgres) == []

    assert len(asked_of(statements, on_postgres.table)) == 1


def test_index__is_used_by_a_delta(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, postgres: Postgres
) -> None:
    table = on_postgres.table
    many = "SELECT n, timestamp '2020-01-01' + n * interval '1 second' FROM generate_series({}, {}) AS n"
    on_postgres.create("TIMESTAMP")
    postgres.run(
        f"INSERT INTO {table} {many.format(1, 100_000)}",
        f"CREATE INDEX ON {table} (value)",
        f"INSERT INTO {table} {many.format(100_001, 101_000)}",
        f"ANALYZE {table}",
    )
    at_100_000 = postgres.run("SELECT (timestamp '2020-01-01' + 100000 * interval '1 second')::text")[0][0]

    with postgres.statements() as statements:
        taken = load_table(spark, watermarks, job, on_postgres, initial_value=at_100_000, nulls="exclude")

    assert taken == list(range(100_001, 101_001))
    bounds, *reads = asked_of(statements, table)
    for statement in (bounds, *reads):
        how = "\n".join(row[0] for row in postgres.run(f"EXPLAIN {statement}"))
        assert re.search(r"Index (Only )?Scan", how), how
        assert "Seq Scan" not in how
    assert len(reads) == 1


def test_lag__does_not_ask_for_the_bounds_again(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, postgres: Postgres
) -> None:
    on_postgres.create("INT", ["10", "20"])
    load_table(spark, watermarks, job, on_postgres)
    on_postgres.insert(["15", "30"], start=3)
    target = spark.sql("SELECT 1 AS n, 10 AS value, 1 AS batch_id UNION ALL SELECT 2, 20, 1")
    options: dict[str, Any] = {"lag": 10, "already_loaded": target, "keys": ["n"], "num_partitions": 2}

    with postgres.statements() as statements:
        assert load_table(spark, watermarks, job, on_postgres, **options) == [3, 4]

    assert sum("MIN(" in each for each in asked_of(statements, on_postgres.table)) == 1
