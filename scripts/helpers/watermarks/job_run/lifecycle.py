"""The life of a run: begin, commit or fail. It knows leases and states, and nothing of what a source is."""

from __future__ import annotations

import logging
import uuid
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, NoReturn

from scripts.helpers.watermarks.errors import NotPicklableError
from scripts.helpers.watermarks.job_run.holder import Holder
from scripts.helpers.watermarks.job_run.modes import DISABLE, ENABLE, find_span
from scripts.helpers.watermarks.job_run.outcome import Read, amount, failure, success
from scripts.helpers.watermarks.job_run.settings import RunSettings
from scripts.helpers.watermarks.job_run.termination import Termination
from scripts.helpers.watermarks.table import RunRecord, WatermarkTable, refuse_unadopted
from scripts.helpers.watermarks.values.ids import step_id

if TYPE_CHECKING:
    from typing_extensions import Self

    from scripts.helpers.watermarks.job_run.reporting import Reporter

logger = logging.getLogger(__name__)


class Lifecycle(Holder):
    """Begins a run and ends it. `JobRun` adds what it reads and records in between."""

    def __init__(self, table: WatermarkTable, settings: RunSettings) -> None:
        """Prepare a run; nothing is read or taken before `begin`."""
        super().__init__(table, settings)
        self._termination = Termination(self._terminate)
        self._terminated = False

    @property
    def batch_id(self) -> int:
        """The number of the commit that this run works towards; the same for every retry. 0 if it never commits.

        Raises:
            RunSupersededError: the run lost the job. Whoever has it now may be writing this very batch.
        """
        if self._phase == "new":
            raise self._misused("has not begun, so it has no batch id. Use it in a `with` block, or call begin() first")
        if self._phase == "open":
            self._require_held()
        return self._state.last_batch_id + 1 if self._commits else 0

    def begin(self) -> Self:
        """Start the run: take the job and read where it stands, in one request.

        Returns:
            The run itself.

        Raises:
            JobAlreadyRunningError: another run holds the job.
            UnadoptedItemsError: the job has items of the platform's original class, and none was adopted.
            WatermarkNotFoundError: `bookmark_from` or `bookmark_to` is not on record.
            RunStateError: the run has begun already, or its id was committed before.
        """
        if self._phase != "new":
            raise self._misused("has begun already. Make a new one with Watermarks.job_run")
        settings = self._settings
        self._started_at = settings.clock()
        if settings.option == ENABLE:
            self._take()
        else:
            if settings.option != DISABLE:
                self._look()
            logger.warning(
                "%s: %s: no mark is moved, and batch_id is 0: do not write this run as a batch of the usual target",
                self.job_id,
                settings.option,
            )
        self._phase = "open"
        if self._commits:
            self._termination.listen()
        return self

    def commit(self) -> None:
        """End the run well: move every mark and record every value, in one transaction.

        Raises:
            RunSupersededError: the run lost its lease, or an operator changed the job meanwhile.
            UnsupportedValueError: what was recorded does not fit into an item.
            TableError: the table could not be written.
        """
        self._require_open()
        if self._commits:
            with self._termination.deferred():
                self._stop_heartbeat()
                record = self._write_success()
                self._phase = "committed"
            self._termination.stop_listening()
            if self._reporter is not None:
                self._reporter.committed(record, self._reads, in_steps=self._in_steps)
        self._phase = "committed"

    def fail(self, error: BaseException | str) -> None:
        """End the run badly: move nothing, record the failure, and free the job for the retry.

        It never raises: a failure to record must not hide the failure itself.

        Args:
            error: what went wrong; its class and message are recorded.
        """
        if self._phase != "open":
            return
        record = None
        with self._termination.deferred():
            self._phase = "failed"
            if self._commits:
                record = self._try_to_write_failure(error)
        self._termination.stop_listening()
        if self._reporter is not None:
            self._report_failure(self._reporter, record, error)

    def __enter__(self) -> Self:
        """Begin."""
        return self.begin() if self._phase == "new" else self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Commit if the block ended without an exception, else record the failure. The exception goes on up."""
        if error is not None:
            self.fail(error)
        elif self._phase == "open":
            try:
                self.commit()
            except BaseException as problem:
                self.fail(problem)
                raise
        elif self._terminated:
            raise self._misused("was told to end by SIGTERM and is recorded as FAILED, so nothing was committed")

    def __getstate__(self) -> NoReturn:
        """Refuse to be pickled: a run belongs to the driver process that holds its lease."""
        raise NotPicklableError(
            "A JobRun cannot be pickled, so it cannot be used inside a Spark function. Take run.batch_id into a "
            "variable before, and use that."
        )

    def _require_open(self) -> None:
        """Refuse to go on outside the run, or once the job is lost."""
        if self._phase == "new":
            raise self._misused("has not begun. Use it in a `with` block, or call begin() first")
        if self._phase != "open":
            raise self._misused(f"has {self._phase} already. Make a new one with Watermarks.job_run")
        self._require_held()

    def _look(self) -> None:
        """Read where the job stands, or stood, without taking it."""
        settings = self._settings
        if settings.bookmark_from is not None and settings.bookmark_to is not None:
            self._span = find_span(self._table, self.job_id, settings.bookmark_from, settings.bookmark_to)
            return
        state = self._table.state(self.job_id)
        refuse_unadopted(self._table, state, self.job_id)
        self._state = state or self._state

    def _write_success(self) -> RunRecord:
        outcome = success(self._state, self._reads, self._recorded, self._circumstances(), new_batch=not self._in_steps)
        self._write_outcome(outcome, self._circumstances().token, action="commit the run")
        batch = "without a batch of its own" if self._in_steps else f"as batch {self.batch_id}"
        logger.info("%s: run %s committed %s%s", self.job_id, self.run_id, batch, amount(self._reads.values()))
        return outcome.record

    def _commit_step(self, reads: dict[str, Read]) -> None:
        """Commit one step of a backfill, keeping the job."""
        batch_id = self.batch_id
        circumstances = replace(self._circumstances(), run_id=step_id(self.run_id, batch_id), token=str(uuid.uuid4()))
        with self._termination.deferred():
            outcome = success(self._state, reads, self._recorded, circumstances)
            self._write_outcome(outcome, circumstances.token, action="commit a step", keep_lease=True)
            self._state = outcome.after
        logger.info("%s: step %d committed%s", self.job_id, batch_id, amount(reads.values()))
        if self._reporter is not None:
            self._reporter.step(outcome.record, reads)

    def _under_way(self) -> dict[str, Read]:
        """Give what the run had read and not committed yet."""
        return {} if self._in_steps else self._reads

    def _terminate(self) -> None:
        self._terminated = self._phase == "open"
        self.fail("SIGTERM: the process was told to end")

    def _try_to_write_failure(self, error: BaseException | str) -> RunRecord | None:
        try:
            self._stop_heartbeat()
            return self._write_failure(error)
        except Exception:
            logger.warning("%s: run %s failed, and that could not be recorded", self.job_id, self.run_id, exc_info=True)
            return None

    def _report_failure(self, reporter: Reporter, record: RunRecord | None, error: BaseException | str) -> None:
        """Report what the table says of the run, which may be that it was committed after all."""
        with reporter.harmless():
            if record is not None and record.run_id == self.run_id and record.status == "SUCCEEDED":
                reporter.committed(record, self._reads, in_steps=self._in_steps)
                return
            if record is None or record.status == "SUCCEEDED":
                _, unrecorded = failure(self._state, self._reads, error, self._circumstances())
                record = replace(unrecorded, version=None)
            reporter.failed(record, self._under_way())
