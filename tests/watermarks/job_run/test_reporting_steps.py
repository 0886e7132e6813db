"""The metrics of a backfill in steps: told as it goes on, each row once, however the run ends."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import JobRun, Watermarks
from scripts.helpers.watermarks.job_run.outcome import SourceRead
from scripts.helpers.watermarks.metrics import publishing
from scripts.helpers.watermarks.values.positions import RowsPosition
from tests.support.cloudwatch import Call, calls_to_cloudwatch
from tests.support.frames import frame
from tests.support.tables import NOON, Clock, EmulatedTable


@pytest.fixture
def watermarks(moto_table: EmulatedTable, cloudwatch: str, clock: Clock) -> Watermarks:
    assert cloudwatch
    return moto_table.watermarks(metrics=True, clock=clock)


@pytest.fixture
def calls(job: str) -> Iterator[list[Call]]:
    with calls_to_cloudwatch(job) as seen:
        yield seen


def load_step(run: JobRun, *, up_to: int, rows: int, kind: Any = "integer") -> None:
    """Do what the loop over `in_batches` does with a step that was written, without Spark."""
    run._in_steps = True
    known = run._position(run._state.sources, "repairs")
    low = known.mark if isinstance(known, RowsPosition) else None
    run._stepping = "repairs", SourceRead(RowsPosition("id", kind, up_to), low, up_to, rows)
    run._finish_step("repairs")


def test_steps__of_a_short_backfill_are_told_with_its_end(
    watermarks: Watermarks, job: str, clock: Clock, calls: list[Call]
) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        for number in (1, 2, 3):
            load_step(run, up_to=10 * number, rows=number)
            clock.turn(seconds=10)

    assert calls == [
        {"FailedRuns": 0.0, "RunSeconds": 30.0, "EmptyRuns": 0.0, "RowsLoaded": 6.0, "RowsLoaded of repairs": 6.0}
    ]


def test_steps__of_a_long_backfill_are_told_every_minute_and_counted_once(
    watermarks: Watermarks, job: str, clock: Clock, calls: list[Call]
) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        for number in range(1, 7):
            clock.turn(seconds=25)
            load_step(run, up_to=10 * number, rows=1)

    # Steps at 25, 50, 75, 100, 125 and 150 seconds: told at 75 and 150, and the end has nothing to add.
    rows = [(call.get("RowsLoaded"), call.get("RowsLoaded of repairs"), call.get("FailedRuns")) for call in calls]
    assert rows == [(3.0, 3.0, None), (3.0, 3.0, None), (None, None, 0.0)]
    assert calls[-1] == {"FailedRuns": 0.0, "RunSeconds": 150.0, "EmptyRuns": 0.0}


def test_steps__that_were_committed_count_although_the_run_fails(
    watermarks: Watermarks, job: str, calls: list[Call]
) -> None:
    with pytest.raises(ZeroDivisionError), watermarks.job_run(job, "jr_1") as run:
        load_step(run, up_to=10, rows=4)
        run._stepping = "repairs", SourceRead(RowsPosition("id", "integer", 20), 10, 20, 99)
        _ = 1 / 0

    assert calls == [{"FailedRuns": 1.0, "RunSeconds": 0.0, "RowsLoaded": 4.0, "RowsLoaded of repairs": 4.0}]


def test_steps__the_age_of_the_mark_is_the_last_ones(
    watermarks: Watermarks, job: str, clock: Clock, calls: list[Call]
) -> None:
    noon = int(NOON.timestamp()) * 1_000_000
    with watermarks.job_run(job, "jr_1") as run:
        for seconds_ago in (300, 200, 100):
            load_step(run, up_to=noon - seconds_ago * 1_000_000, rows=1, kind="timestamp")
        clock.turn(seconds=5)

    assert [call["MarkAgeSeconds of repairs"] for call in calls] == [105.0]


def test_steps__once_refused_are_told_with_the_end(
    watermarks: Watermarks,
    job: str,
    clock: Clock,
    calls: list[Call],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    works = iter([False, True])
    really = publishing.Publisher.publish
    monkeypatch.setattr(publishing.Publisher, "publish", lambda self, facts: really(self, facts) and next(works))

    with watermarks.job_run(job, "jr_1", lease=timedelta(hours=1)) as run:
        for number in range(1, 6):
            clock.turn(minutes=2)
            load_step(run, up_to=10 * number, rows=1)

    # The first may have arrived although it seemed lost, so it is not told again.
    assert [call["RowsLoaded"] for call in calls] == [1.0, 4.0]
    assert caplog.records == []


def test_steps__of_spark(watermarks: Watermarks, job: str, spark: SparkSession, calls: list[Call]) -> None:
    ids = frame(spark, "bigint", ["1", "9", "10", "11", "35"])
    for run_id in ("jr_1", "jr_2"):
        with watermarks.job_run(job, run_id) as run:
            for batch in run.in_batches(ids, "value", step=10, transformation_ctx="repairs"):
                assert batch.frame.count()

    assert [(call["RowsLoaded"], call.get("RowsLoaded of repairs"), call["EmptyRuns"]) for call in calls] == [
        (5.0, 5.0, 0.0),
        (0.0, None, 1.0),
    ]
