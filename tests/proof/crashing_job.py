"""A job to be killed: it goes as far as a step, and waits there for SIGKILL.

One process may run many jobs, each in a thread of its own and each to its own step, so that one kill proves many
cases. When every job has arrived, it says `arrived`; whoever started it kills it then, with Spark's JVM.
"""

import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, NoReturn, TypeAlias, get_args

from botocore.httpsession import URLLib3Session
from pyspark.sql import DataFrame, SparkSession

from scripts.helpers.watermarks import JobRun, Watermarks
from tests.support.tables import REGION, client_of

Step: TypeAlias = Literal[
    "before-begin",
    "after-begin",
    "while-reading",
    "during-the-write",
    "after-the-write",
    "before-the-commit-request",
    "before-the-commit-answer",
    "after-the-commit",
]
STEPS: tuple[Step, ...] = get_args(Step)
# As batches, as batches with what arrived late, or all into one folder.
Writes: TypeAlias = Literal["batches", "late-too", "append"]
LAG = timedelta(seconds=30)
SCHEMA = "id BIGINT, last_modified TIMESTAMP"
IN_SPARK = ("while-reading", "during-the-write")


@dataclass(frozen=True)
class Case:
    """A job, the run that is to die, the step at which it does, what it reads, where and how it writes."""

    name: str
    job: str
    run_id: str
    step: Step
    source: str
    target: str
    writes: Writes


@dataclass(frozen=True)
class Crash:
    """What the process needs to know."""

    endpoint_url: str
    table_name: str
    spark_folder: str
    last_id: int
    cases: list[Case]

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Crash":
        told = json.loads(text)
        return cls(**told | {"cases": [Case(**case) for case in told["cases"]]})


def unchanged(df: DataFrame) -> DataFrame:
    return df


def load(
    run: JobRun,
    spark: SparkSession,
    source: str,
    target: str,
    writes: Writes = "batches",
    *,
    reading: Callable[[DataFrame], DataFrame] = unchanged,
    writing: Callable[[DataFrame], DataFrame] = unchanged,
) -> None:
    """Load what is new: the body of the job, the same for the run that dies and the one that comes after it."""
    repairs = reading(spark.read.schema(SCHEMA).parquet(source))
    loaded = spark.read.schema(f"{SCHEMA}, batch_id INT").parquet(target) if writes == "late-too" else None
    late: dict[str, Any] = {"lag": LAG, "already_loaded": loaded, "keys": ["id"]} if loaded is not None else {}
    new = writing(run.new_rows(repairs, "last_modified", transformation_ctx="repairs", **late))
    if writes == "append":
        new.write.mode("append").parquet(target)
    else:
        new.write.mode("overwrite").parquet(f"{target}/batch_id={run.batch_id}")


class Killer:
    """Knows who has arrived where it is to die."""

    def __init__(self, crash: Crash) -> None:
        self.crash = crash
        self.spark = _spark(crash) if any(case.step not in STEPS[:2] for case in crash.cases) else None
        self.watermarks = Watermarks(crash.table_name, endpoint_url=crash.endpoint_url, region_name=REGION)
        client_of(self.watermarks).meta.events.register("before-send.dynamodb.TransactWriteItems", self._at_the_commit)
        self._here = threading.local()
        self._waiting: set[str] = set()

    def run(self) -> NoReturn:
        for case in self.crash.cases:
            threading.Thread(target=self._run_job, args=(case,), daemon=True).start()
        while not all(self._has_arrived(case) for case in self.crash.cases):
            time.sleep(0.05)
        sys.stdout.write("arrived\n")
        sys.stdout.flush()
        wait_for_death()

    def _run_job(self, case: Case) -> None:
        self._here.case = case
        self._reach("before-begin")
        with self.watermarks.job_run(case.job, case.run_id) as run:
            self._reach("after-begin")
            assert self.spark is not None
            stuck = {"while-reading": "reading", "during-the-write": "writing"}
            hook = {stuck[case.step]: self._stuck} if case.step in IN_SPARK else {}
            load(run, self.spark, case.source, case.target, case.writes, **hook)
            self._reach("after-the-write")
        self._reach("after-the-commit")

    def _reach(self, step: Step) -> None:
        case: Case = self._here.case
        if case.step == step:
            self._waiting.add(case.name)
            wait_for_death()

    def _at_the_commit(self, request: Any, **_: Any) -> None:
        self._reach("before-the-commit-request")
        if self._here.case.step == "before-the-commit-answer":
            answer = URLLib3Session().send(request)
            assert answer.status_code == 200, answer.content
            self._reach("before-the-commit-answer")

    def _stuck(self, df: DataFrame) -> DataFrame:
        """Let the task that meets the last id note that in the JVM, and stay there. The other tasks go on."""
        name = self._here.case.name
        return df.repartition(2, "id").where(
            f"CASE WHEN id = {self.crash.last_id} THEN "
            f"java_method('java.lang.System', 'setProperty', '{name}', 'stuck') IS NOT NULL "
            "AND java_method('java.lang.Thread', 'sleep', 3600000L) IS NOT NULL ELSE true END"
        )

    def _has_arrived(self, case: Case) -> bool:
        if case.step not in IN_SPARK:
            return case.name in self._waiting
        jvm: Any = self.spark._jvm if self.spark is not None else None
        if jvm.java.lang.System.getProperty(case.name) != "stuck":
            return False
        return case.step == "while-reading" or has_new_files(case)


def has_new_files(case: Case) -> bool:
    """Whether a task of the write has left its file in the target, although the job of the write is not done."""
    target = Path(case.target)
    append = case.writes == "append"
    files = target.glob("part-*") if append else target.glob("batch_id=3/part-*")
    return len(list(files)) > (2 if append else 0)


def wait_for_death() -> NoReturn:
    while True:
        time.sleep(3600)


def _spark(crash: Crash) -> SparkSession:
    stuck = sum(case.step in IN_SPARK for case in crash.cases)
    return (
        SparkSession.builder.master(f"local[{stuck + 2}]")
        .config("spark.local.dir", crash.spark_folder)
        .config("spark.sql.warehouse.dir", crash.spark_folder)
        .config("spark.sql.session.timeZone", "UTC")
        # For a start within seconds: what is compiled here runs only once.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
        .config("spark.sql.adaptive.enabled", "false")
        # Tasks put their files into the target one by one, as committers for S3 do: a half-written batch shows.
        .config("spark.hadoop.mapreduce.fileoutputcommitter.algorithm.version", "2")
        .getOrCreate()
    )


if __name__ == "__main__":
    Killer(Crash.from_json(Path(sys.argv[1]).read_text())).run()
