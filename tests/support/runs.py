"""Runs of a job in a test: read a source without Spark, and see what was left behind."""

from typing import Any

from scripts.helpers.watermarks import JobRun, Watermarks
from scripts.helpers.watermarks.job_run.outcome import SourceRead
from scripts.helpers.watermarks.values.positions import RowsPosition

PAUSE: Any = "job-bookmark-pause"
DISABLE: Any = "job-bookmark-disable"


def read_ids(
    run: JobRun, *, up_to: int | None, source: str = "repairs", column: str = "id", rows: int | None = 1
) -> None:
    """Leave in a run what reading a source of ids leaves there, without Spark."""
    known = run._position(run._state.sources, source)
    low = known.mark if isinstance(known, RowsPosition) else None
    run._reads[source] = SourceRead(RowsPosition(column, "integer", up_to), low, up_to, rows)


def commit_run(
    watermarks: Watermarks, job: str, run_id: str, *, up_to: int | None = None, column: str = "id", **recorded: object
) -> int:
    """Have a run succeed, and give its batch id. With `up_to`, it reads the source `repairs`."""
    with watermarks.job_run(job, run_id) as run:
        if up_to is not None:
            read_ids(run, up_to=up_to, column=column)
        run.record(**recorded)
    return run.batch_id


def fail_run(watermarks: Watermarks, job: str, run_id: str, *, up_to: int | None = None, column: str = "id") -> int:
    """Have a run fail, and give its batch id."""
    run = watermarks.job_run(job, run_id).begin()
    if up_to is not None:
        read_ids(run, up_to=up_to, column=column)
    run.fail("made up by a test")
    return run.batch_id
