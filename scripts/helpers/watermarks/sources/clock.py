"""What the clock on the wall shows in the session's time zone, as Spark itself sees it.

Spark accepts zones that Python does not know (`GMT+3`, `PST`) and has its own database of them, so it is asked.
A query of literals runs on the driver and starts no job.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession

from scripts.helpers.watermarks.sources.columns import parse_wall_clock


def wall_clock(spark: SparkSession, moments: Sequence[int]) -> list[int]:
    """Turn moments (microseconds since 1970 in UTC) into local times (microseconds since 1970 on the wall)."""
    shown = ", ".join(f"CAST(timestamp_micros({moment}L) AS STRING)" for moment in moments)
    return [parse_wall_clock(text) for text in spark.sql(f"SELECT {shown}").collect()[0]]


def moment_of(spark: SparkSession, local: str) -> int:
    """Turn a local time (ISO-8601 without a zone) into the moment that Spark takes it for."""
    row = spark.sql(f"SELECT unix_micros(CAST('{local}' AS TIMESTAMP))").collect()[0]
    return int(row[0])
