"""A job killed with SIGKILL at each of its steps, then run again: what its target holds.

Written as `batch_id=N` with overwrite, every row is there exactly once, whatever the step and whatever came between
the crash and the retry. Appended to, every row is there at least once.
"""

import shutil
import signal
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import JobAlreadyRunningError, Watermarks
from tests.proof.crashing_job import SCHEMA, STEPS, Case, Crash, Step, Writes, load
from tests.support.adding import add
from tests.support.processes import STRESS, said_by, signal_all, started
from tests.support.tables import EmulatedTable, new_table

# Ids loaded by the first run, by the second, by the one that dies; and those that arrive before the retry.
FIRST, SECOND, THIRD, LATER = range(1, 21), range(21, 41), range(41, 61), range(61, 71)
EVERYTHING = [*FIRST, *SECOND, *THIRD, *LATER]
# Rows that arrive together with the third and the later ones, but belong further down.
LATE = {201: 35, 202: 36, 203: 40}
LATER_STILL = {204: 50, 205: 60}
VARIANTS = ("retry", "add_watermark", "reset", "rewind", "late-too", "append")
# These need no case of their own for each step, but are quick.
AT_SOME_STEPS = ("new-run", "failing-retry")
SOME_STEPS: tuple[Step, ...] = STEPS if STRESS else ("after-begin", "during-the-write", "after-the-commit")
CASES = [(step, variant) for step in STEPS for variant in VARIANTS]
CASES += [(step, variant) for step in SOME_STEPS for variant in AT_SOME_STEPS]
WRITES: dict[str, Writes] = {"late-too": "late-too", "append": "append"}
COMMITTED: tuple[Step, ...] = ("before-the-commit-answer", "after-the-commit")
HELD: tuple[Step, ...] = STEPS[1:6]
WRITTEN: tuple[Step, ...] = STEPS[3:6]


def long_after() -> datetime:
    """A clock by which every lease of the run that died has run out."""
    return datetime.now(timezone.utc) + timedelta(hours=1)


@dataclass(frozen=True)
class World:
    """A source, and for each case a job that has loaded it twice, into a target of its own."""

    spark: SparkSession
    table: EmulatedTable
    folder: Path
    jobs: dict[tuple[Step, str], Case]

    def arrive(self, ids: range, late: dict[int, int]) -> None:
        """Let rows arrive in the source, as one more file; and late ones in a source of their own."""
        modified = "timestamp_seconds(1678968000 + {}) AS last_modified"
        on_time = self.spark.range(ids.start, ids.stop, 1, 1).selectExpr("id", modified.format("id"))
        on_time.write.mode("append").parquet(str(self.folder / "source"))
        if late:
            ages = ", ".join(f"({id_}L, {like}L)" for id_, like in late.items())
            rows = self.spark.sql(f"SELECT id, {modified.format('like')} FROM VALUES {ages} AS late(id, like)")
            on_time.union(rows).coalesce(1).write.mode("append").parquet(str(self.folder / "source-late-too"))
        else:
            on_time.write.mode("append").parquet(str(self.folder / "source-late-too"))

    def run(self, watermarks: Watermarks, case: Case, run_id: str, *, fails: bool = False) -> int:
        """Run the job of a case to its end."""
        with watermarks.job_run(case.job, run_id) as run:
            load(run, self.spark, case.source, case.target, case.writes)
            if fails:
                raise ZeroDivisionError
        return run.batch_id

    def ids_in_target(self, case: Case) -> list[int]:
        return sorted(row["id"] for row in self.spark.read.schema(SCHEMA).parquet(case.target).select("id").collect())

    def drop(self, case: Case, batch_ids: tuple[int, ...]) -> None:
        for batch_id in batch_ids:
            shutil.rmtree(Path(case.target, f"batch_id={batch_id}"), ignore_errors=True)


