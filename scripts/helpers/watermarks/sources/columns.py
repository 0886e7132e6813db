"""The column that carries a mark: where it is in the frame, what type it has, and exact values in and out of Spark.

Values go in as literals of the column's own type, never as a cast of the column, so that the comparison reaches the
source (Parquet row groups, a JDBC WHERE). They come out as whole numbers or text, never as Python datetimes, which
PySpark would turn into the machine's time zone.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any, cast

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, DecimalType, StructField, StructType

from scripts.helpers.watermarks.errors import UnsupportedColumnError
from scripts.helpers.watermarks.values.marks import MarkType, MarkValue, from_stored, to_stored
from scripts.helpers.watermarks.values.stored import MAX_DIGITS, canonical_number

# By the type's own name, since TimestampNTZType does not exist before Spark 3.4.
KINDS: dict[str, MarkType] = {
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
    "date": "date",
    "tinyint": "integer",
    "smallint": "integer",
    "int": "integer",
    "bigint": "integer",
    "string": "string",
}
INTEGER_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
# Wide enough for every digit before and after the point of any bound and any decimal column.
EXACT = Context(prec=200, rounding=ROUND_FLOOR)
LONG_RANGE = range(-(2**63), 2**63)
SUPPORTED = "timestamp, timestamp_ntz (Spark 3.4 and later), date, tinyint, smallint, int, bigint, decimal, string"


@dataclass(frozen=True)
class MarkColumn:
    """A column of a frame that can carry a mark; `path` is how SQL calls it, each name of it quoted.

    Conditions are made as SQL text where they can be: built from Column objects, each of their dozens of small steps
    would be a call to the JVM of its own.
    """

    name: str
    kind: MarkType
    data_type: DataType
    path: str

    @property
    def expression(self) -> Column:
        """The column as Spark's functions take it."""
        return F.col(self.path)

    def literal(self, value: MarkValue) -> Column:
        """Give a value as a literal that Spark folds into the column's own type."""
        return F.expr(self.sql(value))

    def sql(self, value: MarkValue) -> str:
        """Give a value as SQL text that Spark folds into a literal of the column's own type."""
        if self.kind == "timestamp":
            return f"timestamp_micros({int(value)}L)"
        if self.kind == "date":
            return f"date_from_unix_date({int(value)})"
        if self.kind == "timestamp_ntz":
            return f"CAST('{to_stored(self.kind, value)!s}' AS TIMESTAMP_NTZ)"
        if self.kind == "integer":
            return self._integer(int(value))
        if self.kind == "decimal":
            return self._decimal(Decimal(value))
        # In hex digits, there is nothing to escape, whatever the parser's settings.
        return f"CAST(X'{str(value).encode().hex()}' AS STRING)"

    def _integer(self, value: int) -> str:
        own = self.data_type.simpleString()
        half = 2 ** (INTEGER_BITS[own] - 1)
        if -half <= value < half:
            return f"CAST('{value}' AS {own})"
        return f"CAST('{value}' AS {'BIGINT' if value in LONG_RANGE else 'DECIMAL(38,0)'})"

    def _decimal(self, value: Decimal) -> str:
        # A literal of another precision or scale would have Spark cast both sides to a type that may hold neither.
        own = cast(DecimalType, self.data_type)
        unit = Decimal(1).scaleb(-own.scale)
        highest = EXACT.multiply(10**own.precision - 1, unit)
        # Rounded down to the column's scale, and down to its highest value, a bound bounds the same values.
        floored, lowest = min(EXACT.quantize(value, unit), highest), highest.copy_negate()
        if floored >= lowest or own.precision == MAX_DIGITS:
            return f"CAST('{max(floored, lowest):f}' AS {own.simpleString()})"
        below = EXACT.subtract(lowest, unit)
        return f"CAST('{below:f}' AS DECIMAL({own.precision + 1},{own.scale}))"


def exact_form(kind: MarkType, name: str) -> str:
    """Give the SQL that turns the named value into a whole number or text without losing anything."""
    if kind == "timestamp":
        return f"unix_micros({name})"
    if kind == "date":
        return f"unix_date({name})"
    if kind in ("timestamp_ntz", "decimal"):
        return f"CAST({name} AS STRING)"
    return name


def from_exact_form(kind: MarkType, value: Any) -> MarkValue | None:
    """Read a value that came out of Spark in its exact form."""
    if value is None:
        return None
    if kind == "timestamp_ntz":
        return parse_wall_clock(value)
    if kind == "decimal":
        return canonical_number(Decimal(value))
    return str(value) if kind == "string" else int(value)


def parse_wall_clock(text: str) -> int:
    """Read a local time as Spark writes it, `2023-03-16 15:45:00.5`, as microseconds since 1970 on the same wall."""
    whole, _, fraction = text.partition(".")
    value = from_stored("timestamp_ntz", f"{whole.replace(' ', 'T')}.{fraction.ljust(6, '0')}")
    return int(value)


def find_column(df: DataFrame, column: str) -> MarkColumn:
    """Find the column in the frame, also a nested one (`meta.updated_at`), and see that it can carry a mark.

    Raises:
        UnsupportedColumnError: there is no such column, or its type has no order that a mark could follow.
    """
    path, data_type = _resolve(df.schema, column)
    name = data_type.simpleString()
    kind = "decimal" if isinstance(data_type, DecimalType) else KINDS.get(name.split(" ")[0])
    if kind is None:
        raise UnsupportedColumnError(
            f"Column {column!r} is of type {name}, which cannot carry a mark. Supported are: {SUPPORTED}.",
            column=column,
        )
    return MarkColumn(column, kind, data_type, path)


def _resolve(schema: StructType, column: str) -> tuple[str, DataType]:
    """Give the column's quoted path and its type: a top-level name first, then a path through structs."""
    field = _field(schema, column)
    if field is not None:
        return _quoted(field.name), field.dataType
    parts: list[str] = []
    level: DataType = schema
    for part in column.split("."):
        found = _field(level, part) if isinstance(level, StructType) else None
        if found is None:
            break
        parts.append(_quoted(found.name))
        level = found.dataType
    else:
        return ".".join(parts), level
    present = ", ".join(f"{each.name} ({each.dataType.simpleString()})" for each in schema.fields)
    raise UnsupportedColumnError(f"There is no column {column!r}. The frame has: {present}.", column=column)


def _field(struct: StructType, name: str) -> StructField | None:
    """Find a field as Spark would: by its exact name, else by the only one that differs in case."""
    for matches in (
        [field for field in struct.fields if field.name == name],
        [field for field in struct.fields if field.name.lower() == name.lower()],
    ):
        if len(matches) == 1:
            return matches[0]
        if len(matches) > 1:
            raise UnsupportedColumnError(
                f"The frame has {len(matches)} columns called {name!r}. Give the one to follow a name of its own.",
                column=name,
            )
    return None


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
