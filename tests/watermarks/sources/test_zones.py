"""Time zones of sessions and machines change nothing: in any mix, each row is taken once, also in the doubled hour."""

import json
import os
import subprocess
import sys
from datetime import datetime, timezone
from itertools import pairwise
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.frames import frame, load, needs_ntz, session_zone
from tests.support.tables import REGION, Clock, EmulatedTable
from tests.support.zones import LONG_AFTER, ROWS, TYPES, take, write_night

ROOT = Path(__file__).parents[3]
NEW_YORK, KATHMANDU = "America/New_York", "Asia/Kathmandu"
# Each zone after each, itself included: the one that wrote the mark, then the one that reads it.
WALK = ("UTC", "UTC", NEW_YORK, NEW_YORK, KATHMANDU, KATHMANDU, "UTC", KATHMANDU, NEW_YORK, "UTC")


@pytest.fixture(scope="module")
def night(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("night") / "rows"
    write_night(spark, folder)
    return folder


def test_session_zones__in_every_mix(
    spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock, night: Path
) -> None:
    assert len(set(pairwise(WALK))) == 9
    clock.now = LONG_AFTER
    rows = spark.read.parquet(str(night))

    for last, zone in enumerate(WALK, start=1):
        with session_zone(spark, zone):
            taken = take(watermarks, job, rows.where(f"n <= {last}"))
        assert taken == {name: [last] for name in TYPES}, f"{zone}, after {WALK[last - 2]}"


@pytest.mark.classic
def test_machine_zones__other_than_the_sessions(
    spark: SparkSession, watermarks: Watermarks, moto_table: EmulatedTable, job: str, clock: Clock, night: Path
) -> None:
    """This machine wrote the mark; two others go on from it at the same time, each with a job of its own."""
    clock.now = LONG_AFTER
    rows = spark.read.parquet(str(night))
    mixes = {f"{job}-1": (NEW_YORK, KATHMANDU), f"{job}-2": (KATHMANDU, NEW_YORK)}
    for each in mixes:
        take(watermarks, each, rows.where("n <= 4"))

    others = {
        each: subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.support.zones", moto_table.endpoint_url, moto_table.name, each),
                *(str(night), "8", session),
            ],
            cwd=ROOT,
            env={
                **os.environ,
                "TZ": machine,
                "JAVA_TOOL_OPTIONS": f"-Duser.timezone={machine} -XX:TieredStopAtLevel=1",
                "AWS_DEFAULT_REGION": REGION,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for each, (machine, session) in mixes.items()
    }

    for each, other in others.items():
        told, complaints = other.communicate()
        assert other.returncode == 0, complaints
        answer = json.loads(told)
        machine = mixes[each][0]
        assert (answer["machine"], answer["python"]) == (machine, "-0500" if machine == NEW_YORK else "+0530")
        assert answer["taken"] == {name: [5, 6, 7, 8] for name in TYPES}
        assert take(watermarks, each, rows) == {name: list(range(9, ROWS + 1)) for name in TYPES}


def test_doubled_hour__of_a_timestamp_is_two_hours(
    spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock
) -> None:
    clock.now = datetime(2023, 11, 6, tzinfo=timezone.utc)
    # Both are half past one on New York's walls.
    source = frame(spark, "timestamp", ["2023-11-05T05:30:00Z", "2023-11-05T06:30:00Z"])

    with session_zone(spark, NEW_YORK):
        assert load(watermarks, job, source.where("n = 1")) == [1]
        assert load(watermarks, job, source) == [2]


@needs_ntz
def test_doubled_hour__of_a_time_without_zone_waits_until_it_is_really_over(
    spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock
) -> None:
    source = frame(spark, "timestamp_ntz", ["2023-11-05T00:59:59", "2023-11-05T01:00:00", "2023-11-05T01:30:00"])

    with session_zone(spark, NEW_YORK):
        clock.now = datetime(2023, 11, 5, 5, 45, tzinfo=timezone.utc)  # 01:45, the first time
        assert load(watermarks, job, source) == [1]
        clock.now = datetime(2023, 11, 5, 6, 15, tzinfo=timezone.utc)  # 01:15, the second time
        assert load(watermarks, job, source) == [2]
        clock.now = datetime(2023, 11, 5, 6, 30, 1, tzinfo=timezone.utc)
        assert load(watermarks, job, source) == [3]


def test_day_of_25_hours__is_not_over_in_its_last(
    spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock
) -> None:
    source = frame(spark, "date", ["2023-11-04", "2023-11-05"])

    with session_zone(spark, NEW_YORK):
        clock.now = datetime(2023, 11, 6, 4, 30, tzinfo=timezone.utc)
        assert load(watermarks, job, source) == [1]
        clock.turn(minutes=30)
        assert load(watermarks, job, source) == [2]


@pytest.mark.parametrize("zone", ["GMT+5:45", "+05:45", "PST", "Asia/Kathmandu"])
def test_session_zone__as_spark_spells_it(
    spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock, zone: str
) -> None:
    clock.now = datetime(2023, 3, 16, 18, 15, tzinfo=timezone.utc)

    with session_zone(spark, zone):
        taken = load(watermarks, job, frame(spark, "date", ["2023-03-15", "2023-03-16"]))

    assert taken == ([1] if zone == "PST" else [1, 2])
