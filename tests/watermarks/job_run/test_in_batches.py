"""`in_batches`: a long load in steps, each a batch and a commit of its own."""

import logging
from datetime import date, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from scripts.helpers.watermarks import (
    FutureValuesError,
    JdbcTable,
    JobRun,
    NullValuesError,
    Watermarks,
)
from scripts.helpers.watermarks.window import Window
from tests.support.databases import Database
from tests.support.driver import work_of
from tests.support.frames import frame, mark, needs_ntz, numbers
from tests.support.tables import Clock, EmulatedTable

IDS = ["1", "9", "10", "11", "35", "40"]
STEPS_OF_IDS = [(1, [1, 2]), (2, [3, 4]), (3, [5]), (4, [6])]


@pytest.fixture
def watermarks(moto_table: EmulatedTable, clock: Clock) -> Watermarks:
    return moto_table.watermarks(clock=clock)


@pytest.fixture
def ids(spark: SparkSession) -> DataFrame:
    """Ids of four steps of ten, with an empty one between."""
    return frame(spark, "bigint", IDS)


def steps(run: JobRun, source: Any, *, step: Any = 10, **options: Any) -> list[tuple[int, list[int]]]:
    """Go through all steps, and tell the batch id and the rows of each."""
    batches = run.in_batches(source, "value", step=step, transformation_ctx="repairs", **options)
    return [(batch.batch_id, numbers(batch.frame)) for batch in batches]


def load(watermarks: Watermarks, job: str, run_id: str, source: Any, **options: Any) -> list[tuple[int, list[int]]]:
    with watermarks.job_run(job, run_id) as run:
        return steps(run, source, **options)


def break_down(watermarks: Watermarks, job: str, run_id: str, source: Any, *, at_step: int, step: Any = 10) -> None:
    """A run that fails in a step, counted from 1."""

    def load_until_then() -> None:
        with watermarks.job_run(job, run_id) as run:
            batches = run.in_batches(source, "value", step=step, transformation_ctx="repairs")
            for number, _ in enumerate(batches, start=1):
                _ = 1 / (at_step - number)

    with pytest.raises(ZeroDivisionError):
        load_until_then()


def test_steps__are_aligned_and_the_empty_ones_left_out(watermarks: Watermarks, job: str, ids: DataFrame) -> None:
    assert load(watermarks, job, "jr_1", ids) == STEPS_OF_IDS
    assert load(watermarks, job, "jr_2", ids) == []
    assert mark(watermarks, job) == 40


@pytest.mark.parametrize(
    ("data_type", "values", "step", "taken"),
    [
        pytest.param(
            "timestamp",
            ["2023-03-01T00:00:00Z", "2023-03-01T23:59:59.999999Z", "2023-03-02T00:00:00Z", "2023-03-09T12:00:00Z"],
            timedelta(days=1),
            [[1, 2], [3], [4]],
            id="days",
        ),
        pytest.param(
            "timestamp",
            ["1969-12-31T23:30:00Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z"],
            timedelta(hours=1),
            [[1, 2], [3]],
            id="hours-before-1970",
        ),
        pytest.param(
            "date", ["2023-03-01", "2023-03-02", "2023-03-09"], timedelta(days=1), [[1], [2], [3]], id="dates"
        ),
        pytest.param("int", ["-11", "-10", "-1", "0", "9", "10"], 10, [[1], [2, 3], [4, 5], [6]], id="negative-ids"),
        pytest.param("bigint", [str(-(2**63)), "0", str(2**63 - 1)], 10**15, [[1], [2], [3]], id="longest-ids"),
        pytest.param("decimal(10,2)", ["0.01", "9.99", "10.00", "10.01"], 10, [[1, 2], [3, 4]], id="decimals"),
        pytest.param("decimal(38,0)", ["1", f"{10**37}", f"{2 * 10**37}"], 10, [[1], [2], [3]], id="longest-decimals"),
        pytest.param(
            "timestamp_ntz",
            ["2023-03-01 00:00:00", "2023-03-01 23:59:59.999999", "2023-03-02 00:00:00"],
            timedelta(days=1),
            [[1, 2], [3]],
            marks=needs_ntz,
            id="wall-clock",
        ),
    ],
)
def test_steps__of_every_type(
    spark: SparkSession, watermarks: Watermarks, job: str, data_type: str, values: list[str], step: Any, taken: Any
) -> None:
    rows = frame(spark, data_type, values)

    assert [found for _, found in load(watermarks, job, "jr_1", rows, step=step)] == taken


