"""docs/migrating.md: its Python blocks and commands are run as they stand, and what it says of our code is so."""

import json
import os
import shlex
import uuid
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import boto3
import pytest
from boto3.dynamodb.types import TypeDeserializer
from pyspark.sql import SparkSession

from demo.embedded import moto_server
from scripts.helpers.watermarks import (
    BrokenItemError,
    UnadoptedItemsError,
    WatermarkMismatchError,
    WatermarkNotFoundError,
    Watermarks,
)
from tests.support.pages import block_under, blocks
from tests.support.tables import REGION, EmulatedTable, new_table

PAGE = "docs/migrating.md"
JOB = "load-repairs"
OLDER = {"jr_ff21": "2023-03-15 15:45:00", "jr_0c4e": "2023-03-16 15:45:00"}

CHOOSE, ADOPT = "2. Choose the run to go on from", "3. Adopt it"
SET_MARK, SET_FROM_BOOKMARK = "4. If the job now uses `new_rows`", "2. Set the marks"
READ_BOOKMARK, COMPARE = "1. Read the bookmark", "4. Compare, once"


def create_original_table(endpoint_url: str, name: str) -> EmulatedTable:
    """A table as the platform's has it: the two keys, and no index."""
    table = EmulatedTable(endpoint_url, name)
    table.client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("jobName", "runId")],
        KeySchema=[
            {"AttributeName": "jobName", "KeyType": "HASH"},
            {"AttributeName": "runId", "KeyType": "RANGE"},
        ],
    )
    return table


@pytest.fixture
def original(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedTable]:
    """A platform's table with two runs of a job, the later of which has the lower id; an AWS of its own."""
    with moto_server() as endpoint_url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", endpoint_url)
        table = create_original_table(endpoint_url, "glue-watermarks")
        for run_id, latest_data in OLDER.items():
            table.put(JOB, run_id, watermarks={"M": {"latest_data": {"S": latest_data}, "rows": {"N": "808"}}})
        yield table


def run_commands(client: Any, table_name: str) -> None:
    """Run the page's `aws dynamodb` commands, each once the table is ready for it."""
    (text,) = [block.text for block in blocks(PAGE, "console") if block.text.startswith("aws dynamodb")]
    for command in text.replace("\\\n", "").split("\n\n"):
        _, service, operation, *words = shlex.split(command)
        assert service == "dynamodb"
        options = dict(zip(words[::2], words[1::2], strict=True))
        given = {"".join(part.title() for part in name.strip("-").split("-")): text for name, text in options.items()}
        parameters = {name: json.loads(text) if text[0] in "[{" else text for name, text in given.items()}
        getattr(client, operation.replace("-", "_"))(**parameters | {"TableName": table_name})
        wait_for_indexes(client, table_name)


def wait_for_indexes(client: Any, table_name: str) -> None:
    for _ in range(10_000):
        indexes = client.describe_table(TableName=table_name)["Table"].get("GlobalSecondaryIndexes", [])
        if all(index["IndexStatus"] == "ACTIVE" for index in indexes):
            return
    pytest.fail(f"not active: {indexes}")


def indexes_of(client: Any, table_name: str) -> dict[str, Any]:
    indexes = client.describe_table(TableName=table_name)["Table"]["GlobalSecondaryIndexes"]
    for index in indexes:
        index["Projection"].get("NonKeyAttributes", []).sort()
    return {index["IndexName"]: (index["KeySchema"], index["Projection"]) for index in indexes}


def test_page__no_python_block_is_forgotten_here() -> None:
    run_here = [CHOOSE, ADOPT, SET_MARK, SET_FROM_BOOKMARK, COMPARE]

    assert [block.heading for block in blocks(PAGE)] == run_here


def test_indexes__commands_add_those_that_the_package_creates(dynamodb_endpoint: str) -> None:
    older = create_original_table(dynamodb_endpoint, f"original-{uuid.uuid4().hex[:12]}")
    newer = new_table(dynamodb_endpoint)

    run_commands(older.client, older.name)

    assert indexes_of(older.client, older.name) == indexes_of(newer.client, newer.name)


def test_original_class__the_four_steps(original: EmulatedTable, tmp_path: Path) -> None:
    watermarks = Watermarks(table_name="glue-watermarks")
    with pytest.raises(UnadoptedItemsError):
        watermarks.get_most_recent_run_id(JOB)

    run_commands(original.client, original.name)
    assert list(watermarks.history(JOB)) == []
    assert block_under(PAGE, CHOOSE).run(tmp_path)["latest"]["runId"] == "jr_0c4e"
    block_under(PAGE, ADOPT).run(tmp_path)
    block_under(PAGE, SET_MARK).run(tmp_path)

    assert [run["runId"] for run in watermarks.history(JOB)] == ["jr_0c4e"]
    assert [job["jobName"] for job in watermarks.jobs()] == [JOB]
    with pytest.raises(WatermarkNotFoundError, match="original class recorded it"):
        watermarks.rewind(JOB, "jr_ff21")
    assert watermarks.get_watermark_values(JOB, "jr_ff21") == {"latest_data": OLDER["jr_ff21"], "rows": 808}


def test_original_class__next_run_loads_what_is_above_the_mark_as_batch_1(
    original: EmulatedTable, spark: SparkSession, tmp_path: Path
) -> None:
    """On the table as it was: nothing that decides reads an index."""
    watermarks = original.watermarks()
    block_under(PAGE, ADOPT).run(tmp_path)
    block_under(PAGE, SET_MARK).run(tmp_path)
    repairs = spark.sql("SELECT timestamp'2023-03-16 15:44:59Z' + make_interval(0,0,0,0,0,0,id) AS at FROM range(4)")

    with watermarks.job_run(JOB, "jr_0000") as run:
        assert run.batch_id == 1
        assert run.new_rows(repairs, "at", transformation_ctx="repairs").count() == 2


