"""``infra/`` applied to a moto server: the table it makes, the policies it gives, and the playbook on it."""

import json
from pathlib import Path
from typing import Any

import pytest

from scripts.helpers.watermarks import Watermarks
from scripts.helpers.watermarks.metrics.data import NAMESPACE
from tests.support.applied import REGION, Applied, apply
from tests.support.iam import Context, allows, as_list, statements

TABLE = "glue-watermarks"
ARN = f"arn:aws:dynamodb:{REGION}:123456789012:table/{TABLE}"
ARNS = {
    "table": ARN,
    "runs-by-time": f"{ARN}/index/runs-by-time",
    "latest-by-job": f"{ARN}/index/latest-by-job",
    "another-table": f"{ARN}-of-others",
}
ROLES = ("job", "reader", "operator")

JOB_VARIABLES = ('-var=job_names=["repairs-load", "stock-load"]', "-var=create_policies=true")


@pytest.fixture(scope="module")
def applied(infra: Path, endpoint_url: str) -> Applied:
    """``infra/`` applied as it is, and pointed at the emulator by nothing but the environment."""
    return apply(infra, endpoint_url)


@pytest.fixture(scope="module")
def applied_with_jobs(applied: Applied, infra: Path) -> Applied:
    """The same, applied again with jobs."""
    return apply(infra, applied.endpoint_url, *JOB_VARIABLES)


def schema(table: dict[str, Any]) -> dict[str, Any]:
    """What a description of a table says about its schema, in an order of its own."""
    return {
        "attributes": {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]},
        "billing": table["BillingModeSummary"]["BillingMode"],
        "key": key_of(table),
        "indexes": {
            index["IndexName"]: {
                "key": key_of(index),
                "projection": index["Projection"]["ProjectionType"],
                "attributes": sorted(index["Projection"].get("NonKeyAttributes", [])),
            }
            for index in table["GlobalSecondaryIndexes"]
        },
    }


def key_of(table_or_index: dict[str, Any]) -> dict[str, str]:
    return {key["KeyType"]: key["AttributeName"] for key in table_or_index["KeySchema"]}


def test_applied_table__has_the_schema_of_the_design(applied: Applied) -> None:
    table = applied.client("dynamodb").describe_table(TableName=TABLE)["Table"]

    assert schema(table) == {
        "attributes": {"jobName": "S", "runId": "S", "recordedAt": "S", "stateOf": "S"},
        "billing": "PAY_PER_REQUEST",
        "key": {"HASH": "jobName", "RANGE": "runId"},
        "indexes": {
            "runs-by-time": {
                "key": {"HASH": "jobName", "RANGE": "recordedAt"},
                "projection": "ALL",
                "attributes": [],
            },
            "latest-by-job": {
                "key": {"HASH": "stateOf"},
                "projection": "INCLUDE",
                "attributes": sorted(
                    ["latestRunId", "version", "lastBatchId", "updatedAt", "watermarks", "watermarkTypes"]
                ),
            },
        },
    }


def test_applied_table__is_protected(applied: Applied) -> None:
    client = applied.client("dynamodb")

    table = client.describe_table(TableName=TABLE)["Table"]
    expiry = client.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"]
    backups = client.describe_continuous_backups(TableName=TABLE)["ContinuousBackupsDescription"]

    assert table["DeletionProtectionEnabled"] is True
    assert (table["SSEDescription"]["Status"], table["SSEDescription"]["SSEType"]) == ("ENABLED", "KMS")
    assert expiry == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expiresAt"}
    assert backups["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"] == "ENABLED"


def test_applied_infra__leaves_nothing_to_change(applied: Applied, applied_with_jobs: Applied) -> None:
    assert applied.exit_code_of_next_plan == 0
    assert applied_with_jobs.exit_code_of_next_plan == 0


def test_outputs__say_where_the_table_is(applied: Applied) -> None:
    assert applied.outputs["table_name"] == TABLE
    assert applied.outputs["table_arn"] == ARN
    assert applied.outputs["console_url"] == (
        f"https://{REGION}.console.aws.amazon.com/dynamodbv2/home?region={REGION}#item-explorer?table={TABLE}"
    )


def test_outputs__have_no_job_policy_without_jobs(applied: Applied) -> None:
    assert applied.outputs.get("job_policy_json") is None
    assert applied.outputs["job_policy_json_by_job"] == {}


KEYS_ASKED_FOR: dict[str, Context] = {
    "own": {"dynamodb:LeadingKeys": ["repairs-load"]},
    "two-own": {"dynamodb:LeadingKeys": ["repairs-load", "stock-load"]},
    "foreign": {"dynamodb:LeadingKeys": ["payroll-load"]},
    "own-and-foreign": {"dynamodb:LeadingKeys": ["repairs-load", "payroll-load"]},
    "no-key": {},
}


