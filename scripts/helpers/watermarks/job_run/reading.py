"""Reading one source of rows for a run: from where it stands, by the caller's options, to a frame of what is new."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from scripts.helpers.watermarks.errors import InvalidArgumentError, WatermarkMismatchError
from scripts.helpers.watermarks.job_run.outcome import SourceRead, count_of
from scripts.helpers.watermarks.values import marks
from scripts.helpers.watermarks.values.marks import MarkType, MarkValue
from scripts.helpers.watermarks.values.positions import Position, RowsPosition
from scripts.helpers.watermarks.window import Future, Nulls, check_options, limits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from scripts.helpers.watermarks.sources.columns import MarkColumn

logger = logging.getLogger(__name__)

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class RowOptions:
    """What a caller of `new_rows` asks for."""

    initial_value: object = None
    until: object = None
    delay: timedelta | None = None
    nulls: Nulls = "include"
    future: Future = "hold"


def find_mark_column(df: DataFrame, column: str, options: RowOptions) -> MarkColumn:
    """Find the column and refuse what does not fit it, before anything is read."""
    from scripts.helpers.watermarks.sources.columns import find_column

    if df.isStreaming:
        raise InvalidArgumentError(
            "df is a streaming DataFrame, which keeps its own progress; new_rows takes a batch one (spark.read).",
            argument="df",
            value="streaming",
        )
    found = find_column(df, column)
    check_options(found.kind, column, options.delay, options.future, options.nulls)
    return found


def read_new(
    df: DataFrame, column: MarkColumn, source: str, known: RowsPosition | None, options: RowOptions, now: datetime
) -> tuple[DataFrame, SourceRead]:
    """Read what is above the mark, up to the highest value present that cannot gain rows any more."""
    from scripts.helpers.watermarks.sources.clock import wall_clock
    from scripts.helpers.watermarks.sources.rows import check_found, survey, within

    spark = df.sparkSession
    initial = _bound(spark, column.kind, "initial_value", options.initial_value)
    mark = known.mark if known is not None else None
    low = initial if mark is None else mark
    allowed = limits(
        column.kind,
        low,
        now=(now - EPOCH) // timedelta(microseconds=1),
        wall_clock=lambda moments: wall_clock(spark, moments),
        until=_bound(spark, column.kind, "until", options.until),
        delay=options.delay,
        future=options.future,
    )
    first = known is None
    with_nulls = first and options.nulls == "include"
    found = survey(df, column, allowed, count_nulls=first or options.nulls == "error")
    check_found(found, column.name, nulls=options.nulls, future=options.future)
    frame = within(df, column, low, found.highest, with_nulls=with_nulls)
    read = SourceRead(
        after=RowsPosition(column.name, column.kind, low if found.highest is None else found.highest),
        low=low,
        high=low if found.highest is None else found.highest,
        rows=found.rows + (found.nulls if with_nulls else 0),
        nulls=found.nulls if with_nulls else 0,
        held=found.future if options.future == "hold" else 0,
    )
    _log(source, column, read)
    return frame, read


def read_between(
    df: DataFrame,
    column: MarkColumn,
    source: str,
    first: RowsPosition | None,
    last: RowsPosition | None,
    options: RowOptions,
) -> tuple[DataFrame, SourceRead]:
    """Read what came after one run up to and including another: both ends are known, so nothing is counted."""
    from scripts.helpers.watermarks.sources.rows import within

    initial = _bound(df.sparkSession, column.kind, "initial_value", options.initial_value)
    low = initial if first is None or first.mark is None else first.mark
    high = low if last is None else last.mark
    nothing = high is None or high == low
    with_nulls = first is None and last is not None and options.nulls == "include"
    frame = within(df, column, low, None if nothing else high, with_nulls=with_nulls)
    rows = 0 if nothing and not with_nulls else None
    read = SourceRead(RowsPosition(column.name, column.kind, high), low, high, rows)
    _log(source, column, read)
    return frame, read


def read_everything(df: DataFrame, column: MarkColumn, source: str) -> tuple[DataFrame, SourceRead]:
    """Read the whole source, as it is."""
    logger.info("%s: everything, since bookmarks are disabled", source)
    return df, SourceRead(RowsPosition(column.name, column.kind, None), None, None, rows=None)


def known_rows(known: Position | None, column: MarkColumn, job_id: str, source: str) -> RowsPosition | None:
    """Give the known position of a source of rows, refusing one that was taken on something else.

    A mark must not be compared with another column, or with values of another type, than it was taken from.
    """
    if known is None:
        return None
    if isinstance(known, RowsPosition):
        if known.column in (None, column.name) and known.kind == column.kind:
            return known
        was = f"the mark {marks.describe(known.kind, known.mark)} of column {known.column!r} ({known.kind})"
    else:
        was = f"a position among the files of {', '.join(known.paths)}"
    raise WatermarkMismatchError(
        f"Source {source!r} of job {job_id!r} has {was}, and is now read by column {column.name!r} ({column.kind}). Go "
        "back to the old one, use a new transformation_ctx, or load just this source again from the start: "
        f"reset({job_id!r}, transformation_ctx={source!r}).",
        job_id=job_id,
        transformation_ctx=source,
    )


def _bound(spark: SparkSession, kind: MarkType, argument: str, value: object) -> MarkValue | None:
    """Turn a bound given by the caller into a mark; a local time is one of the session's zone, as in Spark's SQL."""
    from scripts.helpers.watermarks.sources.clock import moment_of

    if value is None:
        return None
    try:
        local = marks.local_time(value) if kind == "timestamp" else None
        return marks.from_python(kind, value) if local is None else moment_of(spark, local.isoformat())
    except ValueError as error:
        raise InvalidArgumentError(
            f"{argument} does not fit a column of type {kind}: {error}.", argument=argument, value=value
        ) from None


def _log(source: str, column: MarkColumn, read: SourceRead) -> None:
    held = f" ({read.held:,} later than now are held back)" if read.held else ""
    nulls = f", {read.nulls:,} of them without a value" if read.nulls else ""
    if read.rows == 0:
        logger.info("%s: nothing new since %s%s", source, _shown(column, read.low), held)
        return
    rows = "everything" if read.rows is None else count_of(read.rows, "new row")
    logger.info(
        "%s: %s, %s %s → %s%s%s",
        source,
        rows,
        column.name,
        _shown(column, read.low),
        _shown(column, read.high),
        nulls,
        held,
    )


def _shown(column: MarkColumn, value: MarkValue | None) -> str:
    return "the beginning" if value is None else marks.describe(column.kind, value)
