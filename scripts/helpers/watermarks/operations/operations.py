"""The operator's side of `Watermarks`. Each call is one appended, audited change; history is never rewritten."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import cast

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.operations.changing import Caution, Changed, Decision, Operation, change_as_operator
from scripts.helpers.watermarks.operations.targets import last_success_before, success_of, undoing
from scripts.helpers.watermarks.table import JobState, Values, WatermarkTable
from scripts.helpers.watermarks.values import StoredMap, marks
from scripts.helpers.watermarks.values.ids import require_job_id, require_recorded_id, require_source_name
from scripts.helpers.watermarks.values.marks import MarkType
from scripts.helpers.watermarks.values.positions import Position, RowsPosition, position_part, read_position

logger = logging.getLogger(__name__)


class Operations:
    """Rewind, reset, set and forget. A run that is under way is not overrun unless forced, and then cannot commit."""

    _table: WatermarkTable
    _clock: Callable[[], datetime]
    retention: timedelta | None

    def rewind(
        self,
        job_id: str,
        run_id: str | None = None,
        reason: str | None = None,
        *,
        before: datetime | None = None,
        force: bool = False,
        dry_run: bool = False,
        expected_version: int | None = None,
    ) -> Changed:
        """Let the job stand again where it stood after a run: the next run loads everything since.

        Args:
            job_id: the job.
            run_id: the run to go back to.
            reason: why, for those who look at it later.
            before: instead of a run, a time: the last run that succeeded before it.
            force: take the job away from a run that is under way.
            dry_run: work out what would change, and change nothing.
            expected_version: the version that was looked at: refuse if the job has changed since.

        Returns:
            What was changed. Its `batch_ids` are the batches of the target to drop before the next run. Its `warning`
            is set where an earlier rewind or reset had undone that run.

        Raises:
            WatermarkNotFoundError: the run is not on record, or failed.
            JobAlreadyRunningError: a run holds the job.
            ConflictError: the job was changed since it was looked at.

        Example:
            >>> watermarks.rewind("repairs", "jr_1", reason="wrong exchange rate").batch_ids
            (2, 3)
        """
        if (run_id is None) == (before is None):
            raise InvalidArgumentError(
                "rewind takes a run_id or a time (before=), exactly one of them.", argument="run_id", value=run_id
            )
        if before is None:
            target = success_of(self._table, require_job_id(job_id), require_recorded_id(run_id))
        else:
            target = last_success_before(self._table, require_job_id(job_id), before)

        def decide(found: JobState) -> Decision:
            # Read again, now that the state is: the run may have been added again with other values meanwhile.
            record = success_of(self._table, job_id, target.run_id)
            after = replace(
                found,
                latest_run_id=record.run_id,
                watermarks=record.watermarks,
                sources={name: position_part(source) for name, source in record.sources.items()},
                listed=True,
            )
            return after, tuple(range((record.batch_id or 0) + 1, found.last_batch_id + 1))

        undone_by = undoing(self._table, target)
        changed = self._change(job_id, "rewind", decide, reason, Caution(force, dry_run, expected_version))
        if undone_by is None:
            return changed
        warning = (
            f"run {target.run_id!r} had been undone by a {undone_by.operation} of {undone_by.changed_by} at "
            f"{undone_by.changed_at:%Y-%m-%d %H:%M:%S} UTC. If batches were dropped then, what they held is not loaded "
            "again from here: rewind to an earlier run, or reset"
        )
        logger.warning("%s: %s", job_id, warning)
        return replace(changed, warning=warning)

    def reset(
        self,
        job_id: str,
        transformation_ctx: str | None = None,
        reason: str | None = None,
        *,
        force: bool = False,
        dry_run: bool = False,
        expected_version: int | None = None,
    ) -> Changed:
        """Let the next run be a full load, of every source or of one.

        Args:
            job_id: the job.
            transformation_ctx: the source; all of them, and the recorded values, where not given.
            reason: why, for those who look at it later.
            force: take the job away from a run that is under way.
            dry_run: work out what would change, and change nothing.
            expected_version: the version that was looked at: refuse if the job has changed since.

        Returns:
            What was changed. Its `batch_ids` are the batches of the target to drop before the next run; where one
            source of several was reset, drop only what is of that source: the others are not loaded again.

        Raises:
            InvalidArgumentError: the job has no such source.
            WatermarkNotFoundError: the job is not in the table.
            JobAlreadyRunningError: a run holds the job.
            ConflictError: the job was changed since it was looked at.
        """
        require_job_id(job_id)

        def decide(found: JobState) -> Decision:
            every_batch = tuple(range(1, found.last_batch_id + 1))
            if transformation_ctx is None:
                return replace(found, latest_run_id=None, watermarks=Values(), sources={}), every_batch
            if transformation_ctx not in found.sources:
                known = ", ".join(map(repr, found.sources)) or "none"
                raise InvalidArgumentError(
                    f"Job {job_id!r} has no source {transformation_ctx!r} to reset. It has: {known}.",
                    argument="transformation_ctx",
                    value=transformation_ctx,
                )
            sources = {name: source for name, source in found.sources.items() if name != transformation_ctx}
            values = found.watermarks.decoded()
            values.pop(transformation_ctx, None)
            return replace(found, sources=sources, watermarks=Values.of(values)), every_batch

        return self._change(job_id, "reset", decide, reason, Caution(force, dry_run, expected_version))

    def set_mark(
        self,
        job_id: str,
        transformation_ctx: str,
        value: object,
        reason: str | None = None,
        *,
        mark_type: MarkType | None = None,
        force: bool = False,
        dry_run: bool = False,
        expected_version: int | None = None,
    ) -> Changed:
        """Let a source stand at a position without running: everything up to and including it counts as loaded.

        Args:
            job_id: the job; it may be one that never ran.
            transformation_ctx: the source; it may be one that was never read.
            value: the position, of the column's type, or as text.
            reason: why, for those who look at it later.
            mark_type: for a source that was never read: `timestamp`, `timestamp_ntz`, `date`, `integer`, `decimal` or
                `string`, if the value is given as text. The value's own type where not given.
            force: take the job away from a run that is under way.
            dry_run: work out what would change, and change nothing.
            expected_version: the version that was looked at: refuse if the job has changed since.

        Returns:
            What was changed.

        Raises:
            InvalidArgumentError: the value does not fit the source.
            JobAlreadyRunningError: a run holds the job.
            ConflictError: the job was changed since it was looked at.

        Example:
            >>> watermarks.set_mark("payments", "payments", 81_204, reason="loaded by the old job up to here")
        """
        source = require_source_name(transformation_ctx)
        require_job_id(job_id)

        def decide(found: JobState) -> Decision:
            _refuse_recorded_name(found, source)
            position = _moved(found, source, value, mark_type)
            # The values are those of the latest run: where there is none, there are none.
            moved = {source: position.python_mark()} if found.latest_run_id else {}
            values = found.watermarks.decoded() | moved
            sources = {**found.sources, source: position.to_stored()}
            return replace(found, sources=sources, watermarks=Values.of(values), listed=True), ()

        caution = Caution(force, dry_run, expected_version)
        changed = self._change(job_id, "set", decide, reason, caution, may_be_new=True)
        return replace(changed, warning=_moved_back(changed, source))

    def forget(
        self,
        job_id: str,
        reason: str | None = None,
        *,
        force: bool = False,
        dry_run: bool = False,
        expected_version: int | None = None,
    ) -> Changed:
        """Let the marks and values of a deleted job go, and its place among `jobs()`.

        Its counters, history and audit stay, so that a job of the same name never repeats a batch id.

        Args:
            job_id: the job.
            reason: why, for those who look at it later.
            force: take the job away from a run that is under way.
            dry_run: work out what would change, and change nothing.
            expected_version: the version that was looked at: refuse if the job has changed since.

        Returns:
            What was changed.

        Raises:
            WatermarkNotFoundError: the job is not in the table.
            JobAlreadyRunningError: a run holds the job.
            ConflictError: the job was changed since it was looked at.
        """
        require_job_id(job_id)

        def decide(found: JobState) -> Decision:
            return replace(found, latest_run_id=None, watermarks=Values(), sources={}, listed=False), ()

        return self._change(job_id, "forget", decide, reason, Caution(force, dry_run, expected_version))

    def _change(
        self,
        job_id: str,
        operation: Operation,
        decide: Callable[[JobState], Decision],
        reason: str | None,
        caution: Caution,
        *,
        may_be_new: bool = False,
    ) -> Changed:
        return change_as_operator(
            self._table,
            job_id,
            operation,
            decide,
            clock=self._clock,
            reason=reason,
            caution=caution,
            retention=self.retention,
            may_be_new=may_be_new,
        )


def _moved(found: JobState, source: str, value: object, kind: MarkType | None) -> Position:
    """Give the source's new position. One that was never read takes its type from the value, and any column later."""
    known = read_position(found.sources[source]) if source in found.sources else None
    allowed = marks.MARK_TYPES if known is None else (known.kind,)
    if kind is not None and kind not in allowed:
        raise InvalidArgumentError(
            f"mark_type {kind!r} of source {source!r} must be {' or '.join(allowed)}.", argument="mark_type", value=kind
        )
    try:
        position = known or RowsPosition(None, kind or marks.kind_of(value), None)
        return position.moved_to(value)
    except ValueError as error:
        raise InvalidArgumentError(
            f"value {value!r} cannot be the mark of source {source!r}: {error}.", argument="value", value=value
        ) from None


def _refuse_recorded_name(found: JobState, source: str) -> None:
    """Refuse a source of the name of a value: the mark would take its place among the job's watermarks."""
    if source in found.watermarks.stored and source not in found.sources:
        raise InvalidArgumentError(
            f"transformation_ctx {source!r} is the name of a value that the latest run of job {found.job_id!r} "
            "recorded. Choose the name under which the job reads the source.",
            argument="transformation_ctx",
            value=source,
        )


def _moved_back(changed: Changed, source: str) -> str | None:
    """Say what follows from a mark that was set back."""
    before, after = (cast(StoredMap, side["sources"]).get(source) for side in (changed.before, changed.after))
    was, now = (None if side is None else read_position(side).python_mark() for side in (before, after))
    if was is None or now is None or not was > now:  # type: ignore[operator]
        return None
    return f"the mark goes back from {was} to {now}: what lies between is loaded again, and is in the target already"
