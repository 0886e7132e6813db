"""Where a load begins and ends if the caller says so: `initial_value` and `until`, as values and as text."""

from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import InvalidArgumentError, Watermarks
from tests.support.frames import frame, load, mark, needs_ntz, session_zone, settings


@pytest.mark.parametrize(
    ("data_type", "values", "initial_value", "taken"),
    [
        pytest.param("int", ["6", "7", "8"], 7, [3], id="id"),
        pytest.param("int", ["6", "7", "8"], " 7 ", [3], id="id-as-text"),
        pytest.param("string", ["a", "b", "c"], "b", [3], id="text"),
        pytest.param("decimal(5,2)", ["1.1", "1.2", "1.3"], "1.2", [3], id="decimal-as-text"),
        pytest.param("date", ["2023-03-01", "2023-03-02"], date(2023, 3, 1), [2], id="date"),
        pytest.param("date", ["2023-03-01", "2023-03-02"], "2023-03-01", [2], id="date-as-text"),
        pytest.param(
            "timestamp", ["2023-03-01T12:00:00Z", "2023-03-01T12:00:01Z"], "2023-03-01T12:00:00Z", [2], id="in-utc"
        ),
        pytest.param(
            "timestamp",
            ["2023-03-01T12:00:00Z", "2023-03-01T12:00:01Z"],
            datetime(2023, 3, 1, 7, tzinfo=timezone(timedelta(hours=-5))),
            [2],
            id="in-a-zone-of-its-own",
        ),
        # Midnight in Kathmandu is 18:15 of the day before in UTC.
        pytest.param(
            "timestamp", ["2023-02-28T18:15:00Z", "2023-02-28T18:15:01Z"], "2023-03-01", [2], id="day-of-the-session"
        ),
        pytest.param(
            "timestamp",
            ["2023-02-28T18:15:00Z", "2023-02-28T18:15:01Z"],
            datetime(2023, 3, 1),
            [2],
            id="time-of-the-session",
        ),
        pytest.param(
            "timestamp",
            ["2023-02-28T18:15:00Z", "2023-02-28T18:15:01Z"],
            "2023-03-01 00:00:00.000001",
            [2],
            id="time-of-the-session-as-text",
        ),
        pytest.param(
            "timestamp_ntz",
            ["2023-03-01T00:00:00", "2023-03-01T00:00:01"],
            "2023-03-01",
            [2],
            id="time-without-zone",
            marks=needs_ntz,
        ),
    ],
)
def test_initial_value__is_exclusive(
    spark: SparkSession,
    watermarks: Watermarks,
    job: str,
    data_type: str,
    values: list[str],
    initial_value: Any,
    taken: list[int],
) -> None:
    with session_zone(spark, "Asia/Kathmandu"):
        assert load(watermarks, job, frame(spark, data_type, values), initial_value=initial_value) == taken
        # From then on the mark counts, whatever the script says.
        assert load(watermarks, job, frame(spark, data_type, values)) == []


@needs_ntz
def test_initial_value__of_the_session_whatever_the_word_timestamp_means_there(
    spark: SparkSession, watermarks: Watermarks, job: str
) -> None:
    # From 05:00 in UTC, which is midnight in New York.
    source = spark.sql("SELECT n, timestamp_seconds(1677646799 + n) AS value FROM VALUES (1), (2) AS t(n)")

    with settings(
        spark, {"spark.sql.timestampType": "TIMESTAMP_NTZ", "spark.sql.session.timeZone": "America/New_York"}
    ):
        assert load(watermarks, job, source, initial_value="2023-03-01") == [2]


def test_initial_value__below_which_nothing_is_new_is_remembered(
    spark: SparkSession, watermarks: Watermarks, job: str
) -> None:
    assert load(watermarks, job, frame(spark, "int", ["5"]), initial_value=7) == []
    assert mark(watermarks, job) == 7

    # A script may work it out anew in every run, a week ago for instance.
    assert load(watermarks, job, frame(spark, "int", ["5", "8", "10"]), initial_value=9) == [2, 3]


@pytest.mark.parametrize(
    ("data_type", "argument", "value", "told"),
    [
        pytest.param("int", "initial_value", "seven", "expected an integer", id="word-for-an-id"),
        pytest.param("int", "until", 7.0, "expected an integer", id="float-for-an-id"),
        pytest.param("date", "until", datetime(2023, 3, 1), "expected a date", id="time-for-a-date"),
        pytest.param("timestamp", "until", "yesterday", "is not an ISO-8601 date or time", id="word-for-a-time"),
        pytest.param("timestamp", "initial_value", 1678968000, "expected a datetime", id="number-for-a-time"),
        pytest.param("string", "until", 7, "expected text", id="number-for-text"),
        pytest.param("decimal(5,2)", "until", "1,5", "expected a decimal number", id="comma"),
    ],
)
def test_bound__that_does_not_fit_the_column(
    spark: SparkSession, watermarks: Watermarks, job: str, data_type: str, argument: str, value: Any, told: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=told) as refused:
        load(watermarks, job, frame(spark, data_type, []), **{argument: value})

    assert (refused.value.argument, refused.value.value) == (argument, value)


def test_until__is_inclusive_and_the_rest_comes_later(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "int", ["6", "7", "8", "9"])

    assert load(watermarks, job, source, until=7) == [1, 2]
    assert load(watermarks, job, source, until="8") == [3]
    assert load(watermarks, job, source, until=3) == []
    assert mark(watermarks, job) == 8
    assert load(watermarks, job, source) == [4]


def test_until__between_values_leaves_the_mark_at_the_highest_taken(
    spark: SparkSession, watermarks: Watermarks, job: str
) -> None:
    load(watermarks, job, frame(spark, "int", ["5", "9"]), until=7)

    # A row between them may still come: it is above the mark.
    assert load(watermarks, job, frame(spark, "int", ["5", "9", "6"]), until=7) == [3]
