"""Paused and disabled runs, and the range of runs that a paused one can be asked for, on real rows."""

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from scripts.helpers.watermarks import (
    InvalidArgumentError,
    WatermarkMismatchError,
    WatermarkNotFoundError,
    Watermarks,
)
from scripts.helpers.watermarks.window import Window
from tests.support.frames import frame, numbers
from tests.support.runs import DISABLE, PAUSE, commit_run, fail_run
from tests.support.tables import Clock, EmulatedTable


@pytest.fixture
def watermarks(moto_table: EmulatedTable, clock: Clock) -> Watermarks:
    return moto_table.watermarks(clock=clock)


@pytest.fixture
def source(spark: SparkSession) -> DataFrame:
    """Five rows of ids 1 to 5, and one without."""
    return frame(spark, "int", ["1", "2", "3", "4", "5", None])


@pytest.fixture
def history(watermarks: Watermarks, job: str) -> None:
    """A failure, ids up to 1, up to 2, a failure, up to 4."""
    fail_run(watermarks, job, "jr_failed_first")
    for run_id, up_to in (("jr_1", 1), ("jr_2", 2)):
        commit_run(watermarks, job, run_id, column="value", up_to=up_to)
    fail_run(watermarks, job, "jr_failed", column="value", up_to=3)
    commit_run(watermarks, job, "jr_4", column="value", up_to=4)


def read(
    watermarks: Watermarks, job: str, source: DataFrame, *, column: str = "value", **options: Any
) -> tuple[list[int], Window]:
    names = ("bookmark_option", "bookmark_from", "bookmark_to")
    mode = {name: options.pop(name) for name in names if name in options}
    with watermarks.job_run(job, "jr_x", **{"bookmark_option": PAUSE, **mode}) as run:
        rows = numbers(run.new_rows(source, column, transformation_ctx="repairs", **options))
        return rows, run.window("repairs")


@pytest.mark.usefixtures("history")
def test_pause__reads_what_is_new_as_often_as_it_is_run(watermarks: Watermarks, job: str, source: DataFrame) -> None:
    for _ in range(2):
        assert read(watermarks, job, source) == ([5], Window(4, 5, 1))


def test_pause__of_a_job_without_runs_reads_everything(watermarks: Watermarks, job: str, source: DataFrame) -> None:
    for _ in range(2):
        assert read(watermarks, job, source) == ([1, 2, 3, 4, 5, 6], Window(None, 5, 6))


@pytest.mark.usefixtures("history")
def test_disable__reads_everything_as_it_is(watermarks: Watermarks, job: str, source: DataFrame) -> None:
    found = read(watermarks, job, source, bookmark_option=DISABLE, initial_value=4, until=4)

    assert found == ([1, 2, 3, 4, 5, 6], Window(None, None, None))


def test_disable__holds_nothing_back(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "date", ["2023-03-15", "2023-03-16", "9999-12-31", None])

    assert read(watermarks, job, source, bookmark_option=DISABLE)[0] == [1, 2, 3, 4]


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    ("first", "last", "rows", "window"),
    [
        pytest.param("jr_1", "jr_4", [2, 3, 4], Window(1, 4, None), id="after-the-first-up-to-the-last"),
        pytest.param("jr_2", "jr_4", [3, 4], Window(2, 4, None), id="a-failure-between-them"),
        pytest.param("jr_1", "jr_2", [2], Window(1, 2, None), id="one-run"),
        pytest.param("jr_2", "jr_2", [], Window(2, 2, 0), id="the-same-twice"),
        pytest.param("jr_failed", "jr_4", [3, 4], Window(2, 4, None), id="from-a-failure"),
        pytest.param("jr_1", "jr_failed", [2], Window(1, 2, None), id="to-a-failure"),
        pytest.param("jr_failed_first", "jr_2", [1, 2, 6], Window(None, 2, None), id="from-a-failure-before-all"),
        pytest.param("jr_failed_first", "jr_failed_first", [], Window(None, None, 0), id="nothing-succeeded-by-then"),
    ],
)
def test_range__is_what_these_runs_loaded(
    watermarks: Watermarks, job: str, source: DataFrame, first: str, last: str, rows: list[int], window: Window
) -> None:
    assert read(watermarks, job, source, bookmark_from=first, bookmark_to=last) == (rows, window)


@pytest.mark.usefixtures("history")
def test_range__from_the_beginning_respects_where_that_was(watermarks: Watermarks, job: str, source: DataFrame) -> None:
    found = read(watermarks, job, source, bookmark_from="jr_failed_first", bookmark_to="jr_4", initial_value=2)

    assert found == ([3, 4, 6], Window(2, 4, None))


