"""Rows that no mark can order: those without a value, and those later than now."""

import logging
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import FutureValuesError, InvalidArgumentError, NullValuesError, Watermarks
from scripts.helpers.watermarks.window import Window
from tests.support.frames import frame, load, load_in_vain, mark, needs_ntz, numbers, session_zone
from tests.support.tables import NOON, Clock

UTC = timezone.utc


def test_nulls__are_loaded_with_the_full_load_only(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        first = run.new_rows(frame(spark, "int", [None, "1", None]), "value", transformation_ctx="repairs")
        assert numbers(first) == [1, 2, 3]
        assert run.window("repairs") == Window(None, 1, 3)

    assert load(watermarks, job, frame(spark, "int", [None, "1", None, "2", None])) == [4]


def test_nulls__of_a_source_that_has_nothing_else_are_loaded_once(
    spark: SparkSession, watermarks: Watermarks, job: str
) -> None:
    assert load(watermarks, job, frame(spark, "timestamp", [None, None])) == [1, 2]
    assert mark(watermarks, job) is None

    assert load(watermarks, job, frame(spark, "timestamp", [None, None])) == []
    assert load(watermarks, job, frame(spark, "timestamp", [None, None, "2023-03-01"])) == [3]


def test_nulls__of_a_run_that_failed_are_loaded_again(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "int", [None, "1"])

    assert load_in_vain(watermarks, job, source) == [1, 2]
    assert load(watermarks, job, source) == [1, 2]


def test_nulls__after_an_empty_first_load_are_not_new(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    load(watermarks, job, frame(spark, "int", []))

    assert load(watermarks, job, frame(spark, "int", [None, "1"])) == [2]


def test_nulls__together_with_an_initial_value(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    assert load(watermarks, job, frame(spark, "int", [None, "1", "2"]), initial_value=1) == [1, 3]


def test_nulls__together_with_until(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "int", [None, "1", "2"])

    assert load(watermarks, job, source, until=1) == [1, 2]
    assert load(watermarks, job, source) == [3]


def test_nulls__excluded(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "int", [None, "1", "2"])

    assert load(watermarks, job, source.where("n <= 2"), nulls="exclude") == [2]
    assert load(watermarks, job, source, nulls="exclude") == [3]


def test_nulls__excluded_where_there_is_nothing_else(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        nothing = run.new_rows(
            frame(spark, "int", [None, None]), "value", transformation_ctx="repairs", nulls="exclude"
        )
        assert numbers(nothing) == []
        assert run.window("repairs") == Window(None, None, 0)


@pytest.mark.parametrize("loads_before", [0, 1], ids=["full-load", "delta"])
def test_nulls__as_an_error(spark: SparkSession, watermarks: Watermarks, job: str, loads_before: int) -> None:
    for _ in range(loads_before):
        load(watermarks, job, frame(spark, "int", ["1"]), nulls="error")

    with pytest.raises(NullValuesError, match="Column 'value' is null in 2 rows") as refused:
        load(watermarks, job, frame(spark, "int", ["1", None, None, "2"]), nulls="error")

    assert (refused.value.column, refused.value.count) == ("value", 2)
    assert mark(watermarks, job) == (1 if loads_before else None)


def test_nulls__are_logged(
    spark: SparkSession, watermarks: Watermarks, job: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="scripts.helpers.watermarks")

    load(watermarks, job, frame(spark, "int", [None, "1"]))

    assert "repairs: 2 new rows, value the beginning → 1, 1 of them without a value" in caplog.messages


FUTURES = pytest.mark.parametrize(
    ("data_type", "values", "highest"),
    [
        pytest.param(
            "timestamp",
            ["2023-03-16T11:00:00Z", "2023-03-16T13:00:00Z"],
            datetime(2023, 3, 16, 11, tzinfo=UTC),
            id="timestamp",
        ),
        pytest.param(
            "timestamp_ntz",
            ["2023-03-16T11:00:00", "2023-03-16T13:00:00"],
            datetime(2023, 3, 16, 11),
            id="timestamp_ntz",
            marks=needs_ntz,
        ),
        pytest.param("date", ["2023-03-15", "2023-03-17"], date(2023, 3, 15), id="date"),
    ],
)


@FUTURES
def test_future__is_held_until_it_is_the_past(
    spark: SparkSession,
    watermarks: Watermarks,
    job: str,
    clock: Clock,
    data_type: str,
    values: list[str],
    highest: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, logger="scripts.helpers.watermarks")
    source = frame(spark, data_type, values)

    assert load(watermarks, job, source) == [1]
    assert mark(watermarks, job) == highest
    assert caplog.messages[0].endswith("(1 later than now are held back)")
    assert next(watermarks.history(job))["sources"]["repairs"]["held"] == 1

    clock.turn(days=2)
    assert load(watermarks, job, source) == [2]


@FUTURES
def test_future__allowed(
    spark: SparkSession, watermarks: Watermarks, job: str, data_type: str, values: list[str], highest: Any
) -> None:
    source = frame(spark, data_type, values)

    assert load(watermarks, job, source, future="allow") == [1, 2]
    assert mark(watermarks, job) != highest
    assert load(watermarks, job, source, future="allow") == []


@FUTURES
def test_future__as_an_error(
    spark: SparkSession, watermarks: Watermarks, job: str, data_type: str, values: list[str], highest: Any
) -> None:
    load(watermarks, job, frame(spark, data_type, values[:1]), future="error")

    with pytest.raises(FutureValuesError, match="Column 'value' is later than now in 1 rows") as refused:
        load(watermarks, job, frame(spark, data_type, values), future="error")

    assert (refused.value.column, refused.value.count) == ("value", 1)
    assert mark(watermarks, job) == highest


def test_future__one_row_of_it_pushes_the_mark_over_nothing(
    spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock
) -> None:
    source = frame(spark, "timestamp", ["2023-03-16T10:00:00Z", "9999-12-31T00:00:00Z", "2023-03-16T13:00:00Z"])

    assert load(watermarks, job, source.where("n <= 2")) == [1]
    clock.turn(hours=2)
    assert load(watermarks, job, source) == [3]


def test_future__begins_at_now_exactly(spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock) -> None:
    clock.now = NOON + timedelta(microseconds=500_000)
    source = frame(spark, "timestamp", ["2023-03-16T12:00:00.5Z"])

    # The current second is not complete, but it is not the future either.
    assert load(watermarks, job, source, future="error") == []
    clock.now -= timedelta(microseconds=1)
    with pytest.raises(FutureValuesError):
        load(watermarks, job, source, future="error")


@needs_ntz
def test_future__of_times_without_zone_is_that_of_the_session(
    spark: SparkSession, watermarks: Watermarks, job: str
) -> None:
    source = frame(spark, "timestamp_ntz", ["2023-03-16T07:59:59", "2023-03-16T08:00:00", "2023-03-16T12:00:00"])

    with session_zone(spark, "America/New_York"):
        assert load(watermarks, job, source) == [1]
    with session_zone(spark, "Asia/Kathmandu"):
        assert load(watermarks, job, source) == [2, 3]


def test_future__ids_and_text_have_none(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    assert load(watermarks, job, frame(spark, "string", ["9999-12-31"]), future="error") == [1]
    assert load(watermarks, job + "-2", frame(spark, "bigint", [str(2**62)]), future="error") == [1]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param({"nulls": "ignore"}, "nulls 'ignore' must be one of", id="nulls"),
        pytest.param({"future": "keep"}, "future 'keep' must be one of", id="future"),
        pytest.param({"delay": timedelta(hours=1)}, "only goes with times, and column 'value'", id="delay-of-an-id"),
    ],
)
def test_options__unknown(
    spark: SparkSession, watermarks: Watermarks, job: str, options: dict[str, Any], told: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        load(watermarks, job, frame(spark, "int", []), **options)
