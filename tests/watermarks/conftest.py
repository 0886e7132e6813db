"""Fixtures for the package's own tests: one table in each emulator, a job of its own for each test."""

import time
import uuid
from types import SimpleNamespace

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from scripts.helpers.watermarks.table import Backoff
from tests.support.databases import Database
from tests.support.databases import derby as new_derby
from tests.support.databases import on_postgres as postgres_table
from tests.support.postgres import Postgres
from tests.support.tables import Clock, EmulatedTable, new_table


@pytest.fixture(scope="module")
def moto_table(moto_endpoint: str) -> EmulatedTable:
    """A table in moto: quick, and it takes what DynamoDB Local of 2020 does not, such as empty strings.

    A new one for each file, because moto copies the whole table for every transaction.
    """
    return new_table(moto_endpoint)


@pytest.fixture(scope="session")
def local_table(dynamodb_local: str) -> EmulatedTable:
    """A table in AWS's DynamoDB Local: it decides where moto is only a model."""
    return new_table(dynamodb_local)


@pytest.fixture(scope="module", params=["moto", "dynamodb-local"])
def table(request: pytest.FixtureRequest) -> EmulatedTable:
    """A table in each emulator in turn."""
    fixture = {"moto": "moto_table", "dynamodb-local": "local_table"}[request.param]
    found: EmulatedTable = request.getfixturevalue(fixture)
    return found


@pytest.fixture(scope="module")
def on_moto(moto_table: EmulatedTable) -> Watermarks:
    """The object under test on moto alone; the same for every test of a file, so that property tests can use it."""
    return moto_table.watermarks()


@pytest.fixture(scope="session")
def on_local(local_table: EmulatedTable) -> Watermarks:
    """The object under test on DynamoDB Local alone."""
    return local_table.watermarks()


@pytest.fixture
def watermarks(table: EmulatedTable) -> Watermarks:
    """The object under test, on a table in each emulator in turn."""
    return table.watermarks()


@pytest.fixture
def job() -> str:
    """A job that no other test uses."""
    return f"job-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the retries waited, without waiting it: botocore's, and the table's own."""
    waited: list[float] = []
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=waited.append, time=time.time))
    monkeypatch.setattr(Backoff, "wait", lambda _, tries: waited.append(tries))
    return waited


@pytest.fixture
def cloudwatch(moto_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have metrics go to moto, whose endpoint this is."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_CLOUDWATCH", moto_endpoint)
    return moto_endpoint


@pytest.fixture
def derby(spark: SparkSession) -> Database:
    """A Derby of this test."""
    return new_derby(spark)


@pytest.fixture
def on_postgres(postgres: Postgres) -> Database:
    """The test run's PostgreSQL, with a table of this test."""
    return postgres_table(postgres)


@pytest.fixture(params=["derby", "postgresql"])
def database(request: pytest.FixtureRequest) -> Database:
    """A database of each kind in turn."""
    found: Database = request.getfixturevalue({"derby": "derby", "postgresql": "on_postgres"}[request.param])
    return found
