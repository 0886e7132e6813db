"""What `new_rows` costs: the comparison reaches the files, one pass over one column finds the end, nothing else."""

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.driver import is_anything_cached, work_of
from tests.support.frames import frame, load, needs_ntz, numbers, plan, settings

pytestmark = pytest.mark.classic

SMALL_ROW_GROUPS = {"parquet.block.size": "1024", "parquet.page.size": "512", "parquet.enable.dictionary": "false"}
ROWS = 4_000


@pytest.fixture(scope="module")
def repairs(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Parquet file of many row groups, in the order of its ids and times, as a growing source has it."""
    folder = str(tmp_path_factory.mktemp("pushdown") / "repairs")
    rows = spark.range(ROWS).selectExpr(
        "CAST(id AS INT) AS n",
        "id",
        "timestamp_seconds(1677628800 + id) AS last_modified",
        "CAST(id AS STRING) AS text",
    )
    with settings(spark, {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}):
        rows.coalesce(1).write.options(**SMALL_ROW_GROUPS).parquet(folder)
    return folder


@pytest.mark.parametrize(
    ("data_type", "values", "pushed"),
    [
        pytest.param("tinyint", ["1", "2"], "GreaterThan(value,1), LessThanOrEqual(value,2)", id="tinyint"),
        pytest.param("bigint", ["1", "2"], "GreaterThan(value,1), LessThanOrEqual(value,2)", id="bigint"),
        pytest.param("string", ["a", "b"], "GreaterThan(value,a), LessThanOrEqual(value,b)", id="string"),
        pytest.param(
            "decimal(38,10)",
            ["1.5", "2.5"],
            "GreaterThan(value,1.5000000000), LessThanOrEqual(value,2.5000000000)",
            id="decimal",
        ),
        pytest.param(
            "date",
            ["2023-03-01", "2023-03-02"],
            "GreaterThan(value,2023-03-01), LessThanOrEqual(value,2023-03-02)",
            id="date",
        ),
        pytest.param(
            "timestamp",
            ["2023-03-01T00:00:00.000001Z", "2023-03-02T00:00:00Z"],
            "GreaterThan(value,2023-03-01 00:00:00.000001), LessThanOrEqual(value,2023-03-02 00:00:00.0)",
            id="timestamp",
        ),
        pytest.param(
            "timestamp_ntz",
            ["2023-03-01T00:00:00.000001", "2023-03-02T00:00:00"],
            "GreaterThan(value,2023-03-01T00:00:00.000001), LessThanOrEqual(value,2023-03-02T00:00)",
            id="timestamp_ntz",
            marks=needs_ntz,
        ),
    ],
)
def test_parquet__both_ends_of_the_window_are_pushed_down(
    spark: SparkSession, watermarks: Watermarks, job: str, tmp_path: Path, data_type: str, values: Any, pushed: str
) -> None:
    frame(spark, data_type, values).coalesce(1).write.parquet(str(tmp_path / "source"))
    source = spark.read.parquet(str(tmp_path / "source"))
    load(watermarks, job, source.where("n = 1"))

    with work_of(spark) as work, watermarks.job_run(job, "jr_2") as run:
        new = run.new_rows(source, "value", transformation_ctx="repairs")
        told = plan(new)

    assert numbers(new) == [2]
    assert f"PushedFilters: [IsNotNull(value), {pushed}]" in told
    assert "cast(" not in told.lower()
    # The search for the end of the window has its own filter, by the mark alone.
    (survey,) = [query for query in work.plans if "PushedFilters" in query]
    assert f"PushedFilters: [IsNotNull(value), {pushed.partition(', Less')[0]}]" in survey


@pytest.mark.parametrize("column", ["id", "last_modified"])
def test_parquet__only_row_groups_of_the_window_are_read(
    spark: SparkSession, watermarks: Watermarks, job: str, repairs: str, column: str
) -> None:
    source = spark.read.parquet(repairs)
    bound: Any = 3_899 if column == "id" else "2023-03-01T01:04:59Z"
    load(watermarks, job, source, column, until=bound)

    with work_of(spark) as work:
        assert load(watermarks, job, source, column) == list(range(3_900, ROWS))

    survey, delivery = work.scanned
    assert 100 <= sum(survey) < ROWS / 4
    assert 100 <= sum(delivery) < ROWS / 4


def test_parquet__all_row_groups_are_read_without_pushdown(
    spark: SparkSession, watermarks: Watermarks, job: str, repairs: str
) -> None:
    """That the test before can fail."""
    source = spark.read.parquet(repairs)
    load(watermarks, job, source, "id", until=3_899)

    with settings(spark, {"spark.sql.parquet.filterPushdown": "false"}), work_of(spark) as work:
        load(watermarks, job, source, "id")

    assert [sum(rows) for rows in work.scanned] == [ROWS, ROWS]


@pytest.mark.parametrize(
    ("column", "read"),
    [
        pytest.param("id", "struct<id:bigint>", id="id"),
        pytest.param("last_modified", "struct<last_modified:timestamp>", id="timestamp"),
        pytest.param("text", "struct<text:string>", id="string"),
    ],
)
@pytest.mark.parametrize("loads_before", [0, 1], ids=["full-load", "delta"])
def test_survey__is_one_job_over_one_column(
    spark: SparkSession, watermarks: Watermarks, job: str, repairs: str, column: str, read: str, loads_before: int
) -> None:
    source = spark.read.parquet(repairs)
    for _ in range(loads_before):
        load(watermarks, job, source, column)

    with watermarks.job_run(job, "jr_2") as run, work_of(spark) as work:
        run.new_rows(source, column, transformation_ctx="repairs")

    assert work.jobs == 1
    (survey,) = work.plans
    assert re.findall(r"ReadSchema: (\S+)", survey) == [read]
    assert not is_anything_cached(spark)


def test_survey__of_a_nested_column_reads_that_alone(
    spark: SparkSession, watermarks: Watermarks, job: str, tmp_path: Path
) -> None:
    rows = frame(spark, "int", ["1", "2"]).selectExpr("n", "named_struct('at', value, 'other', n) AS meta")
    rows.coalesce(1).write.parquet(str(tmp_path / "source"))
    source = spark.read.parquet(str(tmp_path / "source"))
    load(watermarks, job, source, "meta.at", until=1)

    with watermarks.job_run(job, "jr_2") as run, work_of(spark) as work:
        told = plan(run.new_rows(source, "meta.at", transformation_ctx="repairs"))

    (survey,) = work.plans
    assert "ReadSchema: struct<meta:struct<at:int>>" in survey
    assert "GreaterThan(meta.at,1)" in survey
    assert "GreaterThan(meta.at,1), LessThanOrEqual(meta.at,2)" in told


@pytest.mark.parametrize(
    ("data_type", "value", "options"),
    [
        pytest.param("date", "2023-03-01", {}, id="date-asks-for-the-sessions-day"),
        pytest.param("timestamp_ntz", "2023-03-01", {}, id="ntz-asks-for-the-sessions-time", marks=needs_ntz),
        pytest.param(
            "timestamp",
            "2023-03-01",
            {"initial_value": "2023-01-01", "until": "2023-03-01"},
            id="bounds-of-the-session",
        ),
    ],
)
def test_survey__asking_for_the_sessions_zone_is_no_job(
    spark: SparkSession, watermarks: Watermarks, job: str, data_type: str, value: str, options: dict[str, Any]
) -> None:
    source = frame(spark, data_type, [value]).coalesce(1)

    with watermarks.job_run(job, "jr_1") as run, work_of(spark) as work:
        run.new_rows(source, "value", transformation_ctx="repairs", **options)

    assert work.jobs == 1


def test_load__is_one_query_more_than_a_plain_filter_and_write(
    spark: SparkSession, watermarks: Watermarks, job: str, repairs: str, tmp_path: Path
) -> None:
    source = spark.read.parquet(repairs)
    with work_of(spark) as plain:
        source.where("id > 3899").write.parquet(str(tmp_path / "plain"))

    load(watermarks, job, source, "id", until=3_899)
    with watermarks.job_run(job, "jr_2") as run, work_of(spark) as ours:
        run.new_rows(source, "id", transformation_ctx="repairs").write.parquet(str(tmp_path / "ours"))

    assert (len(ours.plans), ours.jobs) == (len(plain.plans) + 1, plain.jobs + 1)


def test_nothing_new__needs_no_second_look_at_the_source(
    spark: SparkSession, watermarks: Watermarks, job: str, repairs: str
) -> None:
    source = spark.read.parquet(repairs)
    load(watermarks, job, source, "id")

    with watermarks.job_run(job, "jr_2") as run:
        nothing = run.new_rows(source, "id", transformation_ctx="repairs")

    assert "FileScan" not in plan(nothing)


@pytest.mark.parametrize("nulls", [0, 1], ids=["none", "some"])
def test_first_load__looks_for_rows_without_a_value_only_if_there_are_some(
    spark: SparkSession, watermarks: Watermarks, job: str, repairs: str, nulls: int
) -> None:
    source = spark.read.parquet(repairs).selectExpr("n", f"nullif(id, {ROWS - 1 if nulls else -1}) AS id")

    with watermarks.job_run(job, "jr_1") as run:
        new = run.new_rows(source, "id", transformation_ctx="repairs")
        assert new.count() == ROWS

    assert ("isnull(" in plan(new)) == bool(nulls)
