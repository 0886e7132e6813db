"""Recording a watermark by hand: `add_watermark`, and adopting a run of the platform's original class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.table.changes import Plan, change_job, refuse_unadopted
from scripts.helpers.watermarks.table.items import JobState, RunRecord, Values
from scripts.helpers.watermarks.table.store import WatermarkTable

RECORD_IN_THE_RUN = "Wait for it to end, or, if this is the same run, use run.record(...) inside its job_run block."


def record_by_hand(
    table: WatermarkTable,
    job_id: str,
    run_id: str,
    values: Values,
    *,
    clock: Callable[[], datetime],
    retention: timedelta | None,
) -> None:
    """Record a run's values and make it the latest. Marks of sources stay as they are."""

    def decide(found: JobState, token: str) -> Plan:
        refuse_unadopted(table, found, job_id)
        # What a JobRun recorded of the same run (its windows, when it started) stays; only the values are replaced.
        again = found.latest_run_id == run_id or found.remembers(run_id)
        known = table.record(job_id, run_id) if again else None
        return _plan(found, known, run_id, values, token, found.next_instant(clock()), retention)

    change_job(table, job_id, decide, now=clock, changer=run_id, action="add a watermark", remedy=RECORD_IN_THE_RUN)


def adopt_older_run(
    table: WatermarkTable, older: RunRecord, *, clock: Callable[[], datetime], retention: timedelta | None
) -> None:
    """Make a run of the platform's original class the latest of a job that has no state yet."""

    def decide(found: JobState, token: str) -> Plan:
        if found.version > 0:
            raise InvalidArgumentError(
                f"Job {found.job_id!r} already has a state (latest run {found.latest_run_id!r}), so there is nothing "
                "to adopt.",
                argument="job_id",
                value=found.job_id,
            )
        return _plan(found, None, older.run_id, older.watermarks, token, found.next_instant(clock()), retention)

    change_job(
        table, older.job_id, decide, now=clock, changer=older.run_id, action="adopt a run", remedy=RECORD_IN_THE_RUN
    )


def expiry(recorded_at: datetime, retention: timedelta | None) -> int | None:
    """Give the second at which a record recorded now is to expire, if ever."""
    return None if retention is None else int((recorded_at + retention).timestamp())


def _plan(
    found: JobState,
    known: RunRecord | None,
    run_id: str,
    values: Values,
    token: str,
    now: datetime,
    retention: timedelta | None,
) -> Plan:
    record = known or RunRecord(
        found.job_id,
        run_id,
        values,
        batch_id=found.last_batch_id,
        previous_run_id=found.latest_run_id,
        sources=found.sources,
    )
    return Plan(
        replace(
            found,
            version=found.version + 1,
            latest_run_id=run_id,
            commit_id=token,
            updated_at=now,
            watermarks=values,
            lease=None,
            attempts=0,
            listed=True,
        ),
        replace(
            record,
            watermarks=values,
            status="SUCCEEDED",
            version=found.version + 1,
            recorded_at=now,
            error=None,
            commit_id=token,
            expires_at=expiry(now, retention),
        ),
    )
