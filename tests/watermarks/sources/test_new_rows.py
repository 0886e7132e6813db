"""`new_rows`: everything the first time, only what is new after that, and exactly the window in between."""

import logging
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import InvalidArgumentError, Watermarks
from scripts.helpers.watermarks.window import Window
from tests.support.frames import frame, load, load_in_vain, mark, numbers, session_zone
from tests.support.tables import Clock

UTC = timezone.utc


def test_full_then_delta(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "timestamp", ["2023-03-01", "2023-03-02", "2023-03-03", "2023-03-04"])

    with watermarks.job_run(job, "jr_1") as run:
        first = run.new_rows(source.where("n <= 2"), "value", transformation_ctx="repairs")
        assert numbers(first) == [1, 2]
        assert run.is_full_load("repairs")
        assert run.window("repairs") == Window(None, datetime(2023, 3, 2, tzinfo=UTC), 2)
    with watermarks.job_run(job, "jr_2") as run:
        second = run.new_rows(source, "value", transformation_ctx="repairs")
        assert numbers(second) == [3, 4]
        assert not run.is_full_load("repairs")
        assert run.window("repairs") == Window(datetime(2023, 3, 2, tzinfo=UTC), datetime(2023, 3, 4, tzinfo=UTC), 2)

    assert mark(watermarks, job) == datetime(2023, 3, 4, tzinfo=UTC)


def test_failed_run__is_loaded_again(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "int", ["1", "2", "3"])
    load(watermarks, job, source.where("n = 1"))

    assert load_in_vain(watermarks, job, source.where("n <= 2")) == [2]

    assert mark(watermarks, job) == 1
    assert load(watermarks, job, source) == [2, 3]


def test_nothing_new__is_an_empty_frame_of_the_same_schema(
    spark: SparkSession, watermarks: Watermarks, job: str
) -> None:
    source = frame(spark, "decimal(10,2)", ["1.5"]).selectExpr("*", "array(n) AS numbers", "n IS NULL AS flag")
    load(watermarks, job, source)

    with watermarks.job_run(job, "jr_2") as run:
        nothing = run.new_rows(source, "value", transformation_ctx="repairs")
        assert nothing.collect() == []
        assert nothing.schema == source.schema
        assert run.window("repairs").rows == 0

    assert str(mark(watermarks, job)) == "1.5"


