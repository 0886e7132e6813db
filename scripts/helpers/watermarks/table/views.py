"""What callers see of the table: the playbook's item of three keys, and dicts of jobs, runs and changes."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Literal, TypeAlias, TypedDict

from scripts.helpers.watermarks.errors import BrokenItemError, InvalidItemError
from scripts.helpers.watermarks.table.items import Change, JobState, RunRecord, Values
from scripts.helpers.watermarks.table.model import CHANGE
from scripts.helpers.watermarks.values import Stored, StoredMap, WatermarkValues
from scripts.helpers.watermarks.values.ids import require_job_id, require_run_id, require_watermark_name
from scripts.helpers.watermarks.values.positions import source_view

ITEM_KEYS = ("jobName", "runId", "watermarks")

JobStatus: TypeAlias = Literal["SUCCEEDED", "FAILED", "RUNNING", "STALLED", "NO_RUN", "BROKEN"]


class WatermarkItem(TypedDict):
    """A watermark as the playbook knows it: exactly these three keys."""

    jobName: str
    runId: str
    watermarks: dict[str, Any]


def make_item(job_id: str, run_id: str, watermarks: dict[str, object]) -> WatermarkItem:
    """Make an item to add, refusing what could not be added."""
    require_values(watermarks)
    return {"jobName": require_job_id(job_id), "runId": require_run_id(run_id), "watermarks": watermarks}


def parse_item(item: object) -> tuple[str, str, Values]:
    """Take an item apart that is to be added, refusing any that `make_item` would not make."""
    if not isinstance(item, dict) or set(item) != set(ITEM_KEYS):
        found = ", ".join(sorted(map(str, item))) if isinstance(item, dict) else type(item).__name__
        raise InvalidItemError(
            f"add_watermark takes an item with exactly the keys {', '.join(ITEM_KEYS)}, as create_watermark_item "
            f"makes it, not: {found or 'none'}. Nothing was written.",
            argument="watermark_item",
            value=found,
        )
    watermarks = item["watermarks"]
    if not isinstance(watermarks, dict):
        raise InvalidItemError(
            f"The item's watermarks must be a dict of names and values, not {type(watermarks).__name__}. "
            "Nothing was written.",
            argument="watermark_item",
            value=watermarks,
        )
    return require_job_id(item["jobName"]), require_run_id(item["runId"]), require_values(watermarks)


def require_values(watermarks: dict[str, object]) -> Values:
    """Encode the values of a run, refusing names and values that cannot be kept."""
    for name in watermarks:
        require_watermark_name(name)
    return Values.of(watermarks)


def item_view(job_id: str, run_id: str, values: Values) -> WatermarkItem:
    """Show what a run recorded, as the playbook reads it."""
    return {"jobName": job_id, "runId": run_id, "watermarks": _named(job_id, run_id, values)}


def latest_view(state: JobState | None) -> WatermarkItem | None:
    """Show what the latest run recorded, if there is one."""
    if state is None or state.latest_run_id is None:
        return None
    return item_view(state.job_id, state.latest_run_id, state.watermarks)


def run_view(record: RunRecord) -> dict[str, Any]:
    """Show all that is stored of a run."""
    stored: dict[str, object] = {
        "status": record.status,
        "version": record.version,
        "batchId": record.batch_id,
        "previousRunId": record.previous_run_id,
        "startedAt": record.started_at,
        "recordedAt": record.recorded_at,
        "sources": _sources_view(record.sources) or None,
        "attempt": record.attempt,
        "error": record.error,
        "commitId": record.commit_id,
        "expiresAt": record.expires_at,
    }
    named = item_view(record.job_id, record.run_id, record.watermarks)
    return {**named, **{name: value for name, value in stored.items() if value is not None}}


def job_view(state: JobState) -> dict[str, Any]:
    """Show where a job stands."""
    return {
        "jobName": state.job_id,
        "runId": state.latest_run_id,
        "watermarks": _named(state.job_id, state.latest_run_id, state.watermarks),
        "version": state.version,
        "lastBatchId": state.last_batch_id,
        "updatedAt": state.updated_at,
    }


def state_view(state: JobState, now: datetime) -> dict[str, Any]:
    """Show where a job stands, with its sources and the run that holds it."""
    shown = job_view(state) | {
        "status": job_status(state, now),
        "sources": _sources_view(state.sources),
        "attempts": state.attempts,
    }
    if state.lease is not None:
        shown["lease"] = {"runId": state.lease.run_id, "since": state.lease.since, "until": state.lease.until}
    return shown


def broken_view(job_id: str, problem: str) -> dict[str, Any]:
    """Show a job whose state cannot be read, with the same names as any other."""
    return state_view(JobState(job_id), datetime.now(timezone.utc)) | {"status": "BROKEN", "problem": problem}


def broken_run_view(error: BrokenItemError) -> dict[str, Any]:
    """Show a run whose record cannot be read, with the names that every run has."""
    shown = {"jobName": error.job_id, "runId": error.item, "watermarks": {}, "status": "BROKEN"}
    return shown | {"version": None, "recordedAt": None, "item": error.item, "problem": str(error)}


def broken_change_view(error: BrokenItemError) -> dict[str, Any]:
    """Show an operator's change that cannot be read, with the same names as any other."""
    number = error.item.removeprefix(CHANGE)
    version = int(number) if number.isdecimal() else 0
    nobody: dict[str, Any] = {"changedBy": None, "changedAt": None, "reason": None}
    nowhere = {side: side_view({}) for side in ("before", "after")}
    shown = {"jobName": error.job_id, "version": version, "operation": "BROKEN", **nobody, **nowhere}
    return shown | {"item": error.item, "problem": str(error)}


def job_status(state: JobState, now: datetime) -> JobStatus:
    """Say how a job is. `STALLED`: a run neither ended nor renewed its lease. `FAILED`: the last one did not commit."""
    if state.lease is not None:
        return "RUNNING" if state.held_at(now) else "STALLED"
    if state.attempts:
        return "FAILED"
    return "NO_RUN" if state.latest_run_id is None else "SUCCEEDED"


def change_view(change: Change) -> dict[str, Any]:
    """Show an operator's change."""
    return {
        "jobName": change.job_id,
        "version": change.version,
        "operation": change.operation,
        "changedBy": change.changed_by,
        "changedAt": change.changed_at,
        "reason": change.reason,
        "before": side_view(change.before),
        "after": side_view(change.after),
    }


def side_view(side: StoredMap) -> dict[str, Any]:
    """Show where a job stood before or after a change."""
    return {"runId": side.get("latestRunId"), "sources": _sources_view(side.get("sources"))}


def _sources_view(sources: Stored) -> dict[str, dict[str, object]]:
    return {name: source_view(source) for name, source in sources.items()} if isinstance(sources, dict) else {}


def _named(job_id: str, run_id: str | None, values: Values) -> WatermarkValues:
    return WatermarkValues(values.decoded(), job_id=job_id, run_id=run_id)
