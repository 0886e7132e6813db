"""Whatever is done to a job, in whatever order: table and target stay as a model in plain Python says (G1 to G6)."""

import os
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule, run_state_machine_as_test

from scripts.helpers.watermarks import (
    InvalidArgumentError,
    JobAlreadyRunningError,
    RunStateError,
    RunSupersededError,
    WatermarkNotFoundError,
)
from tests.support.adding import add
from tests.support.job_world import JobWorld, fall_asleep
from tests.support.model import SOURCES
from tests.support.strategies import names, scalars
from tests.support.tables import EmulatedTable, run_id

STRESS = os.environ.get("WATERMARKS_STRESS") == "1"
EXAMPLES, STEPS = (400, 60) if STRESS else (40, 30)

VALUES = st.dictionaries(names().filter(lambda name: name not in SOURCES), scalars(empty=False), max_size=2)
WHICH = st.integers(0, 99)
SOURCE = st.sampled_from(SOURCES)
FORCE = st.booleans()

Anything = TypeVar("Anything")


class JobMachine(JobWorld):
    """All that can be done to a job."""

    # The world.

    @rule(source=SOURCE, count=st.integers(1, 5))
    def rows_arrive(self, source: str, count: int) -> None:
        self.model.newest[source] += count

    @rule(minutes=st.sampled_from([-1, 1, 20, 55, 90]))
    def time_passes(self, minutes: int) -> None:
        self.clock.turn(minutes=minutes)

    # Runs.

    @rule()
    def begin(self) -> None:
        self.try_to_begin(run_id(len(self.started)))

    @precondition(lambda self: self.started)
    @rule(which=WHICH)
    def begin_next_attempt(self, which: int) -> None:
        """Of the run that has the job, which is then taken over, or else of any."""
        holder = self.model.holder
        first = (holder.run_id if holder else pick(self.started, which)).partition("_attempt_")[0]
        attempts = sum(each.partition("_attempt_")[0] == first for each in self.started)
        self.try_to_begin(f"{first}_attempt_{attempts}")

    @precondition(lambda self: self.model.holder)
    @rule(by_hand=st.booleans(), values=VALUES)
    def lease_runs_out(self, by_hand: bool, values: dict[str, object]) -> None:
        """And the next run begins, or somebody adds a watermark."""
        self.clock.turn(minutes=90)
        if by_hand:
            self.add_watermark(99, values)
        else:
            self.begin()

    @precondition(lambda self: self.started)
    @rule(which=WHICH)
    def begin_a_committed_run_again(self, which: int) -> None:
        again = pick(self.started, which)
        entry = self.model.entry(again)
        if entry is None or entry.what != "SUCCEEDED" or entry.attempt is None:
            return
        if self.is_refused(again):
            return
        with pytest.raises(RunStateError, match="already committed"):
            self.job_run(again).begin()
        self.model.holder, self.model.listed = None, True
        self.model.attempts += 1

    @precondition(lambda self: self.runs)
    @rule(which=WHICH)
    def fall_asleep(self, which: int) -> None:
        """A process is killed, or stopped: it renews nothing and does not look at the clock, until it wakes up."""
        run, modelled = pick(self.runs, which)
        fall_asleep(run)
        modelled.asleep = True

    @precondition(lambda self: self.runs)
    @rule(which=WHICH, values=VALUES)
    def record(self, which: int, values: dict[str, object]) -> None:
        run, modelled = pick(self.runs, which)
        if self.notices(modelled):
            with pytest.raises(RunSupersededError):
                run.record(**values)
            return
        run.record(**values)
        modelled.recorded |= values

    @precondition(lambda self: self.holding())
    @rule()
    def load(self) -> None:
        """Only the holder writes: what keeps others from it is not the table."""
        self.write_target(*self.holding()[0])

    @precondition(lambda self: self.holding())
    @rule()
    def commit(self) -> None:
        run, modelled = self.holding()[0]
        if not modelled.reads:
            self.write_target(run, modelled)
        if self.notices(modelled):
            self.commit_in_vain(run, modelled)
        else:
            run.commit()
            self.model.commit(modelled)
            self.runs.remove((run, modelled))

    @precondition(lambda self: self.fenced())
    @rule(which=WHICH)
    def commit_though_fenced(self, which: int) -> None:
        self.commit_in_vain(*pick(self.fenced(), which))

    @precondition(lambda self: self.runs)
    @rule(which=WHICH)
    def fail(self, which: int) -> None:
        run, modelled = pick(self.runs, which)
        self.runs.remove((run, modelled))
        run.fail("made up by a test")
        self.model.fail(modelled)

    # People.

    @rule(which=WHICH, values=VALUES)
    def add_watermark(self, which: int, values: dict[str, object]) -> None:
        known = [entry.run_id for entry in self.model.entries.values() if entry.run_id]
        run = pick([*known, f"added-{which}"], which)
        if self.model.holds(self.clock.now):
            with pytest.raises(JobAlreadyRunningError):
                add(self.watermarks, self.job, run, **values)
            return
        add(self.watermarks, self.job, run, **values)
        self.model.add(run, values)

    @precondition(lambda self: self.model.line)
    @rule(which=WHICH, force=FORCE)
    def rewind(self, which: int, force: bool) -> None:
        run = pick(self.model.line, which)
        if self.may_change(force, lambda: self.watermarks.rewind(self.job, run)):
            changed = self.watermarks.rewind(self.job, run, force=force)
            assert changed.batch_ids == self.model.rewind(run)
            self.model.drop(changed.batch_ids, *SOURCES)

    @rule(which=WHICH)
    def rewind_to_no_success(self, which: int) -> None:
        failed = [entry.run_id for entry in self.model.entries.values() if entry.what == "FAILED"]
        with pytest.raises(WatermarkNotFoundError):
            self.watermarks.rewind(self.job, pick([*failed, "jr_never"], which))

    @rule(source=st.one_of(st.none(), SOURCE), force=FORCE)
    def reset(self, source: str | None, force: bool) -> None:
        if self.may_change(force, lambda: self.watermarks.reset(self.job, source)):
            if source is not None and source not in self.model.marks:
                with pytest.raises((InvalidArgumentError, WatermarkNotFoundError)):
                    self.watermarks.reset(self.job, source, force=force)
            elif not self.model.version:
                with pytest.raises(WatermarkNotFoundError):
                    self.watermarks.reset(self.job, force=force)
            else:
                changed = self.watermarks.reset(self.job, source, force=force)
                assert changed.batch_ids == self.model.reset(source)
                self.model.drop(changed.batch_ids, *(SOURCES if source is None else (source,)))

    @rule(source=SOURCE, which=WHICH, force=FORCE)
    def set_mark(self, source: str, which: int, force: bool) -> None:
        value = which % (self.model.newest[source] + 1)
        if self.may_change(force, lambda: self.watermarks.set_mark(self.job, source, value)):
            self.watermarks.set_mark(self.job, source, value, force=force)
            self.model.set_mark(source, value)

    @precondition(lambda self: self.model.version)
    @rule(force=FORCE)
    def forget(self, force: bool) -> None:
        if self.may_change(force, lambda: self.watermarks.forget(self.job)):
            self.watermarks.forget(self.job, force=force)
            self.model.forget()


def pick(among: list[Anything], which: int) -> Anything:
    return among[which % len(among)]


@pytest.mark.timeout(1800 if STRESS else 300)
def test_job__is_always_as_the_model(local_table: EmulatedTable) -> None:
    class Machine(JobMachine):
        table = local_table

    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
