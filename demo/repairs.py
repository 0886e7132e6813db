"""The made-up sources of the demo: repairs in Parquet files, claims in JSON files, tenancies in a database."""

import json
import os
import time
from contextlib import suppress
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

DERBY = "org.apache.derby.jdbc.EmbeddedDriver"
TRADES = ("plumbing", "electrical", "carpentry", "roofing", "glazing")


def make(spark: SparkSession, source: Path, count: int) -> None:
    """Make the repairs that were there before the first run, spread over the last three years until yesterday."""
    minutes_ago = 1_440 + F.col("id") * 17 % 1_576_800
    _write(_repairs(spark.range(count), F.current_timestamp() - _minutes(minutes_ago)), source)


def arrive(spark: SparkSession, source: Path, *, new: int, changed: int) -> None:
    """Add repairs that are new and repairs that were changed, all modified after what is there."""
    known = spark.read.parquet(str(source)).agg(F.max("repair_id"), F.max("last_modified")).collect()[0]
    ids = spark.range(known[0] + 1, known[0] + 1 + new).union(spark.range(changed))
    latest = spark.read.parquet(str(source)).agg(F.max("last_modified").alias("latest"))
    later = F.col("latest") + _minutes(1 + F.pmod(F.col("id"), F.lit(30)))
    _write(_repairs(ids.crossJoin(latest), later), source)


def land(landing: Path, name: str, *, minutes_ago: int) -> None:
    """Add a file of claims that was modified some time ago."""
    landing.mkdir(exist_ok=True)
    file = landing / f"{name}.json"
    claims = ({"claim_id": number, "policy": name, "amount": 12.5} for number in range(10))
    file.write_text("\n".join(map(json.dumps, claims)), encoding="utf-8")
    os.utime(file, times=(time.time() - minutes_ago * 60,) * 2)


def fill_database(spark: SparkSession, folder: Path, count: int) -> str:
    """Make a Derby database with tenancies, close it for the job's own process, and give its address."""
    url = f"jdbc:derby:{folder}"
    days_ago = F.current_timestamp() - _minutes(1_440 + F.col("id") % 100_000)
    tenancies = spark.range(count).select("id", days_ago.alias("last_modified"))
    tenancies.write.jdbc(f"{url};create=true", "tenancy", properties={"driver": DERBY})
    with suppress(Exception):  # Derby says that it has shut down by an exception
        spark.read.jdbc(f"{url};shutdown=true", "tenancy", properties={"driver": DERBY})
    return url


def count(spark: SparkSession, folder: Path) -> int:
    """Count the rows of a folder of Parquet files."""
    return spark.read.parquet(str(folder)).count()


def _repairs(ids: DataFrame, last_modified: Column) -> DataFrame:
    trades = F.array(*map(F.lit, TRADES))
    return ids.select(
        F.col("id").alias("repair_id"),
        F.element_at(trades, (F.col("id") % len(TRADES) + 1).cast("int")).alias("trade"),
        F.concat(F.lit("Home "), F.col("id") % 20_000).alias("address"),
        F.round(F.rand(seed=7) * 400, 2).alias("cost"),
        F.date_trunc("second", last_modified).alias("last_modified"),
    )


def _minutes(number: Column) -> Column:
    return F.expr("INTERVAL 1 MINUTE") * number


def _write(repairs: DataFrame, source: Path) -> None:
    repairs.coalesce(1).write.mode("append").parquet(str(source))
