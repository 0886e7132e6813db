"""A table of a database: its bounds asked of the database itself, its window read in parallel.

`spark.read.jdbc` reads a table through one connection unless it is told the bounds by hand. Here they come from one
`SELECT MIN, MAX` without WHERE, hence without literals. The window is a filter that Spark hands down, in the
database's own dialect, to every partition.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from typing import TypeAlias

from pyspark.sql import DataFrame, SparkSession

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.sources.clock import wall_clock
from scripts.helpers.watermarks.sources.columns import MarkColumn, exact_form, from_exact_form
from scripts.helpers.watermarks.sources.rows import Found, filter_window
from scripts.helpers.watermarks.values import marks
from scripts.helpers.watermarks.values.marks import SECOND, MarkValue, distance, is_above
from scripts.helpers.watermarks.window import Limits

# A delta of fewer ids than this is not worth a second connection.
IDS_PER_PARTITION = 100_000
UNKNOWN_PARALLELISM = 4
# A cluster may have more cores than a database has connections to give.
MOST_CONNECTIONS = 16
# Clocks are never put back by more than this.
LONG_STRIDE = 6 * 3600 * SECOND
LONG = range(-(2**63), 2**63)
QUOTES = {"mysql": ("`", "`"), "mariadb": ("`", "`"), "sqlserver": ("[", "]")}
ANSI_QUOTES = ('"', '"')
# The lowest and the highest value, and how many rows have none.
Bounds: TypeAlias = "tuple[MarkValue | None, MarkValue | None, int]"
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")


@dataclass(frozen=True)
class JdbcSource:
    """Rows of a table, or of a query given as `(SELECT …) alias`."""

    spark: SparkSession
    url: str = field(repr=False)
    table: str
    properties: Mapping[str, str] = field(repr=False)
    fetch_size: int
    num_partitions: int | None
    _known: dict[str, Bounds] = field(default_factory=dict, repr=False)

    @cached_property
    def df(self) -> DataFrame:
        """All rows through one connection. Spark asks the database only for the columns."""
        return self._load(self.table_sql, {})

    def survey(self, column: MarkColumn, limits: Limits, *, count_nulls: bool) -> Found:
        """Ask the database for the bounds; nobody counts."""
        lowest, highest, nulls = self._bounds(column, count_nulls=count_nulls)
        if lowest is None or highest is None:
            return Found(None, 0, nulls, 0)
        if column.kind == "string":
            return self._survey_text(limits, highest, nulls)
        later = limits.present is not None and is_above(highest, limits.present)
        # A value that may be taken and is not there is as good a mark: all up to it is complete.
        reached = limits.ceiling if limits.ceiling is not None and is_above(highest, limits.ceiling) else highest
        nothing = is_above(lowest, reached) or (limits.low is not None and not is_above(reached, limits.low))
        if nothing:
            return Found(None, 0, nulls, None if later else 0)
        return Found(reached, None, nulls, None if later else 0)

    def _survey_text(self, limits: Limits, highest: MarkValue, nulls: int) -> Found:
        """Text is in the order of the database's collation, which only the database knows: nothing is compared here."""
        if limits.ceiling is not None:
            raise InvalidArgumentError(
                "until does not go with a text column of a database, whose order only the database knows.",
                argument="until",
                value=limits.ceiling,
            )
        return Found(None, 0, nulls, 0) if highest == limits.low else Found(highest, None, nulls, 0)

    def within(
        self, column: MarkColumn, low: MarkValue | None, high: MarkValue | None, *, with_nulls: bool
    ) -> DataFrame:
        """Read the window in even strides, one partition each. Every partition has the window's bounds as well."""
        strides = {} if high is None else self._strides(column, low, high)
        # Spark asks the database for the columns whenever a frame is made: not again for the same one.
        df = self._load(self.table_sql, strides) if strides else self.df
        return filter_window(df, column, low, high, with_nulls=with_nulls)

    @cached_property
    def table_sql(self) -> str:
        """The table as it stands in SQL: each name as it is, or quoted where it could be anything but a name."""
        if self.table.strip().startswith("("):
            return self.table
        return ".".join(self._quoted_unless_plain(part) for part in _parts(self.table))

    def _bounds(self, column: MarkColumn, *, count_nulls: bool) -> Bounds:
        name = self._quote(self._column_name(column))
        nulls = f", SUM(CASE WHEN {name} IS NULL THEN 1 ELSE 0 END) AS nulls_" if count_nulls else ""
        sql = f"(SELECT MIN({name}) AS lowest_, MAX({name}) AS highest_{nulls} FROM {self.table_sql}) bounds_"  # noqa: S608
        # PostgreSQL forgets precision and scale of a decimal in MIN and MAX, and Spark would take it for (38, 18).
        own = column.data_type.simpleString()
        schema = {"customSchema": f"lowest_ {own}, highest_ {own}"} if column.kind == "decimal" else {}
        found = self._load(sql, schema)
        first, second, *rest = found.columns
        # The database may give bounds of a wider type than the column's own.
        forms = [exact_form(column.kind, f"CAST(`{each}` AS {own})") for each in (first, second)]
        row = found.selectExpr(*forms, *(f"CAST(`{each}` AS BIGINT)" for each in rest)).collect()[0]
        lowest, highest = (from_exact_form(column.kind, value) for value in row[:2])
        self._known[column.name] = lowest, highest, int(row[2] or 0) if rest else 0
        return self._known[column.name]

    def _strides(self, column: MarkColumn, low: MarkValue | None, high: MarkValue) -> dict[str, str]:
        """Give Spark's options for parallel partitions; none where one connection will do."""
        if column.kind in ("string", "timestamp_ntz") or self.num_partitions == 1:
            return {}
        lowest, highest, _ = self._known.get(column.name) or self._bounds(column, count_nulls=False)
        if lowest is None or highest is None:
            return {}
        start = low if low is not None and is_above(low, lowest) else lowest
        width, whole = distance(start, high), distance(lowest, highest)
        partitions = self.num_partitions or self._partitions_for(column, width, whole)
        if partitions < 2:
            return {}
        lower, upper = self._bound_texts(column, start, high, partitions)
        if lower is None or upper is None or lower == upper:
            return {}
        return {
            "partitionColumn": self._column_name(column),
            "lowerBound": lower,
            "upperBound": upper,
            "numPartitions": str(partitions),
        }

    def _partitions_for(self, column: MarkColumn, width: float, whole: float) -> int:
        """Choose as many connections as the window's share of the table is worth."""
        most = min(parallelism(self.spark), MOST_CONNECTIONS)
        share = 1.0 if whole <= 0 else min(1.0, width / whole)
        partitions = ceil(most * share) if share > 1 / (4 * most) else 1
        return min(partitions, ceil(width / IDS_PER_PARTITION) or 1) if column.kind == "integer" else partitions

    def _bound_texts(
        self, column: MarkColumn, start: MarkValue, high: MarkValue, partitions: int
    ) -> tuple[str | None, str | None]:
        """Give the bounds as Spark's reader takes them: local times in the session's zone, dates, whole numbers."""
        if column.kind == "timestamp":
            return self._local_times(int(start), int(high), partitions)
        if column.kind == "date":
            return str(marks.to_stored("date", start)), str(marks.to_stored("date", high))
        lower, upper = (str(int(value)) if int(value) in LONG else None for value in (start, high))
        return lower, upper

    def _local_times(self, start: int, high: int, partitions: int) -> tuple[str | None, str | None]:
        """Give both as the session's wall shows them; nothing where the borders between them might not be in order.

        Spark (3.3 to 4.0) writes borders so into the strides. Where clocks go back, those of short strides come out of
        order, and rows between two of them would be read twice.
        """
        stride = (high - start) // partitions
        moments = [start, high]
        if stride < LONG_STRIDE:
            moments += [start - LONG_STRIDE, *(start + stride * number for number in range(1, partitions))]
            moments.append(high + LONG_STRIDE)
        shown = wall_clock(self.spark, moments)
        offsets = {wall - moment for wall, moment in zip(shown, moments, strict=True)}
        if stride < LONG_STRIDE and len(offsets) > 1:
            return None, None
        return marks.describe("timestamp", shown[0]), marks.describe("timestamp", shown[1])

    def _column_name(self, column: MarkColumn) -> str:
        names = self.df.columns
        if column.name in names:
            return column.name
        return next(name for name in names if name.lower() == column.name.lower())

    def _load(self, table_sql: str, options: Mapping[str, str]) -> DataFrame:
        reader = self.spark.read.format("jdbc").options(**self.properties).options(**options)
        reader = reader.option("url", self.url).option("dbtable", table_sql).option("fetchsize", self.fetch_size)
        try:
            return reader.load()
        except Exception as error:
            if self.url not in str(error):
                raise
            # A driver that cannot read an address repeats it, with the credentials that it may hold.
            told = next(line for line in str(error).splitlines() if self.url in line).replace(self.url, "(not shown)")
            raise InvalidArgumentError(f"url cannot be used: {told.lstrip(': ')}", argument="url", value=None) from None

    def _quote(self, name: str) -> str:
        opening, closing = QUOTES.get(_vendor(self.url), ANSI_QUOTES)
        return f"{opening}{name.replace(closing, closing * 2)}{closing}"

    def _quoted_unless_plain(self, part: str) -> str:
        opening, closing = QUOTES.get(_vendor(self.url), ANSI_QUOTES)
        inner = part[1:-1].replace(closing * 2, "")
        if _IDENTIFIER.fullmatch(part) or (part[:1] == opening and part[-1:] == closing and closing not in inner):
            return part
        return self._quote(part)


def parallelism(spark: SparkSession) -> int:
    """Give how many tasks the session runs at once, as far as that can be told over Spark Connect."""
    if "connect" in type(spark).__module__:
        return int(spark.conf.get("spark.default.parallelism", None) or UNKNOWN_PARALLELISM)
    return int(spark.sparkContext.defaultParallelism)


def _vendor(url: str) -> str:
    found = re.match(r"jdbc:([a-z0-9]+)", url, flags=re.IGNORECASE)
    return found[1].lower() if found else ""


def _parts(table: str) -> list[str]:
    """Split `schema.table` at its dots, but not at those inside quotes."""
    parts = re.findall(r'(?:"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[(?:[^\]]|\]\])*\]|[^."`\[])+', table)
    if not parts or ".".join(parts) != table:
        raise InvalidArgumentError(
            f"table {table!r} must be a name (schema.table), or a query in brackets with an alias.",
            argument="table",
            value=table,
        )
    return parts
