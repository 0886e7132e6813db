"""What AWS refuses: one line that says which table, which region and what to do, and no botocore exception bare."""

from collections.abc import Callable
from typing import Any

import boto3
import pytest

from scripts.helpers.watermarks import (
    TableAccessError,
    TableError,
    TableNotFoundError,
    TableUnavailableError,
    Watermarks,
)
from scripts.helpers.watermarks.table import Lease
from tests.support.adding import add
from tests.support.tables import NOON, REGION, EmulatedTable, answer, faults_on

LEASE = Lease("token", "jr_1", NOON, NOON)
Use = Callable[[Watermarks], object]
USES: dict[str, Use] = {
    "get_most_recent_run_id": lambda watermarks: watermarks.get_most_recent_run_id("repairs"),
    "get_watermark": lambda watermarks: watermarks.get_watermark("repairs"),
    "get_watermark-of-a-run": lambda watermarks: watermarks.get_watermark("repairs", "jr_1"),
    "add_watermark": lambda watermarks: add(watermarks, "repairs", "jr_1", rows_collected=1),
    "adopt": lambda watermarks: watermarks.adopt("repairs", "jr_1"),
    "history": lambda watermarks: list(watermarks.history("repairs")),
    "jobs": lambda watermarks: list(watermarks.jobs()),
    "take": lambda watermarks: watermarks._table.take("repairs", LEASE),
    "renew": lambda watermarks: watermarks._table.renew("repairs", LEASE),
    "release": lambda watermarks: watermarks._table.release("repairs", "token"),
}
ALL_USES = pytest.mark.parametrize("use", USES.values(), ids=USES)
EXISTS_TOO = pytest.mark.parametrize(
    "use", [*USES.values(), lambda watermarks: watermarks.exists()], ids=[*USES, "exists"]
)


def refused(use: Use, watermarks: Watermarks, kind: type[TableError]) -> str:
    """The one line that the error says."""
    with pytest.raises(TableError) as failure:
        use(watermarks)
    assert type(failure.value) is kind, failure.value
    assert failure.value.table_name == watermarks.table_name
    assert repr(watermarks.table_name) in str(failure.value)
    assert "\n" not in str(failure.value)
    return str(failure.value)


@ALL_USES
def test_table_that_does_not_exist__names_table_region_and_remedy(dynamodb_endpoint: str, use: Use) -> None:
    watermarks = EmulatedTable(dynamodb_endpoint, "no-such-table").watermarks()

    message = refused(use, watermarks, TableNotFoundError)

    assert f"there is no table 'no-such-table' in region '{REGION}' at {dynamodb_endpoint}" in message
    assert "terraform -chdir=infra apply" in message


@pytest.mark.parametrize("use", [USES["get_watermark"], USES["add_watermark"]], ids=["get_watermark", "add_watermark"])
def test_table_in_another_region__names_the_region_asked(moto_table: EmulatedTable, use: Use) -> None:
    watermarks = moto_table.watermarks(region_name="us-east-1")

    message = refused(use, watermarks, TableNotFoundError)

    assert "in region 'us-east-1'" in message
    assert "give the right table_name, region_name or endpoint_url" in message


def test_exists__says_no_and_yes(watermarks: Watermarks, table: EmulatedTable) -> None:
    assert watermarks.exists() is True
    assert watermarks.exists(table.name) is True
    assert watermarks.exists("no-such-table") is False
    assert table.watermarks(table_name="no-such-table").exists() is False
    assert table.watermarks(table_name="no-such-table").exists(table.name) is True


@EXISTS_TOO
@pytest.mark.parametrize(
    ("code", "words"),
    [
        pytest.param("AccessDeniedException", "Attach the `job`, `reader` or `operator` policy", id="access-denied"),
        pytest.param("ExpiredTokenException", "(ExpiredTokenException): made up by a test. Renew them", id="expired"),
        pytest.param("UnrecognizedClientException", "AWS refused the credentials", id="unknown-key"),
        pytest.param("InvalidSignatureException", "AWS refused the credentials", id="wrong-secret"),
    ],
)
def test_no_access__says_what_is_missing(moto_table: EmulatedTable, use: Use, code: str, words: str) -> None:
    watermarks = moto_table.watermarks()

    with faults_on(watermarks, *[answer(400, code)] * 3) as line:
        message = refused(use, watermarks, TableAccessError)

    assert words in message
    assert f"table {moto_table.name!r} in region {REGION!r}" in message
    # Sent once: nothing of this passes by itself.
    assert len(line.sent) == 1


