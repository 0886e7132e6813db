"""What a run leaves behind: the job's next state and the run's record. Pure; the table writes them together."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TypeAlias

from scripts.helpers.watermarks.table import FileDigests, JobState, RunRecord, Values
from scripts.helpers.watermarks.table.recording import expiry
from scripts.helpers.watermarks.values import Stored, StoredMap, marks
from scripts.helpers.watermarks.values.choice import Choice
from scripts.helpers.watermarks.values.digests import pack
from scripts.helpers.watermarks.values.marks import SECOND, MarkValue, PythonMark
from scripts.helpers.watermarks.values.positions import (
    FilesPosition,
    Position,
    RowsPosition,
    digest_items,
    read_position,
)
from scripts.helpers.watermarks.window import FilePlan

MAX_ERROR_LENGTH = 1_000
# What a driver may repeat of an address: `password=…`, `//user:password@host`, `user/password@host`.
_SECRET = re.compile(
    r"""(?i)(["']?(?:password|passwd|pwd|secret|token|credential)s?["']?\s*[=:]\s*|//[^/\s:@]*:(?=[^\s/@]*@)|thin:[^/\s]*/)"""
    r"""(\{[^}]*\}|"[^"]*"|'[^']*'|[^\s&;,@)}]+)"""
)


@dataclass(frozen=True)
class SourceRead:
    """What a run read of one source of rows.

    `utc_offset`: how far the session's wall clock was ahead of UTC, in microseconds, for a mark that has no zone.
    """

    after: RowsPosition
    low: MarkValue | None
    high: MarkValue | None
    rows: int | None
    nulls: int = 0
    held: int = 0
    late: int | None = None
    late_by: float | None = None
    utc_offset: int = 0

    def window(self) -> StoredMap:
        """Give the window and the counts, as they are stored."""
        read: StoredMap = {"low": self.after.stored(self.low), "high": self.after.stored(self.high)}
        counts = {
            "rows": self.rows,
            "nulls": self.nulls or None,
            "held": self.held or None,
            "late_rows": self.late,
            "late_by": self.late_by,
        }
        return read | {name: Decimal(str(count)) for name, count in counts.items() if count is not None}


@dataclass(frozen=True)
class FilesRead:
    """What a run read of one source of files.

    It may have gone on from an earlier run although there is no `low`: while a path is missing, nothing is ever done.
    """

    paths: tuple[str, ...]
    low: int | None
    plan: FilePlan
    rows: int | None = None
    went_on: bool = False
    choice: Choice = field(default_factory=dict)

    def position(self, digests: str | None) -> FilesPosition:
        """Give where the source stands after the run, with the item that holds the digests."""
        return FilesPosition(self.paths, self.plan.horizon, digests, self.choice)

    @property
    def high(self) -> int | None:
        """The second of the newest file that was taken."""
        return self.plan.taken[-1].second if self.plan.taken else self.low

    def python_window(self) -> tuple[PythonMark | None, PythonMark | None]:
        """Give the seconds between which the files were taken as Python values."""
        low, high = (None if at is None else marks.to_python("timestamp", at * SECOND) for at in (self.low, self.high))
        return low, high

    def window(self) -> StoredMap:
        """Give what was read, as it is stored."""
        position = self.position(None)
        read: StoredMap = {"low": position.stored(self.low), "high": position.stored(self.high)}
        counts = {"files": len(self.plan.taken), "left": self.plan.left or None}
        return read | {name: Decimal(count) for name, count in counts.items() if count is not None}


Read: TypeAlias = "SourceRead | FilesRead"


@dataclass(frozen=True)
class Circumstances:
    """What a run knows of itself when it ends."""

    run_id: str
    token: str
    started_at: datetime
    ended_at: datetime
    retention: timedelta | None


@dataclass(frozen=True)
class Success:
    """What a run that succeeded writes, in one transaction."""

    after: JobState
    record: RunRecord
    digests: tuple[FileDigests, ...]
    expiries: Mapping[str, int | None]


def success(
    state: JobState,
    reads: Mapping[str, Read],
    recorded: Mapping[str, object],
    run: Circumstances,
    *,
    new_batch: bool = True,
) -> Success:
    """Give what a run that succeeded leaves: marks moved, values recorded, batch counted."""
    now = state.next_instant(run.ended_at)
    version = state.version + 1
    digests = {
        name: FileDigests(state.job_id, name, version, pack(read.plan.digests))
        for name, read in reads.items()
        if isinstance(read, FilesRead) and read.plan.digests
    }
    positions = {name: _position_after(name, read, digests).to_stored() for name, read in reads.items()}
    sources: StoredMap = {**state.sources, **positions}
    values = Values.of({**_marks(sources), **recorded})
    after = replace(
        state,
        version=version,
        last_batch_id=state.last_batch_id + int(new_batch),
        latest_run_id=run.run_id,
        commit_id=run.token,
        updated_at=now,
        watermarks=values,
        sources=sources,
        lease=None,
        attempts=0,
        # Of a backfill only the run is remembered, not its steps.
        recent_runs=state.recent_runs if "#" in run.run_id else state.with_recent(run.run_id),
    )
    read_in_the_run = {name: {**positions[name], **read.window()} for name, read in reads.items()}
    record = replace(
        _record(state, after, run, values),
        batch_id=after.last_batch_id,
        sources={**sources, **read_in_the_run},
    )
    expires_at = expiry(now, run.retention)
    replaced = digest_items(state.sources) - digest_items(sources) if expires_at is not None else ()
    return Success(after, record, tuple(digests.values()), dict.fromkeys(replaced, expires_at))


def _position_after(name: str, read: Read, digests: Mapping[str, FileDigests]) -> Position:
    if isinstance(read, FilesRead):
        return read.position(digests[name].item_id if name in digests else None)
    return read.after


def failure(
    state: JobState, reads: Mapping[str, Read], error: BaseException | str, run: Circumstances
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


def amount(reads: Collection[Read]) -> str:
    """Give how much was loaded in words, as the end of a sentence: `, 300 rows, 2 files`."""
    rows = [read.rows for read in reads if isinstance(read, SourceRead) and read.rows is not None]
    files = [len(read.plan.taken) for read in reads if isinstance(read, FilesRead)]
    counted = [(rows, "row"), (files, "file")]
    return "".join(f", {count_of(sum(numbers), thing)}" for numbers, thing in counted if numbers)


def error_text(error: BaseException | str) -> str:
    """Give an error's class and message in one line of sensible length."""
    text = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
    # Py4J puts the Java exception behind a line about its own call, and the stack trace after it.
    from_java = re.search(r"An error occurred while calling .*?\n: (.+)", text)
    text = " ".join((from_java[1] if from_java else text).split()).encode(errors="replace").decode()
    text = _SECRET.sub(r"\1***", text)
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
        found[name] = read_position(stored).python_mark()
    return found
