"""One load in a process of its own, which then tells how much memory its driver took."""

from __future__ import annotations

import gc
import json
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.core.checking import fingerprint
from benchmarks.core.room import Room, java_home, new_run_id, spark_session
from benchmarks.files import COLUMNS, SCHEMA

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MEGABYTE = 1e6


def main() -> None:
    """Load, and print what that took."""
    asked = json.loads(sys.argv[1])
    java_home()
    with spark_session(Room("memory", Path(asked["room"]), quick=False)) as spark:
        frame = load(spark, asked)
        took = {"python": python_peak(), "java": java_live(spark)}
        written = fingerprint(spark.read.schema(frame.schema).parquet(asked["target"]), COLUMNS)
        print(json.dumps({**took, **asdict(written)}))


def load(spark: SparkSession, asked: dict[str, Any]) -> DataFrame:
    """Load the new files, or all of them where no time is given after which they are new."""
    if asked["who"] == "plain":
        reader = spark.read.schema(SCHEMA)
        if asked["after"]:
            reader = reader.option("modifiedAfter", asked["after"])
        frame = reader.json(asked["folder"])
        frame.write.mode("overwrite").parquet(asked["target"])
        return frame
    from scripts.helpers.watermarks import Watermarks

    watermarks = Watermarks(asked["table"], endpoint_url=asked["endpoint_url"])
    with watermarks.job_run(asked["job"], new_run_id()) as this_run:
        frame = this_run.new_files(spark, asked["folder"], format="json", schema=SCHEMA, transformation_ctx="claims")
        frame.write.mode("overwrite").parquet(asked["target"])
    return frame


def python_peak() -> float:
    """Give the most memory that this Python process ever had, in megabytes."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    if found is None:
        raise RuntimeError("This system does not tell how much memory a process had.")
    return int(found[1]) * 1024 / MEGABYTE


def java_live(spark: SparkSession) -> float:
    """Give what the driver's Java still holds after a collection, in megabytes."""
    jvm: Any = spark._jvm  # noqa: SLF001 - the bench looks into the driver, the package never does
    memory = jvm.java.lang.management.ManagementFactory.getMemoryMXBean()
    gc.collect()
    for _ in range(3):
        jvm.java.lang.System.gc()
    return int(memory.getHeapMemoryUsage().getUsed()) / MEGABYTE


if __name__ == "__main__":
    main()