def test_records__of_steps_and_of_the_run(
    watermarks: Watermarks, moto_table: EmulatedTable, job: str, ids: DataFrame
) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        steps(run, ids)
        run.record(rows_rejected=3)

    runs = list(watermarks.history(job))
    names = [f"jr_1#step/{number:012d}" for number in (1, 2, 3, 4)]
    assert [each["runId"] for each in runs] == ["jr_1", *reversed(names)]
    assert [each["status"] for each in runs] == ["SUCCEEDED"] * 5
    assert [int(moto_table.item(job, name)["batchId"]["N"]) for name in names] == [1, 2, 3, 4]
    second = moto_table.item(job, names[1])["sources"]["M"]["repairs"]["M"]
    assert {key: value["N"] for key, value in second.items() if "N" in value} == {
        "mark": "11",
        "low": "9",
        "high": "11",
        "rows": "2",
    }
    whole = moto_table.item(job, "jr_1")
    assert whole["watermarks"]["M"] == {"repairs": {"N": "40"}, "rows_rejected": {"N": "3"}}
    assert whole["sources"]["M"]["repairs"]["M"]["low"] == {"NULL": True}
    assert whole["sources"]["M"]["repairs"]["M"]["rows"] == {"N": "6"}
    assert whole["batchId"] == moto_table.item(job)["lastBatchId"] == {"N": "4"}
    assert "lease" not in moto_table.item(job)


def test_step__can_be_looked_up_and_rewound_to(watermarks: Watermarks, job: str, ids: DataFrame) -> None:
    load(watermarks, job, "jr_1", ids)
    name = "jr_1#step/000000000002"

    found = watermarks.get_watermark(job, name)
    assert found is not None
    assert (found["runId"], found["watermarks"]) == (name, {"repairs": 11})
    watermarks.rewind(job, name, reason="a test")

    assert mark(watermarks, job) == 11
    assert [rows for _, rows in load(watermarks, job, "jr_2", ids)] == [[5], [6]]


def test_step__is_committed_when_the_loop_comes_back(watermarks: Watermarks, job: str, ids: DataFrame) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        seen = [
            (batch.batch_id, run.window("repairs"), mark(watermarks, job))
            for batch in run.in_batches(ids, "value", step=10, transformation_ctx="repairs")
        ]

    assert seen == [
        (1, Window(None, 9, 2), None),
        (2, Window(9, 11, 2), 9),
        (3, Window(11, 35, 1), 11),
        (4, Window(35, 40, 1), 35),
    ]


def test_break__leaves_its_step_to_the_next_run(watermarks: Watermarks, job: str, ids: DataFrame) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        for batch in run.in_batches(ids, "value", step=10, transformation_ctx="repairs"):
            if batch.batch_id == 3:
                break

    assert mark(watermarks, job) == 11
    assert watermarks.get_most_recent_run_id(job) == "jr_1"
    assert load(watermarks, job, "jr_2", ids) == STEPS_OF_IDS[2:]


def test_failure__resumes_at_its_step_under_the_same_batch_id(watermarks: Watermarks, job: str, ids: DataFrame) -> None:
    break_down(watermarks, job, "jr_1", ids, at_step=3)

    assert [each["status"] for each in watermarks.history(job)] == ["FAILED", "SUCCEEDED", "SUCCEEDED"]
    assert watermarks.get_most_recent_run_id(job) == "jr_1#step/000000000002"
    assert mark(watermarks, job) == 11
    assert load(watermarks, job, "jr_2", ids) == STEPS_OF_IDS[2:]


def test_failure__in_the_first_step(watermarks: Watermarks, job: str, spark: SparkSession) -> None:
    rows = frame(spark, "int", ["1", "11", None])
    break_down(watermarks, job, "jr_1", rows, at_step=1)

    assert watermarks.get_most_recent_run_id(job) is None
    assert load(watermarks, job, "jr_2", rows) == [(1, [1, 3]), (2, [2])]


