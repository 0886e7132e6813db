"""What Spark's driver knows of the work it did. Only where the driver runs in this process, not over Spark Connect."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import SparkSession

from tests.support.frames import settings


@dataclass
class Work:
    """The queries that were run, as their plans, with the rows that each of their scans gave and the files it read.

    Also all jobs there were for them and for anything else, and the tasks of these.
    """

    plans: list[str] = field(default_factory=list)
    scanned: list[list[int]] = field(default_factory=list)
    files: list[list[int]] = field(default_factory=list)
    jobs: int = 0
    tasks: int = 0


@contextmanager
def work_of(spark: SparkSession) -> Iterator[Work]:
    """See the work that is done within the block. Adaptive execution is off: it makes a job of every stage."""
    store = spark._jsparkSession.sharedState().statusStore()
    work, before, group = Work(), _latest(store), uuid.uuid4().hex
    with settings(spark, {"spark.sql.adaptive.enabled": "false", "spark.sql.maxMetadataStringLength": "1000"}):
        spark.sparkContext.setJobGroup(group, "watched by a test")
        yield work
    _wait_for_listeners(spark)
    for execution in (store.execution(number).get() for number in range(before + 1, _latest(store) + 1)):
        work.plans.append(execution.physicalPlanDescription())
        work.scanned.append(_of_scans(store, execution.executionId(), "number of output rows"))
        work.files.append(_of_scans(store, execution.executionId(), "number of files read"))
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
    work.jobs, work.tasks = len(jobs), sum(stage.numTasks for stage in stages if stage)


def is_anything_cached(spark: SparkSession) -> bool:
    persistent: int = spark.sparkContext._jsc.getPersistentRDDs().size()
    empty: bool = spark._jsparkSession.sharedState().cacheManager().isEmpty()
    return persistent > 0 or not empty


def _latest(store: Any) -> int:
    """The number of the latest query. Counting them would not do: the driver forgets all but the last thousand."""
    executions = store.executionsList()
    return -1 if executions.isEmpty() else int(executions.last().executionId())


def _of_scans(store: Any, execution_id: int, metric: str) -> list[int]:
    values, nodes = store.executionMetrics(execution_id), _items(store.planGraph(execution_id).allNodes())
    scans = [node for node in nodes if node.name().startswith("Scan")]
    metrics = [metric for scan in scans for metric in _items(scan.metrics())]
    # What did not count anything has no value.
    wanted = [each.accumulatorId() for each in metrics if each.name() == metric]
    counts = [values.apply(each) for each in wanted if values.contains(each)]
    return [int(count.replace(",", "")) for count in counts]


def _items(scala_sequence: Any) -> list[Any]:
    return [scala_sequence.apply(index) for index in range(scala_sequence.size())]


def _wait_for_listeners(spark: SparkSession) -> None:
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
