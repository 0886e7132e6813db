"""What new files cost, told by Spark's own metrics: listing, and reading the new ones. The old ones cost nothing."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.support.driver import Work, work_of
from tests.support.frames import numbers
from tests.support.landing import HOUR, Landing
from tests.support.tables import Clock, EmulatedTable

pytestmark = pytest.mark.classic

OLD, NEW = 3_000, 10


@dataclass(frozen=True)
class Loaded:
    """A folder of thousands of files that a first run has loaded, and what that took."""

    landing: Landing
    taken: list[int]
    work: Work


@pytest.fixture(scope="module")
def first_load(spark: SparkSession, moto_table: EmulatedTable, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    clock = Clock()
    landing = Landing(spark, moto_table.watermarks(clock=clock), "costs", clock, tmp_path_factory.mktemp("landing"))
    for n in range(OLD):
        landing.put(f"{n}.json", n)
    return Loaded(landing, *load(landing))


@pytest.fixture
def loaded(first_load: Loaded) -> Landing:
    """The folder, a day after what was loaded last."""
    first_load.landing.clock.turn(days=1)
    return first_load.landing


@pytest.fixture
def delta(loaded: Landing) -> Iterator[list[Path]]:
    """Some new files in it."""
    arrived = [loaded.put(f"new-{loaded.clock.now:%d}-{n}.json", n, ago=60) for n in range(NEW)]
    yield arrived
    for file in arrived:
        file.unlink()


def load(landing: Landing, schema: str | None = "n INT") -> tuple[list[int], Work]:
    with work_of(landing.spark) as work, landing.watermarks.job_run(landing.job, f"jr_{uuid.uuid4().hex}") as run:
        taken = numbers(landing.new(run, schema=schema))
    return taken, work


def test_first_load__lists_folders_and_not_files_one_by_one(first_load: Loaded) -> None:
    work = first_load.work

    assert first_load.taken == [*range(OLD)]
    # One job lists, one reads: none that looks at each of the paths, and none to infer columns.
    assert work.jobs == 2
    assert work.files == [[OLD], [OLD]]
    assert work.tasks < OLD / 10


def test_delta__only_new_files_are_opened_or_have_tasks(loaded: Landing, delta: list[Path]) -> None:
    taken, work = load(loaded)

    assert taken == [*range(len(delta))]
    assert work.jobs == 2
    assert work.files == [[NEW], [NEW]]
    assert work.tasks <= 2 * NEW


def test_delta__columns_are_inferred_from_the_new_files(loaded: Landing, delta: list[Path]) -> None:
    taken, work = load(loaded, schema=None)

    assert len(taken) == len(delta)
    assert work.jobs == 3
    assert {count for counts in work.files for count in counts} == {NEW}
    assert work.tasks <= 3 * NEW


def test_nothing_new__no_file_is_opened(loaded: Landing) -> None:
    taken, work = load(loaded)

    assert taken == []
    assert sum(count for counts in work.files for count in counts) == 0
    assert work.tasks <= 2


def test_delta__of_many_files_is_looked_at_in_a_bounded_number_of_tasks(loaded: Landing, delta: list[Path]) -> None:
    delta += [loaded.put(f"more-{n}.json", n, ago=HOUR) for n in range(200)]

    taken, work = load(loaded)

    assert len(taken) == len(delta)
    # One job more looks at the paths: with a task for each of them if that was left to Spark.
    assert work.jobs == 3
    assert work.files == [[len(delta)], [len(delta)]]
    assert work.tasks <= 64 + 2 * len(delta) / 10
