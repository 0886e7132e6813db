"""`in_batches` of a run: a long backfill in steps, each a batch and a commit of its own."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.job_run.jdbc_options import JdbcTable, jdbc_source
from scripts.helpers.watermarks.job_run.modes import DISABLE
from scripts.helpers.watermarks.job_run.outcome import Read, SourceRead, count_of
from scripts.helpers.watermarks.job_run.progress import progress
from scripts.helpers.watermarks.job_run.reading import (
    RowOptions,
    allowed_window,
    find_mark_column,
    known_rows,
    log_rows,
)
from scripts.helpers.watermarks.job_run.reads import Reads
from scripts.helpers.watermarks.values.positions import RowsPosition
from scripts.helpers.watermarks.window import Future, Limits, Nulls

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from scripts.helpers.watermarks.sources.columns import MarkColumn
    from scripts.helpers.watermarks.sources.rows import RowsSource
    from scripts.helpers.watermarks.sources.steps import Steps

logger = logging.getLogger(__name__)


class Batch(NamedTuple):
    """One step of a backfill: its rows, and the batch id to write them under."""

    frame: DataFrame
    batch_id: int


class Backfills(Reads):
    """Long loads in steps."""

    _stepping: tuple[str, SourceRead] | None = None

    def in_batches(
        self,
        source: DataFrame | JdbcTable,
        column: str,
        *,
        step: timedelta | int,
        transformation_ctx: str,
        spark: SparkSession | None = None,
        initial_value: object = None,
        until: object = None,
        delay: timedelta | None = None,
        nulls: Nulls = "include",
        future: Future = "hold",
        max_batches: int | None = None,
        within: timedelta | None = None,
    ) -> Iterator[Batch]:
        """Load a source in steps, each committed when the loop comes back for the next: a failure costs one step.

        It is the run's only source. Write a batch before asking for the next: `list(run.in_batches(...))` would commit
        what nobody has written. A step left by `break` or by an exception is not committed, and the next run begins
        with it, under the same batch id. Steps without rows are passed over. Where the run does not commit (pause,
        disable), the whole comes as one batch.

        Args:
            source: a frame, or a `JdbcTable`.
            column: what tells new rows, as in `new_rows`.
            step: how much at a time: `timedelta(days=1)`, or `1_000_000` ids.
            transformation_ctx: the name under which the mark of this source is kept.
            spark: the session, for a `JdbcTable`.
            initial_value: as in `new_rows`.
            until: as in `new_rows`.
            delay: as in `new_rows`.
            nulls: as in `new_rows`; they come with the first step.
            future: as in `new_rows`.
            max_batches: stop after so many steps; the next run goes on.
            within: start no further step once this much time has passed; the next run goes on.

        Returns:
            An iterator of batches: `batch.frame` and `batch.batch_id`.

        Example:
            >>> for batch in run.in_batches(df, "last_modified", step=timedelta(days=1), transformation_ctx="repairs"):
            ...     batch.frame.write.mode("overwrite").parquet(f"{target}/batch_id={batch.batch_id}")
        """
        self._require_open()
        name = self._require_unused(transformation_ctx)
        if self._reads or self._span is not None:
            raise self._misused("reads in steps, which goes neither with other sources nor with bookmark_from and _to")
        if max_batches is not None and (type(max_batches) is not int or max_batches < 1):
            raise InvalidArgumentError(
                f"max_batches {max_batches!r} must be a positive number.", argument="max_batches", value=max_batches
            )
        if within is not None and (not isinstance(within, timedelta) or within < timedelta(0)):
            raise InvalidArgumentError(
                f"within {within!r} must be a timedelta that is not negative.", argument="within", value=within
            )
        options = RowOptions(initial_value, until, delay, nulls=nulls, future=future)
        rows = _rows_of(source, spark)
        found = find_mark_column(rows.df, column, options)
        from scripts.helpers.watermarks.sources.steps import check_step

        check_step(found, step)
        self._spark = rows.df.sparkSession
        self._in_steps = True
        return self._steps(rows, found, name, options, step, max_batches, within)

    def _steps(
        self,
        rows: RowsSource,
        column: MarkColumn,
        source: str,
        options: RowOptions,
        step: timedelta | int,
        max_batches: int | None,
        within: timedelta | None,
    ) -> Iterator[Batch]:
        from scripts.helpers.watermarks.sources.rows import Found, check_found
        from scripts.helpers.watermarks.sources.steps import find_steps

        known = None
        if self._settings.option != DISABLE:
            known = known_rows(self._position(self._state.sources, source), column, self.job_id, source)
        allowed = allowed_window(rows.df.sparkSession, column.kind, known, options, self._settings.clock())
        first = known is None
        found = find_steps(rows.df, column, allowed, step, count_nulls=first or options.nulls == "error")
        check_found(
            Found(None, None, found.nulls, found.future), column.name, nulls=options.nulls, future=options.future
        )
        windows = _windows(found, column, allowed, with_nulls=first and options.nulls == "include")
        if not self._commits:
            # Every step would have the batch id 0 and overwrite the last one, so the whole is one step.
            windows = _as_one(windows)
        held = f" ({count_of(found.future, 'row')} later than now held back)" if found.future else ""
        size = str(step).removesuffix(", 0:00:00")
        logger.info("%s: %s to load, of %s each%s", source, count_of(len(windows), "step"), size, held)
        started = time.monotonic()
        for number, read in enumerate(progress(windows, source)):
            if number == max_batches or (within is not None and time.monotonic() - started >= within.total_seconds()):
                logger.info("%s: stopped after %d of %d steps; the next run goes on", source, number, len(windows))
                return
            self._require_open()
            self._stepping = source, read
            log_rows(source, column, read)
            high = read.high if read.high != read.low else None
            yield Batch(rows.within(column, read.low, high, with_nulls=bool(read.nulls)), self.batch_id)
            self._require_open()
            self._finish_step(source)
        if first and not windows:
            # Remembered although it had nothing, so that the nulls of later days are not taken for a first load.
            position = RowsPosition(column.name, column.kind, allowed.low)
            self._reads[source] = SourceRead(position, None, None, 0, utc_offset=allowed.utc_offset)

    def _finish_step(self, source: str) -> None:
        """Commit the step, and remember of the whole what the run's own record will say."""
        if self._stepping is None:
            return
        (_, done), self._stepping = self._stepping, None
        if self._commits:
            self._commit_step({source: done})
        before = self._reads.get(source)
        if isinstance(before, SourceRead):
            done = replace(done, low=before.low, rows=(before.rows or 0) + (done.rows or 0))
        self._reads[source] = done

    def _under_way(self) -> dict[str, Read]:
        """Give the step that the run was at, if it reads in steps."""
        return super()._under_way() if self._stepping is None else dict([self._stepping])

    def _read(self, transformation_ctx: str) -> Read:
        if self._stepping is not None and self._stepping[0] == transformation_ctx:
            return self._stepping[1]
        return super()._read(transformation_ctx)

    def _is_source(self, name: str) -> bool:
        return (self._stepping is not None and self._stepping[0] == name) or super()._is_source(name)


