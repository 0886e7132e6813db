"""What every way of reading a source shares: names used once, positions found, windows told, values recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.job_run.lifecycle import Lifecycle
from scripts.helpers.watermarks.job_run.outcome import FilesRead, Read
from scripts.helpers.watermarks.table.model import LATEST, broken
from scripts.helpers.watermarks.table.views import require_values
from scripts.helpers.watermarks.values import StoredMap, marks
from scripts.helpers.watermarks.values.ids import require_source_name
from scripts.helpers.watermarks.values.positions import Position, read_position
from scripts.helpers.watermarks.window import Window

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Reads(Lifecycle):
    """Keeps track of what a run has read and recorded."""

    _spark: SparkSession | None = None

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
            if self._is_source(name):
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
        read = self._read(transformation_ctx)
        return read.low is None and not (isinstance(read, FilesRead) and read.went_on)

    def _read(self, transformation_ctx: str) -> Read:
        try:
            return self._reads[transformation_ctx]
        except KeyError:
            read = ", ".join(map(repr, self._reads)) or "none"
            raise self._misused(f"has not read a source {transformation_ctx!r}. Read so far: {read}") from None

    def _is_source(self, name: str) -> bool:
        return name in self._reads or name in self._state.sources

    def _require_unused(self, transformation_ctx: object) -> str:
        source = require_source_name(transformation_ctx)
        if self._in_steps:
            raise self._misused("reads in steps already, and in_batches is the only source of its run")
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

    def _cancel_work(self) -> None:
        """Cancel what Spark is doing for the lost run, and what the script starts next, until the run is closed."""
        if self._spark is not None:
            from scripts.helpers.watermarks.sources.cancel import keep_cancelling

            keep_cancelling(self._spark, while_true=lambda: self._phase == "open" and not self._told)
