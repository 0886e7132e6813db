"""Steps of a backfill among others: the lease is kept, operators win, paused runs move nothing, misuse is refused."""

import sys
import time
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from scripts.helpers.watermarks import (
    InvalidArgumentError,
    JdbcTable,
    JobAlreadyRunningError,
    RunStateError,
    RunSupersededError,
    Watermarks,
)
from scripts.helpers.watermarks.job_run.progress import progress
from tests.support.frames import frame, mark, numbers
from tests.support.runs import DISABLE, PAUSE, commit_run
from tests.support.tables import Clock, EmulatedTable


@pytest.fixture
def watermarks(moto_table: EmulatedTable, clock: Clock) -> Watermarks:
    return moto_table.watermarks(clock=clock)


@pytest.fixture
def ids(spark: SparkSession) -> DataFrame:
    """Ids of three steps of ten."""
    return frame(spark, "bigint", ["1", "11", "21"])


def test_lease__is_kept_between_steps(
    watermarks: Watermarks, moto_table: EmulatedTable, job: str, ids: DataFrame
) -> None:
    tokens = []

    with watermarks.job_run(job, "jr_1") as run:
        for _ in run.in_batches(ids, "value", step=10, transformation_ctx="repairs"):
            tokens.append(moto_table.item(job)["lease"]["M"]["token"]["S"])
            with pytest.raises(JobAlreadyRunningError, match="jr_1"):
                watermarks.job_run(job, "jr_2").begin()
            with pytest.raises(JobAlreadyRunningError):
                watermarks.add_watermark(watermarks.create_watermark_item(job, "jr_3", x=1))

    assert len(tokens) == 3
    assert len(set(tokens)) == 1
    assert commit_run(watermarks, job, "jr_2") == 4


def test_heartbeat__goes_on_after_a_step(moto_table: EmulatedTable, job: str, ids: DataFrame) -> None:
    watermarks = moto_table.watermarks()
    with watermarks.job_run(job, "jr_1", lease=timedelta(seconds=1.5)) as run:
        batches = iter(run.in_batches(ids, "value", step=10, transformation_ctx="repairs"))
        next(batches)
        next(batches)
        before = after = moto_table.item(job)["lease"]
        give_up = time.monotonic() + 10
        while after == before and time.monotonic() < give_up:
            time.sleep(0.05)
            after = moto_table.item(job)["lease"]
        assert after["M"]["token"] == before["M"]["token"]
        assert after != before


@pytest.mark.parametrize("change", ["reset", "rewind", "set_mark"])
def test_operator__who_takes_the_job_between_steps_wins(
    watermarks: Watermarks, job: str, ids: DataFrame, change: str
) -> None:
    commit_run(watermarks, job, "jr_0", column="value", up_to=0)
    changes: dict[str, Any] = {
        "reset": lambda: watermarks.reset(job, reason="a test", force=True),
        "rewind": lambda: watermarks.rewind(job, "jr_0", reason="a test", force=True),
        "set_mark": lambda: watermarks.set_mark(job, "repairs", 5, reason="a test", force=True),
    }
    done = []

    def load() -> None:
        with watermarks.job_run(job, "jr_1") as run:
            for batch in run.in_batches(ids, "value", step=10, transformation_ctx="repairs"):
                done.append(batch.batch_id)
                if len(done) == 2:
                    changes[change]()

    with pytest.raises(RunSupersededError):
        load()

    assert done == [2, 3]
    known = {"reset": None, "rewind": 0, "set_mark": 5}[change]
    assert (watermarks.get_watermark_values(job) or {}).get("repairs") == known
    assert "jr_1#step/000000000003" not in [each["runId"] for each in watermarks.history(job)]


def test_pause__moves_nothing(watermarks: Watermarks, moto_table: EmulatedTable, job: str, ids: DataFrame) -> None:
    commit_run(watermarks, job, "jr_0", column="value", up_to=1)
    before = moto_table.items(job)

    with watermarks.job_run(job, "jr_1", PAUSE) as run:
        taken = [
            (batch.batch_id, numbers(batch.frame))
            for batch in run.in_batches(ids, "value", step=10, transformation_ctx="repairs")
        ]

    # In one: several batches 0 would overwrite each other.
    assert taken == [(0, [2, 3])]
    assert moto_table.items(job) == before


def test_disable__reads_from_the_beginning(watermarks: Watermarks, job: str, ids: DataFrame) -> None:
    commit_run(watermarks, job, "jr_0", column="value", up_to=11)

    with watermarks.job_run(job, "jr_1", DISABLE) as run:
        taken = [numbers(each.frame) for each in run.in_batches(ids, "value", step=10, transformation_ctx="repairs")]

    assert taken == [[1, 2, 3]]
    assert mark(watermarks, job) == 11


