"""What the items of the table mean: the state of a job, the record of a run, an operator's change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal, TypeAlias, cast

from scripts.helpers.watermarks.table.model import CHANGE, FILES, Item, instant_text
from scripts.helpers.watermarks.table.wire import Wire, map_to_wire, to_wire
from scripts.helpers.watermarks.values import Stored, StoredMap, decode, encode
from scripts.helpers.watermarks.values.digests import SIZE, digest_of_run, unpack

# Enough to catch a run id that is used twice, and few enough for the state to stay small.
REMEMBERED_RUNS = 100

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
    """Where a job stands: what its next run starts from. One that was forgotten is not listed among the jobs."""

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
    listed: bool = True
    recent_runs: bytes = b""

    def remembers(self, run_id: str) -> bool:
        """Say whether a run is among the last ones that were committed (very likely: it is kept as a digest)."""
        return digest_of_run(run_id) in unpack(self.recent_runs)

    def with_recent(self, run_id: str) -> bytes:
        """Give the digests of the last committed runs, with this one."""
        return (self.recent_runs + digest_of_run(run_id))[-REMEMBERED_RUNS * SIZE :]

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

    @property
    def item_id(self) -> str:
        """The range key of the item."""
        return self.run_id

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
            # A run's is never left out: a missing one would look like a way back to before everything was loaded.
            sources=self.sources or (None if self.attempt is None else {}),
            attempt=self.attempt,
            error=self.error,
            commit_id=self.commit_id,
            expires_at=self.expires_at,
        )


@dataclass(frozen=True)
class FileDigests:
    """The digests of the files that a source has read after its horizon, in an item of their own.

    Apart from the state, so that heartbeats stay cheap. It expires only once a later run has replaced it.
    """

    job_id: str
    source: str
    version: int
    packed: bytes

    @property
    def item_id(self) -> str:
        """The range key of the item."""
        return f"{FILES}{self.source}/{self.version:012d}"

    def to_item(self, model: type[Item]) -> Item:
        """Give the item to store."""
        return model(self.job_id, self.item_id, version=self.version, digests=self.packed)


@dataclass(frozen=True)
class Change:
    """An operator's change of a job, kept for good: what was done, by whom, when, why, and what it changed."""

    job_id: str
    version: int
    operation: str
    changed_by: str
    changed_at: datetime
    reason: str | None
    before: StoredMap
    after: StoredMap
    commit_id: str

    @property
    def item_id(self) -> str:
        """The range key of the item."""
        return f"{CHANGE}{self.version:012d}"

    def to_item(self, model: type[Item]) -> Item:
        """Give the item to store."""
        return model(
            self.job_id,
            self.item_id,
            version=self.version,
            operation=self.operation,
            changed_by=self.changed_by,
            changed_at=self.changed_at,
            reason=self.reason,
            before=self.before,
            after=self.after,
            commit_id=self.commit_id,
        )


def state_wire(state: JobState) -> dict[str, Wire]:
    """Give the state as DynamoDB's JSON, by attribute name: what an update sets, and what its size is counted on."""
    optional: dict[str, Stored] = {
        "stateOf": state.job_id if state.listed else None,
        "latestRunId": state.latest_run_id,
        "commitId": state.commit_id,
        "updatedAt": instant_text(state.updated_at) if state.updated_at else None,
        "watermarkTypes": cast(StoredMap, dict(state.watermarks.types)) or None,
    }
    optional["lease"] = state.lease.to_stored() if state.lease else None
    optional["recentRuns"] = state.recent_runs or None
    optional["attempts"] = Decimal(state.attempts) if state.attempts else None
    wire = {name: to_wire(value) for name, value in optional.items() if value is not None}
    return wire | {
        "version": {"N": str(state.version)},
        "lastBatchId": {"N": str(state.last_batch_id)},
        "watermarks": {"M": map_to_wire(state.watermarks.stored)},
        "sources": {"M": map_to_wire(state.sources)},
    }
