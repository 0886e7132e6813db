"""`JobRun`: one run of a job as its script sees it: what is new of each source, and what to record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.job_run.file_reading import (
    Known,
    file_options,
    known_files,
    read_all_files,
    read_files_between,
    read_new_files,
)
from scripts.helpers.watermarks.job_run.lifecycle import Lifecycle
from scripts.helpers.watermarks.job_run.modes import DISABLE
from scripts.helpers.watermarks.job_run.outcome import FilesRead, Read
from scripts.helpers.watermarks.job_run.reading import (
    RowOptions,
    find_mark_column,
    known_rows,
    read_between,
    read_everything,
    read_new,
)
from scripts.helpers.watermarks.table.model import LATEST, broken
from scripts.helpers.watermarks.table.views import require_values
from scripts.helpers.watermarks.values import StoredMap, marks
from scripts.helpers.watermarks.values.digests import unpack
from scripts.helpers.watermarks.values.ids import require_source_name
from scripts.helpers.watermarks.values.positions import Position, read_position
from scripts.helpers.watermarks.window import Future, Nulls, Window

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


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
            first, last = (
                known_rows(self._position(sources, source), found, self.job_id, source)
                for sources in (self._span.after, self._span.up_to)
            )
            frame, read = read_between(df, found, source, first, last, options)
        else:
            known = known_rows(self._position(self._state.sources, source), found, self.job_id, source)
            frame, read = read_new(df, found, source, known, options, self._settings.clock())
            self._require_open()
        self._reads[source] = read
        return frame

    def new_files(
        self,
        spark: SparkSession,
        path: str | Sequence[str],
        *,
        format: str,  # noqa: A002 - Spark's own word
        transformation_ctx: str,
        schema: StructType | str | None = None,
        options: Mapping[str, object] | None = None,
        band: timedelta = timedelta(minutes=15),
        max_files: int | None = None,
    ) -> DataFrame:
        """Give the files under a path that are new or changed since the last committed run, as one frame.

        Args:
            spark: the session.
            path: where the files are: a folder, a pattern, or several of them; absolute, or with a scheme.
            format: any format that Spark reads: json, csv, parquet, orc, text, xml, avro …
            transformation_ctx: the name under which the position of this source is kept.
            schema: the columns. Without it they are inferred, and a run without new files is an error.
            options: of Spark's reader, such as `{"header": True}`.
            band: within which time of its modification a file becomes visible. On S3, an upload in parts appears with
                the time at which it began, so this is how long an upload may take.
            max_files: how many files to take at most, oldest first. Those of one second stay together.

        Returns:
            The frame, with the columns that partition folders stand for.

        Raises:
            InvalidArgumentError: an option does not fit, or nothing is new and no schema was given.
            WatermarkMismatchError: the position was taken on other paths.
            RunStateError: the source was read already in this run, or the run is not open.

        Example:
            >>> claims = run.new_files(spark, "s3://landing/claims", format="json", transformation_ctx="claims",
            ...                        schema="claim_id BIGINT, amount DECIMAL(12, 2)")
        """
        self._require_open()
        source = self._require_unused(transformation_ctx)
        asked = file_options(path, format, schema, options, band, max_files)
        self._spark = spark
        read: Read
        if self._settings.option == DISABLE:
            frame, read = read_all_files(spark, source, asked)
        elif self._span is not None:
            first, last = (
                self._known_files(sources, source, asked.paths) for sources in (self._span.after, self._span.up_to)
            )
            frame, read = read_files_between(spark, source, first, last, asked)
        else:
            known = self._known_files(self._state.sources, source, asked.paths)
            frame, read = read_new_files(
                spark, source, known, asked, clock=self._settings.clock, sleep=self._table.backoff.sleep
            )
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
        if isinstance(read, FilesRead):
            low, high = read.python_window()
        else:
            kind = read.after.kind
            low, high = (None if value is None else marks.to_python(kind, value) for value in (read.low, read.high))
        return Window(low, high, read.rows)

    def is_full_load(self, transformation_ctx: str) -> bool:
        """Say whether this run loads a source from its beginning."""
        return self._read(transformation_ctx).low is None

    def _read(self, transformation_ctx: str) -> Read:
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

    def _position(self, sources: StoredMap, source: str) -> Position | None:
        if source not in sources:
            return None
        try:
            return read_position(sources[source])
        except ValueError as error:
            raise broken(self._table.place.table_name, self.job_id, LATEST, f"sources.{source}", str(error)) from error

    def _known_files(self, sources: StoredMap, source: str, paths: tuple[str, ...]) -> Known:
        position = known_files(self._position(sources, source), paths, self.job_id, source)
        if position is None:
            return Known()
        if position.digests is None:
            return Known(position.horizon)
        packed = self._table.digests(self.job_id, position.digests)
        problem = "is gone: it has expired, or somebody deleted it"
        if packed is not None:
            try:
                return Known(position.horizon, unpack(packed))
            except ValueError as error:
                problem = str(error)
        raise broken(self._table.place.table_name, self.job_id, position.digests, "digests", problem)

    def _cancel_work(self) -> None:
        """Cancel what Spark is doing for the lost run, and what the script starts next, until the run is closed."""
        if self._spark is not None:
            from scripts.helpers.watermarks.sources.cancel import keep_cancelling

            keep_cancelling(self._spark, while_true=lambda: self._phase == "open")

    _spark: SparkSession | None = None