def test_no_access_to_the_transaction_alone__nothing_is_written(moto_table: EmulatedTable, job: str) -> None:
    watermarks = moto_table.watermarks()
    denied = answer(400, "AccessDeniedException", "no identity-based policy allows the dynamodb:PutItem action")

    with faults_on(watermarks, denied, operation="TransactWriteItems"):
        message = refused(lambda each: add(each, job, "jr_1"), watermarks, TableAccessError)

    assert message.startswith(f"Not allowed to add a watermark on table {moto_table.name!r}")
    assert "no identity-based policy allows the dynamodb:PutItem action" in message
    assert moto_table.items(job) == []


@EXISTS_TOO
def test_unknown_refusal__is_still_in_words(moto_table: EmulatedTable, use: Use) -> None:
    watermarks = moto_table.watermarks()

    with faults_on(watermarks, *[answer(400, "ValidationException", "One\nmore   thing")] * 3):
        message = refused(use, watermarks, TableError)

    assert message.endswith("ValidationException: One more thing")


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)


@EXISTS_TOO
@pytest.mark.usefixtures("bare_environment")
def test_no_region__says_how_to_give_one(moto_table: EmulatedTable, use: Use) -> None:
    watermarks = moto_table.watermarks(boto3_session=boto3.Session())

    message = refused(use, watermarks, TableAccessError)

    assert message == f"No AWS region for table {moto_table.name!r}. Set AWS_REGION or give region_name."


@EXISTS_TOO
@pytest.mark.usefixtures("bare_environment")
def test_no_credentials__says_so(moto_table: EmulatedTable, use: Use) -> None:
    watermarks = moto_table.watermarks(boto3_session=boto3.Session(), region_name=REGION)

    message = refused(use, watermarks, TableAccessError)

    assert "Unable to locate credentials" in message
    assert "Check credentials, profile, region and endpoint" in message


def test_profile_that_does_not_exist__says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "no-such-profile")

    with pytest.raises(TableAccessError, match=r"table 'glue-watermarks'.*\(no-such-profile\) could not be found"):
        Watermarks("glue-watermarks", region_name=REGION)


@EXISTS_TOO
@pytest.mark.usefixtures("waits")
def test_endpoint_where_nobody_answers__says_where(use: Use) -> None:
    # Port 9 of the loopback: nothing listens there.
    watermarks = EmulatedTable("http://127.0.0.1:9", "glue-watermarks").watermarks()

    message = refused(use, watermarks, TableUnavailableError)

    assert 'Could not connect to the endpoint URL: "http://127.0.0.1:9/"' in message
    assert "check the network, the endpoint" in message


@EXISTS_TOO
@pytest.mark.parametrize("endpoint_url", ["localhost:8000", "dynamodb"], ids=repr)
def test_endpoint_that_is_no_address__says_so(use: Use, endpoint_url: str) -> None:
    watermarks = EmulatedTable(endpoint_url, "glue-watermarks").watermarks()

    message = refused(use, watermarks, TableAccessError)

    assert f"Invalid endpoint: {endpoint_url}" in message


@pytest.mark.parametrize("region", ["eu west 2", "eu_west_2/"], ids=repr)
def test_region_that_is_no_region__says_so(region: str) -> None:
    watermarks = Watermarks("glue-watermarks", region_name=region, boto3_session=boto3.Session())

    message = refused(USES["get_watermark"], watermarks, TableAccessError)

    assert f"Provided region_name '{region}' doesn't match a supported format" in message


def test_error__keeps_its_cause(moto_table: EmulatedTable) -> None:
    watermarks = moto_table.watermarks()

    with faults_on(watermarks, answer(400, "AccessDeniedException")), pytest.raises(TableAccessError) as failure:
        watermarks.get_watermark("repairs")

    cause: Any = failure.value.__cause__
    assert cause.cause.response["Error"]["Code"] == "AccessDeniedException"
    assert failure.value.region == REGION
