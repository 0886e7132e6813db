"""Reading one source of rows for a run: from where it stands, by the caller's options, to a frame of what is new."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

from scripts.helpers.watermarks.errors import InvalidArgumentError, WatermarkMismatchError
from scripts.helpers.watermarks.job_run.outcome import SourceRead, count_of
from scripts.helpers.watermarks.values import marks
from scripts.helpers.watermarks.values.marks import SECOND, MarkType, MarkValue, distance, is_above
from scripts.helpers.watermarks.values.positions import Position, RowsPosition
from scripts.helpers.watermarks.window import Future, Limits, Nulls, check_options, lagged, limits

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from scripts.helpers.watermarks.sources.columns import MarkColumn
    from scripts.helpers.watermarks.sources.rows import RowsSource

logger = logging.getLogger(__name__)

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# How late a row was is told in seconds, days or the column's own units.
PER_UNIT = {"timestamp": SECOND, "timestamp_ntz": SECOND}


@dataclass(frozen=True)
class RowOptions:
    """What a caller of `new_rows` asks for."""

    initial_value: object = None
    until: object = None
    delay: timedelta | None = None
    lag: timedelta | int | None = None
    already_loaded: DataFrame | Callable[[], DataFrame] | None = None
    keys: Sequence[str] = ()
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
    lagged(found.kind, None, options.lag)
    keys = [options.keys] if isinstance(options.keys, str) else list(options.keys or ())
    if (options.already_loaded is not None) != bool(keys) or (keys and options.lag is None):
        raise InvalidArgumentError(
            "already_loaded and keys go together, and with lag: rows just below the mark are read again (lag), and "
            "left out if the target (already_loaded) has a row with the same keys.",
            argument="already_loaded",
            value=keys,
        )
    return found


def read_new(
    rows: RowsSource,
    column: MarkColumn,
    source: str,
    known: RowsPosition | None,
    options: RowOptions,
    *,
    now: datetime,
    batch_id: int,
) -> tuple[DataFrame, SourceRead]:
    """Read what is above the mark, up to the highest value present that cannot gain rows any more."""
    from scripts.helpers.watermarks.sources.rows import check_found

    allowed = allowed_window(rows.df.sparkSession, column.kind, known, options, now)
    low = allowed.low
    again_from = lagged(column.kind, None if known is None else known.mark, options.lag)
    if again_from is not None and options.already_loaded is None:
        allowed = replace(allowed, low=again_from)
        logger.info("%s: lag without already_loaded: what is just below the mark is loaded again", source)
    first = known is None
    counted_nulls = first and counts_nulls(rows)
    found = rows.survey(column, allowed, count_nulls=options.nulls == "error" or counted_nulls)
    check_found(found, column.name, nulls=options.nulls, future=options.future)
    # Where there are none, not looking for them makes the load of everything quicker, by some per cent.
    with_nulls = first and options.nulls == "include" and not (counted_nulls and found.nulls == 0)
    frame = rows.within(column, allowed.low, found.highest, with_nulls=with_nulls)
    # Only what was read again may be below the mark; text has an order of Spark's own, so it is not compared here.
    below = low is not None and again_from is not None and found.highest is not None and is_above(low, found.highest)
    reached = low if found.highest is None or below else found.highest
    # Rows without a value that nobody counted may be among them.
    unknown = found.rows is None or (with_nulls and not counts_nulls(rows))
    counted = None if unknown else (found.rows or 0) + (found.nulls if with_nulls else 0)
    held = found.future if options.future == "hold" else 0
    read = SourceRead(
        after=RowsPosition(column.name, column.kind, reached),
        low=allowed.low,
        high=reached,
        rows=counted,
        nulls=found.nulls if with_nulls else 0,
        held=held or 0,
        utc_offset=allowed.utc_offset,
    )
    if again_from is not None and options.already_loaded is not None and low is not None:
        frame, read = _with_late_rows(rows, column, options, again_from, low, frame, read, batch_id)
    log_rows(source, column, read, held_uncounted=held is None)
    return frame, read


def allowed_window(
    spark: SparkSession, kind: MarkType, known: RowsPosition | None, options: RowOptions, now: datetime
) -> Limits:
    """Work out what may be taken, from where the source stands and what the caller asks for."""
    from scripts.helpers.watermarks.sources.clock import wall_clock

    initial = _bound(spark, kind, "initial_value", options.initial_value)
    return limits(
        kind,
        initial if known is None or known.mark is None else known.mark,
        now=(now - EPOCH) // timedelta(microseconds=1),
        wall_clock=lambda moments: wall_clock(spark, moments),
        until=_bound(spark, kind, "until", options.until),
        delay=options.delay,
        future=options.future,
    )


def counts_nulls(rows: RowsSource) -> bool:
    """Say whether nulls are counted in the first load: free in a frame, a scan of the table in a database."""
    from scripts.helpers.watermarks.sources.rows import FrameSource

    return isinstance(rows, FrameSource)


def _with_late_rows(
    rows: RowsSource,
    column: MarkColumn,
    options: RowOptions,
    again_from: MarkValue,
    low: MarkValue,
    frame: DataFrame,
    read: SourceRead,
    batch_id: int,
) -> tuple[DataFrame, SourceRead]:
    """Add the rows below the mark that the target does not have."""
    from scripts.helpers.watermarks.sources.late import Target, late_rows

    if options.already_loaded is None:
        return frame, read
    keys = [options.keys] if isinstance(options.keys, str) else list(options.keys)
    overlap = rows.within(column, again_from, low, with_nulls=False)
    late = late_rows(overlap, column, again_from, low, Target(options.already_loaded, keys, batch_id))
    read = replace(
        read,
        rows=None if read.rows is None else read.rows + late.count,
        late=late.count,
        late_by=None if late.lowest is None else distance(late.lowest, low) / PER_UNIT.get(column.kind, 1),
    )
    return (frame.unionByName(late.frame) if late.count else frame), read


def read_between(
    rows: RowsSource,
    column: MarkColumn,
    source: str,
    first: RowsPosition | None,
    last: RowsPosition | None,
    options: RowOptions,
) -> tuple[DataFrame, SourceRead]:
    """Read what came after one run up to and including another: both ends are known, so nothing is counted."""
    initial = _bound(rows.df.sparkSession, column.kind, "initial_value", options.initial_value)
    low = initial if first is None or first.mark is None else first.mark
    high = low if last is None else last.mark
    nothing = high is None or high == low
    with_nulls = first is None and last is not None and options.nulls == "include"
    frame = rows.within(column, low, None if nothing else high, with_nulls=with_nulls)
    counted = 0 if nothing and not with_nulls else None
    read = SourceRead(RowsPosition(column.name, column.kind, high), low, high, counted)
    log_rows(source, column, read)
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
        if known.column is None and known.mark is not None:
            # An operator set it before anybody knew the column's type: text for a time, a whole number for a decimal.
            with suppress(ValueError):
                return RowsPosition(column.name, column.kind, marks.from_python(column.kind, known.python_mark()))
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


def log_rows(source: str, column: MarkColumn, read: SourceRead, *, held_uncounted: bool = False) -> None:
    """Say in one line what was read of a source."""
    held = " (some later than now are held back)" if held_uncounted else ""
    held = f" ({read.held:,} later than now are held back)" if read.held else held
    nulls = f", {read.nulls:,} of them without a value" if read.nulls else ""
    late = f", {read.late:,} of them late" if read.late else ""
    if read.rows == 0:
        logger.info("%s: nothing new since %s%s", source, _shown(column, read.low), held)
        return
    rows = "new rows" if read.rows is None else count_of(read.rows, "new row")
    window = f"{column.name} {_shown(column, read.low)} → {_shown(column, read.high)}"
    logger.info("%s: %s, %s%s%s%s", source, rows, window, nulls, late, held)


def _shown(column: MarkColumn, value: MarkValue | None) -> str:
    return "the beginning" if value is None else marks.describe(column.kind, value)
