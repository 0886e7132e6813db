"""Where one source of a job stands, as the job's state keeps it: the column it was read by, and the mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from scripts.helpers.watermarks.values import marks
from scripts.helpers.watermarks.values.marks import MARK_TYPES, MarkType, MarkValue, PythonMark
from scripts.helpers.watermarks.values.stored import Stored, StoredMap, decode

# What a run's record keeps of a source besides where it stands.
READ_ONLY_IN_A_RUN = frozenset({"low", "high", "rows", "nulls", "held"})


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

    def python_mark(self) -> PythonMark | None:
        """Give the mark as a Python value."""
        return None if self.mark is None else marks.to_python(self.kind, self.mark)

    def stored(self, value: MarkValue | None) -> Stored:
        """Give a value of this column as it is stored."""
        return None if value is None else marks.to_stored(self.kind, value)

    @classmethod
    def from_stored(cls, stored: Stored) -> RowsPosition:
        """Read a stored position.

        Raises:
            ValueError: something is missing or of the wrong type; the message says what.
        """
        if not isinstance(stored, dict):
            raise ValueError(f"is {stored!r}, not a map")
        missing = {"column", "type", "mark"} - set(stored)
        if missing:
            raise ValueError(f"has no {', '.join(sorted(missing))}")
        column, kind, mark = stored["column"], stored["type"], stored["mark"]
        if column is not None and not isinstance(column, str):
            raise ValueError(f"has the column {column!r}, which is not text")
        if kind not in MARK_TYPES:
            raise ValueError(f"has the type {kind!r}, which is none of {', '.join(MARK_TYPES)}")
        known = cast(MarkType, kind)
        return cls(column, known, None if mark is None else marks.from_stored(known, mark))


def position_part(stored: Stored) -> Stored:
    """Give only where a source stands, of what a run's record keeps of it: not what the run read."""
    if not isinstance(stored, dict):
        return stored
    return {name: value for name, value in stored.items() if name not in READ_ONLY_IN_A_RUN}


def source_view(stored: Stored) -> dict[str, object]:
    """Show what is stored of a source with Python values: marks and windows of the column's type, counts as numbers."""
    if not isinstance(stored, dict):
        return {}
    shown = decode(stored, {})
    kind = stored.get("type")
    if kind in MARK_TYPES:
        known = cast(MarkType, kind)
        for name in ("mark", "low", "high"):
            value = stored.get(name)
            if value is not None:
                shown[name] = marks.to_python(known, marks.from_stored(known, value))
    return shown
