"""A job that loads and loads while DynamoDB and the network fail: no row is lost, none is there twice.

Each seed is a world of its own: which requests meet which fault, when the job itself breaks, when people interfere.
"""

import os
import random
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from scripts.helpers.watermarks import TableUnavailableError, Watermarks
from tests.support.adding import add
from tests.support.ledger import Ledger, read_ledger
from tests.support.proxy import EVERY_FAULT, FaultyProxy, faulty_proxy, random_faults, retry_at_once
from tests.support.tables import Clock, EmulatedTable, run_id

STRESS = os.environ.get("WATERMARKS_STRESS") == "1"
SEEDS = range(1, 41 if STRESS else 5)
RUNS = 100 if STRESS else 50
MOST_ATTEMPTS = 30

Given = TypeVar("Given")


class JobBrokeError(Exception):
    """The job itself went wrong, as jobs do."""


@dataclass
class World:
    """A source of ids that grows, a target written as batches, and a job between them, seen through the proxy."""

    seed: int
    proxy: FaultyProxy
    table: EmulatedTable
    chance: random.Random
    job: str = field(default_factory=lambda: f"job-{uuid.uuid4().hex[:12]}")
    clock: Clock = field(default_factory=Clock)
    newest: int = 0
    target: dict[int, list[int]] = field(default_factory=dict)
    gave_up: Counter[str] = field(default_factory=Counter)

    def watermarks(self) -> Watermarks:
        """Anew for each process, as on Glue, so that botocore's retry quota is a fresh one."""
        return EmulatedTable(self.proxy.endpoint_url, self.table.name).watermarks(clock=self.clock)

    def ledger(self) -> Ledger:
        """What the table holds, read past the proxy."""
        return read_ledger(self.table.watermarks(), self.job)

    def __str__(self) -> str:
        return f"seed {self.seed}, job {self.job!r}, gave up {dict(self.gave_up)}, {self.proxy.faults()}"


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    retry_at_once(monkeypatch)


@contextmanager
def world_of(seed: int, table: EmulatedTable, storms: float) -> Iterator[World]:
    with faulty_proxy(table.endpoint_url, random_faults(seed, storms=storms)) as proxy:
        proxy.forgets_tokens = seed % 2 == 0
        yield World(seed, proxy, table, random.Random(seed))


@pytest.mark.parametrize("seed", SEEDS, ids="seed-{}".format)
def test_runs__nothing_lost_and_nothing_twice(local_table: EmulatedTable, seed: int) -> None:
    with world_of(seed, local_table, storms=0.01) as world:
        for number in range(RUNS):
            world.newest += world.chance.randint(0, 9)
            world.clock.turn(hours=1)  # past a lease that a late request took for a run that has ended
            if number:
                world.chance.choices([leave_alone, add_by_hand, rewind, reset], [6, 2, 2, 1])[0](world)
            world.clock.turn(hours=1)
            run_until_it_succeeds(world, run_id(number))

            check_target(world)
        check_history(world, runs=RUNS)
        assert len(world.proxy.faults()) == len(EVERY_FAULT), f"some faults were never met: {world}"


