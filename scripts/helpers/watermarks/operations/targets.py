"""Finding the run that a job is to be rewound to."""

from __future__ import annotations

from datetime import datetime

from scripts.helpers.watermarks.errors import InvalidArgumentError, WatermarkNotFoundError
from scripts.helpers.watermarks.table import Change, RunRecord, WatermarkTable, refuse_broken_sources


def success_of(table: WatermarkTable, job_id: str, run_id: str) -> RunRecord:
    """Give the record of a run that succeeded.

    Raises:
        WatermarkNotFoundError: there is none; the message says why, and which run could be used instead.
    """
    record = table.record(job_id, run_id)
    if record is None:
        problem = f"it was never recorded, or its record has expired{_oldest(table, job_id)}"
    elif record.status == "FAILED":
        problem = f"it FAILED, so the job never stood there; the last success before it is {record.previous_run_id!r}"
    elif record.version is None:
        problem = "the platform's original class recorded it, without where its sources stood; use set_mark instead"
    else:
        refuse_broken_sources(table, record)
        return record
    raise WatermarkNotFoundError(
        f"Cannot rewind job {job_id!r} to run {run_id!r}: {problem} (table {table.place.table_name!r}). "
        "Nothing was changed.",
        job_id=job_id,
        run_id=run_id,
        table_name=table.place.table_name,
    )


def last_success_before(table: WatermarkTable, job_id: str, before: datetime) -> RunRecord:
    """Give the record of the last run that succeeded before a time.

    Raises:
        InvalidArgumentError: the time has no zone.
        WatermarkNotFoundError: there is no such run.
    """
    if before.tzinfo is None:
        raise InvalidArgumentError(f"before {before!r} must have a time zone.", argument="before", value=before)
    for listed in table.history(job_id, None, before=before):
        if listed.status == "SUCCEEDED":
            # The index only says which run it is; what it recorded is read by key.
            return success_of(table, job_id, listed.run_id)
    raise WatermarkNotFoundError(
        f"Job {job_id!r} has no successful run on record before {before.isoformat()} (table "
        f"{table.place.table_name!r}){_oldest(table, job_id)}. To load everything again, use reset.",
        job_id=job_id,
        run_id="",
        table_name=table.place.table_name,
    )


def undoing(table: WatermarkTable, target: RunRecord) -> Change | None:
    """Give the last rewind or reset that took the job back behind a run, if any did since it was recorded."""
    for change in table.changes(target.job_id, since=target.version or 0):
        if change.operation not in ("rewind", "reset"):
            continue
        back_to = change.after.get("latestRunId")
        earlier = table.record(target.job_id, back_to) if isinstance(back_to, str) else None
        if change.operation == "reset" or earlier is None or (earlier.version or 0) < (target.version or 0):
            return change
    return None


def _oldest(table: WatermarkTable, job_id: str) -> str:
    for record in table.history(job_id, None, oldest_first=True):
        if record.status == "SUCCEEDED":
            return f"; the oldest run that can be used is {record.run_id!r}"
    return ""
