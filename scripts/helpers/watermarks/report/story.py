"""What a report tells of one job, as plain dicts: where it stands, its runs, what operators changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from scripts.helpers.watermarks.errors import WatermarkNotFoundError
from scripts.helpers.watermarks.values.ids import require_limit

if TYPE_CHECKING:
    from scripts.helpers.watermarks.watermarks import Watermarks


@dataclass(frozen=True)
class JobStory:
    """One job's part of a report.

    Attributes:
        job_id: the job.
        state: where it stands, as `Watermarks.job` gives it; None where only its history is known.
        runs: its runs, as `Watermarks.history` gives them, in any order.
        changes: what operators changed, as `Watermarks.changes` gives it, in any order.
        complete: whether these are all the runs on record, or only the latest.
    """

    job_id: str
    state: Mapping[str, Any] | None = None
    runs: tuple[Mapping[str, Any], ...] = ()
    changes: tuple[Mapping[str, Any], ...] = ()
    complete: bool = True

    @classmethod
    def of(cls, watermarks: Watermarks, job_id: str, limit: int | None = None) -> JobStory:
        """Read a job's story from the table.

        Args:
            watermarks: the table.
            job_id: the job.
            limit: how many runs at most, the latest ones; None for all.

        Returns:
            The story. Of changes, those since the oldest of its runs where there were more runs.

        Raises:
            WatermarkNotFoundError: nothing was ever recorded of the job.

        Example:
            >>> story = JobStory.of(Watermarks("glue-watermarks"), "repairs")
            >>> write_report("report.html", [story], table_name="glue-watermarks", generated_at=now)
        """
        require_limit(limit)
        state = watermarks.job(job_id)
        if state is None:
            raise WatermarkNotFoundError(
                f"Job {job_id!r} is not in table {watermarks.table_name!r}: nothing was ever recorded of it. "
                "`watermarks jobs` lists the jobs that are.",
                job_id=job_id,
                run_id="",
                table_name=watermarks.table_name,
            )
        # One more than asked for, to know whether there are more.
        runs = tuple(watermarks.history(job_id, limit=None if limit is None else limit + 1))
        changes = tuple(watermarks.changes(job_id, limit=None))
        if limit is None or len(runs) <= limit:
            return cls(job_id, state, runs, changes)
        runs = tuple(islice(runs, limit))
        oldest = runs[-1].get("version") or 0
        return cls(job_id, state, runs, tuple(each for each in changes if each["version"] > oldest), complete=False)
