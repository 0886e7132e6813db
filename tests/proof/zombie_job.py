"""Jobs that outlive their lease, in one process with its own Spark: frozen by SIGSTOP, or cut off from DynamoDB.

It says `arrived` when its jobs are where they are to be frozen or cut off, and at the end how each of them ended.
"""

import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from scripts.helpers.watermarks import JobRun, Watermarks
from tests.proof.crashing_job import SCHEMA
from tests.support.tables import REGION

RUN_ID = "jr_zombie"


@dataclass(frozen=True)
class Zombies:
    """What the process needs to know: `jobs` has the job of each way to be a zombie."""

    endpoint_url: str
    table_name: str
    folder: str
    lease_seconds: float
    jobs: dict[str, str]

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    def target(self, way: str) -> str:
        return f"{self.folder}/target-{way}"


class Process:
    def __init__(self, told: Zombies) -> None:
        self.told = told
        self.spark = _spark(told)
        self.watermarks = Watermarks(told.table_name, endpoint_url=told.endpoint_url, region_name=REGION)
        self.arrived: set[str] = set()
        self.ended: dict[str, str] = {}

    def run(self) -> None:
        for way in self.told.jobs:
            threading.Thread(target=self._run_job, args=(way,), daemon=True).start()
        self._wait(lambda: self.arrived | set(self.ended) >= set(self.told.jobs))
        say("arrived")
        self._wait(lambda: set(self.ended) == set(self.told.jobs))
        say(json.dumps(self.ended))

    def _run_job(self, way: str) -> None:
        lease = timedelta(seconds=self.told.lease_seconds)
        with self.watermarks.job_run(self.told.jobs[way], RUN_ID, lease=lease) as run:
            try:
                source = self.spark.read.schema(SCHEMA).parquet(f"{self.told.folder}/source")
                new = run.new_rows(source, "last_modified", transformation_ctx="repairs")
                WAYS[way](self, way, run, new)
                run.commit()
                self.ended[way] = "committed"
            except BaseException as error:
                self.ended[way] = f"{type(error).__name__}: {error}"
                raise

    def about_to_write(self, way: str, run: JobRun, new: DataFrame) -> None:
        """It is frozen before the write, which it begins as soon as it is awake."""
        self._arrive_and_wait(way)
        new.write.mode("overwrite").parquet(f"{self.told.target(way)}/batch_id={run.batch_id}")

    def in_the_write(self, way: str, run: JobRun, new: DataFrame) -> None:
        """It is frozen while a task of the write is at work."""
        threading.Thread(target=self._see_it_at_work, args=(way,), daemon=True).start()
        batch = f"{self.told.target(way)}/batch_id={run.batch_id}"
        noted = f"java_method('java.lang.System', 'setProperty', '{way}', 'at work')"
        slow(new, noted).write.mode("overwrite").parquet(batch)

    def about_to_work(self, way: str, _: JobRun, new: DataFrame) -> None:
        """It is frozen before work that does not ask the run for anything."""
        self._arrive_and_wait(way)
        slow(new).write.parquet(f"{self.told.target(way)}/scratch")

    def about_to_commit(self, way: str, run: JobRun, new: DataFrame) -> None:
        """It is frozen after the write, with nothing left to do but to commit."""
        new.write.mode("overwrite").parquet(f"{self.told.target(way)}/batch_id={run.batch_id}")
        self._arrive_and_wait(way)

    def piece_by_piece(self, way: str, run: JobRun, new: DataFrame) -> None:
        """It writes on and on, without ever asking the run for anything."""
        batch = f"{self.told.target(way)}/batch_id={run.batch_id}"
        for piece in range(10_000):
            slow(new.where(f"id % 4 = {piece % 4}")).write.parquet(f"{batch}/piece={piece}")
            self.arrived.add(way)

    def _see_it_at_work(self, way: str) -> None:
        jvm: Any = self.spark._jvm
        self._wait(lambda: jvm.java.lang.System.getProperty(way) == "at work")
        self.arrived.add(way)

    def _arrive_and_wait(self, way: str) -> None:
        self.arrived.add(way)
        self._wait(Path(self.told.folder, "go").exists)

    @staticmethod
    def _wait(until: Callable[[], bool]) -> None:
        while not until():
            time.sleep(0.02)


WAYS: dict[str, Callable[[Process, str, JobRun, DataFrame], None]] = {
    "about-to-write": Process.about_to_write,
    "in-the-write": Process.in_the_write,
    "about-to-work": Process.about_to_work,
    "about-to-commit": Process.about_to_commit,
    "piece-by-piece": Process.piece_by_piece,
}


def slow(df: DataFrame, noted: str = "1") -> DataFrame:
    """The same rows, one after the other, a fifth of a second each."""
    asleep = "java_method('java.lang.Thread', 'sleep', 200L) IS NOT NULL"
    return df.coalesce(1).where(f"{noted} IS NOT NULL AND {asleep}")


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def _spark(told: Zombies) -> SparkSession:
    return (
        SparkSession.builder.master("local[4]")
        .config("spark.local.dir", f"{told.folder}/spark")
        .config("spark.sql.warehouse.dir", f"{told.folder}/spark")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .getOrCreate()
    )


if __name__ == "__main__":
    Process(Zombies(**json.loads(sys.argv[1]))).run()