def test_other_sources__before_the_steps(watermarks: Watermarks, job: str, ids: DataFrame) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        run.new_rows(ids, "value", transformation_ctx="payments")
        with pytest.raises(RunStateError, match="neither with other sources"):
            run.in_batches(ids, "value", step=10, transformation_ctx="repairs")


def test_other_sources__after_the_steps(watermarks: Watermarks, job: str, ids: DataFrame) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        list(run.in_batches(ids, "value", step=10, transformation_ctx="repairs"))
        with pytest.raises(RunStateError, match="the only source of its run"):
            run.new_rows(ids, "value", transformation_ctx="payments")
        with pytest.raises(RunStateError, match="the only source of its run"):
            run.in_batches(ids, "value", step=10, transformation_ctx="payments")


def test_record__under_the_name_of_the_source(watermarks: Watermarks, job: str, ids: DataFrame) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        for _ in run.in_batches(ids, "value", step=10, transformation_ctx="repairs"):
            with pytest.raises(InvalidArgumentError, match="'repairs' is the name of a source"):
                run.record(repairs=5)
            with pytest.raises(RunStateError, match="has not read a source 'payments'"):
                run.window("payments")

    assert mark(watermarks, job) == 21


def test_range__of_runs(watermarks: Watermarks, job: str, ids: DataFrame) -> None:
    for run_id in ("jr_1", "jr_2"):
        commit_run(watermarks, job, run_id, column="value", up_to=1)

    with (
        watermarks.job_run(job, "jr_x", PAUSE, bookmark_from="jr_1", bookmark_to="jr_2") as run,
        pytest.raises(RunStateError, match="bookmark_from"),
    ):
        run.in_batches(ids, "value", step=10, transformation_ctx="repairs")


@pytest.mark.parametrize(
    ("data_type", "step", "told"),
    [
        pytest.param("int", 0, "a positive whole number", id="zero"),
        pytest.param("int", -5, "a positive whole number", id="negative"),
        pytest.param("int", True, "a positive whole number", id="bool"),
        pytest.param("int", timedelta(days=1), "a positive whole number", id="time-for-ids"),
        pytest.param("timestamp", 10, "a timedelta of whole seconds", id="number-for-times"),
        pytest.param("timestamp", timedelta(microseconds=1), "a timedelta of whole seconds", id="fraction"),
        pytest.param("timestamp", timedelta(0), "a timedelta of whole seconds", id="no-time"),
        pytest.param("date", timedelta(hours=36), "a timedelta of whole days", id="half-days"),
        pytest.param("string", 1, "text cannot be cut into steps", id="text"),
    ],
)
def test_step__that_does_not_fit(
    spark: SparkSession, watermarks: Watermarks, job: str, data_type: str, step: Any, told: str
) -> None:
    rows = frame(spark, data_type, [])

    with watermarks.job_run(job, "jr_1") as run, pytest.raises(InvalidArgumentError, match=told):
        run.in_batches(rows, "value", step=step, transformation_ctx="repairs")


@pytest.mark.parametrize(
    "options", [{"max_batches": 0}, {"max_batches": 1.5}, {"within": 5}, {"within": timedelta(-1)}]
)
def test_limits__that_do_not_fit(watermarks: Watermarks, job: str, ids: DataFrame, options: Any) -> None:
    with watermarks.job_run(job, "jr_1") as run, pytest.raises(InvalidArgumentError, match=next(iter(options))):
        run.in_batches(ids, "value", step=10, transformation_ctx="repairs", **options)


def test_steps__that_are_too_many(
    watermarks: Watermarks, job: str, ids: DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scripts.helpers.watermarks.sources.steps.MOST_STEPS", 2)

    with watermarks.job_run(job, "jr_1") as run, pytest.raises(InvalidArgumentError, match="more than 2 steps"):
        list(run.in_batches(ids, "value", step=10, transformation_ctx="repairs"))


def test_database_table__without_a_session(watermarks: Watermarks, job: str) -> None:
    table = JdbcTable("t", url="jdbc:derby:memory:x")

    with watermarks.job_run(job, "jr_1") as run, pytest.raises(InvalidArgumentError, match="spark is needed"):
        run.in_batches(table, "value", step=10, transformation_ctx="repairs")


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_bar__is_only_for_a_terminal(monkeypatch: pytest.MonkeyPatch, terminal: bool) -> None:
    shown = StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: terminal, raising=False)
    monkeypatch.setattr(sys, "stderr", shown)

    assert list(progress([1, 2, 3], "repairs")) == [1, 2, 3]

    assert ("repairs" in shown.getvalue()) == terminal
