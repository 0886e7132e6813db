"""The side of `Watermarks` that only looks: where jobs stand, their runs, and what operators changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from scripts.helpers.watermarks.table import (
    Change,
    JobState,
    RunRecord,
    WatermarkTable,
    refuse_broken_sources,
    refuse_unadopted,
)
from scripts.helpers.watermarks.table.views import change_view, job_view, run_view, state_view
from scripts.helpers.watermarks.values.ids import require_job_id, require_limit


class Looking:
    """Jobs, runs and changes, as plain dicts."""

    _table: WatermarkTable
    _clock: Callable[[], datetime]

    def history(self, job_id: str, limit: int | None = 20) -> Iterator[dict[str, Any]]:
        """Give all that is stored of a job's runs, newest first, read as they are asked for.

        Args:
            job_id: the job.
            limit: how many runs at most; None for all.

        Returns:
            An iterator of dicts: `jobName`, `runId`, `watermarks`, `status`, `version`, `recordedAt` and more.

        Raises:
            InvalidArgumentError: the limit is not a positive number.

        Example:
            >>> [run["runId"] for run in watermarks.history("repairs", limit=2)]
            ['jr_2', 'jr_1']
        """
        require_limit(limit)
        return map(self._run_view, self._table.history(require_job_id(job_id), limit))

    def changes(self, job_id: str, limit: int | None = 20) -> Iterator[dict[str, Any]]:
        """Give what operators changed of a job, newest first: who, when, why, before and after.

        Args:
            job_id: the job.
            limit: how many changes at most; None for all.

        Returns:
            An iterator of dicts: `jobName`, `version`, `operation`, `changedBy`, `changedAt`, `reason`, `before` and
            `after`, each with the job's `runId` and `sources` at that time.

        Raises:
            InvalidArgumentError: the limit is not a positive number.

        Example:
            >>> [(change["operation"], change["reason"]) for change in watermarks.changes("repairs")]
            [('rewind', 'wrong exchange rate')]
        """
        require_limit(limit)
        return map(self._change_view, self._table.changes(require_job_id(job_id), limit=limit))

    def jobs(self, *, details: bool = False) -> Iterator[dict[str, Any]]:
        """Give the latest of every job, in no particular order, without reading any history.

        Args:
            details: read also where each source stands, whether a run is under way, and whether the last one failed:
                all that `job` gives, for a hundred jobs per request.

        Example:
            >>> [job["jobName"] for job in watermarks.jobs()]
            ['repairs']
        """
        if not details:
            return map(job_view, self._table.states())
        return map(self._state_view, self._table.states_of(self._table.job_ids()))

    def job(self, job_id: str) -> dict[str, Any] | None:
        """Give where a job stands: one strongly consistent request. None if nothing was ever recorded of it.

        Args:
            job_id: the job.

        Returns:
            A dict: `jobName`, `status` (`SUCCEEDED`, `FAILED`, `RUNNING`, `STALLED` where a run ended without a word,
            `NO_RUN` where no run has succeeded), `runId`, `watermarks`, `version`, `lastBatchId`, `updatedAt`,
            `sources`, `attempts` (runs begun since the last commit) and, while a run holds the job, `lease`.

        Raises:
            UnadoptedItemsError: the job has items of the platform's original class, and none was adopted.

        Example:
            >>> watermarks.job("repairs")["sources"]["repairs"]["mark"]
            datetime.datetime(2023, 3, 16, 15, 45, tzinfo=datetime.timezone.utc)
        """
        state = self._state(job_id)
        return None if state is None else self._state_view(state)

    def exists(self, table_name: str | None = None) -> bool:
        """Say whether the table exists; another one's name may be given, as the platform's original class has it."""
        return self._table.exists(table_name)

    def _state(self, job_id: str) -> JobState | None:
        state = self._table.state(require_job_id(job_id))
        refuse_unadopted(self._table, state, job_id)
        return state

    def _state_view(self, state: JobState) -> dict[str, Any]:
        refuse_broken_sources(self._table, state)
        return state_view(state, self._clock())

    def _run_view(self, record: RunRecord) -> dict[str, Any]:
        refuse_broken_sources(self._table, record)
        return run_view(record)

    def _change_view(self, change: Change) -> dict[str, Any]:
        refuse_broken_sources(self._table, change)
        return change_view(change)
