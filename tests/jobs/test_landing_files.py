"""The example job for files, run as a user would: with Glue's arguments, again and again over a landing folder."""

import json
import os
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from scripts.jobs import landing_files

HOUR = 3_600


@pytest.fixture
def watermarks(moto_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Watermarks:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", moto_endpoint)
    table = Watermarks(table_name="glue-watermarks")
    table.create_table()
    return table


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    return folder


def run_job(folder: Path, **more: str) -> None:
    given = {"JOB_NAME": folder.name, "job-bookmark-option": "job-bookmark-enable", **more}
    given |= {"source": f"{folder}/source", "target": f"{folder}/target"}
    landing_files.main(["job.py", *(f"--{name}={value}" for name, value in given.items())])


def land(source: Path, name: str, *claim_ids: int, ago: float = HOUR) -> None:
    claims = [
        {"claim_id": n, "policy": f"P-{n}", "amount": 12.5, "filed_at": "2023-03-16T15:45:00Z"} for n in claim_ids
    ]
    file = source / name
    file.write_text("\n".join(map(json.dumps, claims)), encoding="utf-8")
    modified = datetime.now(timezone.utc).timestamp() - ago
    os.utime(file, (modified, modified))


def loaded(spark: SparkSession, folder: Path) -> list[tuple[int, int]]:
    """The claims in the target, each with the batch that it is in."""
    rows = spark.read.parquet(f"{folder}/target").select("batch_id", "claim_id").collect()
    return sorted((row["batch_id"], row["claim_id"]) for row in rows)


def test_landing_files__full_then_delta(
    watermarks: Watermarks, spark: SparkSession, tmp_path: Path, source: Path
) -> None:
    land(source, "a.json", 1, 2)
    run_job(tmp_path)
    land(source, "late.json", 3, ago=600)
    run_job(tmp_path)
    run_job(tmp_path)
    land(source, "a.json", 4, ago=60)
    run_job(tmp_path)

    assert loaded(spark, tmp_path) == [(1, 1), (1, 2), (2, 3), (4, 4)]
    assert [run["sources"]["claims"]["files"] for run in watermarks.history(tmp_path.name)] == [1, 0, 1, 1]


def test_landing_files__columns_are_those_of_the_schema(
    watermarks: Watermarks, spark: SparkSession, tmp_path: Path, source: Path
) -> None:
    land(source, "a.json", 7)
    run_job(tmp_path)

    (row,) = (
        spark.read.parquet(f"{tmp_path}/target/batch_id=1").selectExpr("*", "unix_seconds(filed_at) AS at").collect()
    )

    assert (row["claim_id"], row["policy"], row["amount"]) == (7, "P-7", Decimal("12.50"))
    assert row["at"] == datetime(2023, 3, 16, 15, 45, tzinfo=timezone.utc).timestamp()
    assert watermarks.get_most_recent_run_id(tmp_path.name) is not None


def test_landing_files__paused_run_moves_nothing(watermarks: Watermarks, tmp_path: Path, source: Path) -> None:
    land(source, "a.json", 1)

    run_job(tmp_path, **{"job-bookmark-option": "job-bookmark-pause"})

    assert watermarks.get_watermark(tmp_path.name) is None
    assert [path.name[0] for path in (tmp_path / "target").iterdir()] == ["_"]


def test_landing_files__a_retry_overwrites_what_a_failed_run_left(
    watermarks: Watermarks, spark: SparkSession, tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    land(source, "a.json", 1)
    with monkeypatch.context() as patched:
        patched.setattr("scripts.helpers.watermarks.job_run.run.JobRun.commit", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run_job(tmp_path)
    assert loaded(spark, tmp_path) == [(1, 1)]

    land(source, "b.json", 2)
    run_job(tmp_path)

    assert loaded(spark, tmp_path) == [(1, 1), (1, 2)]
    assert [run["status"] for run in watermarks.history(tmp_path.name)] == ["SUCCEEDED", "FAILED"]
