"""What the items of the table mean: the state of a job, the record of a run, and the one place that reads them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, TypeAlias, cast

from scripts.helpers.watermarks.table.model import Item, broken, instant_text, parse_instant
from scripts.helpers.watermarks.table.wire import Wire, map_to_wire, to_wire
from scripts.helpers.watermarks.values import Stored, StoredMap, decode, encode

Status: TypeAlias = Literal["SUCCEEDED", "FAILED"]


@dataclass(frozen=True)
class Lease:
    """Who holds a job, since when and until when. Every write of the holder must still find its token."""

    token: str
    run_id: str
    since: datetime
    until: datetime

    def to_stored(self) -> StoredMap:
        """Give the lease as it is stored."""
        return {
            "token": self.token,
            "runId": self.run_id,
            "since": instant_text(self.since),
            "until": instant_text(self.until),
        }


@dataclass(frozen=True)
class Values:
    """Named values in their stored form, with the types that the form alone does not tell."""

    stored: StoredMap = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, object]) -> Values:
        """Encode Python values; raises `UnsupportedValueError`."""
        return cls(*encode(values))

    def decoded(self) -> dict[str, object]:
        """Give the Python values back."""
        return decode(self.stored, self.types)


@dataclass(frozen=True)
class JobState:
    """Where a job stands: what its next run starts from."""

    job_id: str
    version: int = 0
    last_batch_id: int = 0
    latest_run_id: str | None = None
    commit_id: str | None = None
    updated_at: datetime | None = None
    watermarks: Values = field(default_factory=Values)
    sources: StoredMap = field(default_factory=dict)
    lease: Lease | None = None
    attempts: int = 0

    def next_instant(self, now: datetime) -> datetime:
        """Give a time for the next change that is later than the last one, whatever the clocks."""
        if self.updated_at is None:
            return now
        return max(now, self.updated_at + timedelta(microseconds=1))

    def held_at(self, now: datetime) -> Lease | None:
        """Give the lease that is in force at this time, if any."""
        return self.lease if self.lease is not None and self.lease.until >= now else None


@dataclass(frozen=True)
class RunRecord:
    """What is kept of one run. Attributes of an item of the platform's original class are mostly missing."""

    job_id: str
    run_id: str
    watermarks: Values
    status: Status = "SUCCEEDED"
    version: int | None = None
    batch_id: int | None = None
    previous_run_id: str | None = None
    started_at: datetime | None = None
    recorded_at: datetime | None = None
    sources: StoredMap = field(default_factory=dict)
    attempt: int | None = None
    error: str | None = None
    commit_id: str | None = None
    expires_at: int | None = None

    def to_item(self, model: type[Item]) -> Item:
        """Give the item to store."""
        return model(
            self.job_id,
            self.run_id,
            status=self.status,
            version=self.version,
            batch_id=self.batch_id,
            previous_run_id=self.previous_run_id,
            started_at=self.started_at,
            recorded_at=self.recorded_at,
            watermarks=self.watermarks.stored,
            watermark_types=cast(StoredMap, dict(self.watermarks.types)) or None,
            sources=self.sources or None,
            attempt=self.attempt,
            error=self.error,
            commit_id=self.commit_id,
            expires_at=self.expires_at,
        )


def read_state(item: Item) -> JobState:
    """Read the state of a job; a missing attribute or a wrong type is an error, never a fresh start."""
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
    )


def read_listed_state(item: Item) -> JobState:
    """Read a state as the index `latest-by-job` projects it: without sources and lease."""
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
        sources=_sources(item, required=False),
        attempt=_whole_or_none(item, "attempt"),
        error=item.error,
        commit_id=item.commit_id,
        expires_at=_whole_or_none(item, "expires_at"),
    )


def state_wire(state: JobState) -> dict[str, Wire]:
    """Give the state as DynamoDB's JSON, by attribute name: what an update sets, and what its size is counted on."""
    optional: dict[str, Stored] = {
        "latestRunId": state.latest_run_id,
        "commitId": state.commit_id,
        "updatedAt": instant_text(state.updated_at) if state.updated_at else None,
        "watermarkTypes": cast(StoredMap, dict(state.watermarks.types)) or None,
    }
    optional["lease"] = state.lease.to_stored() if state.lease else None
    optional["attempts"] = Decimal(state.attempts) if state.attempts else None
    wire = {name: to_wire(value) for name, value in optional.items() if value is not None}
    return wire | {
        "stateOf": {"S": state.job_id},
        "version": {"N": str(state.version)},
        "lastBatchId": {"N": str(state.last_batch_id)},
        "watermarks": {"M": map_to_wire(state.watermarks.stored)},
        "sources": {"M": map_to_wire(state.sources)},
    }


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


def _broken(item: Item, name: str, problem: str) -> Exception:
    attribute = type(item).get_attributes()[name].attr_name
    return broken(item.Meta.table_name, item.job_name, item.run_id, attribute, problem)
