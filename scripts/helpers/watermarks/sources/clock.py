"""What the clock on the wall shows in the session's time zone, as Spark itself sees it.

Spark accepts zones that Python does not know (`GMT+3`, `PST`) and has its own database of them, so it is asked.
A query over VALUES is computed on the driver and starts no job; one without FROM does.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import TimestampType

from scripts.helpers.watermarks.sources.columns import parse_wall_clock


def wall_clock(spark: SparkSession, moments: Sequence[int]) -> list[int]:
    """Turn moments (microseconds since 1970 in UTC) into local times (microseconds since 1970 on the wall)."""
    values = ", ".join(f"({moment}L)" for moment in moments)
    shown = spark.sql(f"SELECT CAST(timestamp_micros(moment) AS STRING) FROM VALUES {values} AS moments(moment)")
    return [parse_wall_clock(row[0]) for row in shown.collect()]


def moment_of(spark: SparkSession, local: str) -> int:
    """Turn a local time (ISO-8601 without a zone) into the moment that Spark takes it for."""
    # By the type itself: what the SQL word TIMESTAMP means depends on spark.sql.timestampType.
    moment = F.col("local").cast(TimestampType()).alias("moment")
    row = (
        spark.sql(f"SELECT * FROM VALUES ('{local}') AS times(local)").select(moment).selectExpr("unix_micros(moment)")
    )
    return int(row.collect()[0][0])