@pytest.mark.parametrize(
    ("action", "resource", "keys", "allowed"),
    (
        ("GetItem", "table", "own", "job reader operator"),
        ("GetItem", "table", "foreign", "reader operator"),
        ("BatchGetItem", "table", "own", "reader operator"),
        ("Query", "table", "own", "job reader operator"),
        ("Query", "table", "no-key", "reader operator"),
        ("Query", "runs-by-time", "own", "job reader operator"),
        ("Query", "runs-by-time", "foreign", "reader operator"),
        ("Query", "runs-by-time", "no-key", "reader operator"),
        ("Query", "latest-by-job", "own", "reader operator"),
        ("Scan", "latest-by-job", "no-key", "reader operator"),
        ("Scan", "runs-by-time", "no-key", ""),
        ("Scan", "table", "no-key", ""),
        *(
            (write, resource, keys, allowed)
            for write in ("PutItem", "UpdateItem", "ConditionCheckItem")
            for resource, keys, allowed in (
                ("table", "own", "job operator"),
                ("table", "two-own", "job operator"),
                ("table", "foreign", "operator"),
                ("table", "own-and-foreign", "operator"),
                ("table", "no-key", "operator"),
                ("another-table", "own", ""),
            )
        ),
        ("DescribeTable", "table", "no-key", "job reader operator"),
        ("DescribeTimeToLive", "table", "no-key", "reader operator"),
        ("DescribeContinuousBackups", "table", "no-key", "reader operator"),
        ("DeleteItem", "table", "own", ""),
        ("BatchWriteItem", "table", "own", ""),
        ("UpdateTable", "table", "no-key", ""),
        ("DeleteTable", "table", "no-key", ""),
    ),
)
def test_policies__allow(applied_with_jobs: Applied, action: str, resource: str, keys: str, allowed: str) -> None:
    policies = {role: applied_with_jobs.outputs[f"{role}_policy_json"] for role in ROLES}
    request = (f"dynamodb:{action}", ARNS[resource], KEYS_ASKED_FOR[keys])

    roles = [role for role, policy in policies.items() if allows(policy, *request)]

    assert roles == allowed.split()


def test_policies__of_one_job_allow_no_other(applied_with_jobs: Applied) -> None:
    policy = applied_with_jobs.outputs["job_policy_json_by_job"]["stock-load"]

    assert allows(policy, "dynamodb:PutItem", ARN, {"dynamodb:LeadingKeys": ["stock-load"]})
    assert not allows(policy, "dynamodb:PutItem", ARN, {"dynamodb:LeadingKeys": ["repairs-load"]})


@pytest.mark.parametrize(
    ("namespace", "allowed"), [(NAMESPACE, ["job"]), ("Glue", []), ("AWS/Billing", []), (None, [])], ids=str
)
def test_policies__allow_metrics(applied_with_jobs: Applied, namespace: str | None, allowed: list[str]) -> None:
    context: Context = {"cloudwatch:namespace": [namespace]} if namespace else {}
    policies = {role: applied_with_jobs.outputs[f"{role}_policy_json"] for role in ROLES}

    roles = [role for role, policy in policies.items() if allows(policy, "cloudwatch:PutMetricData", "*", context)]

    assert roles == allowed


@pytest.mark.parametrize("role", ROLES)
def test_policies__have_no_wildcard(applied_with_jobs: Applied, role: str) -> None:
    for statement in statements(applied_with_jobs.outputs[f"{role}_policy_json"]):
        actions, resources = as_list(statement["Action"]), as_list(statement["Resource"])
        # AWS knows no resources of metrics; the condition holds them to a namespace instead.
        of_metrics = actions == ["cloudwatch:PutMetricData"] and resources == ["*"] and "Condition" in statement
        assert of_metrics or "*" not in "".join(actions + resources)


def test_managed_policies__are_the_outputs(applied_with_jobs: Applied) -> None:
    iam = applied_with_jobs.client("iam")

    arns = applied_with_jobs.outputs["policy_arns"]
    assert set(arns) == set(ROLES)
    for role, arn in arns.items():
        created = iam.get_policy_version(PolicyArn=arn, VersionId="v1")["PolicyVersion"]["Document"]
        assert created == json.loads(applied_with_jobs.outputs[f"{role}_policy_json"])


def test_applied_table__has_the_same_schema_as_create_table(applied: Applied) -> None:
    client = applied.client("dynamodb")
    local = "made-by-create-table"

    Watermarks(local, region_name=REGION, endpoint_url=applied.endpoint_url).create_table()

    assert schema(client.describe_table(TableName=local)["Table"]) == schema(
        client.describe_table(TableName=TABLE)["Table"]
    )
    assert (
        client.describe_time_to_live(TableName=local)["TimeToLiveDescription"]
        == client.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"]
    )


def test_applied_table__runs_the_playbook(applied: Applied) -> None:
    watermarks = Watermarks(TABLE, region_name=REGION, endpoint_url=applied.endpoint_url)
    assert watermarks.get_most_recent_run_id(job_id="repairs-load") is None

    for run_id, latest_data in (("jr_f00d", "2023-03-15 15:45:00"), ("jr_beef", "2023-03-16 15:45:00")):
        item = watermarks.create_watermark_item(
            job_id="repairs-load", run_id=run_id, latest_data=latest_data, rows_collected=808
        )
        watermarks.add_watermark(item)

    most_recent = watermarks.get_most_recent_run_id(job_id="repairs-load")
    assert most_recent == "jr_beef"
    assert watermarks.get_watermark(job_id="repairs-load", run_id=most_recent) == {
        "jobName": "repairs-load",
        "runId": "jr_beef",
        "watermarks": {"latest_data": "2023-03-16 15:45:00", "rows_collected": 808},
    }
