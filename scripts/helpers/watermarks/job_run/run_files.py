"""`new_files` of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from scripts.helpers.watermarks.job_run.file_reading import (
    Known,
    file_options,
    known_files,
    read_all_files,
    read_files_between,
    read_new_files,
)
from scripts.helpers.watermarks.job_run.modes import DISABLE
from scripts.helpers.watermarks.job_run.outcome import Read
from scripts.helpers.watermarks.job_run.reads import Reads
from scripts.helpers.watermarks.table.model import broken
from scripts.helpers.watermarks.values import StoredMap
from scripts.helpers.watermarks.values.choice import Choice
from scripts.helpers.watermarks.values.digests import unpack

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


class FileSources(Reads):
    """Sources of files."""

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
            options: of Spark's reader, such as `{"header": True}`. Those that say which files there are
                (`recursiveFileLookup`, `pathGlobFilter`) are kept with the position.
            band: within which time of its modification a file becomes visible. On S3, an upload in parts appears with
                the time at which it began, so this is how long an upload may take.
            max_files: how many files to take at most, oldest first. Those of one second stay together.

        Returns:
            The frame, with the columns that partition folders stand for.

        Raises:
            InvalidArgumentError: an option does not fit, or nothing is new and no schema was given.
            WatermarkMismatchError: the position was taken on other paths, or with other options that say which files
                there are.
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
                self._known_files(sources, source, asked.paths, asked.choice)
                for sources in (self._span.after, self._span.up_to)
            )
            frame, read = read_files_between(spark, source, first, last, asked)
        else:
            known = self._known_files(self._state.sources, source, asked.paths, asked.choice)
            frame, read = read_new_files(
                spark, source, known, asked, clock=self._settings.clock, sleep=self._table.backoff.sleep
            )
            self._require_open()
        self._reads[source] = read
        return frame

    def _known_files(self, sources: StoredMap, source: str, paths: tuple[str, ...], choice: Choice) -> Known:
        replayed = self._span is not None
        position = known_files(self._position(sources, source), paths, choice, self.job_id, source, replayed=replayed)
        if position is None:
            return Known()
        if position.digests is None:
            return Known(position.horizon)
        packed = self._table.digests(self.job_id, position.digests)
        problem = (
            "is gone: it has expired, or somebody deleted it. Say where the source stands with "
            f"set_mark(job_id, {source!r}, time), or load it again with reset(job_id, {source!r})"
        )
        if packed is not None:
            try:
                return Known(position.horizon, unpack(packed))
            except ValueError as error:
                problem = str(error)
        raise broken(self._table.place.table_name, self.job_id, position.digests, "digests", problem)