@pytest.mark.classic
def test_empty_steps__cost_no_spark_job(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    def jobs_for(name: str, values: list[str]) -> int:
        rows = frame(spark, "bigint", values)
        with work_of(spark) as work, watermarks.job_run(f"{job}-{name}", "jr_1") as run:
            for _ in run.in_batches(rows, "value", step=1, transformation_ctx="repairs"):
                pass
        return work.jobs

    assert jobs_for("dense", ["1", "2"]) == jobs_for("sparse", ["1", "1000000000"]) <= 2


def test_nulls__come_with_the_first_step(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    rows = frame(spark, "int", [None, "1", "11", None])

    assert load(watermarks, job, "jr_1", rows, max_batches=1) == [(1, [1, 2, 4])]
    assert load(watermarks, job, "jr_2", rows) == [(2, [3])]


def test_nulls__alone_are_a_step(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    assert load(watermarks, job, "jr_1", frame(spark, "int", [None, None])) == [(1, [1, 2])]
    assert mark(watermarks, job) is None

    assert load(watermarks, job, "jr_2", frame(spark, "int", [None, None, "1"])) == [(2, [3])]


@pytest.mark.parametrize(
    ("values", "nulls"),
    [pytest.param([], "include", id="empty"), pytest.param([None], "exclude", id="nulls-that-nobody-wants")],
)
def test_nothing__is_remembered_as_the_first_load(
    spark: SparkSession, watermarks: Watermarks, moto_table: EmulatedTable, job: str, values: Any, nulls: str
) -> None:
    assert load(watermarks, job, "jr_1", frame(spark, "int", values), nulls=nulls) == []
    assert "repairs" in moto_table.item(job)["sources"]["M"]
    assert "lastBatchId" not in moto_table.item(job) or moto_table.item(job)["lastBatchId"] == {"N": "0"}

    assert load(watermarks, job, "jr_2", frame(spark, "int", [None, "1"])) == [(1, [2])]


def test_nulls__that_are_an_error(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    with pytest.raises(NullValuesError, match="null in 2 rows"):
        load(watermarks, job, "jr_1", frame(spark, "int", [None, "1", None]), nulls="error")


def test_future__is_held_back(
    spark: SparkSession, watermarks: Watermarks, job: str, caplog: pytest.LogCaptureFixture
) -> None:
    rows = frame(spark, "date", ["2023-03-14", "2023-03-15", "2023-03-17", "9999-12-31"])

    with caplog.at_level(logging.INFO, logger="scripts"):
        assert load(watermarks, job, "jr_1", rows, step=timedelta(days=1)) == [(1, [1]), (2, [2])]

    assert mark(watermarks, job) == date(2023, 3, 15)
    assert "2 steps to load, of 1 day each (2 rows later than now held back)" in caplog.text


def test_future__that_is_an_error(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    rows = frame(spark, "date", ["2023-03-14", "9999-12-31"])

    with pytest.raises(FutureValuesError, match="later than now in 1 rows"):
        load(watermarks, job, "jr_1", rows, step=timedelta(days=1), future="error")


def test_bounds__initial_value_until_and_delay(
    spark: SparkSession, watermarks: Watermarks, job: str, ids: DataFrame
) -> None:
    assert load(watermarks, job, "jr_1", ids, initial_value=9, until=35) == [(1, [3, 4]), (2, [5])]
    times = frame(spark, "timestamp", ["2023-03-16T10:00:00Z", "2023-03-16T11:00:00Z", "2023-03-16T11:30:00Z"])

    taken = load(watermarks, f"{job}-times", "jr_1", times, step=timedelta(hours=1), delay=timedelta(minutes=45))

    assert taken == [(1, [1]), (2, [2])]
    assert mark(watermarks, f"{job}-times") == datetime(2023, 3, 16, 11, tzinfo=timezone.utc)


def test_database_table(spark: SparkSession, watermarks: Watermarks, job: str, database: Database) -> None:
    database.create("BIGINT", [*IDS, None])
    table = JdbcTable(**database.options, num_partitions=2)

    assert load(watermarks, job, "jr_1", table, spark=spark, max_batches=2) == [(1, [1, 2, 7]), (2, [3, 4])]
    database.insert(["41"], start=8)
    assert load(watermarks, job, "jr_2", table, spark=spark) == [(3, [5]), (4, [6, 8])]


def test_max_batches__then_the_next_run_goes_on(
    watermarks: Watermarks, job: str, ids: DataFrame, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="scripts"):
        assert load(watermarks, job, "jr_1", ids, max_batches=3) == STEPS_OF_IDS[:3]

    assert "repairs: stopped after 3 of 4 steps; the next run goes on" in caplog.text
    assert load(watermarks, job, "jr_2", ids, max_batches=3) == STEPS_OF_IDS[3:]


def test_within__starts_no_further_step(
    watermarks: Watermarks, job: str, ids: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = iter([0.0, 0.0, 59.9, 60.0])
    clock = SimpleNamespace(monotonic=lambda: next(passed))
    monkeypatch.setattr("scripts.helpers.watermarks.job_run.run_batches.time", clock)

    assert load(watermarks, job, "jr_1", ids, within=timedelta(minutes=1)) == STEPS_OF_IDS[:2]
