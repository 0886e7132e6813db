"""`lag`: rows that appeared below the mark are read again, and left out where the target already has them."""

import logging
import uuid
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from scripts.helpers.watermarks import InvalidArgumentError, Watermarks
from tests.support.databases import Database, load_table
from tests.support.driver import work_of
from tests.support.frames import frame, load, mark, numbers, plan
from tests.support.tables import EmulatedTable

VALUES = ["100", "200", "300"]


class Target:
    """A target written as batches."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark, self.folder = spark, folder / "target"

    def write(self, rows: DataFrame, batch_id: int) -> None:
        rows.write.mode("overwrite").parquet(f"{self.folder}/batch_id={batch_id}")

    def read(self) -> DataFrame:
        return self.spark.read.parquet(str(self.folder))

    def rows(self) -> list[tuple[int, int]]:
        return sorted((row["batch_id"], row["n"]) for row in self.read().collect())


@pytest.fixture
def target(spark: SparkSession, tmp_path: Path) -> Target:
    return Target(spark, tmp_path)


def copy(
    watermarks: Watermarks, job: str, source: DataFrame, target: Target, *, fail: bool = False, **more: Any
) -> str:
    """A run that writes to the target what is new, late rows among it; it may fail after that."""
    run = watermarks.job_run(job, f"jr_{uuid.uuid4().hex}").begin()
    options: dict[str, Any] = {"lag": 150, "already_loaded": target.read, "keys": ["n"], **more}
    target.write(run.new_rows(source, "value", transformation_ctx="repairs", **options), run.batch_id)
    if fail:
        run.fail("made up by a test")
    else:
        run.commit()
    return run.run_id


def test_late_rows__come_once(spark: SparkSession, watermarks: Watermarks, job: str, target: Target) -> None:
    copy(watermarks, job, frame(spark, "int", VALUES), target)
    copy(watermarks, job, frame(spark, "int", [*VALUES, "250", "400"]), target)
    copy(watermarks, job, frame(spark, "int", [*VALUES, "250", "400"]), target)

    assert target.rows() == [(1, 1), (1, 2), (1, 3), (2, 4), (2, 5)]
    assert mark(watermarks, job) == 400


def test_late_rows__alone_do_not_move_the_mark(
    spark: SparkSession, watermarks: Watermarks, job: str, target: Target
) -> None:
    copy(watermarks, job, frame(spark, "int", VALUES), target)
    copy(watermarks, job, frame(spark, "int", [*VALUES, "250"]), target)

    assert target.rows()[3:] == [(2, 4)]
    assert mark(watermarks, job) == 300


def test_late_rows__beyond_the_lag_are_not_seen(
    spark: SparkSession, watermarks: Watermarks, job: str, target: Target
) -> None:
    copy(watermarks, job, frame(spark, "int", VALUES), target)
    copy(watermarks, job, frame(spark, "int", [*VALUES, "150", "151"]), target)

    assert target.rows()[3:] == [(2, 5)]


def test_updated_rows__come_through(spark: SparkSession, watermarks: Watermarks, job: str, target: Target) -> None:
    copy(watermarks, job, frame(spark, "int", VALUES), target)
    # The second was updated within the overlap, the third after the mark.
    copy(watermarks, job, frame(spark, "int", ["100", "290", "310"]), target)

    assert target.rows() == [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3)]


def test_retry__delivers_the_late_rows_of_the_crashed_run_again(
    spark: SparkSession, watermarks: Watermarks, job: str, target: Target
) -> None:
    copy(watermarks, job, frame(spark, "int", VALUES), target)
    late = frame(spark, "int", [*VALUES, "250", "400"])
    copy(watermarks, job, late, target, fail=True)
    assert target.rows()[3:] == [(2, 4), (2, 5)]

    copy(watermarks, job, late, target, already_loaded=snapshot(target))

    assert target.rows()[3:] == [(2, 4), (2, 5)]


def snapshot(target: Target) -> DataFrame:
    """The target as it is now: the run overwrites files that a lazy frame would still want to read."""
    return target.spark.createDataFrame(target.read().collect(), target.read().schema)


def test_record__says_how_many_and_how_late(
    spark: SparkSession,
    watermarks: Watermarks,
    moto_table: EmulatedTable,
    job: str,
    target: Target,
    caplog: pytest.LogCaptureFixture,
) -> None:
    first = copy(watermarks, job, frame(spark, "int", VALUES), target)
    with caplog.at_level(logging.INFO, logger="scripts"):
        second = copy(watermarks, job, frame(spark, "int", [*VALUES, "250", "299", "400"]), target)
    third = copy(watermarks, job, frame(spark, "int", [*VALUES, "250", "299", "400"]), target)

    records = [moto_table.item(job, each)["sources"]["M"]["repairs"]["M"] for each in (first, second, third)]
    assert "late_rows" not in records[0]
    counts = [int(Decimal(records[1][name]["N"])) for name in ("late_rows", "late_by", "rows")]
    assert counts == [2, 50, 3]
    assert (records[2]["late_rows"], records[2]["rows"]) == ({"N": "0"}, {"N": "0"})
    assert "late_by" not in records[2]
    assert "3 new rows, value 300 → 400, 2 of them late" in caplog.text


@pytest.mark.parametrize(
    ("data_type", "values", "late", "lag", "late_by"),
    [
        pytest.param("bigint", ["10", "20"], "15", 10, 5, id="ids"),
        pytest.param("decimal(10,2)", ["10.00", "20.00"], "15.25", 10, Decimal("4.75"), id="decimals"),
        pytest.param("date", ["2023-03-01", "2023-03-10"], "2023-03-09", timedelta(days=1, hours=1), 1, id="dates"),
        pytest.param(
            "timestamp",
            ["2023-03-01T00:00:00Z", "2023-03-01T02:00:00Z"],
            "2023-03-01T01:59:58.5Z",
            timedelta(hours=1),
            Decimal("1.5"),
            id="times",
        ),
    ],
)
def test_lag__of_every_type(
    spark: SparkSession,
    watermarks: Watermarks,
    moto_table: EmulatedTable,
    job: str,
    target: Target,
    data_type: str,
    values: list[str],
    late: str,
    lag: Any,
    late_by: Any,
) -> None:
    copy(watermarks, job, frame(spark, data_type, values), target, lag=lag)
    run_id = copy(watermarks, job, frame(spark, data_type, [*values, late]), target, lag=lag)

    assert target.rows()[2:] == [(2, 3)]
    record = moto_table.item(job, run_id)["sources"]["M"]["repairs"]["M"]
    assert Decimal(record["late_by"]["N"]) == late_by


def test_already_loaded__is_not_asked_for_in_the_first_load(
    spark: SparkSession, watermarks: Watermarks, job: str
) -> None:
    def never() -> DataFrame:
        raise AssertionError("there is no target yet")

    assert load(watermarks, job, frame(spark, "int", ["1"]), lag=1, already_loaded=never, keys=["n"]) == [1]


def test_without_already_loaded__the_overlap_comes_again(
    spark: SparkSession, watermarks: Watermarks, job: str, caplog: pytest.LogCaptureFixture
) -> None:
    load(watermarks, job, frame(spark, "int", VALUES), lag=150)

    with caplog.at_level(logging.INFO, logger="scripts"):
        assert load(watermarks, job, frame(spark, "int", [*VALUES, "250"]), lag=150) == [2, 3, 4]
    assert "what is just below the mark is loaded again" in caplog.text
    assert load(watermarks, job, frame(spark, "int", ["160"]), lag=150) == [1]
    assert mark(watermarks, job) == 300


def test_lag_of_nothing__reads_nothing_again(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    load(watermarks, job, frame(spark, "int", VALUES), lag=0)

    assert load(watermarks, job, frame(spark, "int", VALUES), lag=0) == []


@pytest.mark.classic
def test_plan__reads_only_the_overlap_of_earlier_batches(
    spark: SparkSession, watermarks: Watermarks, job: str, target: Target
) -> None:
    copy(watermarks, job, frame(spark, "int", VALUES), target)
    target.write(frame(spark, "int", ["250"]), 2)

    with work_of(spark) as work, watermarks.job_run(job, "jr_2") as run:
        source = frame(spark, "int", [*VALUES, "250"])
        options: dict[str, Any] = {"lag": 150, "already_loaded": target.read(), "keys": ["n"]}
        new = run.new_rows(source, "value", transformation_ctx="repairs", **options)
        told = plan(new)
        assert 4 in numbers(new)

    for text in (told, *(each for each in work.plans if "Anti" in each)):
        assert "LeftAnti" in text
        assert "GreaterThan(value,150), LessThanOrEqual(value,300)" in text
        assert "PartitionFilters: [isnotnull(batch_id" in text
        assert "< 2)" in text
    # Three rows of batch 1 in the one row group; nothing of batch 2.
    assert any("Anti" in each for each in work.plans)


def test_database_table(spark: SparkSession, watermarks: Watermarks, job: str, derby: Database) -> None:
    derby.create("INT", VALUES)
    load_table(spark, watermarks, job, derby)
    derby.insert(["250", "400"], start=4)
    loaded = spark.sql("SELECT n, n * 100 AS value, 1 AS batch_id FROM VALUES (1), (2), (3) AS t(n)")

    assert load_table(spark, watermarks, job, derby, lag=150, already_loaded=loaded, keys="n") == [4, 5]
    assert load_table(spark, watermarks, job, derby, lag=100) == [5]


@pytest.mark.parametrize(
    ("data_type", "options", "told"),
    [
        pytest.param("int", {"lag": timedelta(1)}, "lag .* must be a whole number", id="time-for-ids"),
        pytest.param("int", {"lag": -1}, "lag -1 must be a whole number, and not negative", id="negative"),
        pytest.param("int", {"lag": True}, "lag True must be a whole number", id="bool"),
        pytest.param("timestamp", {"lag": 5}, "lag 5 must be a timedelta", id="number-for-times"),
        pytest.param("timestamp", {"lag": timedelta(-1)}, "must be a timedelta, and not negative", id="time-backwards"),
        pytest.param("string", {"lag": 1}, "must be left out", id="text"),
        pytest.param("int", {"lag": 1, "keys": ["n"]}, "go together", id="keys-alone"),
        pytest.param("int", {"lag": 1, "already_loaded": lambda: None}, "go together", id="target-alone"),
        pytest.param("int", {"already_loaded": lambda: None, "keys": ["n"]}, "with lag", id="no-lag"),
    ],
)
def test_options__that_do_not_fit(
    spark: SparkSession, watermarks: Watermarks, job: str, data_type: str, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        load(watermarks, job, frame(spark, data_type, []), **options)


@pytest.mark.parametrize(
    ("columns", "keys", "told"),
    [
        pytest.param("n, value", ["n"], "no column 'batch_id'", id="no-batches"),
        pytest.param("value, 1 AS batch_id", ["n"], "already_loaded has no column 'n' of keys", id="no-key-in-target"),
        pytest.param("n, value, 1 AS batch_id", ["m"], "The source has no column 'm' of keys", id="no-key-in-source"),
    ],
)
def test_target__that_does_not_fit(
    spark: SparkSession, watermarks: Watermarks, job: str, columns: str, keys: list[str], told: str
) -> None:
    rows = frame(spark, "int", VALUES)
    load(watermarks, job, rows)

    with pytest.raises(InvalidArgumentError, match=told):
        load(watermarks, job, rows, lag=100, already_loaded=rows.selectExpr(*columns.split(", ")), keys=keys)