@pytest.fixture(scope="module")
def world(spark: SparkSession, dynamodb_local: str, tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("crash")
    jobs = {
        (step, variant): Case(
            name=f"{step}.{variant}",
            job=f"job-{uuid.uuid4().hex[:12]}",
            run_id="jr_3",
            step=step,
            source=str(folder / ("source-late-too" if variant == "late-too" else "source")),
            target=str(folder / "targets" / f"{step}.{variant}"),
            writes=WRITES.get(variant, "batches"),
        )
        for step, variant in CASES
    }
    world = World(spark, new_table(dynamodb_local), folder, jobs)
    first = Case("", "first", "", "after-the-commit", str(folder / "source"), str(folder / "first"), "batches")
    for number, ids in enumerate((FIRST, SECOND), start=1):
        world.arrive(ids, {})
        world.run(world.table.watermarks(), first, f"jr_{number}")
    for case in jobs.values():
        _copy_of_first(world.table, first, case)
    world.arrive(THIRD, LATE)
    return world


def _copy_of_first(table: EmulatedTable, first: Case, case: Case) -> None:
    """Give a job the history and the target of another, as if it had run twice as well."""
    for item in table.items(first.job):
        state = {"stateOf": {"S": case.job}} if "stateOf" in item else {}
        table.client.put_item(TableName=table.name, Item=item | state | {"jobName": {"S": case.job}})
    if case.writes != "append":
        shutil.copytree(first.target, case.target)
        return
    Path(case.target).mkdir(parents=True)
    for file in Path(first.target).glob("batch_id=*/part-*"):
        shutil.copy(file, case.target)


@pytest.fixture(scope="module")
def killed(world: World) -> World:
    """The same, after the process of the third run of every job was killed; some rows more have arrived since."""
    crashes = [[case] for case in world.jobs.values()] if STRESS else [list(world.jobs.values())]
    for cases in crashes:
        kill_on_arrival(world, cases)
    world.arrive(LATER, LATER_STILL)
    return world


def kill_on_arrival(world: World, cases: list[Case]) -> None:
    """Run jobs in a process and kill that, with its JVM, once every job has arrived at its step."""
    table = world.table
    spark_folder = str(world.folder / f"spark-{uuid.uuid4().hex}")
    told = world.folder / "crash.json"
    told.write_text(Crash(table.endpoint_url, table.name, spark_folder, THIRD[-1], cases).to_json())
    log = world.folder / "crash.log"
    with started("tests.proof.crashing_job", str(told), log=log) as process:
        assert said_by(process) == "arrived", log.read_text()
        signal_all(process, signal.SIGKILL)
        assert process.wait(60) == -signal.SIGKILL


Retry = Callable[[World, Case], int]


def retry(world: World, case: Case) -> int:
    return world.run(world.table.watermarks(), case, "jr_3_attempt_1")


def new_run(world: World, case: Case) -> int:
    """Another run: it is kept out until the lease of the dead one has run out."""
    if case.step in HELD:
        with pytest.raises(JobAlreadyRunningError, match="is held by run 'jr_3'"):
            world.run(world.table.watermarks(), case, "jr_4")
    return world.run(world.table.watermarks(clock=long_after), case, "jr_4")


def failing_retry(world: World, case: Case) -> int:
    """A retry that fails after it has written, and another that does not."""
    with pytest.raises(ZeroDivisionError):
        world.run(world.table.watermarks(), case, "jr_3_attempt_1", fails=True)
    return world.run(world.table.watermarks(), case, "jr_3_attempt_2")


def add_watermark(world: World, case: Case) -> int:
    watermarks = world.table.watermarks(clock=long_after)
    add(watermarks, case.job, "jr_hand", checked="by hand")
    return world.run(watermarks, case, "jr_3_attempt_1")


def reset(world: World, case: Case) -> int:
    changed = world.table.watermarks().reset(case.job, reason="the job died", force=True)
    assert changed.batch_ids == ((1, 2, 3) if case.step in COMMITTED else (1, 2))
    world.drop(case, changed.batch_ids)
    return retry(world, case)


def rewind(world: World, case: Case) -> int:
    changed = world.table.watermarks().rewind(case.job, "jr_1", "the job died", force=True)
    assert changed.batch_ids == ((2, 3) if case.step in COMMITTED else (2,))
    world.drop(case, changed.batch_ids)
    return retry(world, case)


RETRIES: dict[str, Retry] = {
    "retry": retry,
    "new-run": new_run,
    "failing-retry": failing_retry,
    "add_watermark": add_watermark,
    "reset": reset,
    "rewind": rewind,
}


@pytest.mark.timeout(1_800 if STRESS else 300)
@pytest.mark.parametrize(("step", "variant"), [case for case in CASES if case[1] in RETRIES])
def test_batches__every_row_exactly_once(killed: World, step: Step, variant: str) -> None:
    case = killed.jobs[step, variant]

    batch_id = RETRIES[variant](killed, case)

    # What never was committed has the batch id of the run that died, and so takes the place of what that wrote.
    assert batch_id == (4 if step in COMMITTED else 3)
    assert killed.ids_in_target(case) == EVERYTHING
    assert "lease" not in killed.table.item(case.job)


@pytest.mark.timeout(1_800 if STRESS else 300)
@pytest.mark.parametrize("step", STEPS)
def test_batches_with_late_rows__every_row_exactly_once(killed: World, step: Step) -> None:
    case = killed.jobs[step, "late-too"]

    assert retry(killed, case) == (4 if step in COMMITTED else 3)

    assert killed.ids_in_target(case) == [*EVERYTHING, *LATE, *LATER_STILL]


@pytest.mark.timeout(1_800 if STRESS else 300)
@pytest.mark.parametrize("step", STEPS)
def test_append__every_row_at_least_once(killed: World, step: Step) -> None:
    case = killed.jobs[step, "append"]

    retry(killed, case)

    ids = killed.ids_in_target(case)
    assert sorted(set(ids)) == EVERYTHING
    assert (len(ids) > len(EVERYTHING)) == (step in WRITTEN)