def test_original_class__without_a_mark_the_first_run_loads_everything(
    original: EmulatedTable, spark: SparkSession, tmp_path: Path
) -> None:
    block_under(PAGE, ADOPT).run(tmp_path)

    with original.watermarks().job_run(JOB, "jr_0000") as run:
        assert run.new_rows(spark.range(4), "id", transformation_ctx="repairs").count() == 4


def test_original_class__text_as_the_mark_of_a_time_is_refused_by_the_first_run(
    original: EmulatedTable, spark: SparkSession
) -> None:
    watermarks = original.watermarks()
    watermarks.adopt(JOB, "jr_0c4e")
    watermarks.set_mark(JOB, "repairs", "2023-03-16 15:45:00")
    repairs = spark.sql("SELECT timestamp'2023-03-17 00:00:00Z' AS at")

    with pytest.raises(WatermarkMismatchError, match="reset"), watermarks.job_run(JOB, "jr_0000") as run:
        run.new_rows(repairs, "at", transformation_ctx="repairs")


def test_original_class__values_under_another_name_are_refused_until_it_is_renamed(original: EmulatedTable) -> None:
    original.put("other", "jr_a", checkpoint={"M": {"latest_data": {"S": "2023"}}})
    watermarks = original.watermarks()

    with pytest.raises(BrokenItemError, match="'checkpoint' is not known"):
        watermarks.adopt("other", "jr_a")
    original.edit("other", "jr_a", checkpoint=None, watermarks={"M": {"latest_data": {"S": "2023"}}})
    watermarks.adopt("other", "jr_a")

    assert watermarks.get_watermark_values("other") == {"latest_data": "2023"}


def test_original_class__is_not_seen_for_a_job_that_has_moved(original: EmulatedTable) -> None:
    watermarks = original.watermarks()
    watermarks.adopt(JOB, "jr_0c4e")

    original.put(JOB, "jr_ffff", watermarks={"M": {"latest_data": {"S": "2023-03-17"}}})

    assert watermarks.get_most_recent_run_id(JOB) == "jr_0c4e"


def test_original_class__can_read_what_the_new_one_recorded(original: EmulatedTable) -> None:
    """As the original class reads: the highest run id, then that item, deserialised by boto3."""
    watermarks = original.watermarks()
    watermarks.adopt(JOB, "jr_0c4e")
    watermarks.add_watermark(watermarks.create_watermark_item(JOB, "jr_ffff", latest_data="2023-03-17", rows=5))

    highest = original.client.query(
        TableName=original.name,
        KeyConditionExpression="jobName = :job",
        ExpressionAttributeValues={":job": {"S": JOB}},
        ScanIndexForward=False,
        Limit=1,
    )["Items"][0]

    read = {name: TypeDeserializer().deserialize(value) for name, value in highest.items()}
    assert (read["jobName"], read["runId"]) == (JOB, "jr_ffff")
    assert read["watermarks"] == {"latest_data": "2023-03-17", "rows": 5}


@pytest.mark.usefixtures("original")
def test_bookmarks__marks_are_set_from_what_glue_says(tmp_path: Path) -> None:
    (tmp_path / "bookmark.json").write_text(block_under(PAGE, READ_BOOKMARK, "json").text)

    block_under(PAGE, SET_FROM_BOOKMARK).run(tmp_path)

    client = boto3.client("dynamodb", region_name=REGION)
    keys = [{"jobName": {"S": job}, "runId": {"S": "#latest"}} for job in ("load-claims", "load-payments")]
    states = [client.get_item(TableName="glue-watermarks", Key=key)["Item"]["sources"]["M"] for key in keys]
    assert states[0]["claims"]["M"]["mark"] == {"S": "2024-10-28T01:57:06.503000Z"}
    assert states[1]["payments"]["M"]["mark"] == {"N": "81204"}


def test_bookmarks__files_up_to_the_mark_are_not_read_again(
    original: EmulatedTable, spark: SparkSession, tmp_path: Path
) -> None:
    watermarks = original.watermarks()
    for name, second in {"before": 26, "at": 1_000_026, "after": 1_000_027}.items():
        path = tmp_path / "landing" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"claim": name}))
        os.utime(path, (second, second))
    watermarks.set_mark("load-claims", "claims", datetime.fromtimestamp(1_000_026, timezone.utc))

    with watermarks.job_run("load-claims", "jr_1") as run:
        claims = run.new_files(
            spark, str(tmp_path / "landing"), format="json", schema="claim STRING", transformation_ctx="claims"
        )
        assert [row.claim for row in claims.collect()] == ["after"]


@pytest.mark.parametrize(("written", "missing", "more"), [(range(81_205, 81_305), 0, 0), (range(81_200, 81_300), 5, 5)])
def test_bookmarks__comparison_finds_what_differs_and_moves_nothing(
    original: EmulatedTable, spark: SparkSession, tmp_path: Path, written: range, missing: int, more: int
) -> None:
    watermarks = original.watermarks()
    watermarks.set_mark("load-payments", "payments", 81_204)
    before = original.items("load-payments")
    spark.range(81_000, 81_400).toDF("payment_id").write.parquet(f"{tmp_path}/payments/source")
    ids = spark.range(written.start, written.stop).toDF("payment_id")
    ids.write.parquet(f"{tmp_path}/payments/run=jr_6d3a")

    names = block_under(PAGE, COMPARE).run(tmp_path)

    assert (names["missing"], names["more"]) == (missing, more)
    assert original.items("load-payments") == before
