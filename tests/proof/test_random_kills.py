"""A job killed at any moment, many times over: only in `make stress`, since every kill costs a start of Spark."""

import os
import random
import signal
import time
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.proof.relentless_job import SCHEMA, STEP
from tests.support.processes import said_by, started
from tests.support.tables import EmulatedTable

KILLS = 20
LAST_ID = 400


@pytest.mark.timeout(1_200)
@pytest.mark.parametrize("seed", [int(os.environ.get("WATERMARKS_SEED", "1"))])
def test_killed__at_any_moment_and_again(
    spark: SparkSession, watermarks: Watermarks, local_table: EmulatedTable, job: str, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    spark.range(1, LAST_ID + 1, 1, 2).write.parquet(str(tmp_path / "source"))

    ended = [run_until(local_table, job, tmp_path, chance.uniform(0, 6)) for _ in range(KILLS)]
    ended.append(run_until(local_table, job, tmp_path, None))

    assert ended[-1] == 0
    assert -signal.SIGKILL in ended
    target = spark.read.schema(SCHEMA).parquet(str(tmp_path / "target"))
    assert sorted(row["id"] for row in target.select("id").collect()) == [*range(1, LAST_ID + 1)]
    committed = [run for run in watermarks.history(job, limit=None) if run["status"] == "SUCCEEDED"]
    assert [run["batchId"] for run in reversed(committed)] == [*range(1, len(committed) + 1)]
    windows = [(run["sources"]["numbers"].get("low"), run["sources"]["numbers"]["high"]) for run in reversed(committed)]
    assert [low for low, _ in windows] == [None, *(high for _, high in windows[:-1])]
    assert max(high - (low or 0) for low, high in windows) <= STEP


def run_until(table: EmulatedTable, job: str, folder: Path, seconds: float | None) -> int:
    """Run the job and kill it, with its JVM, so long after its Spark is up; let it end by itself where None."""
    told = [table.endpoint_url, table.name, job, str(folder), str(LAST_ID)]
    log = folder / "job.log"
    with started("tests.proof.relentless_job", *told, log=log) as process:
        assert said_by(process) == "ready", log.read_text()
        if seconds is None:
            return process.wait(600)
        time.sleep(seconds)
    return process.wait(60)
