"""Whether a contender did the work: the rows it wrote, counted and summed up, whatever their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class WrongResultError(Exception):
    """A contender wrote something else than it was asked for; the message says who, what and how it differs."""


@dataclass(frozen=True)
class Fingerprint:
    """How many rows there are, and a sum over a hash of each of them."""

    rows: int
    checksum: int


def require_same(who: str, expected: object, found: object) -> None:
    """Refuse a result that is not the expected one.

    Raises:
        WrongResultError: they differ.
    """
    if found != expected:
        raise WrongResultError(f"{who} gave {found}, and {expected} was asked for. Its time does not count.")


def fingerprint(frame: DataFrame, columns: Mapping[str, str]) -> Fingerprint:
    """Sum up a frame by the given columns, each taken as the given type; contenders may add columns of their own."""
    from pyspark.sql import functions as F

    typed = [F.col(name).cast(data_type) for name, data_type in columns.items()]
    hashed = frame.select(F.xxhash64(*typed).cast("decimal(38,0)").alias("hash"))
    rows, checksum = hashed.agg(F.count("*"), F.sum("hash")).collect()[0]
    return Fingerprint(rows, int(checksum or 0))


def parquet_check(
    spark: SparkSession, who: str, target: Callable[[], str], columns: Mapping[str, str], expected: Fingerprint
) -> Callable[[], None]:
    """Give a check of the Parquet files below a target."""

    def check() -> None:
        # File by file: Structured Streaming leaves a list beside its files that Spark would take for all there is.
        files = [str(file) for file in Path(target()).rglob("*.parquet")]
        found = fingerprint(spark.read.parquet(*files), columns) if files else Fingerprint(0, 0)
        require_same(who, expected, found)

    return check
