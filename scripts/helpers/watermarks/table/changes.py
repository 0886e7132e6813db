"""Changing a job that no run of ours holds: read where it stands, decide, write only if it still stands there.

This is how a watermark is added by hand and how an operator changes a job. A run that holds its job writes by itself.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from pynamodb.expressions.condition import Condition

from scripts.helpers.watermarks.errors import ConflictError, JobAlreadyRunningError, UnadoptedItemsError
from scripts.helpers.watermarks.table import conditions
from scripts.helpers.watermarks.table.items import Change, JobState, Lease, RunRecord
from scripts.helpers.watermarks.table.store import StateChangedError, WatermarkTable

CHANGE_ATTEMPTS = 40
OLDER_RUNS_SHOWN = 5
WAIT_FOR_IT = "Wait for it to end (wait=…), and set the Glue job's maximum concurrency to 1."


@dataclass(frozen=True)
class Plan:
    """What a change wants to write."""

    after: JobState
    record: RunRecord | Change
    record_condition: Condition | None = None
    expiries: Mapping[str, int | None] | None = None


def change_job(
    table: WatermarkTable,
    job_id: str,
    decide: Callable[[JobState, str], Plan],
    *,
    now: Callable[[], datetime],
    changer: str,
    action: str,
    remedy: str,
    force: bool = False,
) -> Plan:
    """Change a job in one atomic step, again from the start whenever somebody else was faster.

    Args:
        table: where the job is.
        job_id: the job.
        decide: from the state found and a fresh commit id to what is to be written.
        now: the clock, for leases.
        changer: who wants the change, to name in an error (a run id, or what an operator does).
        action: what the change does, to name in an error.
        remedy: what to do instead while a run holds the job, to say in the error.
        force: whether to take the job away from a run that holds it.

    Returns:
        What was written.

    Raises:
        JobAlreadyRunningError: a run holds the job.
        ConflictError: somebody else was faster every time.
    """
    for tries in range(CHANGE_ATTEMPTS):
        found = table.state(job_id)
        if found is not None and not force:
            refuse_while_running(found, changer, now(), remedy)
        token = str(uuid.uuid4())
        plan = decide(found or JobState(job_id), token)
        untouched = conditions.nobody_changed_it_since(found)
        if found is not None and not force:
            untouched &= conditions.nobody_holds_it_at(now())
        try:
            table.write(
                plan.after,
                plan.record,
                state_condition=untouched,
                record_condition=plan.record_condition,
                token=token,
                action=action,
                expiries=plan.expiries,
            )
            return plan
        except StateChangedError:
            if _was_written(table, plan, token):
                return plan
            table.backoff.wait(min(tries, 6))
    raise ConflictError(
        f"Cannot {action} of job {job_id!r}: others changed the job {CHANGE_ATTEMPTS} times in between. Try again, "
        "and see whether several runs of this job are writing at once.",
        table_name=table.place.table_name,
        region=table.place.region,
        job_id=job_id,
    )


def refuse_unadopted(table: WatermarkTable, state: JobState | None, job_id: str) -> None:
    """Refuse to treat a job as new while it has items of the platform's original class: that would be a full load."""
    if state is not None and state.version > 0:
        return
    run_ids = table.older_run_ids(job_id, limit=OLDER_RUNS_SHOWN)
    if run_ids:
        listed = ", ".join([*map(repr, run_ids), "…"] if len(run_ids) == OLDER_RUNS_SHOWN else map(repr, run_ids))
        raise UnadoptedItemsError(
            f"Job {job_id!r} has runs in table {table.place.table_name!r} that the platform's original class "
            f"recorded ({listed}), which does not keep which one is the latest. Say which one to go on from, once: "
            f"Watermarks({table.place.table_name!r}).adopt(job_id={job_id!r}, run_id=…); and, for new_rows, where "
            "each source stands: set_mark(job_id, transformation_ctx, value). Nothing was changed.",
            job_id=job_id,
            run_ids=run_ids,
            table_name=table.place.table_name,
        )


def refuse_while_running(state: JobState, changer: str, now: datetime, remedy: str) -> None:
    """Refuse to change a job that a run holds."""
    lease = state.held_at(now)
    if lease is not None:
        raise already_running(state.job_id, changer, lease, remedy)


def already_running(job_id: str, run_id: str, lease: Lease, remedy: str = WAIT_FOR_IT) -> JobAlreadyRunningError:
    """Build the error that names who holds the job."""
    return JobAlreadyRunningError(
        f"Job {job_id!r} is held by run {lease.run_id!r} since {lease.since:%Y-%m-%d %H:%M:%S} UTC (its lease ends at "
        f"{lease.until:%H:%M:%S} UTC unless renewed), so {run_id!r} cannot go ahead. {remedy}",
        job_id=job_id,
        run_id=run_id,
        holder=lease.run_id,
        since=lease.since,
        until=lease.until,
    )


def _was_written(table: WatermarkTable, plan: Plan, token: str) -> bool:
    """Recognise our own write whose answer was lost, although others may have written on top of it since."""
    return table.commit_id(plan.record.job_id, plan.record.item_id) == token
