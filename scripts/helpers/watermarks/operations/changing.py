"""Making an operator's change: one transaction of the new state and the audit record, which fences running runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, TypeAlias

from scripts.helpers.watermarks.errors import ConflictError, WatermarkNotFoundError
from scripts.helpers.watermarks.table import (
    Change,
    JobState,
    Plan,
    WatermarkTable,
    change_job,
    refuse_broken_sources,
    refuse_unadopted,
    refuse_while_running,
)
from scripts.helpers.watermarks.table.model import broken
from scripts.helpers.watermarks.table.recording import expiry
from scripts.helpers.watermarks.table.views import change_view
from scripts.helpers.watermarks.values import StoredMap
from scripts.helpers.watermarks.values.positions import digest_items

logger = logging.getLogger(__name__)

Operation: TypeAlias = Literal["rewind", "reset", "set", "forget"]
Decision: TypeAlias = "tuple[JobState, tuple[int, ...]]"


@dataclass(frozen=True)
class Changed:
    """What an operator's change did.

    Attributes:
        operation: `rewind`, `reset`, `set` or `forget`.
        job_id: the job.
        version: the version of the job's state since then.
        changed_by: who did it.
        changed_at: when.
        reason: why, where it was said.
        before: the latest run and the sources, as stored, before.
        after: the same, after.
        batch_ids: the batches of the target that hold what will be loaded again: drop them before the next run.
        warning: what to look out for, if anything.
        taken_from: the run that held the job and can no longer commit, if any did.
    """

    operation: Operation
    job_id: str
    version: int
    changed_by: str
    changed_at: datetime
    reason: str | None
    before: StoredMap
    after: StoredMap
    batch_ids: tuple[int, ...]
    warning: str | None = None
    taken_from: str | None = None

    def view(self) -> dict[str, Any]:
        """Show the change as a dict, with Python values: what `Watermarks.changes` shows later, and the batches."""
        kept = Change(
            self.job_id,
            self.version,
            self.operation,
            self.changed_by,
            self.changed_at,
            self.reason,
            self.before,
            self.after,
            commit_id="",
        )
        more = {"batchIds": list(self.batch_ids), "warning": self.warning, "takenFrom": self.taken_from}
        return change_view(kept) | more


@dataclass(frozen=True)
class Caution:
    """How careful a change is to be.

    Attributes:
        force: whether to take the job away from a run that holds it.
        dry_run: whether to work out the change without making it.
        expected_version: the version of the job's state that the operator looked at; any where None.
    """

    force: bool = False
    dry_run: bool = False
    expected_version: int | None = None


def change_as_operator(
    table: WatermarkTable,
    job_id: str,
    operation: Operation,
    decide: Callable[[JobState], Decision],
    *,
    clock: Callable[[], datetime],
    reason: str | None,
    caution: Caution,
    retention: timedelta | None,
    may_be_new: bool = False,
) -> Changed:
    """Change a job and keep who did it, when and why.

    Args:
        table: where the job is.
        job_id: the job.
        operation: what is done.
        decide: from the state found to the wanted one, and the batches whose content will be loaded again.
        clock: tells the time.
        reason: why, in the operator's words.
        caution: what may be overrun, and whether to only look.
        retention: how long what the job no longer points to is kept.
        may_be_new: whether the job may be one that was never seen.

    Returns:
        What was done, or would be.

    Raises:
        JobAlreadyRunningError: a run holds the job, and `force` was not asked for.
        ConflictError: the job was changed since the operator looked at it.
        WatermarkNotFoundError: the job is not in the table.
    """
    changed_by = table.caller()
    done: list[Changed] = []

    def plan(found: JobState, token: str) -> Plan:
        _refuse_unexpected(table, found, caution.expected_version)
        refuse_unadopted(table, found, job_id)
        refuse_broken_sources(table, found)
        if found.version == 0 and not may_be_new:
            raise WatermarkNotFoundError(
                f"Job {job_id!r} is not in table {table.place.table_name!r}: nothing was ever recorded of it. "
                "Watermarks.jobs() lists the jobs that are.",
                job_id=job_id,
                run_id="",
                table_name=table.place.table_name,
            )
        wanted, batch_ids = decide(found)
        now = found.next_instant(clock())
        after = replace(wanted, version=found.version + 1, updated_at=now, commit_id=token, lease=None, attempts=0)
        before_and_after = _summary(found), _summary(after)
        holder = found.held_at(clock())
        changed = Changed(operation, job_id, after.version, changed_by, now, reason, *before_and_after, batch_ids)
        done[:] = [replace(changed, taken_from=holder.run_id if holder else None)]
        change = Change(job_id, after.version, operation, changed_by, now, reason, *before_and_after, token)
        return Plan(after, change, expiries=_digest_expiries(table, found, after, expiry(now, retention)))

    remedy = "Wait for it to end, or take the job away from it with force=True: it will then fail to commit."
    if caution.dry_run:
        found = table.state(job_id) or JobState(job_id)
        if not caution.force:
            refuse_while_running(found, operation, clock(), remedy)
        plan(found, token="")
        return done[0]
    change_job(
        table,
        job_id,
        plan,
        now=clock,
        changer=operation,
        action=f"{operation} the job",
        remedy=remedy,
        force=caution.force,
    )
    logger.info("%s: %s by %s, now version %d", job_id, operation, changed_by, done[0].version)
    return done[0]


def _refuse_unexpected(table: WatermarkTable, found: JobState, expected: int | None) -> None:
    """Refuse to change a job that is no longer as the operator saw it."""
    if expected is not None and found.version != expected:
        raise ConflictError(
            f"Job {found.job_id!r} has changed since you looked at it (version {expected} then, {found.version} now; "
            f"latest run {found.latest_run_id!r}). Nothing was changed: look again.",
            table_name=table.place.table_name,
            region=table.place.region,
            job_id=found.job_id,
        )


def _digest_expiries(
    table: WatermarkTable, before: JobState, after: JobState, expires_at: int | None
) -> dict[str, int | None]:
    """Keep the digests of files that the job points to again, and let those go that it no longer does.

    Raises:
        BrokenItemError: the job would point to digests that are not there, and could not be run.
    """
    were, are = digest_items(before.sources), digest_items(after.sources)
    for item_id in are - were:
        if table.digests(after.job_id, item_id) is None:
            problem = "is gone: it has expired, or somebody deleted it"
            raise broken(table.place.table_name, after.job_id, item_id, "digests", problem)
    # Those that somebody deleted cannot expire, and must not be in the way of the reset that mends the job.
    let_go = (item_id for item_id in were - are if expires_at and table.digests(after.job_id, item_id) is not None)
    return dict.fromkeys(are - were, None) | dict.fromkeys(let_go, expires_at)


def _summary(state: JobState) -> StoredMap:
    return {"latestRunId": state.latest_run_id, "sources": state.sources}
