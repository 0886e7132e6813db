"""`doctor`: it finds what is wrong, says how to mend it, and changes nothing."""

from datetime import timedelta
from typing import Any

import boto3
import pytest

from scripts.helpers.watermarks import Watermarks
from scripts.helpers.watermarks.doctor import examine
from tests.support.adding import add
from tests.support.runs import commit_run
from tests.support.tables import EmulatedTable, answer, faults_on, new_table, requests_of
from tests.watermarks.doctor.conftest import by_check, not_ok

DENIED = answer(400, "AccessDeniedException", "User: arn:aws:iam::123456789012:user/x is not authorized")


def test_healthy__nothing_is_wrong_and_nothing_is_written(table: EmulatedTable) -> None:
    watermarks = table.watermarks()
    commit_run(watermarks, "repairs", "jr_1", up_to=10)
    before = table.client.scan(TableName=table.name)["Items"]

    findings = examine(watermarks)

    assert not_ok(findings) == {}
    assert {finding.check for finding in findings} == {
        "credentials",
        "region",
        "table",
        "keys",
        "index",
        "expiry",
        "recovery",
        "protection",
        "clock",
        "may look",
        "may change",
        "jobs",
    }
    assert table.client.scan(TableName=table.name)["Items"] == before


def test_healthy__on_dynamodb_local_but_for_what_it_does_not_have(local_table: EmulatedTable, job: str) -> None:
    watermarks = local_table.watermarks()
    commit_run(watermarks, job, "jr_1", up_to=10)

    found = not_ok(examine(watermarks, job))

    assert set(found) <= {"recovery", "protection", "clock"}
    assert all(finding.verdict != "problem" for finding in found.values())
    assert local_table.count(job) == 2