@pytest.mark.usefixtures("history")
def test_range__from_the_beginning_without_nulls(watermarks: Watermarks, job: str, source: DataFrame) -> None:
    rows, _ = read(watermarks, job, source, bookmark_from="jr_failed_first", bookmark_to="jr_1", nulls="exclude")

    assert rows == [1]


def test_range__up_to_a_load_of_nulls_only(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "int", [None, None])
    fail_run(watermarks, job, "jr_failed")
    with watermarks.job_run(job, "jr_1") as run:
        run.new_rows(source, "value", transformation_ctx="repairs")

    found = read(watermarks, job, source, bookmark_from="jr_failed", bookmark_to="jr_1")

    assert found == ([1, 2], Window(None, None, None))


@pytest.mark.usefixtures("history")
def test_range__of_a_source_that_was_not_read_then(watermarks: Watermarks, job: str, source: DataFrame) -> None:
    with watermarks.job_run(job, "jr_x", PAUSE, bookmark_from="jr_1", bookmark_to="jr_4") as run:
        assert numbers(run.new_rows(source, "value", transformation_ctx="payments")) == []
        assert run.window("payments") == Window(None, None, 0)


@pytest.mark.usefixtures("history")
def test_range__writes_nothing(watermarks: Watermarks, moto_table: EmulatedTable, job: str, source: DataFrame) -> None:
    before = moto_table.items(job)

    read(watermarks, job, source, bookmark_from="jr_1", bookmark_to="jr_4")

    assert moto_table.items(job) == before


@pytest.mark.usefixtures("history")
def test_range__on_another_column(watermarks: Watermarks, job: str, source: DataFrame) -> None:
    with pytest.raises(WatermarkMismatchError, match="read by column 'n'"):
        read(watermarks, job, source, column="n", bookmark_from="jr_1", bookmark_to="jr_4")


@pytest.mark.usefixtures("history")
def test_range__from_above_to(watermarks: Watermarks, job: str) -> None:
    with pytest.raises(InvalidArgumentError, match="bookmark_from 'jr_4' was recorded after bookmark_to 'jr_1'"):
        watermarks.job_run(job, "jr_x", PAUSE, bookmark_from="jr_4", bookmark_to="jr_1").begin()


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(("first", "last"), [("jr_never", "jr_4"), ("jr_1", "jr_never")])
def test_range__run_that_was_never_recorded(watermarks: Watermarks, job: str, first: str, last: str) -> None:
    with pytest.raises(WatermarkNotFoundError, match=r"'jr_never' of job .* was never recorded, or .* expired") as told:
        watermarks.job_run(job, "jr_x", PAUSE, bookmark_from=first, bookmark_to=last).begin()

    assert told.value.run_id == "jr_never"
    assert ("bookmark_from: " if first == "jr_never" else "bookmark_to: ") in str(told.value)


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    ("deleted", "first"),
    [pytest.param("jr_1", "jr_1", id="run"), pytest.param("jr_2", "jr_failed", id="success-before-a-failure")],
)
def test_range__record_that_has_expired(
    watermarks: Watermarks, moto_table: EmulatedTable, job: str, deleted: str, first: str
) -> None:
    moto_table.delete(job, deleted)

    with pytest.raises(WatermarkNotFoundError, match=f"bookmark_from: run '{deleted}'.* expired"):
        watermarks.job_run(job, "jr_x", PAUSE, bookmark_from=first, bookmark_to="jr_4").begin()


@pytest.mark.parametrize("option", ["job-bookmark-enable", DISABLE])
def test_range__without_pause(watermarks: Watermarks, job: str, option: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="only go with bookmark_option='job-bookmark-pause'"):
        watermarks.job_run(job, "jr_x", option, bookmark_from="jr_1", bookmark_to="jr_2")


@pytest.mark.parametrize("end", ["bookmark_from", "bookmark_to"])
def test_range__one_end_only(watermarks: Watermarks, job: str, end: str) -> None:
    ends: dict[str, Any] = {end: "jr_1"}

    with pytest.raises(InvalidArgumentError, match="give both run ids, or neither"):
        watermarks.job_run(job, "jr_x", PAUSE, **ends)


@pytest.mark.parametrize("run_id", ["", "#latest", "jr_1#step/1"])
def test_range__ids_that_are_none(watermarks: Watermarks, job: str, run_id: str) -> None:
    with pytest.raises(InvalidArgumentError, match="bookmark_from"):
        watermarks.job_run(job, "jr_x", PAUSE, bookmark_from=run_id, bookmark_to="jr_2").begin()