def _windows(found: Steps, column: MarkColumn, allowed: Limits, *, with_nulls: bool) -> list[SourceRead]:
    """Give the window of each step, beginning where the last one ends; rows without a value come with the first."""
    low, nulls, offset = allowed.low, found.nulls if with_nulls else 0, allowed.utc_offset
    windows = []
    for step in found.steps:
        position = RowsPosition(column.name, column.kind, step.high)
        windows.append(SourceRead(position, low, step.high, step.rows + nulls, nulls, utc_offset=offset))
        low, nulls = step.high, 0
    if nulls:
        position = RowsPosition(column.name, column.kind, low)
        windows.append(SourceRead(position, low, low, nulls, nulls, utc_offset=offset))
    return windows


def _as_one(windows: list[SourceRead]) -> list[SourceRead]:
    """Put the windows of all steps together."""
    if not windows:
        return []
    first, last = windows[0], windows[-1]
    rows, nulls = (sum(numbers) for numbers in zip(*((each.rows or 0, each.nulls) for each in windows), strict=True))
    return [replace(last, low=first.low, rows=rows, nulls=nulls)]


def _rows_of(source: DataFrame | JdbcTable, spark: SparkSession | None) -> RowsSource:
    from scripts.helpers.watermarks.sources.rows import FrameSource

    if not isinstance(source, JdbcTable):
        return FrameSource(source)
    if spark is None:
        raise InvalidArgumentError("spark is needed to read a JdbcTable.", argument="spark", value=None)
    return jdbc_source(spark, source)
