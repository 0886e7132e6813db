"""The one place that turns an item into an object. What it does not understand is an error, never a fresh start."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from scripts.helpers.watermarks.errors import BrokenItemError
from scripts.helpers.watermarks.table.items import Change, JobState, Lease, RunRecord, Status, Values
from scripts.helpers.watermarks.table.model import Item, broken, parse_instant
from scripts.helpers.watermarks.values import StoredMap
from scripts.helpers.watermarks.values.digests import unpack


def read_state(item: Item) -> JobState:
    """Read the state of a job; a missing attribute or a wrong type is an error, never a fresh start."""
    _check_state_is_whole(item)
    return JobState(
        job_id=item.job_name,
        version=_whole(item, "version"),
        last_batch_id=_whole(item, "last_batch_id"),
        latest_run_id=item.latest_run_id,
        commit_id=item.commit_id,
        updated_at=item.updated_at,
        watermarks=_values(item),
        sources=_sources(item, required=True),
        lease=_lease(item),
        attempts=_whole(item, "attempts", default=0),
        listed=item.state_of is not None,
        recent_runs=_recent_runs(item),
    )


def read_listed_state(item: Item) -> JobState:
    """Read a state as the index `latest-by-job` projects it: without sources and lease."""
    _check_state_is_whole(item)
    return JobState(
        job_id=item.job_name,
        version=_whole(item, "version"),
        last_batch_id=_whole(item, "last_batch_id"),
        latest_run_id=item.latest_run_id,
        updated_at=item.updated_at,
        watermarks=_values(item),
    )


def read_record(item: Item) -> RunRecord:
    """Read the record of a run, also one that the platform's original class wrote."""
    older = getattr(item, "version", None) is None and item.status is None
    _require(item, "watermarks", *(() if older else ("version", "status", "recorded_at")))
    if item.status not in (None, "SUCCEEDED", "FAILED"):
        raise _broken(item, "status", f"is {item.status!r}, not SUCCEEDED or FAILED")
    return RunRecord(
        job_id=item.job_name,
        run_id=item.run_id,
        watermarks=_values(item),
        status=cast(Status, item.status or "SUCCEEDED"),
        version=_whole_or_none(item, "version"),
        batch_id=_whole_or_none(item, "batch_id"),
        previous_run_id=item.previous_run_id,
        started_at=item.started_at,
        recorded_at=item.recorded_at,
        sources=_sources(item, required=item.attempt is not None),
        attempt=_whole_or_none(item, "attempt"),
        error=item.error,
        commit_id=item.commit_id,
        expires_at=_whole_or_none(item, "expires_at"),
    )


def read_change(item: Item) -> Change:
    """Read an operator's change."""
    _require(item, "operation", "changed_by", "changed_at", "before", "after", "commit_id")
    return Change(
        job_id=item.job_name,
        version=_whole(item, "version"),
        operation=item.operation,
        changed_by=item.changed_by,
        changed_at=item.changed_at,
        reason=item.reason,
        before=item.before,
        after=item.after,
        commit_id=item.commit_id,
    )


def _check_state_is_whole(item: Item) -> None:
    """Refuse a state without what every change writes. One that its first run just took was never changed."""
    if _whole(item, "version") > 0:
        _require(item, "updated_at", "watermarks")
    if item.watermarks:
        _require(item, "latest_run_id")


def _require(item: Item, *names: str) -> None:
    for name in names:
        if getattr(item, name) is None:
            raise _broken(item, name, "is missing")


def _values(item: Item) -> Values:
    types = item.watermark_types or {}
    for pointer, noted in types.items():
        if not isinstance(noted, str):
            raise _broken(item, "watermark_types", f"has no text at {pointer!r}")
    values = Values(item.watermarks or {}, cast(Mapping[str, str], types))
    try:
        values.decoded()
    except ValueError as error:
        raise _broken(item, "watermarks", f"cannot be read: {error}") from error
    return values


def _sources(item: Item, *, required: bool) -> StoredMap:
    sources: StoredMap | None = item.sources
    if sources is None:
        if required:
            raise _broken(item, "sources", "is missing")
        return {}
    for name, source in sources.items():
        if not isinstance(source, dict):
            raise _broken(item, "sources", f"does not hold a map for source {name!r}")
    return sources


def _lease(item: Item) -> Lease | None:
    stored: dict[str, Any] | None = item.lease
    if stored is None:
        return None
    try:
        return Lease(stored["token"], stored["runId"], parse_instant(stored["since"]), parse_instant(stored["until"]))
    except (KeyError, TypeError, ValueError) as error:
        raise _broken(item, "lease", f"cannot be read ({error!r})") from error


def _recent_runs(item: Item) -> bytes:
    packed = item.recent_runs or b""
    try:
        unpack(packed)
    except ValueError as error:
        raise _broken(item, "recent_runs", str(error)) from error
    return packed


def _whole(item: Item, name: str, *, default: int | None = None) -> int:
    value = getattr(item, name)
    if value is None and default is not None:
        return default
    if value is None:
        raise _broken(item, name, "is missing")
    if not isinstance(value, int) or value < 0:
        raise _broken(item, name, f"is {value!r}, not a whole number")
    return value


def _whole_or_none(item: Item, name: str) -> int | None:
    return None if getattr(item, name) is None else _whole(item, name)


def _broken(item: Item, name: str, problem: str) -> BrokenItemError:
    attribute = type(item).get_attributes()[name].attr_name
    return broken(item.Meta.table_name, item.job_name, item.run_id, attribute, problem)
