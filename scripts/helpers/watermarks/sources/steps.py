"""Cutting a source into steps: one pass over the column tells which steps have rows, and how far each reaches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.sources.columns import MarkColumn, exact_form, from_exact_form
from scripts.helpers.watermarks.values.marks import MarkType, MarkValue
from scripts.helpers.watermarks.window import Limits

MOST_STEPS = 100_000


@dataclass(frozen=True)
class Step:
    """A step that has rows: the highest of its values, and how many rows it has."""

    high: MarkValue
    rows: int


@dataclass(frozen=True)
class Steps:
    """The steps that have rows, lowest first; how many rows have no value, and how many are later than now."""

    steps: tuple[Step, ...]
    nulls: int
    future: int


def find_steps(df: DataFrame, column: MarkColumn, limits: Limits, step: timedelta | int, *, count_nulls: bool) -> Steps:
    """List the steps that have rows.

    Steps are aligned (days begin at midnight UTC, a million ids at a multiple of a million), so that a source is cut
    the same way by every run. A step ends at the highest value that it has, so that windows meet exactly.
    """
    mark = F.col("mark")
    values = df.select(column.expression.alias("mark"))
    wanted = mark.isNotNull()
    if limits.low is not None:
        wanted = wanted & (mark > column.literal(limits.low))
    if limits.ceiling is not None:
        wanted = wanted & (mark <= column.literal(limits.ceiling))
    later = F.lit(False)
    if limits.present is not None:
        later = F.coalesce(mark > column.literal(limits.present), later)
        wanted = wanted | (mark > column.literal(limits.present))
    values = values.where(wanted | mark.isNull() if count_nulls else wanted)
    number = F.when(~later, F.expr(_number(column.kind, _width(column.kind, step))))
    grouped = values.groupBy(number.alias("step"), later.alias("later")).agg(
        F.max("mark").alias("high"), F.count(F.lit(1)).alias("rows")
    )
    form = exact_form(column.kind, "high")
    found = grouped.selectExpr("step", "later", form, "rows").limit(MOST_STEPS + 1).collect()
    if len(found) > MOST_STEPS:
        raise InvalidArgumentError(
            f"step {step!r} would cut column {column.name!r} into more than {MOST_STEPS:,} steps. Use a larger one.",
            argument="step",
            value=step,
        )
    steps = []
    nulls = future = 0
    for number_of_step, is_later, exact, rows in found:
        high = from_exact_form(column.kind, exact)
        if high is None:
            nulls = rows
        elif is_later:
            future = rows
        else:
            steps.append((number_of_step, Step(high, rows)))
    return Steps(tuple(each for _, each in sorted(steps, key=lambda pair: pair[0])), nulls, future)


def check_step(column: MarkColumn, step: object) -> None:
    """Refuse a step that does not fit the column."""
    times = column.kind in ("timestamp", "timestamp_ntz", "date")
    least = timedelta(days=1) if column.kind == "date" else timedelta(seconds=1)
    if times and isinstance(step, timedelta) and step >= least and not step % least:
        return
    if not times and column.kind != "string" and type(step) is int and step > 0:
        return
    wanted = {
        "date": "a timedelta of whole days",
        "timestamp": "a timedelta of whole seconds",
        "timestamp_ntz": "a timedelta of whole seconds",
        "string": "another column: text cannot be cut into steps",
    }.get(column.kind, "a positive whole number")
    raise InvalidArgumentError(
        f"step {step!r} does not fit column {column.name!r} of type {column.kind}: use {wanted}.",
        argument="step",
        value=step,
    )


def _number(kind: MarkType, width: int) -> str:
    """Give the SQL of a value that all rows of a step share, and that grows from step to step."""
    if kind == "decimal":
        # A quotient of 38 digits may overflow; the beginning of the step cannot.
        return f"mark - pmod(mark, {width})"
    return f"floor({_position(kind)} / {width})"


def _position(kind: MarkType) -> str:
    """Give the SQL of a number that grows with the column. Steps need it only to be in order, not to be exact."""
    if kind == "timestamp":
        return "unix_micros(mark)"
    if kind == "date":
        return "unix_date(mark)"
    if kind == "timestamp_ntz":
        day = "unix_date(CAST(mark AS DATE)) * 86400"
        return f"({day} + hour(mark) * 3600 + minute(mark) * 60 + floor(second(mark)))"
    return "mark"


def _width(kind: MarkType, step: timedelta | int) -> int:
    if not isinstance(step, timedelta):
        return step
    unit = {"timestamp": timedelta(microseconds=1), "date": timedelta(days=1)}.get(kind, timedelta(seconds=1))
    return step // unit
