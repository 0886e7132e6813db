"""The side of `Watermarks` that only looks: where jobs stand, their runs, and what operators changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, TypeVar

from scripts.helpers.watermarks.errors import BrokenItemError, InvalidArgumentError, WatermarkNotFoundError
from scripts.helpers.watermarks.table import (
    Change,
    JobState,
    RunRecord,
    WatermarkTable,
    refuse_broken_sources,
    refuse_unadopted,
)
from scripts.helpers.watermarks.table.reads import TableReads, whole
from scripts.helpers.watermarks.table.views import (
    broken_change_view,
    broken_run_view,
    broken_view,
    change_view,
    job_view,
    run_view,
    state_view,
)
from scripts.helpers.watermarks.values.ids import require_job_id, require_limit, require_recorded_id
from scripts.helpers.watermarks.watermarks.comparing import compare, the_run_meant

# A run id that is given in part is looked for among this many.
MOST_RUNS_COMPARED = 1_000
MOST_RUNS_NAMED = 5

T = TypeVar("T")


class Looking:
    """Jobs, runs and changes, as plain dicts."""

    _table: WatermarkTable
    _clock: Callable[[], datetime]

    def history(self, job_id: str, limit: int | None = 20, *, with_broken: bool = False) -> Iterator[dict[str, Any]]:
        """Give all that is stored of a job's runs, newest first, read as they are asked for.

        Args:
            job_id: the job.
            limit: how many runs at most; None for all.
            with_broken: give a run whose record cannot be read the status `BROKEN`, its `item` in the table and its
                `problem` in words, so that it does not hide the others.

        Returns:
            An iterator of dicts: `jobName`, `runId`, `watermarks`, `status`, `version`, `recordedAt` and more.

        Raises:
            InvalidArgumentError: the limit is not a positive number.
            BrokenItemError: a record cannot be read.

        Example:
            >>> [run["runId"] for run in watermarks.history("repairs", limit=2)]
            ['jr_2', 'jr_1']
        """
        require_limit(limit)
        found = self._table.history_with_broken(require_job_id(job_id), limit)
        return _views(found, self._run_view, broken_run_view if with_broken else None)

    def changes(self, job_id: str, limit: int | None = 20, *, with_broken: bool = False) -> Iterator[dict[str, Any]]:
        """Give what operators changed of a job, newest first: who, when, why, before and after.

        Args:
            job_id: the job.
            limit: how many changes at most; None for all.
            with_broken: give a change that cannot be read the operation `BROKEN`, its `item` in the table and its
                `problem` in words, so that it does not hide the others.

        Returns:
            An iterator of dicts: `jobName`, `version`, `operation`, `changedBy`, `changedAt`, `reason`, `before` and
            `after`, each with the job's `runId` and `sources` at that time.

        Raises:
            InvalidArgumentError: the limit is not a positive number.
            BrokenItemError: a change cannot be read.

        Example:
            >>> [(change["operation"], change["reason"]) for change in watermarks.changes("repairs")]
            [('rewind', 'wrong exchange rate')]
        """
        require_limit(limit)
        found = self._table.changes_with_broken(require_job_id(job_id), limit=limit)
        return _views(found, self._change_view, broken_change_view if with_broken else None)

    def jobs(self, *, details: bool = False) -> Iterator[dict[str, Any]]:
        """Give the latest of every job, in no particular order, without reading any history.

        Args:
            details: read also where each source stands, whether a run is under way, and whether the last one failed:
                all that `job` gives, for a hundred jobs per request. A job whose state cannot be read has the status
                `BROKEN` and its `problem` in words, so that it does not hide the others.

        Example:
            >>> [job["jobName"] for job in watermarks.jobs()]
            ['repairs']
        """
        if not details:
            return map(job_view, self._table.states())
        return self._jobs_with_details(list(self._table.job_ids()))

    def job(self, job_id: str) -> dict[str, Any] | None:
        """Give where a job stands: one strongly consistent request. None if nothing was ever recorded of it.

        Args:
            job_id: the job.

        Returns:
            A dict: `jobName`, `status` (`SUCCEEDED`, `FAILED`, `RUNNING`, `STALLED` where a run ended without a word,
            `NO_RUN` where no run has succeeded), `runId`, `watermarks`, `version`, `lastBatchId`, `updatedAt`,
            `sources`, `attempts` (runs begun since the last commit or change) and, while a run holds the job, `lease`.

        Raises:
            UnadoptedItemsError: the job has items of the platform's original class, and none was adopted.

        Example:
            >>> watermarks.job("repairs")["sources"]["repairs"]["mark"]
            datetime.datetime(2023, 3, 16, 15, 45, tzinfo=datetime.timezone.utc)
        """
        state = self._state(job_id)
        return None if state is None else self._state_view(state)

    def find_run(self, job_id: str, run_id: str) -> str:
        """Give the full id of a run from its beginning, as lists shorten it: `jr_3f9a1c` or `jr_3f9a1c…_attempt_1`.

        Args:
            job_id: the job.
            run_id: a run id, its beginning, or its beginning and end with `…` between them.

        Returns:
            The run id.

        Raises:
            WatermarkNotFoundError: no run of the job has such an id.
            InvalidArgumentError: several have.

        Example:
            >>> watermarks.find_run("repairs", "jr_3f")
            'jr_3f9a1c02d7'
        """
        beginning, _, end = require_recorded_id(run_id).partition("…")
        begun = self._table.run_ids(require_job_id(job_id), beginning, limit=MOST_RUNS_COMPARED)
        found = [each for each in begun if each.endswith(end)]
        chosen = the_run_meant(run_id, found)
        if chosen is not None:
            return chosen
        place = f"job {job_id!r} (table {self._table.place.table_name!r})"
        if not found:
            raise WatermarkNotFoundError(
                f"No run of {place} is, or begins with, {run_id!r}: it was never recorded, or its record has expired.",
                job_id=job_id,
                run_id=run_id,
                table_name=self._table.place.table_name,
            )
        listed = ", ".join(found[:MOST_RUNS_NAMED]) + (", …" if len(found) > MOST_RUNS_NAMED else "")
        raise InvalidArgumentError(
            f"Several runs of {place} begin with {run_id!r}: {listed}. Give more of the one that is meant.",
            argument="run_id",
            value=run_id,
        )

    def diff(self, job_id: str, first: str, second: str) -> dict[str, Any]:
        """Give what changed of a job between two runs: marks, values, and how much was loaded.

        Args:
            job_id: the job.
            first: the id of a run.
            second: the id of a later one.

        Returns:
            A dict: `jobName`, `from` and `to` (each run's `runId`, `batchId`, `recordedAt`, `status`), `sources` (by
            name, the mark `before` and `after`), `watermarks` (by name, the value `before` and `after`, where they
            differ), and `runs` and `rows`: how many runs were committed after the first up to the second, and how many
            rows they counted.

        Raises:
            WatermarkNotFoundError: one of the runs is not on record.
            InvalidArgumentError: the first run is later than the second.

        Example:
            >>> watermarks.diff("repairs", "jr_1", "jr_2")["sources"]["repairs"]
            {'before': 81204, 'after': 81377}
        """
        earlier, later = (self._recorded(job_id, run_id) for run_id in (first, second))
        up_to_later = self._table.history(job_id, None, before=later["recordedAt"] + timedelta(microseconds=1))
        return compare(earlier, later, map(self._run_view, up_to_later))

    def console_addresses(self, job_id: str) -> dict[str, str]:
        """Give where a job is to be seen in the AWS console, `watermarks` and `glue`; nothing for an emulator."""
        return self._table.console_addresses(require_job_id(job_id))

    def exists(self, table_name: str | None = None) -> bool:
        """Say whether the table exists; another one's name may be given, as the platform's original class has it."""
        return self._table.exists(table_name)

    @property
    def reads(self) -> TableReads:
        """The table behind it, to look at: for tools such as `watermarks doctor`."""
        return self._table

    def now(self) -> datetime:
        """Give the present moment, by the clock that it was made with."""
        return self._clock()

    def _recorded(self, job_id: str, run_id: str) -> dict[str, Any]:
        record = self._table.record(require_job_id(job_id), require_recorded_id(run_id))
        if record is None or record.recorded_at is None:
            raise self._not_found(job_id, run_id, "was never recorded, or its record has expired")
        return self._run_view(record)

    def _not_found(self, job_id: str, run_id: str, problem: str) -> WatermarkNotFoundError:
        table_name = self._table.place.table_name
        return WatermarkNotFoundError(
            f"Run {run_id!r} of job {job_id!r} {problem} (table {table_name!r}). "
            f"get_most_recent_run_id(job_id={job_id!r}) gives the latest run that succeeded.",
            job_id=job_id,
            run_id=run_id,
            table_name=table_name,
        )

    def _state(self, job_id: str) -> JobState | None:
        state = self._table.state(require_job_id(job_id))
        refuse_unadopted(self._table, state, job_id)
        return state

    def _jobs_with_details(self, job_ids: list[str]) -> Iterator[dict[str, Any]]:
        try:
            yield from [self._state_view(state) for state in self._table.states_of(job_ids)]
        except BrokenItemError:
            for job_id in job_ids:
                try:
                    state = self._table.state(job_id)
                    if state is not None:
                        yield self._state_view(state)
                except BrokenItemError as error:
                    yield broken_view(job_id, str(error))

    def _state_view(self, state: JobState) -> dict[str, Any]:
        refuse_broken_sources(self._table, state)
        return state_view(state, self._clock())

    def _run_view(self, record: RunRecord) -> dict[str, Any]:
        refuse_broken_sources(self._table, record)
        return run_view(record)

    def _change_view(self, change: Change) -> dict[str, Any]:
        refuse_broken_sources(self._table, change)
        return change_view(change)


def _views(
    found: Iterable[T | BrokenItemError],
    view: Callable[[T], dict[str, Any]],
    broken: Callable[[BrokenItemError], dict[str, Any]] | None,
) -> Iterator[dict[str, Any]]:
    """Show what was found, and what cannot be read as told; without a way to show it, that is an error."""
    for each in found:
        try:
            shown = view(whole(each))
        except BrokenItemError as error:
            if broken is None:
                raise
            shown = broken(error)
        yield shown
