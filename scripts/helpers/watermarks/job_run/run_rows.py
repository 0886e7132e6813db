"""`new_rows` and `new_jdbc_rows` of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from scripts.helpers.watermarks.job_run.jdbc_options import JdbcTable, jdbc_source
from scripts.helpers.watermarks.job_run.modes import DISABLE
from scripts.helpers.watermarks.job_run.reading import (
    RowOptions,
    find_mark_column,
    known_rows,
    read_between,
    read_everything,
    read_new,
)
from scripts.helpers.watermarks.job_run.reads import Reads
from scripts.helpers.watermarks.window import Future, Nulls

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from scripts.helpers.watermarks.sources.columns import MarkColumn
    from scripts.helpers.watermarks.sources.rows import RowsSource


class RowSources(Reads):
    """Sources of rows: frames and tables of databases."""

    def new_rows(
        self,
        df: DataFrame,
        column: str,
        *,
        transformation_ctx: str,
        initial_value: object = None,
        until: object = None,
        delay: timedelta | None = None,
        lag: timedelta | int | None = None,
        already_loaded: DataFrame | Callable[[], DataFrame] | None = None,
        keys: Sequence[str] | None = None,
        nulls: Nulls = "include",
        future: Future = "hold",
    ) -> DataFrame:
        """Give the rows of a frame that are new since the last committed run.

        Call it on the source itself, before joins and other costly steps: it reads the column once, above the mark,
        to find how far the source reaches. For the mark `low` and the highest value present `high`, the frame is

            SELECT * FROM df WHERE column > low AND column <= high

        Args:
            df: the source.
            column: what tells new rows: a last-modified time, a sequential id. `meta.updated_at` for a nested one.
            transformation_ctx: the name under which the mark of this source is kept.
            initial_value: start above this value the first time, instead of loading everything.
            until: take nothing above this value.
            delay: for times: take nothing later than this long ago, for sources whose transactions commit late.
            lag: read again what lies this far below the mark, to catch rows that appeared late.
            already_loaded: the target, or a function that gives it: late rows that it has in an earlier batch are left
                out. Without it, what lies within the lag is loaded again by every run.
            keys: with already_loaded, the columns that tell one row from another.
            nulls: rows without a value: `include` them in the first load, `exclude` them, or raise an `error`.
            future: rows later than now: `hold` them until their time has come, `allow` them, or raise an `error`.
                With `allow`, the current second (for dates: the current day) is taken as well, unless `delay` is given.

        Returns:
            The frame filtered to the window, with the same columns; empty if nothing is new.

        Raises:
            UnsupportedColumnError: there is no such column, or its type cannot carry a mark.
            WatermarkMismatchError: the mark was taken on another column or type.
            InvalidArgumentError: an option does not fit, or the source has no name.
            RunStateError: the source was read already in this run, or the run is not open.
        """
        options = RowOptions(initial_value, until, delay, lag, already_loaded, keys or (), nulls, future)
        self._require_open()
        source = self._require_unused(transformation_ctx)
        found = find_mark_column(df, column, options)
        from scripts.helpers.watermarks.sources.rows import FrameSource

        return self._read_rows(FrameSource(df), found, source, options)

    def new_jdbc_rows(
        self,
        spark: SparkSession,
        *,
        table: str,
        column: str,
        transformation_ctx: str,
        url: str | None = None,
        connection: Mapping[str, str] | None = None,
        num_partitions: int | None = None,
        fetch_size: int = 10_000,
        properties: Mapping[str, str] | None = None,
        initial_value: object = None,
        until: object = None,
        delay: timedelta | None = None,
        lag: timedelta | int | None = None,
        already_loaded: DataFrame | Callable[[], DataFrame] | None = None,
        keys: Sequence[str] | None = None,
        nulls: Nulls = "include",
        future: Future = "hold",
    ) -> DataFrame:
        """Give the rows of a database table that are new since the last committed run, read in parallel.

        The bounds come from the database, by `SELECT MIN(column), MAX(column) FROM table`. Each partition reads

            SELECT … FROM table WHERE column > low AND column <= high AND (its stride)

        Args:
            spark: the session.
            table: `schema.table`, or a query as `(SELECT …) alias`, which is your own SQL.
            column: what tells new rows; indexed, if deltas are to be quick.
            transformation_ctx: the name under which the mark of this source is kept.
            url: the JDBC address.
            connection: instead of url, the options of a Glue connection (`glueContext.extract_jdbc_conf(name)`).
            num_partitions: how many connections read at once. If not given: by the window's share, up to 16.
            fetch_size: how many rows a connection fetches at a time.
            properties: of the connection: user, password, driver …; never logged or stored.
            initial_value: as in `new_rows`, like all that follow.
            until: as in `new_rows`.
            delay: as in `new_rows`.
            lag: as in `new_rows`.
            already_loaded: as in `new_rows`.
            keys: as in `new_rows`.
            nulls: as in `new_rows`. They are counted only for `error`, which costs the database a scan.
            future: as in `new_rows`.

        Returns:
            The frame; nothing has been read of the table yet but its bounds.

        Raises:
            InvalidArgumentError: an option does not fit, or the source has no name.
            UnsupportedColumnError: there is no such column, or its type cannot carry a mark.
            WatermarkMismatchError: the mark was taken on another column or type.
        """
        options = RowOptions(initial_value, until, delay, lag, already_loaded, keys or (), nulls, future)
        self._require_open()
        source = self._require_unused(transformation_ctx)
        asked = JdbcTable(table, url, connection, num_partitions, fetch_size, properties)
        rows = jdbc_source(spark, asked)
        return self._read_rows(rows, find_mark_column(rows.df, column, options), source, options)

    def _read_rows(self, rows: RowsSource, found: MarkColumn, source: str, options: RowOptions) -> DataFrame:
        self._spark = rows.df.sparkSession
        if self._settings.option == DISABLE:
            frame, read = read_everything(rows.df, found, source)
        elif self._span is not None:
            first, last = (
                known_rows(self._position(sources, source), found, self.job_id, source)
                for sources in (self._span.after, self._span.up_to)
            )
            frame, read = read_between(rows, found, source, first, last, options)
        else:
            known = known_rows(self._position(self._state.sources, source), found, self.job_id, source)
            next_batch = self._state.last_batch_id + 1
            now = self._settings.clock()
            frame, read = read_new(rows, found, source, known, options, now=now, batch_id=next_batch)
            self._require_open()
        self._reads[source] = read
        return frame
