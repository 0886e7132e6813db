"""What a run leaves behind: the job's next state and the run's record. Pure; the table writes them together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from scripts.helpers.watermarks.table import JobState, RunRecord, Values
from scripts.helpers.watermarks.table.recording import expiry
from scripts.helpers.watermarks.values import Stored, StoredMap
from scripts.helpers.watermarks.values.marks import MarkValue
from scripts.helpers.watermarks.values.positions import RowsPosition

MAX_ERROR_LENGTH = 1_000


@dataclass(frozen=True)
class SourceRead:
    """What a run read of one source of rows."""

    after: RowsPosition
    low: MarkValue | None
    high: MarkValue | None
    rows: int | None
    nulls: int = 0
    held: int = 0

    def record(self) -> StoredMap:
        """Give what the run's record keeps of it: where the source stands after the run, and what was read."""
        return {**self.after.to_stored(), **self.window()}

    def window(self) -> StoredMap:
        """Give the window and the counts, as they are stored."""
        read: StoredMap = {"low": self.after.stored(self.low), "high": self.after.stored(self.high)}
        counts = {"rows": self.rows, "nulls": self.nulls or None, "held": self.held or None}
        return read | {name: Decimal(count) for name, count in counts.items() if count is not None}


@dataclass(frozen=True)
class Circumstances:
    """What a run knows of itself when it ends."""

    run_id: str
    token: str
    started_at: datetime
    ended_at: datetime
    retention: timedelta | None


def success(
    state: JobState, reads: Mapping[str, SourceRead], recorded: Mapping[str, object], run: Circumstances
) -> tuple[JobState, RunRecord]:
    """Give the state and the record of a run that succeeded: marks moved, values recorded, batch counted."""
    now = state.next_instant(run.ended_at)
    sources: StoredMap = {**state.sources, **{name: read.after.to_stored() for name, read in reads.items()}}
    values = Values.of({**_marks(sources), **recorded})
    after = replace(
        state,
        version=state.version + 1,
        last_batch_id=state.last_batch_id + 1,
        latest_run_id=run.run_id,
        commit_id=run.token,
        updated_at=now,
        watermarks=values,
        sources=sources,
        lease=None,
        attempts=0,
    )
    record = _record(state, after, run, values)
    return after, replace(record, sources={**sources, **{name: read.record() for name, read in reads.items()}})


def failure(
    state: JobState, reads: Mapping[str, SourceRead], error: BaseException | str, run: Circumstances
) -> tuple[JobState, RunRecord]:
    """Give the state and the record of a run that failed: nothing moved, but the failure is on record."""
    now = state.next_instant(run.ended_at)
    after = replace(state, version=state.version + 1, updated_at=now, lease=None, attempts=state.attempts + 1)
    record = _record(state, after, run, Values())
    attempted = {name: {**_as_map(state.sources.get(name)), **read.window()} for name, read in reads.items()}
    return after, replace(record, status="FAILED", error=error_text(error), sources={**state.sources, **attempted})


def count_of(number: int, thing: str) -> str:
    """Give a number of things in words: `1 row`, `1,024 rows`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def error_text(error: BaseException | str) -> str:
    """Give an error's class and message in one line of sensible length."""
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    # Py4J puts the Java exception behind a line about its own call, and the stack trace after it.
    from_java = re.search(r"An error occurred while calling .*?\n: (.+)", text)
    text = " ".join((from_java[1] if from_java else text).split()).encode(errors="replace").decode()
    return text if len(text) <= MAX_ERROR_LENGTH else f"{text[: MAX_ERROR_LENGTH - 1]}…"


def _record(state: JobState, after: JobState, run: Circumstances, values: Values) -> RunRecord:
    recorded_at = after.updated_at or run.ended_at
    return RunRecord(
        job_id=state.job_id,
        run_id=run.run_id,
        watermarks=values,
        version=after.version,
        batch_id=state.last_batch_id + 1,
        previous_run_id=state.latest_run_id,
        started_at=run.started_at,
        recorded_at=recorded_at,
        attempt=state.attempts + 1,
        commit_id=run.token,
        expires_at=expiry(recorded_at, run.retention),
    )


def _as_map(stored: Stored) -> StoredMap:
    return stored if isinstance(stored, dict) else {}


def _marks(sources: StoredMap) -> dict[str, object]:
    """Give the mark of every source as a Python value, under the source's name."""
    found: dict[str, object] = {}
    for name, stored in sources.items():
        found[name] = RowsPosition.from_stored(stored).python_mark()
    return found
