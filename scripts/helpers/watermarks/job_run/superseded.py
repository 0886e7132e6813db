"""Saying why a run may no longer commit: what happened meanwhile, and by whom."""

from __future__ import annotations

from scripts.helpers.watermarks.errors import RunSupersededError, WatermarkError
from scripts.helpers.watermarks.table import JobState, WatermarkTable


def superseded(
    table: WatermarkTable, before: JobState, run_id: str, token: str | None, reason: str | None = None
) -> RunSupersededError:
    """Build the error for a run that lost its job, with what the table tells about it."""
    told = "; ".join(part for part in (reason, _meanwhile(table, before, token)) if part)
    return RunSupersededError(
        f"Run {run_id!r} no longer holds job {before.job_id!r}, so it commits nothing: {told or 'its lease is gone'}. "
        "What it wrote as this batch is overwritten by the run that has the job now. Start it again if none has.",
        job_id=before.job_id,
        run_id=run_id,
    )


def _meanwhile(table: WatermarkTable, before: JobState, token: str | None) -> str:
    try:
        now = table.state(before.job_id)
        changes = list(table.changes(before.job_id, since=before.version, limit=1))
    except WatermarkError:
        return ""
    for change in changes:
        why = f" ({change.reason})" if change.reason else ""
        return f"{change.changed_by} did a {change.operation} at {change.changed_at:%Y-%m-%d %H:%M:%S} UTC{why}"
    if now is None:
        return "the state of the job was deleted"
    if now.lease is not None and now.lease.token == token:
        return "nobody has taken it over yet"
    if now.lease is not None and now.version == before.version:
        return f"run {now.lease.run_id!r} took the job over at {now.lease.since:%Y-%m-%d %H:%M:%S} UTC"
    if now.version != before.version:
        when = f" at {now.updated_at:%Y-%m-%d %H:%M:%S} UTC" if now.updated_at else ""
        return f"the job was changed{when} (latest run is now {now.latest_run_id!r}, version {now.version})"
    return ""
