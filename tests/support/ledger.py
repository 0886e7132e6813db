"""All that a job's items tell, in the order of their versions: what a proof replays and compares with what it saw."""

from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from scripts.helpers.watermarks import Watermarks
from scripts.helpers.watermarks.table import Change, JobState


@dataclass(frozen=True)
class Ledger:
    """Where a job stands, its runs as `history` shows them, and its operators' changes."""

    state: JobState
    runs: dict[int, dict[str, Any]]
    changes: dict[int, Change]

    @property
    def versions(self) -> list[int]:
        return sorted([*self.runs, *self.changes])

    def time(self, version: int) -> datetime:
        """When a version came to be."""
        run = self.runs.get(version)
        at: datetime = self.changes[version].changed_at if run is None else run["recordedAt"]
        return at

    def run(self, run_id: str) -> dict[str, Any]:
        (found,) = (run for run in self.runs.values() if run["runId"] == run_id)
        return found


def read_ledger(watermarks: Watermarks, job: str) -> Ledger:
    """Read everything of a job; nothing may be there twice, and history has to be in order."""
    history = list(watermarks.history(job, limit=None))
    changes = list(watermarks._table.changes(job))
    ledger = Ledger(
        watermarks._table.state(job) or JobState(job),
        {run["version"]: run for run in history},
        {change.version: change for change in changes},
    )
    assert len(ledger.versions) == len(history) + len(changes), "two items have the same version"
    assert len(set(ledger.versions)) == len(ledger.versions), "a run and a change have the same version"
    assert [run["version"] for run in history] == sorted(ledger.runs, reverse=True), "history is out of order"
    assert all(earlier < later for earlier, later in pairwise(map(ledger.time, ledger.versions))), "times decrease"
    return ledger
