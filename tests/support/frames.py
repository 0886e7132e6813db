"""Small sources for tests of `new_rows`: rows numbered from 1, with a value each; and what a run takes of them."""

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from typing import Any

import pyspark
import pytest
from pyspark.sql import DataFrame, SparkSession

from scripts.helpers.watermarks import Watermarks

SPARK_VERSION = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
needs_ntz = pytest.mark.skipif(SPARK_VERSION < (3, 4), reason="timestamp_ntz came with Spark 3.4")


def frame(spark: SparkSession, data_type: str, values: Iterable[str | None]) -> DataFrame:
    """A frame of `n` and `value`. The values are text that is cast, so that no zone of Python's gets near them."""
    rows = ["(0, CAST(NULL AS STRING))", *(f"({n}, {quoted(value)})" for n, value in enumerate(values, start=1))]
    query = f"SELECT n, CAST(text AS {data_type}) AS value FROM VALUES {', '.join(rows)} AS t(n, text) WHERE n > 0"
    return spark.sql(query)


def quoted(text: str | None) -> str:
    """A SQL literal."""
    if text is None:
        return "NULL"
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'"


def numbers(df: DataFrame) -> list[int]:
    """Which rows a frame has."""
    return sorted(row["n"] for row in df.select("n").collect())


def load(watermarks: Watermarks, job: str, df: DataFrame, column: str = "value", **options: Any) -> list[int]:
    """Have a run load what is new, commit it, and tell which rows that was."""
    with watermarks.job_run(job, f"jr_{uuid.uuid4().hex}") as run:
        return numbers(run.new_rows(df, column, transformation_ctx="repairs", **options))


def load_in_vain(watermarks: Watermarks, job: str, df: DataFrame, column: str = "value", **options: Any) -> list[int]:
    """Have a run load what is new and then fail, and tell which rows that was."""
    run = watermarks.job_run(job, f"jr_{uuid.uuid4().hex}").begin()
    rows = numbers(run.new_rows(df, column, transformation_ctx="repairs", **options))
    run.fail("made up by a test")
    return rows


def mark(watermarks: Watermarks, job: str) -> object:
    """The mark that the last run left."""
    values = watermarks.get_watermark_values(job)
    return None if values is None else values["repairs"]


@contextmanager
def settings(spark: SparkSession, values: dict[str, str]) -> Iterator[None]:
    """Change settings of the session within the block."""
    before = {name: spark.conf.get(name, None) for name in values}
    for name, value in values.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


@contextmanager
def session_zone(spark: SparkSession, zone: str) -> Iterator[None]:
    """Change the session's time zone within the block."""
    with settings(spark, {"spark.sql.session.timeZone": zone}):
        yield


def plan(df: DataFrame) -> str:
    """How Spark will read a frame, in one line."""
    with redirect_stdout(StringIO()) as told:
        df.explain()
    return told.getvalue()
