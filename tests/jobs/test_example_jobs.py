"""The example jobs, run as a user would: with Glue's arguments, in this process and with spark-submit."""

import importlib.util
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from scripts.jobs import payments_by_id, repairs_by_last_modified

JOBS = Path(payments_by_id.__file__).parent


@pytest.fixture
def watermarks(moto_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> Watermarks:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", moto_endpoint)
    table = Watermarks(table_name="glue-watermarks")
    table.create_table()
    return table


def arguments(job: str, folder: Path, **more: str) -> list[str]:
    given = {"JOB_NAME": job, "job-bookmark-option": "job-bookmark-enable", **more}
    given |= {"source": f"{folder}/source", "target": f"{folder}/target"}
    return ["job.py", *(f"--{name}={value}" for name, value in given.items())]


def add_repairs(spark: SparkSession, folder: Path, first: int, last: int) -> None:
    repairs = spark.sql(f"SELECT id AS repair_id, timestamp_seconds(id) AS last_modified FROM range({first}, {last})")
    repairs.write.mode("append").parquet(f"{folder}/source")


def add_payments(folder: Path, *lines: str) -> None:
    (folder / "source").mkdir(exist_ok=True)
    text = "\n".join(["payment_id,account,amount,paid_at", *lines])
    (folder / "source" / f"{uuid.uuid4()}.csv").write_text(text, encoding="utf-8")


def batches(spark: SparkSession, folder: Path) -> list[tuple[int, int]]:
    counted = spark.read.parquet(f"{folder}/target").groupBy("batch_id").count().orderBy("batch_id").collect()
    return [(row[0], row[1]) for row in counted]


def test_repairs__full_then_delta(watermarks: Watermarks, spark: SparkSession, tmp_path: Path) -> None:
    job = tmp_path.name
    add_repairs(spark, tmp_path, 0, 100)
    repairs_by_last_modified.main(arguments(job, tmp_path))
    add_repairs(spark, tmp_path, 100, 107)
    repairs_by_last_modified.main(arguments(job, tmp_path))

    assert batches(spark, tmp_path) == [(1, 100), (2, 7)]
    values = watermarks.get_watermark_values(job)
    assert values is not None
    assert values["repairs"].timestamp() == 106


def test_repairs__paused_run_moves_nothing(watermarks: Watermarks, spark: SparkSession, tmp_path: Path) -> None:
    add_repairs(spark, tmp_path, 0, 10)
    pause = {"job-bookmark-option": "job-bookmark-pause"}

    repairs_by_last_modified.main(arguments(tmp_path.name, tmp_path, **pause))

    assert watermarks.get_watermark(tmp_path.name) is None
    assert [path.name[0] for path in (tmp_path / "target").iterdir()] == ["_"]


def test_payments__sequential_ids_and_a_recorded_value(
    watermarks: Watermarks, spark: SparkSession, tmp_path: Path
) -> None:
    job = tmp_path.name
    add_payments(tmp_path, "1,a,10.00,2023-03-16 10:00:00", "2,b,-3.50,2023-03-16 11:00:00")
    payments_by_id.main(arguments(job, tmp_path))
    add_payments(tmp_path, "3,a,7.00,2023-03-16 09:00:00")
    payments_by_id.main(arguments(job, tmp_path))

    assert batches(spark, tmp_path) == [(1, 2), (2, 1)]
    assert [run["watermarks"] for run in watermarks.history(job)] == [
        {"payments": 3, "refunds": 0},
        {"payments": 2, "refunds": 1},
    ]


def test_payments__runs_unchanged_with_spark_submit(
    watermarks: Watermarks, spark: SparkSession, tmp_path: Path
) -> None:
    add_payments(tmp_path, "1,a,10.00,2023-03-16 10:00:00")
    pyspark = importlib.util.find_spec("pyspark")
    assert pyspark is not None
    assert pyspark.origin is not None
    command = [
        str(Path(pyspark.origin).parent / "bin" / "spark-submit"),
        str(JOBS / "payments_by_id.py"),
        *arguments(tmp_path.name, tmp_path, JOB_RUN_ID="jr_submitted")[1:],
    ]

    done = subprocess.run(
        command, env={**os.environ, "PYSPARK_PYTHON": sys.executable}, capture_output=True, text=True, cwd=tmp_path
    )

    assert done.returncode == 0, done.stderr
    assert watermarks.get_most_recent_run_id(tmp_path.name) == "jr_submitted"
    assert batches(spark, tmp_path) == [(1, 1)]


@pytest.mark.parametrize("script", sorted(JOBS.glob("*.py")), ids=lambda path: path.name)
def test_jobs__are_small_enough_to_copy(script: Path) -> None:
    assert len(script.read_text(encoding="utf-8").splitlines()) < 60
