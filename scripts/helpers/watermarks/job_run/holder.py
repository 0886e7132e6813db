"""Holding a job for a run: its lease, and the writes that only the holder may make."""

from __future__ import annotations

import logging
import uuid
from dataclasses import replace
from typing import TYPE_CHECKING

from scripts.helpers.watermarks.errors import RunStateError, TableUnavailableError
from scripts.helpers.watermarks.job_run.heartbeat import Heartbeat
from scripts.helpers.watermarks.job_run.modes import ENABLE, Span
from scripts.helpers.watermarks.job_run.outcome import Circumstances, Read, Success, failure
from scripts.helpers.watermarks.job_run.settings import Phase, RunSettings
from scripts.helpers.watermarks.job_run.superseded import superseded
from scripts.helpers.watermarks.job_run.taking import take_job
from scripts.helpers.watermarks.table import (
    Condition,
    JobState,
    RecordExistsError,
    RunRecord,
    StateChangedError,
    Status,
    WatermarkTable,
    conditions,
)

if TYPE_CHECKING:
    from scripts.helpers.watermarks.job_run.reporting import Reporter

logger = logging.getLogger(__name__)


class Holder:
    """What a run knows of itself, and its hold on the job. `Lifecycle` says when to take it and when to let go."""

    def __init__(self, table: WatermarkTable, settings: RunSettings) -> None:
        """Prepare a run; nothing is read or taken before `begin`."""
        self._table = table
        self._settings = settings
        self._phase: Phase = "new"
        self._state = JobState(settings.job_id)
        self._span: Span | None = None
        self._token: str | None = None
        self._heartbeat: Heartbeat | None = None
        self._started_at = settings.clock()
        self._reads: dict[str, Read] = {}
        self._recorded: dict[str, object] = {}
        self._in_steps = False
        self._told = False
        self._attempted: RunRecord | None = None
        self._reporter: Reporter | None = None

    @property
    def job_id(self) -> str:
        """The job."""
        return self._settings.job_id

    @property
    def run_id(self) -> str:
        """The run."""
        return self._settings.run_id

    @property
    def _commits(self) -> bool:
        return self._settings.option == ENABLE

    def _require_held(self) -> None:
        """Refuse to go on once the job is lost."""
        lost = self._heartbeat.why_lost() if self._heartbeat else None
        if lost is not None:
            self._told = True
            raise superseded(self._table, self._state, self.run_id, self._token, lost)

    def _take(self) -> None:
        # Here, and not when the package is imported: only a run that holds its job has anything to report.
        from scripts.helpers.watermarks.job_run.reporting import Reporter

        settings = self._settings
        taken = take_job(
            self._table, self.job_id, self.run_id, length=settings.lease, wait=settings.wait, clock=settings.clock
        )
        self._state, self._token = taken.state, taken.lease.token
        self._reporter = Reporter(self._table, settings)
        self._heartbeat = Heartbeat(
            self._table,
            self.job_id,
            taken.lease,
            settings.lease,
            taken_at=taken.taken_at,
            clock=settings.clock,
            on_lost=self._cancel_work,
        )
        self._heartbeat.start()

    def _cancel_work(self) -> None:
        """Stop what the run is doing elsewhere, once its lease is lost."""

    def _stop_heartbeat(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.stop()

    def _write_outcome(self, outcome: Success, token: str, *, action: str, keep_lease: bool = False) -> None:
        self._attempted = outcome.record
        try:
            self._table.write(
                outcome.after,
                outcome.record,
                state_condition=self._still_mine(),
                record_condition=conditions.no_committed_run_is_replaced(),
                token=token,
                action=action,
                digests=outcome.digests,
                expiries=outcome.expiries,
                keep_lease=keep_lease,
            )
        except StateChangedError:
            if not self._was_written(outcome.record.run_id, token, "SUCCEEDED"):
                self._told = True
                raise superseded(self._table, self._state, self.run_id, self._token) from None
        except TableUnavailableError:
            # The answer was lost for good, but perhaps not the request.
            if not self._was_written(outcome.record.run_id, token, "SUCCEEDED"):
                raise
        except RecordExistsError:
            raise self._misused("was already committed. Every run needs a run id of its own") from None
        self._attempted = None

    def _write_failure(self, error: BaseException | str) -> RunRecord:
        """Record the failure, and give what the table says of the run from now on; without a version if nothing."""
        after, record = failure(self._state, self._reads, error, self._circumstances())
        try:
            self._table.write(
                after,
                record,
                state_condition=self._still_mine(),
                record_condition=conditions.no_success_is_replaced(),
                # Not the commit's: DynamoDB refuses the token of a commit that it carried out with anything else.
                token=str(uuid.uuid4()),
                action="record the failure",
            )
        except RecordExistsError:
            self._table.release(self.job_id, self._circumstances().token)
            record = replace(record, version=None)
        except StateChangedError:
            token = self._circumstances().token
            done = self._attempted
            if done is not None and self._was_written(done.run_id, done.commit_id, "SUCCEEDED"):
                logger.warning("%s: %s had been committed: its answer was lost", self.job_id, done.run_id)
                self._table.release(self.job_id, token)
                return done
            if not self._was_written(self.run_id, token, "FAILED"):
                logger.warning("%s", superseded(self._table, self._state, self.run_id, self._token))
                return replace(record, version=None)
        logger.info("%s: run %s failed, no mark was moved: %s", self.job_id, self.run_id, record.error)
        return record

    def _still_mine(self) -> Condition:
        token = self._circumstances().token
        mine: Condition = conditions.still_held_by(token) & conditions.nobody_changed_it_since(self._state)
        return mine

    def _was_written(self, run_id: str, token: str | None, status: Status) -> bool:
        """Recognise our own write whose answer was lost: the record carries our token."""
        record = self._table.record(self.job_id, run_id)
        return record is not None and record.commit_id == token and record.status == status

    def _circumstances(self) -> Circumstances:
        if self._token is None:
            raise self._misused("holds no lease")
        settings = self._settings
        return Circumstances(self.run_id, self._token, self._started_at, settings.clock(), settings.retention)

    def _misused(self, problem: str) -> RunStateError:
        return RunStateError(
            f"Run {self.run_id!r} of job {self.job_id!r} {problem}.", job_id=self.job_id, run_id=self.run_id
        )
