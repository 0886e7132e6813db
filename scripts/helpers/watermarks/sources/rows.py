"""A DataFrame of just the new rows: find how far the source reaches, freeze that, and filter to the window.

One aggregate over one column finds the highest value and counts the rows. The source is not cached, collected or
counted besides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pyspark.sql import DataFrame

from scripts.helpers.watermarks.errors import FutureValuesError, NullValuesError
from scripts.helpers.watermarks.sources.columns import MarkColumn, exact_form, from_exact_form
from scripts.helpers.watermarks.values.marks import MarkValue
from scripts.helpers.watermarks.window import Future, Limits, Nulls


@dataclass(frozen=True)
class Found:
    """What was found above the mark.

    Attributes:
        highest: the highest value that may be taken; None if there is none.
        rows: how many rows have a value that may be taken; None where counting them would cost.
        nulls: how many rows have none; zero where nobody asked.
        future: how many rows are later than now; None if there are some that nobody counted.
    """

    highest: MarkValue | None
    rows: int | None
    nulls: int
    future: int | None


class RowsSource(Protocol):
    """Where rows come from: a frame, or a table of a database."""

    @property
    def df(self) -> DataFrame:
        """All rows, read by nobody yet."""

    def survey(self, column: MarkColumn, limits: Limits, *, count_nulls: bool) -> Found:
        """Find how far the source reaches."""

    def within(
        self, column: MarkColumn, low: MarkValue | None, high: MarkValue | None, *, with_nulls: bool
    ) -> DataFrame:
        """Give the rows of the window `(low, high]`, with those that have no value where asked for."""


@dataclass(frozen=True)
class FrameSource:
    """Rows of a DataFrame."""

    df: DataFrame

    def survey(self, column: MarkColumn, limits: Limits, *, count_nulls: bool) -> Found:
        """Find the highest value that may be taken, and count, in one pass over the column above the mark."""
        mark = column.path
        values = self.df
        if limits.low is not None:
            nulls_too = f" OR {mark} IS NULL" if count_nulls else ""
            values = values.where(f"{mark} > {column.sql(limits.low)}{nulls_too}")
        taken = "" if limits.ceiling is None else f" FILTER (WHERE {mark} <= {column.sql(limits.ceiling)})"
        found = values.selectExpr(
            exact_form(column.kind, f"max({mark}){taken}"),
            f"count({mark}){taken}",
            f"count(1) FILTER (WHERE {mark} IS NULL)" if count_nulls else "0",
            "0" if limits.present is None else f"count(1) FILTER (WHERE {mark} > {column.sql(limits.present)})",
        ).collect()[0]
        return Found(from_exact_form(column.kind, found[0]), *found[1:])

    def within(
        self, column: MarkColumn, low: MarkValue | None, high: MarkValue | None, *, with_nulls: bool
    ) -> DataFrame:
        """Filter the frame to the window."""
        return filter_window(self.df, column, low, high, with_nulls=with_nulls)


def filter_window(
    df: DataFrame, column: MarkColumn, low: MarkValue | None, high: MarkValue | None, *, with_nulls: bool
) -> DataFrame:
    """Filter a frame to the window `(low, high]`, with the rows that have no value where asked for."""
    mark = column.path
    if high is None:
        return df.where(f"{mark} IS NULL" if with_nulls else "false")
    window = f"{mark} <= {column.sql(high)}"
    if low is not None:
        window = f"{mark} > {column.sql(low)} AND {window}"
    return df.where(f"({window}) OR {mark} IS NULL" if with_nulls else window)


def check_found(found: Found, column: str, *, nulls: Nulls, future: Future) -> None:
    """Raise where the caller asked for an error."""
    if nulls == "error" and found.nulls:
        raise nulls_found(column, found.nulls)
    if future == "error" and found.future != 0:
        many = "some" if found.future is None else f"{found.future:,}"
        raise FutureValuesError(
            f"Column {column!r} is later than now in {many} rows, and future='error' was asked for. Mend the "
            "source, or use future='hold' (load them when their time has come) or future='allow'.",
            column=column,
            count=found.future,
        )


def nulls_found(column: str, count: int) -> NullValuesError:
    """Build the error for a column with nulls that the caller does not want."""
    return NullValuesError(
        f"Column {column!r} is null in {count:,} rows, and nulls='error' was asked for. Mend the source, or use "
        "nulls='include' (load them with the full load) or nulls='exclude'.",
        column=column,
        count=count,
    )
