"""Rows that appeared below the mark: read again what lies just below it, and leave out what the target already has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.sources.columns import MarkColumn, exact_form, find_column, from_exact_form
from scripts.helpers.watermarks.sources.rows import filter_window
from scripts.helpers.watermarks.values.marks import MarkValue

BATCH = "batch_id"


@dataclass(frozen=True)
class Target:
    """What was loaded before.

    Attributes:
        rows: the target, or a function that gives it, called only when there is something to compare.
        keys: the columns that tell one row from another.
        batch_id: the batch being loaded: it and later ones do not count, or a retry would find its own late rows
            loaded and then overwrite them.
    """

    rows: DataFrame | Callable[[], DataFrame]
    keys: Sequence[str]
    batch_id: int

    def between(self, column: MarkColumn, low: MarkValue, high: MarkValue) -> DataFrame:
        """Give the rows of earlier batches in the window, with just what is compared."""
        loaded = self.rows() if callable(self.rows) else self.rows
        if not _has(loaded, BATCH):
            raise InvalidArgumentError(
                f"already_loaded has no column {BATCH!r}, so rows of this very batch cannot be told from earlier ones. "
                f"Write the target as {BATCH}=N, or leave already_loaded out. It has: {', '.join(loaded.columns)}.",
                argument="already_loaded",
                value=loaded.columns,
            )
        for key in self.keys:
            if not _has(loaded, key):
                raise InvalidArgumentError(
                    f"already_loaded has no column {key!r} of keys. It has: {', '.join(loaded.columns)}.",
                    argument="keys",
                    value=key,
                )
        # Batch 0 is what runs wrote that never commit.
        earlier = loaded.where((F.col(BATCH) >= F.lit(1)) & (F.col(BATCH) < F.lit(self.batch_id)))
        theirs = find_column(loaded, column.name)
        if theirs.kind != column.kind:
            raise InvalidArgumentError(
                f"already_loaded has column {column.name!r} as {theirs.kind}, and the source as {column.kind}: they "
                "cannot be compared. Write the column to the target as it is.",
                argument="already_loaded",
                value=theirs.kind,
            )
        compared = [F.col(f"`{key}`") for key in self.keys] + [theirs.expression]
        window = filter_window(earlier, theirs, low, high, with_nulls=False)
        return window.select(*(each.alias(f"loaded_{number}") for number, each in enumerate(compared)))


@dataclass(frozen=True)
class LateRows:
    """Rows below the mark that the target does not have: how many, and the lowest of them."""

    frame: DataFrame
    count: int
    lowest: MarkValue | None


def late_rows(overlap: DataFrame, column: MarkColumn, low: MarkValue, high: MarkValue, target: Target) -> LateRows:
    """Leave out of the overlap what the target already has: the same keys with the same value of the column."""
    for key in target.keys:
        if not _has(overlap, key):
            raise InvalidArgumentError(
                f"The source has no column {key!r} of keys. It has: {', '.join(overlap.columns)}.",
                argument="keys",
                value=key,
            )
    ours = [F.col(f"`{key}`") for key in target.keys] + [column.expression]
    same: Column = reduce(
        lambda one, other: one & other,
        (each.eqNullSafe(F.col(f"loaded_{number}")) for number, each in enumerate(ours)),
    )
    late = overlap.join(target.between(column, low, high), same, "left_anti")
    mark = column.expression.alias("mark")
    counted = late.select(mark).agg(F.count("mark").alias("late"), F.min("mark").alias("lowest"))
    row = counted.selectExpr("late", exact_form(column.kind, "lowest")).collect()[0]
    return LateRows(late, int(row[0]), from_exact_form(column.kind, row[1]))


def _has(df: DataFrame, name: str) -> bool:
    """Say whether a frame has a column, as Spark finds them: some databases give every name in capitals."""
    return name.lower() in {each.lower() for each in df.columns}
