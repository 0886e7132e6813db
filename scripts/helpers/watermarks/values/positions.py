"""Where one source of a job stands, as the job's state keeps it: a mark on a column, or a horizon among files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from scripts.helpers.watermarks.values import marks
from scripts.helpers.watermarks.values.choice import Choice
from scripts.helpers.watermarks.values.marks import MARK_TYPES, SECOND, MarkType, MarkValue, PythonMark
from scripts.helpers.watermarks.values.stored import Stored, StoredMap, decode

# What a run's record keeps of a source besides where it stands.
READ_IN_THE_RUN = frozenset({"low", "high", "rows", "nulls", "held", "late_rows", "late_by", "files", "left"})


@dataclass(frozen=True)
class RowsPosition:
    """How far a source of rows has been loaded.

    No mark means: it was read, and had no value yet. No column means: an operator set the mark before it was read.
    """

    column: str | None
    kind: MarkType
    mark: MarkValue | None

    def to_stored(self) -> StoredMap:
        """Give the position as it is stored."""
        return {"column": self.column, "type": self.kind, "mark": self.stored(self.mark)}

    def stored(self, value: MarkValue | None) -> Stored:
        """Give a value of this column as it is stored."""
        return None if value is None else marks.to_stored(self.kind, value)

    def python_mark(self) -> PythonMark | None:
        """Give the mark as a Python value."""
        return None if self.mark is None else marks.to_python(self.kind, self.mark)

    def moved_to(self, value: object) -> RowsPosition:
        """Give the position that an operator sets; raises ValueError where the value does not fit."""
        return replace(self, mark=marks.from_python(self.kind, value))


@dataclass(frozen=True)
class FilesPosition:
    """How far the files of some paths have been loaded.

    Attributes:
        paths: the paths.
        horizon: the second since 1970 up to which everything is done; None if nothing is.
        digests: the id of the item with the digests of the files read after the horizon, if there are any.
        choice: the reader's options that chose the files. None means that nobody knows: it was stored before they were
            kept, or an operator set it before the source was read.
    """

    paths: tuple[str, ...]
    horizon: int | None
    digests: str | None
    choice: Choice | None = None

    @property
    def kind(self) -> MarkType:
        """The type of the mark: files are told by their time."""
        return "timestamp"

    def to_stored(self) -> StoredMap:
        """Give the position as it is stored."""
        stored: StoredMap = {"paths": list(self.paths), "mark": self.stored(self.horizon), "digests": self.digests}
        # Also where none was given: that is not the same as not to know.
        return stored if self.choice is None else {**stored, "options": dict(self.choice)}

    def stored(self, second: int | None) -> Stored:
        """Give a second as it is stored."""
        return None if second is None else marks.to_stored("timestamp", second * SECOND)

    def python_mark(self) -> PythonMark | None:
        """Give the horizon as a Python value."""
        return None if self.horizon is None else marks.to_python("timestamp", self.horizon * SECOND)

    def moved_to(self, value: object) -> FilesPosition:
        """Give the position that an operator sets; raises ValueError where the value does not fit."""
        return replace(self, horizon=int(marks.from_python("timestamp", value)) // SECOND, digests=None)


Position: TypeAlias = "RowsPosition | FilesPosition"


def read_position(stored: Stored) -> Position:
    """Read a stored position.

    Raises:
        ValueError: something is missing or of the wrong type; the message says what.
    """
    if not isinstance(stored, dict):
        raise ValueError(f"is {stored!r}, not a map")
    return _read_files(stored) if "paths" in stored else _read_rows(stored)


def _read_rows(stored: StoredMap) -> RowsPosition:
    _require(stored, "column", "type", "mark")
    column, kind, mark = stored["column"], stored["type"], stored["mark"]
    if column is not None and not isinstance(column, str):
        raise ValueError(f"has the column {column!r}, which is not text")
    if kind not in MARK_TYPES:
        raise ValueError(f"has the type {kind!r}, which is none of {', '.join(MARK_TYPES)}")
    known = cast(MarkType, kind)
    return RowsPosition(column, known, None if mark is None else marks.from_stored(known, mark))


def _read_files(stored: StoredMap) -> FilesPosition:
    _require(stored, "paths", "mark", "digests")
    paths, mark, digests = stored["paths"], stored["mark"], stored["digests"]
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise ValueError(f"has the paths {paths!r}, which are no list of texts")
    if digests is not None and not isinstance(digests, str):
        raise ValueError(f"has the digests {digests!r}, which name no item")
    horizon = None if mark is None else int(marks.from_stored("timestamp", mark)) // SECOND
    return FilesPosition(tuple(cast("list[str]", paths)), horizon, digests, _read_choice(stored))


def _read_choice(stored: StoredMap) -> Choice | None:
    if "options" not in stored:
        return None
    options = stored["options"]
    if not isinstance(options, dict) or not all(isinstance(value, str) for value in options.values()):
        raise ValueError(f"has the options {options!r}, which are no map of texts")
    return cast("dict[str, str]", options)


def _require(stored: StoredMap, *names: str) -> None:
    missing = sorted(set(names) - set(stored))
    if missing:
        raise ValueError(f"has no {', '.join(missing)}")


def position_part(stored: Stored) -> Stored:
    """Give only where a source stands, of what a run's record keeps of it: not what the run read."""
    if not isinstance(stored, dict):
        return stored
    return {name: value for name, value in stored.items() if name not in READ_IN_THE_RUN}


def digest_items(sources: StoredMap) -> set[str]:
    """Give the items of digests that sources point to."""
    positions = (read_position(position_part(stored)) for stored in sources.values())
    return {each.digests for each in positions if isinstance(each, FilesPosition) and each.digests is not None}


def source_view(stored: Stored) -> dict[str, object]:
    """Show what is stored of a source with Python values: marks and windows of the column's type, counts as numbers."""
    if not isinstance(stored, dict):
        return {}
    shown = decode(stored, {})
    kind = "timestamp" if "paths" in stored else stored.get("type")
    if kind in MARK_TYPES:
        known = cast(MarkType, kind)
        for name in ("mark", "low", "high"):
            value = stored.get(name)
            if value is not None:
                shown[name] = marks.to_python(known, marks.from_stored(known, value))
    return shown
