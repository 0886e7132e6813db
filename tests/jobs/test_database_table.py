"""The example job for a database table, run as a user would, from PostgreSQL and from Derby to Parquet."""

import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from scripts.jobs import database_table
from tests.support.databases import Database, derby, on_postgres
from tests.support.postgres import PASSWORD, USER, Postgres

pytestmark = pytest.mark.classic


@pytest.fixture
def watermarks(moto_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Watermarks:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", moto_endpoint)
    table = Watermarks(table_name="glue-watermarks")
    table.create_table()
    return table


def run_job(folder: Path, table: str, connection: str) -> None:
    given = {"JOB_NAME": folder.name, "job-bookmark-option": "job-bookmark-enable", "target": f"{folder}/target"}
    given |= {"table": table, "column": "value", "connection": connection}
    database_table.main(["job.py", *(f"--{name}={value}" for name, value in given.items())])


def full_then_delta(spark: SparkSession, database: Database, folder: Path, connection: str) -> None:
    database.create("TIMESTAMP", ["'2023-03-01 10:00:00'", "'2023-03-01 10:00:00.000001'"])
    run_job(folder, database.table, connection)
    database.insert(["'2023-03-01 10:00:00.000002'"], start=3)
    run_job(folder, database.table, connection)

    rows = spark.read.parquet(f"{folder}/target").select("batch_id", "n").collect()
    assert sorted((row[0], row[1]) for row in rows) == [(1, 1), (1, 2), (2, 3)]


def test_environment(
    spark: SparkSession, watermarks: Watermarks, tmp_path: Path, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"URL": postgres.url, "USER": USER, "PASSWORD": PASSWORD}.items():
        monkeypatch.setenv(f"DATABASE_{name}", value)

    full_then_delta(spark, on_postgres(postgres), tmp_path, "environment")

    assert PASSWORD not in json.dumps(list(watermarks.history(tmp_path.name)), default=str)


@pytest.mark.usefixtures("watermarks")
def test_connection__of_glue(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = derby(spark)

    class GlueContext:
        def __init__(self, _: Any) -> None:
            pass

        def extract_jdbc_conf(self, name: str) -> dict[str, str]:
            return {"mine": {"url": database.url, "fullUrl": database.url, "user": "", "vendor": "derby"}}[name]

    context: Any = ModuleType("awsglue.context")
    context.GlueContext = GlueContext
    monkeypatch.setitem(sys.modules, "awsglue.context", context)

    full_then_delta(spark, database, tmp_path, "mine")
