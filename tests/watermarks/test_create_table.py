"""`create_table`: the schema that the design names, for emulators and tests."""

from typing import Any

import pytest

from scripts.helpers.watermarks import Watermarks
from tests.support.adding import add
from tests.support.tables import EmulatedTable


@pytest.fixture
def description(table: EmulatedTable) -> Any:
    return table.client.describe_table(TableName=table.name)["Table"]


def keys_of(described: Any) -> list[tuple[str, str]]:
    return [(key["AttributeName"], key["KeyType"]) for key in described["KeySchema"]]


def test_table__keys_and_billing(description: Any) -> None:
    assert keys_of(description) == [("jobName", "HASH"), ("runId", "RANGE")]
    assert {each["AttributeType"] for each in description["AttributeDefinitions"]} == {"S"}
    assert description["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_table__indexes(description: Any) -> None:
    indexes = {index["IndexName"]: index for index in description["GlobalSecondaryIndexes"]}

    assert set(indexes) == {"runs-by-time", "latest-by-job"}
    assert keys_of(indexes["runs-by-time"]) == [("jobName", "HASH"), ("recordedAt", "RANGE")]
    assert indexes["runs-by-time"]["Projection"]["ProjectionType"] == "ALL"
    assert keys_of(indexes["latest-by-job"]) == [("stateOf", "HASH")]
    projection = indexes["latest-by-job"]["Projection"]
    assert projection["ProjectionType"] == "INCLUDE"
    assert {"latestRunId", "version", "lastBatchId", "updatedAt", "watermarks"} <= set(projection["NonKeyAttributes"])
    assert "sources" not in projection["NonKeyAttributes"]


def test_table__records_expire(table: EmulatedTable) -> None:
    told = table.client.describe_time_to_live(TableName=table.name)["TimeToLiveDescription"]

    assert told["AttributeName"] == "expiresAt"
    assert told["TimeToLiveStatus"] in ("ENABLED", "ENABLING")


def test_create_table__where_it_exists_changes_nothing(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)

    watermarks.create_table()

    assert watermarks.exists()
    assert table.count(job) == 2
