"""Taking a job for a run: one request, and clear words where that is refused."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from scripts.helpers.watermarks.errors import RunStateError
from scripts.helpers.watermarks.table import (
    JobState,
    Lease,
    LeaseRefusedError,
    WatermarkTable,
    already_running,
    refuse_broken_sources,
    refuse_unadopted,
)

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0
# A lease may be given back between our refusal and the look at who held it.
QUICK_RETRIES = 3


@dataclass(frozen=True)
class Taken:
    """A job taken: its state before, the lease, and the monotonic time just before it was asked for."""

    state: JobState
    lease: Lease
    taken_at: float


def take_job(
    table: WatermarkTable,
    job_id: str,
    run_id: str,
    *,
    length: timedelta,
    wait: timedelta | None,
    clock: Callable[[], datetime],
) -> Taken:
    """Take the job, waiting for it if asked to.

    Raises:
        JobAlreadyRunningError: another run holds the job, and still did when the waiting was over.
        UnadoptedItemsError: the job has older items, and nobody said which one to go on from.
        RunStateError: this run id was committed already.
        BrokenItemError: the job's state cannot be read.
    """
    taken = _take(table, job_id, run_id, length, wait, clock)
    try:
        refuse_unadopted(table, taken.state, job_id)
        refuse_broken_sources(table, taken.state)
        _refuse_committed(table, taken.state, run_id)
    except Exception:
        table.release(job_id, taken.lease.token)
        raise
    if taken.state.lease is not None:
        logger.warning("%s: taken over from run %s, which did not end", job_id, taken.state.lease.run_id)
    return taken


def _take(
    table: WatermarkTable,
    job_id: str,
    run_id: str,
    length: timedelta,
    wait: timedelta | None,
    clock: Callable[[], datetime],
) -> Taken:
    waits_until = time.monotonic() + (wait.total_seconds() if wait else 0)
    quick_retries = QUICK_RETRIES
    while True:
        taken_at, now = time.monotonic(), clock()
        lease = Lease(str(uuid.uuid4()), run_id, now, now + length)
        try:
            return Taken(table.take(job_id, lease), lease, taken_at)
        except LeaseRefusedError as refused:
            holder = refused.state.lease if refused.state is not None else None
            if holder is None and quick_retries:
                quick_retries -= 1
                continue
            if time.monotonic() >= waits_until:
                raise already_running(job_id, run_id, holder or lease) from None
            if holder is not None:
                logger.info("%s: waiting for run %s", job_id, holder.run_id)
        table.backoff.sleep(min(POLL_SECONDS, max(0.0, waits_until - time.monotonic())))


def _refuse_committed(table: WatermarkTable, state: JobState, run_id: str) -> None:
    """Refuse to run a committed run again, before it loads anything.

    Looked up only where the state remembers the id among its last runs, so that a usual start is one request. One
    that is older still is refused by the condition of its commit.
    """
    record = table.record(state.job_id, run_id) if state.remembers(run_id) else None
    if record is not None and record.attempt is not None and record.status == "SUCCEEDED":
        raise RunStateError(
            f"Run {run_id!r} of job {state.job_id!r} was already committed (batch {record.batch_id}). Every run needs "
            "a run id of its own: pass Glue's JOB_RUN_ID, or leave it to job_arguments.",
            job_id=state.job_id,
            run_id=run_id,
        )