def test_schema__is_unchanged(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = spark.sql("SELECT 1 AS n, 2 AS value, named_struct('a', 'b') AS s, CAST(1 AS DOUBLE) AS d")

    with watermarks.job_run(job, "jr_1") as run:
        assert run.new_rows(source, "value", transformation_ctx="repairs").schema == source.schema


def test_empty_source__then_its_first_rows(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    assert load(watermarks, job, frame(spark, "date", [])) == []
    assert mark(watermarks, job) is None

    assert load(watermarks, job, frame(spark, "date", ["2023-03-01"])) == [1]
    assert mark(watermarks, job) == date(2023, 3, 1)


def test_value__equal_to_the_mark_is_not_new(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    load(watermarks, job, frame(spark, "int", ["7"]))

    assert load(watermarks, job, frame(spark, "int", ["7", "7", "8"])) == [3]


def test_values__that_many_rows_share_come_together(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    assert load(watermarks, job, frame(spark, "int", ["7", "7", "7"]), until=7) == [1, 2, 3]


def test_current_second__is_left_until_it_is_complete(
    spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock
) -> None:
    clock.now = datetime(2023, 3, 16, 12, 0, 0, 900_000, tzinfo=UTC)
    source = frame(
        spark,
        "timestamp",
        ["2023-03-16T11:59:59.999999Z", "2023-03-16T12:00:00Z", "2023-03-16T12:00:00.8Z", "2023-03-16T12:00:01Z"],
    )

    assert load(watermarks, job, source) == [1]
    clock.turn(seconds=0.1)
    assert load(watermarks, job, source) == [2, 3]
    clock.turn(seconds=1)
    assert load(watermarks, job, source) == [4]


def test_current_day__is_left_until_it_is_complete(
    spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock
) -> None:
    source = frame(spark, "date", ["2023-03-14", "2023-03-15", "2023-03-16", "2023-03-17"])

    with session_zone(spark, "America/New_York"):
        clock.now = datetime(2023, 3, 16, 3, 59, tzinfo=UTC)
        assert load(watermarks, job, source) == [1]
        clock.turn(minutes=1)
        assert load(watermarks, job, source) == [2]
        assert load(watermarks, job, source, delay=timedelta(0)) == [3]
        assert load(watermarks, job, source, delay=timedelta(0)) == []


def test_delay__holds_back_what_is_newer(spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock) -> None:
    source = frame(spark, "timestamp", ["2023-03-16T10:59:59Z", "2023-03-16T11:00:00Z", "2023-03-16T11:30:00Z"])

    assert load(watermarks, job, source, delay=timedelta(hours=1)) == [1]
    clock.turn(minutes=1)
    assert load(watermarks, job, source, delay=timedelta(hours=1)) == [2]
    assert load(watermarks, job, source) == [3]


def test_several_sources__each_with_its_mark(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    for run_id, last, taken in (("jr_1", 1, [1]), ("jr_2", 3, [2, 3])):
        repairs, payments = frame(spark, "int", ["1", "2", "3"]), frame(spark, "string", ["x", "y", "z"])
        with watermarks.job_run(job, run_id) as run:
            found = run.new_rows(repairs.where(f"n <= {last}"), "value", transformation_ctx="repairs")
            other = run.new_rows(payments.where(f"n <= {last}"), "value", transformation_ctx="payments")
            assert [numbers(found), numbers(other)] == [taken, taken]

    assert watermarks.get_watermark_values(job) == {"repairs": 3, "payments": "z"}


def test_frame__does_not_grow_while_the_job_runs(
    spark: SparkSession, watermarks: Watermarks, job: str, tmp_path: Path
) -> None:
    """Over Spark Connect a frame looks at its folder again in every action; elsewhere see test_jdbc."""
    source = frame(spark, "int", ["1", "2", "3", "4"])
    source.where("n <= 2").coalesce(1).write.parquet(str(tmp_path / "repairs"))

    with watermarks.job_run(job, "jr_1") as run:
        new = run.new_rows(spark.read.parquet(str(tmp_path / "repairs")), "value", transformation_ctx="repairs")
        source.where("n > 2").coalesce(1).write.mode("append").parquet(str(tmp_path / "repairs"))
        assert numbers(new) == [1, 2]

    assert load(watermarks, job, spark.read.parquet(str(tmp_path / "repairs"))) == [3, 4]


def test_streaming_frame__is_refused(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    stream = spark.readStream.format("rate").load()

    with pytest.raises(InvalidArgumentError, match="streaming"), watermarks.job_run(job, "jr_1") as run:
        run.new_rows(stream, "timestamp", transformation_ctx="repairs")


def test_log__one_line_per_source_and_per_commit(
    spark: SparkSession, watermarks: Watermarks, job: str, caplog: pytest.LogCaptureFixture
) -> None:
    source = frame(spark, "timestamp", ["2023-03-01T00:00:00Z", "2023-03-02T10:00:00.5Z"])
    caplog.set_level(logging.INFO, logger="scripts.helpers.watermarks.job_run")

    for run_id, last in (("jr_1", 1), ("jr_2", 2), ("jr_3", 2)):
        with watermarks.job_run(job, run_id) as run:
            run.new_rows(source.where(f"n <= {last}"), "value", transformation_ctx="repairs")

    assert caplog.messages == [
        "repairs: 1 new row, value the beginning → 2023-03-01 00:00:00",
        f"{job}: run jr_1 committed as batch 1, 1 row",
        "repairs: 1 new row, value 2023-03-01 00:00:00 → 2023-03-02 10:00:00.500000",
        f"{job}: run jr_2 committed as batch 2, 1 row",
        "repairs: nothing new since 2023-03-02 10:00:00.500000",
        f"{job}: run jr_3 committed as batch 3, 0 rows",
    ]
