"""`new_rows` on a database table: Derby, which comes with Spark, compares; rows that arrive meanwhile wait."""

import uuid
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.driver import work_of
from tests.support.frames import frame, load, mark, numbers, plan, session_zone

pytestmark = pytest.mark.classic

Append = Callable[[DataFrame], DataFrame]


@pytest.fixture
def append(spark: SparkSession) -> Append:
    """A way to append rows to a table of this test, which gives the table as it is read from the database."""
    url = f"jdbc:derby:memory:{uuid.uuid4().hex};create=true"

    def write_and_read(rows: DataFrame) -> DataFrame:
        # Derby cannot compare the CLOB that Spark would make of text.
        is_text = rows.schema["value"].dataType.simpleString() == "string"
        options = {"createTableColumnTypes": "value VARCHAR(40)"} if is_text else {}
        rows.write.mode("append").options(**options).jdbc(url, "repairs")
        return spark.read.jdbc(url, "repairs")

    return write_and_read


@pytest.mark.parametrize(
    ("data_type", "values", "low", "high"),
    [
        pytest.param("smallint", ["1", "2", "3"], "2", "3", id="smallint"),
        pytest.param(
            "bigint", [str(2**53), str(2**53 + 1), str(2**53 + 2)], str(2**53 + 1), str(2**53 + 2), id="bigint"
        ),
        pytest.param("decimal(31,10)", ["1.5", "1.6", "1.7"], "1.6000000000", "1.7000000000", id="decimal"),
        pytest.param("date", ["2023-03-01", "2023-03-02", "2023-03-03"], "2023-03-02", "2023-03-03", id="date"),
        pytest.param(
            "timestamp",
            ["2023-03-01T12:00:00Z", "2023-03-01T12:00:00.000001Z", "2023-03-01T12:00:00.000002Z"],
            "2023-03-01 12:00:00.000001",
            "2023-03-01 12:00:00.000002",
            id="timestamp",
        ),
        pytest.param("string", ["O'Brien", "O'Bryan", "O'Hara"], "O'Bryan", "O'Hara", id="string"),
    ],
)
def test_jdbc__the_database_compares(
    spark: SparkSession,
    watermarks: Watermarks,
    job: str,
    append: Append,
    data_type: str,
    values: list[str],
    low: str,
    high: str,
) -> None:
    rows = frame(spark, data_type, values)
    assert load(watermarks, job, append(rows.where("n <= 2"))) == [1, 2]
    source = append(rows.where("n = 3"))

    with work_of(spark) as work, watermarks.job_run(job, "jr_2") as run:
        new = run.new_rows(source, "value", transformation_ctx="repairs")
        told = plan(new)
        assert numbers(new) == [3]

    # The stars are Spark's way to say that the database does it alone.
    assert f"PushedFilters: [*IsNotNull(value), *GreaterThan(value,{low}), *LessThanOrEqual(value,{high})]" in told
    assert "cast(" not in told.lower()
    assert [rows for rows in work.scanned if rows] == [[1], [1]]


def test_jdbc__frame_does_not_grow_while_the_job_runs(
    spark: SparkSession, watermarks: Watermarks, job: str, append: Append
) -> None:
    rows = frame(spark, "int", ["1", "2", "3"])
    source = append(rows.where("n = 1"))

    with watermarks.job_run(job, "jr_1") as run:
        new = run.new_rows(source, "value", transformation_ctx="repairs")
        append(rows.where("n > 1"))
        assert numbers(source) == [1, 2, 3]
        assert numbers(new) == [1]

    assert load(watermarks, job, source) == [2, 3]


def test_jdbc__nothing_new_does_not_grow_either(
    spark: SparkSession, watermarks: Watermarks, job: str, append: Append
) -> None:
    rows = frame(spark, "int", ["1", "2"])
    source = append(rows.where("n = 1"))
    load(watermarks, job, source)

    with watermarks.job_run(job, "jr_2") as run:
        new = run.new_rows(source, "value", transformation_ctx="repairs")
        append(rows.where("n = 2"))
        assert numbers(new) == []

    assert load(watermarks, job, source) == [2]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kathmandu"])
def test_jdbc__in_a_session_zone_that_is_not_the_machines(
    spark: SparkSession, watermarks: Watermarks, job: str, append: Append, zone: str
) -> None:
    rows = frame(spark, "timestamp", ["2023-03-01T00:00:00Z", "2023-03-01T02:00:00Z", "2023-03-01T04:00:00Z"])

    with session_zone(spark, zone):
        taken: list[Any] = [load(watermarks, job, append(rows.where(f"n = {n}"))) for n in (1, 2, 3)]

    assert taken == [[1], [2], [3]]
    assert mark(watermarks, job) == datetime(2023, 3, 1, 4, tzinfo=timezone.utc)
