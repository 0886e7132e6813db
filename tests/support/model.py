"""A job as its promises describe it, in plain Python: what its table must tell, and what its target must hold.

It knows nothing of conditions, transactions or items.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

SOURCES = ("repairs", "payments")


@dataclass
class Run:
    """One run while it is under way: where it began, and what it has read since."""

    run_id: str
    until: datetime
    gives_up: datetime
    batch_id: int
    attempt: int
    marks: dict[str, int]
    recorded: dict[str, object] = field(default_factory=dict)
    reads: dict[str, int] = field(default_factory=dict)
    asleep: bool = False
    noticed: bool = False


@dataclass(frozen=True)
class Entry:
    """One version of a job: a run that ended or was added by hand, or an operator's change."""

    what: Literal["SUCCEEDED", "FAILED", "rewind", "reset", "set", "forget"]
    run_id: str = ""
    batch_id: int = 0
    previous: str | None = None
    attempt: int | None = None
    values: dict[str, object] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)


@dataclass
class Model:
    """A job, the source it loads (ids from 1 on), and the target it writes as batches."""

    version: int = 0
    last_batch: int = 0
    attempts: int = 0
    latest: str | None = None
    values: dict[str, object] = field(default_factory=dict)
    marks: dict[str, int] = field(default_factory=dict)
    holder: Run | None = None
    listed: bool = True
    entries: dict[int, Entry] = field(default_factory=dict)
    # Runs whose batches are all still there: those that a rewind can go back to.
    line: list[str] = field(default_factory=list)
    newest: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SOURCES, 0))
    target: dict[str, dict[int, list[int]]] = field(default_factory=lambda: {source: {} for source in SOURCES})
    by_hand: dict[str, list[int]] = field(default_factory=lambda: {source: [] for source in SOURCES})

    def holds(self, now: datetime) -> Run | None:
        return self.holder if self.holder is not None and self.holder.until >= now else None

    def entry(self, run_id: str) -> Entry | None:
        found = [entry for entry in self.entries.values() if entry.run_id == run_id]
        return found[0] if found else None

    def begin(self, run: Run) -> None:
        self.holder, self.listed = run, True
        self.attempts += 1

    def write(self, run: Run, source: str, batch_id: int, window: Any) -> None:
        """What is new of a source, as the package tells it, into a batch, over what an earlier attempt left there."""
        run.reads[source] = self.newest[source]
        self.target[source][batch_id] = list(range((window.low or 0) + 1, (window.high or 0) + 1))

    def commit(self, run: Run) -> None:
        self.marks = run.marks | run.reads
        self.values = {**self.marks, **run.recorded}
        self._append(
            Entry("SUCCEEDED", run.run_id, run.batch_id, self.latest, run.attempt, self.values, self.marks.copy())
        )
        self.last_batch, self.latest, self.holder, self.attempts = run.batch_id, run.run_id, None, 0
        self.line.append(run.run_id)

    def fail(self, run: Run) -> None:
        if self.holder is run:
            self._append(Entry("FAILED", run.run_id, run.batch_id, self.latest, run.attempt))
            self.holder = None

    def add(self, run_id: str, values: dict[str, object]) -> None:
        """What a run of the package's own recorded of itself stays; only its values are replaced."""
        old = self.entry(run_id)
        committed = old is not None and old.what == "SUCCEEDED" and old.attempt is not None
        if old is not None and (committed or self.latest == run_id):
            entry = Entry("SUCCEEDED", run_id, old.batch_id, old.previous, old.attempt, values, old.marks)
        else:
            entry = Entry("SUCCEEDED", run_id, self.last_batch, self.latest, None, values, self.marks.copy())
            self.line = [each for each in self.line if each != run_id] + [run_id]
        self.entries = {version: each for version, each in self.entries.items() if each.run_id != run_id}
        self._append(entry)
        self.latest, self.values, self.listed, self.holder, self.attempts = run_id, values, True, None, 0

    def rewind(self, run_id: str) -> tuple[int, ...]:
        entry = self.entry(run_id)
        assert entry is not None
        self._change("rewind")
        self.latest, self.values, self.marks, self.listed = run_id, entry.values, entry.marks.copy(), True
        self.line = self.line[: self.line.index(run_id) + 1]
        for source in SOURCES:
            self.by_hand[source] = [row for row in self.by_hand[source] if row <= self.marks.get(source, 0)]
        return tuple(range(entry.batch_id + 1, self.last_batch + 1))

    def reset(self, source: str | None) -> tuple[int, ...]:
        self._change("reset")
        for each in SOURCES if source is None else (source,):
            self._start_again(each)
        if source is None:
            self.latest, self.values = None, {}
        else:
            self.values = {name: value for name, value in self.values.items() if name != source}
        return tuple(range(1, self.last_batch + 1))

    def forget(self) -> None:
        """The job was deleted, and so was its target."""
        self._change("forget")
        for source in SOURCES:
            self._start_again(source)
            self.target[source].clear()
        self.latest, self.values, self.listed = None, {}, False

    def set_mark(self, source: str, value: int) -> None:
        """Forward: the rows up to it came from elsewhere. Back: the operator deletes the rows above it."""
        self._change("set")
        self.by_hand[source] += range(self.marks.get(source, 0) + 1, value + 1)
        self.by_hand[source] = [row for row in self.by_hand[source] if row <= value]
        for batch_id, rows in self.target[source].items():
            if batch_id <= self.last_batch:
                self.target[source][batch_id] = [row for row in rows if row <= value]
        self._keep_line(source, value)
        self.marks[source], self.listed = value, True
        if self.latest is not None:
            self.values = {**self.values, source: value}

    def drop(self, batch_ids: tuple[int, ...], *sources: str) -> None:
        """What an operator does with the batches that a change lists."""
        for source in sources:
            for batch_id in batch_ids:
                self.target[source].pop(batch_id, None)

    def loaded(self, source: str) -> list[int]:
        """The rows that count as loaded, in order; those of a run that has not committed do not."""
        batches = [rows for batch_id, rows in self.target[source].items() if batch_id <= self.last_batch]
        return sorted([*self.by_hand[source], *(row for rows in batches for row in rows)])

    def _start_again(self, source: str) -> None:
        self.marks.pop(source, None)
        self.by_hand[source].clear()
        self._keep_line(source, 0)

    def _keep_line(self, source: str, highest: int) -> None:
        marks = {entry.run_id: entry.marks.get(source, 0) for entry in self.entries.values()}
        self.line = [run_id for run_id in self.line if marks[run_id] <= highest]

    def _change(self, what: Literal["rewind", "reset", "set", "forget"]) -> None:
        self._append(Entry(what))
        self.holder, self.attempts = None, 0

    def _append(self, entry: Entry) -> None:
        self.version += 1
        self.entries[self.version] = entry
