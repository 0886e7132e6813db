"""Where metrics are published without anybody asking for it: on AWS itself, and only where that is sure."""

import sys
from types import ModuleType

import boto3
import pytest

from scripts.helpers.watermarks.metrics.automatic import SET_BY_AWS, is_on_aws
from scripts.helpers.watermarks.table.addresses import AWS_DOMAINS, is_aws_dynamodb
from tests.support.tables import session

AWS = "https://dynamodb.eu-west-2.amazonaws.com"


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine like any other."""
    for name in SET_BY_AWS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def awsglue(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Glue's own package, as Glue and its container image have it."""
    folder = tmp_path_factory.mktemp("glue")
    (folder / "awsglue").mkdir()
    (folder / "awsglue" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(folder))


@pytest.mark.parametrize("name", SET_BY_AWS)
def test_automatic__what_aws_sets_tells(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert not is_on_aws(AWS, "jr_1")

    monkeypatch.setenv(name, "")
    assert not is_on_aws(AWS, "jr_1")

    monkeypatch.setenv(name, "glueetl")
    assert is_on_aws(AWS, "any run id")


@pytest.mark.usefixtures("awsglue")
def test_automatic__a_run_id_of_glues_own_tells_where_awsglue_is() -> None:
    assert is_on_aws(AWS, "jr_0123456789abcdef")


@pytest.mark.usefixtures("awsglue")
def test_automatic__glues_container_image_on_a_laptop_does_not() -> None:
    assert not is_on_aws(AWS, "local_4a1f")
    assert "awsglue" not in sys.modules


def test_automatic__a_run_id_alone_does_not() -> None:
    assert not is_on_aws(AWS, "jr_0123456789abcdef")


def test_automatic__an_awsglue_that_was_imported_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "awsglue", ModuleType("awsglue"))  # without a spec, as stubs are

    assert is_on_aws(AWS, "jr_1")


def test_automatic__not_with_an_emulator(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EXECUTION_ENV", "AWS_ECS_FARGATE")

    assert not is_on_aws("http://localhost:8000", "jr_1")


@pytest.mark.parametrize(
    ("endpoint_url", "is_aws"),
    [
        (AWS, True),
        ("https://dynamodb-fips.us-east-1.amazonaws.com", True),
        ("https://dynamodb.eu-west-2.api.aws", True),
        ("https://dynamodb.cn-north-1.amazonaws.com.cn", True),
        ("https://123456789012.ddb.eu-west-2.amazonaws.com", True),
        ("https://vpce-0a1b-2c3d.dynamodb.eu-west-2.vpce.amazonaws.com", True),
        ("http://127.0.0.1:8000", False),
        ("http://dynamodb:8000", False),
        ("http://dynamodb.localhost.localstack.cloud:4566", False),
        ("http://ec2-3-4-5-6.eu-west-2.compute.amazonaws.com:8000", False),
        ("https://dynamodb.eu-west-2.amazonaws.com.example.org", False),
        ("https://dynamodb.example.org/?x=.amazonaws.com", False),
        ("", False),
    ],
)
def test_endpoint__of_dynamodb_itself(endpoint_url: str, is_aws: bool) -> None:
    assert is_aws_dynamodb(endpoint_url) is is_aws


def test_endpoint__of_every_region_that_boto3_knows() -> None:
    partitions = session().get_available_partitions()
    regions = [region for each in partitions for region in session().get_available_regions("dynamodb", each)]
    # The addresses of one region of each kind; making a client for each region would take a minute.
    first_of_each = {region.rpartition("-")[0]: region for region in regions if region != "local"}.values()

    addresses = [boto3.client("dynamodb", region_name=region).meta.endpoint_url for region in first_of_each]

    assert len(addresses) > 10
    assert [address for address in addresses if not is_aws_dynamodb(address)] == []


def test_endpoint__of_every_partition_that_botocore_knows() -> None:
    partitions = session()._session.get_data("partitions")["partitions"]
    suffixes = {each["outputs"][name] for each in partitions for name in ("dnsSuffix", "dualStackDnsSuffix")}

    assert [each for each in suffixes if not f".{each}".endswith(tuple(f".{domain}" for domain in AWS_DOMAINS))] == []
