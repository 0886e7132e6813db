"""How old a mark without a zone is told to be: in the session's zone, in which it was read."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.cloudwatch import Call, calls_to_cloudwatch
from tests.support.frames import frame, load, needs_ntz, session_zone
from tests.support.tables import NOON, Clock, EmulatedTable

HOUR = 3_600.0
AGE = "MarkAgeSeconds of repairs"


@pytest.fixture
def watermarks(moto_table: EmulatedTable, cloudwatch: str, clock: Clock) -> Watermarks:
    assert cloudwatch
    assert clock.now == NOON
    return moto_table.watermarks(metrics=True, clock=clock)


@pytest.fixture
def calls(job: str) -> Iterator[list[Call]]:
    with calls_to_cloudwatch(job) as seen:
        yield seen


@needs_ntz
@pytest.mark.parametrize("future", ["hold", "allow"])
@pytest.mark.parametrize(
    ("zone", "mark"),
    [("UTC", "2023-03-16T11:00:00"), ("America/New_York", "2023-03-16T07:00:00"), ("GMT+3", "2023-03-16T14:00:00")],
)
def test_age__of_a_time_without_zone(
    watermarks: Watermarks, job: str, spark: SparkSession, calls: list[Call], zone: str, mark: str, future: str
) -> None:
    source = frame(spark, "timestamp_ntz", [mark])

    with session_zone(spark, zone):
        assert load(watermarks, job, source, future=future) == [1]
        # Also while nothing is new.
        assert load(watermarks, job, source, future=future) == []

    assert [call[AGE] for call in calls] == [HOUR, HOUR]


@pytest.mark.parametrize(("zone", "age"), [("UTC", 12 * HOUR), ("America/New_York", 8 * HOUR)])
def test_age__of_a_date_counts_from_its_end(
    watermarks: Watermarks, job: str, spark: SparkSession, calls: list[Call], zone: str, age: float
) -> None:
    with session_zone(spark, zone):
        load(watermarks, job, frame(spark, "date", ["2023-03-15"]))

    assert [call[AGE] for call in calls] == [age]


def test_age__of_a_moment_is_the_same_in_every_zone(
    watermarks: Watermarks, job: str, spark: SparkSession, calls: list[Call]
) -> None:
    source = frame(spark, "timestamp", ["2023-03-16T11:00:00Z"])

    with session_zone(spark, "America/New_York"):
        load(watermarks, job, source)

    assert [call[AGE] for call in calls] == [HOUR]


@needs_ntz
@pytest.mark.parametrize("values", [["2023-03-15T07:00:00", "2023-03-16T07:00:00"], []], ids=["steps", "no-step"])
def test_age__of_a_backfill(
    watermarks: Watermarks, job: str, spark: SparkSession, calls: list[Call], values: list[str]
) -> None:
    source = frame(spark, "timestamp_ntz", values)
    steps: dict[str, Any] = {"step": timedelta(days=1), "initial_value": "2023-03-15T06:00:00"}

    with session_zone(spark, "America/New_York"), watermarks.job_run(job, "jr_1") as run:
        batches = run.in_batches(source, "value", transformation_ctx="repairs", **steps)
        assert len([batch.frame.count() for batch in batches]) == len(values)

    assert [call[AGE] for call in calls] == [HOUR if values else 26 * HOUR]