@pytest.mark.parametrize("seed", SEEDS, ids="seed-{}".format)
def test_runs__single_faults_fail_no_run(local_table: EmulatedTable, seed: int) -> None:
    with world_of(seed, local_table, storms=0) as world:
        for number in range(RUNS // 2):
            world.newest += 1
            world.clock.turn(hours=1)
            run_until_it_succeeds(world, run_id(number))

        check_target(world)
        check_history(world, runs=RUNS // 2)
        assert set(world.gave_up) <= {"JobBrokeError"}, f"{world}"
        assert world.proxy.faults(), f"{world}"


def run_until_it_succeeds(world: World, first_id: str) -> None:
    """Run the job, and run it again as Glue does when it fails."""
    for attempt in range(MOST_ATTEMPTS):
        breaks_at = world.chance.choice(["reading", "writing", "ending", *["never"] * 12])
        try:
            return load(world, first_id if attempt == 0 else f"{first_id}_attempt_{attempt}", breaks_at)
        except (JobBrokeError, TableUnavailableError) as error:
            world.gave_up[type(error).__name__] += 1
    pytest.fail(f"no success in {MOST_ATTEMPTS} attempts: {world}")


def load(world: World, run: str, breaks_at: str) -> None:
    """The job: what is new of the source goes into a batch of the target, and how far that was is recorded."""

    def may_break(where: str) -> None:
        if where == breaks_at:
            raise JobBrokeError(where)

    watermarks = world.watermarks()
    with watermarks.job_run(world.job, run) as this_run:
        low = (watermarks.get_watermark_values(world.job) or {}).get("position", 0)
        may_break("reading")
        rows = list(range(low + 1, world.newest + 1))
        world.target[this_run.batch_id] = rows[: len(rows) // 2]
        may_break("writing")
        world.target[this_run.batch_id] = rows
        this_run.record(low=low, position=world.newest)
        may_break("ending")


def leave_alone(world: World) -> None:
    """Most nights nobody does anything."""


def add_by_hand(world: World) -> None:
    """Somebody notes something, and says once more how far the job is."""
    position = world.table.watermarks().get_watermark_values(world.job)["position"]  # type: ignore[index]
    # Whether an attempt that gave up was carried out is not known; a new id keeps both apart.
    until_it_answers(world, lambda: add(world.watermarks(), world.job, uuid.uuid4().hex, position=position))


def rewind(world: World) -> None:
    """Back to one of the last runs; the batches that the rewind lists are dropped."""
    ledger = world.ledger()
    run = ledger.state.latest_run_id
    for _ in range(world.chance.randint(1, 4)):
        run = ledger.run(run).get("previousRunId", run) if run else None
    if run is not None:
        drop(world, until_it_answers(world, lambda: world.watermarks().rewind(world.job, run)).batch_ids)


def reset(world: World) -> None:
    """From the start again; every batch is dropped."""
    drop(world, until_it_answers(world, lambda: world.watermarks().reset(world.job)).batch_ids)


def drop(world: World, batch_ids: tuple[int, ...]) -> None:
    for batch_id in batch_ids:
        world.target.pop(batch_id, None)


def until_it_answers(world: World, ask: Callable[[], Given]) -> Given:
    """Do as a person does whose command says that the table is unavailable."""
    for _ in range(MOST_ATTEMPTS):
        try:
            return ask()
        except TableUnavailableError:
            world.gave_up["a person"] += 1
    pytest.fail(f"no answer in {MOST_ATTEMPTS} attempts: {world}")


def check_target(world: World) -> None:
    loaded = Counter(row for rows in world.target.values() for row in rows)
    wrong = {row: loaded[row] for row in {*loaded, *range(1, world.newest + 1)} if loaded[row] != 1}
    assert not wrong, f"rows by how often they are in the target: {wrong} ({world})"


def check_history(world: World, runs: int) -> None:
    """Replay every version: each run has to begin where the job stood, under the next batch id."""
    ledger = world.ledger()
    told = f"{world}"
    assert ledger.versions == list(range(1, ledger.state.version + 1)), told
    latest: str | None = None
    position, last_batch, commits = 0, 0, 0
    for version in ledger.versions:
        run = ledger.runs.get(version)
        if run is None:
            latest = ledger.changes[version].after["latestRunId"]  # type: ignore[assignment]
            position = ledger.run(latest)["watermarks"]["position"] if latest else 0
            continue
        assert run.get("previousRunId") == latest, told
        if run["status"] == "FAILED":
            assert run["batchId"] == last_batch + 1, told
            continue
        if "low" in run["watermarks"]:
            assert (run["watermarks"]["low"], run["batchId"]) == (position, last_batch + 1), told
            last_batch, commits = last_batch + 1, commits + 1
        else:
            assert run["batchId"] == last_batch, told
        latest, position = run["runId"], run["watermarks"]["position"]
    state = ledger.state
    assert (state.latest_run_id, state.last_batch_id) == (latest, last_batch), told
    assert state.watermarks.decoded() == ledger.run(latest or "")["watermarks"], told
    assert position == world.newest, told
    # A run that gave up on an answer may have committed all the same; then its retry is one more.
    assert runs <= commits <= runs + world.gave_up["TableUnavailableError"], told