def test_no_credentials(table: EmulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    watermarks = table.watermarks(boto3_session=boto3.Session(region_name="eu-west-2"))

    (finding,) = examine(watermarks)

    assert (finding.check, finding.verdict) == ("credentials", "problem")
    assert "AWS_PROFILE" in str(finding.remedy)


def test_credentials__that_aws_refuses_are_a_problem(table: EmulatedTable) -> None:
    watermarks = table.watermarks()
    expired = answer(400, "ExpiredTokenException", "The security token included in the request is expired")

    with faults_on(watermarks, *[expired] * 20):
        *_, finding = examine(watermarks)

    assert (finding.check, finding.verdict) == ("credentials", "problem")
    assert "expired" in finding.told


def test_no_region(table: EmulatedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")

    *_, finding = examine(table.watermarks(boto3_session=boto3.Session()))

    assert (finding.check, finding.verdict) == ("region", "problem")
    assert "AWS_REGION" in str(finding.remedy)


def test_no_table(table: EmulatedTable) -> None:
    *_, finding = examine(EmulatedTable(table.endpoint_url, "no-such-table").watermarks())

    assert (finding.check, finding.verdict) == ("table", "problem")
    assert "there is no table 'no-such-table'" in finding.told
    assert "terraform" in finding.told


def test_nobody_answers() -> None:
    *_, finding = examine(EmulatedTable("http://127.0.0.1:1", "any").watermarks())

    assert (finding.check, finding.verdict) == ("table", "problem")


def make_table(endpoint_url: str, **changes: Any) -> Watermarks:
    """A table that is not as the package needs it."""
    usual: dict[str, Any] = {
        "KeySchema": [
            {"AttributeName": "jobName", "KeyType": "HASH"},
            {"AttributeName": "runId", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": "S"} for name in ("jobName", "runId", "recordedAt", "stateOf")
        ],
        "BillingMode": "PAY_PER_REQUEST",
    }
    table = EmulatedTable(endpoint_url, new_table(endpoint_url).name + "-other")
    table.client.create_table(TableName=table.name, **usual | changes)
    return table.watermarks()


def index(name: str, keys: list[str], projection: dict[str, Any]) -> dict[str, Any]:
    schema = [{"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)]
    return {"IndexName": name, "KeySchema": schema, "Projection": projection}


RUNS_BY_TIME = index("runs-by-time", ["jobName", "recordedAt"], {"ProjectionType": "ALL"})
LATEST_BY_JOB = index("latest-by-job", ["stateOf"], {"ProjectionType": "ALL"})


@pytest.mark.parametrize(
    ("indexes", "told"),
    [
        ([LATEST_BY_JOB], "'runs-by-time' is missing"),
        ([RUNS_BY_TIME], "'latest-by-job' is missing"),
        (
            [RUNS_BY_TIME | {"Projection": {"ProjectionType": "KEYS_ONLY"}}, LATEST_BY_JOB],
            "'runs-by-time' does not hold all attributes",
        ),
        (
            [
                RUNS_BY_TIME,
                LATEST_BY_JOB
                | {"Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["version", "watermarks"]}},
            ],
            "'latest-by-job' does not hold lastBatchId, latestRunId, updatedAt, watermarkTypes",
        ),
        (
            [index("runs-by-time", ["jobName", "stateOf"], {"ProjectionType": "ALL"}), LATEST_BY_JOB],
            "'runs-by-time' has the keys jobName, stateOf instead of jobName, recordedAt",
        ),
    ],
    ids=["no-runs-by-time", "no-latest-by-job", "keys-only", "too-few-attributes", "other-keys"],
)
def test_indexes__not_as_needed(moto_endpoint: str, indexes: list[Any], told: str) -> None:
    used = {key["AttributeName"] for each in indexes for key in each["KeySchema"]} | {"jobName", "runId"}
    definitions = [{"AttributeName": name, "AttributeType": "S"} for name in sorted(used)]
    watermarks = make_table(moto_endpoint, GlobalSecondaryIndexes=indexes, AttributeDefinitions=definitions)

    findings = [finding for finding in examine(watermarks) if finding.check == "index"]

    (wrong,) = (finding for finding in findings if finding.verdict == "problem")
    assert told in wrong.told
    assert "terraform" in str(wrong.remedy)


def test_keys__of_another_table(moto_endpoint: str) -> None:
    watermarks = make_table(
        moto_endpoint,
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "N"}],
    )

    found = by_check(examine(watermarks))

    assert found["keys"].verdict == "problem"
    assert "id (N)" in found["keys"].told


def test_settings__that_are_off_are_warned_of(moto_endpoint: str) -> None:
    table = new_table(moto_endpoint)
    table.client.update_time_to_live(
        TableName=table.name, TimeToLiveSpecification={"Enabled": False, "AttributeName": "expiresAt"}
    )

    found = not_ok(examine(table.watermarks()))

    assert {check: finding.verdict for check, finding in found.items()} == {
        "expiry": "warning",
        "recovery": "warning",
        "protection": "warning",
    }
    assert all("terraform" in str(finding.remedy) for finding in found.values())


@pytest.mark.parametrize(
    ("seconds", "verdict"), [(0.0, "ok"), (-20.0, "warning"), (20.0, "warning"), (90.0, "problem")], ids=str
)
def test_clock__compared_with_the_service(table: EmulatedTable, seconds: float, verdict: str) -> None:
    from scripts.helpers.watermarks.watermarks.playbook import utc_now

    watermarks = table.watermarks(clock=lambda: utc_now() + timedelta(seconds=seconds))

    found = by_check(examine(watermarks))["clock"]

    assert found.verdict == verdict
    assert ("ahead of" if seconds > 0 else "behind") in found.told or verdict == "ok"


@pytest.mark.parametrize(
    ("operation", "check", "verdict", "told"),
    [
        ("GetItem", "may look", "problem", "read an item (GetItem)"),
        ("Scan", "may look", "problem", "list the jobs"),
        ("TransactWriteItems", "may change", "warning", "commit (PutItem"),
        ("UpdateItem", "may change", "warning", "take a job (UpdateItem)"),
        ("DescribeTimeToLive", "expiry", "unknown", "Not allowed"),
        ("DescribeTable", "table", "unknown", "Not allowed"),
    ],
)
def test_permissions__that_are_missing(
    table: EmulatedTable, operation: str, check: str, verdict: str, told: str
) -> None:
    watermarks = table.watermarks()
    add(watermarks, "repairs", "jr_1", value=1)

    with faults_on(watermarks, *[DENIED] * 20, operation=operation):
        found = by_check(examine(watermarks))[check]

    assert found.verdict == verdict
    assert told in found.told


def test_permissions__of_a_jobs_own_role_are_tried_on_that_job(table: EmulatedTable) -> None:
    watermarks = table.watermarks()
    add(watermarks, "repairs", "jr_1", value=1)

    with requests_of(watermarks) as requests:
        findings = examine(watermarks, "repairs")

    assert not_ok(findings) == {}
    assert "Scan" not in requests.names
    asked_of = [
        parameters["Key"]["jobName"]["S"]
        for name, parameters in requests.parameters
        if name in ("GetItem", "UpdateItem")
    ]
    assert set(asked_of) == {"repairs"}
