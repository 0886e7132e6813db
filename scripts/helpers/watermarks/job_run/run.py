"""`JobRun`: one run of a job as its script sees it: what is new of each source, and what to record."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.job_run.lifecycle import Lifecycle
from scripts.helpers.watermarks.job_run.modes import DISABLE
from scripts.helpers.watermarks.job_run.outcome import SourceRead
from scripts.helpers.watermarks.job_run.reading import (
    RowOptions,
    check_same_column,
    find_mark_column,
    read_between,
    read_everything,
    read_new,
)
from scripts.helpers.watermarks.table.model import LATEST, broken
from scripts.helpers.watermarks.table.views import require_values
from scripts.helpers.watermarks.values import StoredMap, marks
from scripts.helpers.watermarks.values.ids import require_source_name
from scripts.helpers.watermarks.values.positions import RowsPosition
from scripts.helpers.watermarks.window import Future, Nulls, Window

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class JobRun(Lifecycle):
    """One run of a job: full load the first time, only what is new after that. Made by `Watermarks.job_run`.

    Leaving the `with` block without an exception commits every source's mark, every recorded value and the run's
    record together; an exception commits nothing, records the failure, and goes on up.

    Example:
        >>> with watermarks.job_run(job_id="repairs", run_id="jr_1") as run:
        ...     repairs = run.new_rows(spark.table("repairs"), "last_modified", transformation_ctx="repairs")
        ...     repairs.write.mode("overwrite").parquet(f"{target}/batch_id={run.batch_id}")
    """

    def new_rows(
        self,
        df: DataFrame,
        column: str,
        *,
        transformation_ctx: str,
        initial_value: object = None,
        until: object = None,
        delay: timedelta | None = None,
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
            nulls: rows without a value: `include` them in the first load, `exclude` them, or raise an `error`.
            future: rows later than now: `hold` them until their time has come, `allow` them, or raise an `error`.

        Returns:
            The frame filtered to the window, with the same columns; empty if nothing is new.

        Raises:
            UnsupportedColumnError: there is no such column, or its type cannot carry a mark.
            WatermarkMismatchError: the mark was taken on another column or type.
            InvalidArgumentError: an option does not fit, or the source has no name.
            RunStateError: the source was read already in this run, or the run is not open.
        """
        self._require_open()
        source = self._require_unused(transformation_ctx)
        options = RowOptions(initial_value, until, delay, nulls, future)
        found = find_mark_column(df, column, options)
        self._spark = df.sparkSession
        if self._settings.option == DISABLE:
            frame, read = read_everything(df, found, source)
        elif self._span is not None:
            first, last = self._position(self._span.after, source), self._position(self._span.up_to, source)
            for known in (first, last):
                check_same_column(known, found, self.job_id, source)
            frame, read = read_between(df, found, source, first, last, options)
        else:
            known = self._position(self._state.sources, source)
            check_same_column(known, found, self.job_id, source)
            frame, read = read_new(df, found, source, known, options, self._settings.clock())
            self._require_open()
        self._reads[source] = read
        return frame

    def record(self, **values: object) -> None:
        """Record values of this run, next to the marks of its sources. A name given again replaces its value.

        Args:
            **values: the values by name, of the types that a watermark can have.

        Raises:
            InvalidArgumentError: a name cannot be used, or is that of a source.
            UnsupportedValueError: a value cannot be kept.

        Example:
            >>> run.record(rows_rejected=3)
        """
        self._require_open()
        require_values(values)
        for name in values:
            if name in self._reads or name in self._state.sources:
                raise InvalidArgumentError(
                    f"record: {name!r} is the name of a source of this job, whose mark is recorded under it. Choose "
                    "another name.",
                    argument=name,
                    value=values[name],
                )
        self._recorded.update(values)

    def window(self, transformation_ctx: str) -> Window:
        """Give the window of a source that this run has read.

        Example:
            >>> run.window("repairs")
            Window(low=None, high=datetime.datetime(2023, 3, 16, 15, 45, tzinfo=datetime.timezone.utc), rows=808)
        """
        read = self._read(transformation_ctx)
        kind = read.after.kind
        low, high = (None if value is None else marks.to_python(kind, value) for value in (read.low, read.high))
        return Window(low, high, read.rows)

    def is_full_load(self, transformation_ctx: str) -> bool:
        """Say whether this run loads a source from its beginning."""
        return self._read(transformation_ctx).low is None

    def _read(self, transformation_ctx: str) -> SourceRead:
        try:
            return self._reads[transformation_ctx]
        except KeyError:
            read = ", ".join(map(repr, self._reads)) or "none"
            raise self._misused(f"has not read a source {transformation_ctx!r}. Read so far: {read}") from None

    def _require_unused(self, transformation_ctx: object) -> str:
        source = require_source_name(transformation_ctx)
        if source in self._reads:
            raise self._misused(
                f"has read source {source!r} already. Give every source of a job a transformation_ctx of its own"
            )
        if source in self._recorded:
            raise InvalidArgumentError(
                f"transformation_ctx {source!r} is also the name of a recorded value of this run. Choose another name.",
                argument="transformation_ctx",
                value=source,
            )
        return source

    def _position(self, sources: StoredMap, source: str) -> RowsPosition | None:
        if source not in sources:
            return None
        try:
            return RowsPosition.from_stored(sources[source])
        except ValueError as error:
            raise broken(self._table.place.table_name, self.job_id, LATEST, f"sources.{source}", str(error)) from error

    def _cancel_work(self) -> None:
        """Cancel what Spark is doing for the lost run, and what the script starts next, until the run is closed."""
        if self._spark is not None:
            from scripts.helpers.watermarks.sources.cancel import keep_cancelling

            keep_cancelling(self._spark, while_true=lambda: self._phase == "open")

    _spark: SparkSession | None = None
