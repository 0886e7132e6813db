"""Rows of the night in which clocks go back, and a run over them in a process of its own, in a zone of its own.

`python -m tests.support.zones` prints which rows a run on another machine takes; its arguments say the rest.
"""

import json
import sys
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.frames import SPARK_VERSION, numbers

# New York, 5 November 2023: from 05:00 UTC it is one o'clock there, and from 06:00 UTC again.
FIRST_ROW = datetime(2023, 11, 5, 4, 15, tzinfo=timezone.utc)
STEP = timedelta(minutes=15)
ROWS = 12
LONG_AFTER = datetime(2024, 3, 1, tzinfo=timezone.utc)
TYPES = ("timestamp", "timestamp_ntz", "date") if SPARK_VERSION >= (3, 4) else ("timestamp", "date")


def write_night(spark: SparkSession, folder: Path) -> None:
    """Write a row for every quarter of the night, in every type that a zone could get at."""
    columns = {
        "timestamp": "timestamp_micros(micros)",
        # What is shown in UTC, and a date for every row.
        "timestamp_ntz": "CAST(CAST(timestamp_micros(micros) AS STRING) AS TIMESTAMP_NTZ)",
        "date": "date_from_unix_date(n)",
    }
    first = int(FIRST_ROW.timestamp()) * 1_000_000
    rows = ", ".join(f"({n}, {first + (n - 1) * STEP // timedelta(microseconds=1)}L)" for n in range(1, ROWS + 1))
    selected = ", ".join(f"{columns[name]} AS `{name}`" for name in TYPES)
    night = spark.sql(f"SELECT n, {selected} FROM VALUES {rows} AS t(n, micros)")
    night.coalesce(1).write.parquet(str(folder))


def take(watermarks: Watermarks, job: str, night: DataFrame) -> dict[str, list[int]]:
    """Have a run take what is new by each of the columns, and tell which rows that was."""
    with watermarks.job_run(job, f"jr_{uuid.uuid4().hex}") as run:
        return {name: numbers(run.new_rows(night, name, transformation_ctx=name)) for name in TYPES}


def _main(endpoint_url: str, table_name: str, job: str, folder: str, rows: str, session_zone: str) -> None:
    from demo.embedded import prepare_spark

    prepare_spark()
    spark = SparkSession.builder.master("local[1]").config("spark.sql.session.timeZone", session_zone).getOrCreate()
    watermarks = Watermarks(table_name, endpoint_url=endpoint_url, clock=lambda: LONG_AFTER)
    night = spark.read.parquet(folder).where(f"n <= {rows}")
    machine_zone = spark.sql("SELECT java_method('java.time.ZoneId', 'systemDefault')").collect()[0][0]
    here = f"{datetime.fromtimestamp(0).astimezone():%z}"
    print(json.dumps({"machine": machine_zone, "python": here, "taken": take(watermarks, job, night)}))  # noqa: T201


if __name__ == "__main__":
    _main(*sys.argv[1:])
