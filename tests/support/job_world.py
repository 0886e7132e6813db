"""What a state machine over one job is made of: its world, how its steps are made, and what holds after each."""

import uuid
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from scripts.helpers.watermarks import JobAlreadyRunningError, JobRun, RunSupersededError, Watermarks
from tests.support.ledger import read_ledger
from tests.support.model import SOURCES, Model, Run
from tests.support.runs import read_ids
from tests.support.strategies import exact
from tests.support.tables import Clock, EmulatedTable

LEASE = timedelta(hours=1)
MARGIN = LEASE / 6


class JobWorld(RuleBasedStateMachine):
    """One job, its runs (those that are under way, asleep or fenced), the clock, and the model of it all."""

    table: EmulatedTable

    @initialize()
    def new_job(self) -> None:
        self.job = f"job-{uuid.uuid4().hex[:12]}"
        self.clock = Clock()
        self.watermarks: Watermarks = self.table.watermarks(clock=self.clock)
        self.model = Model()
        self.runs: list[tuple[JobRun, Run]] = []
        self.started: list[str] = []

    def teardown(self) -> None:
        for run, _ in getattr(self, "runs", ()):
            fall_asleep(run)

    @invariant()
    def the_table_is_as_the_model(self) -> None:
        model, ledger = self.model, read_ledger(self.watermarks, self.job)
        state = ledger.state
        assert (state.version, state.last_batch_id) == (model.version, model.last_batch)
        assert (state.latest_run_id, exact(state.watermarks.decoded())) == (model.latest, exact(model.values))
        assert marks_of(state.sources) == model.marks
        assert (state.lease.run_id if state.lease else None) == (model.holder.run_id if model.holder else None)
        assert (state.attempts, state.listed) == (model.attempts, model.listed)
        assert ledger.versions == sorted(model.entries)
        for version, entry in model.entries.items():
            if not entry.run_id:
                assert ledger.changes[version].operation == entry.what
                continue
            run = ledger.runs[version]
            assert (run["runId"], run["status"], run["batchId"]) == (entry.run_id, entry.what, entry.batch_id)
            assert (run.get("previousRunId"), run.get("attempt")) == (entry.previous, entry.attempt)
            assert exact(run["watermarks"]) == exact(entry.values)
            if entry.what == "SUCCEEDED":
                assert marks_of(run.get("sources", {})) == entry.marks

    @invariant()
    def every_row_up_to_the_mark_is_in_the_target_once(self) -> None:
        for source in SOURCES:
            assert self.model.loaded(source) == list(range(1, self.model.marks.get(source, 0) + 1))

    def job_run(self, run: str) -> JobRun:
        return self.watermarks.job_run(self.job, run, lease=LEASE)

    def try_to_begin(self, new_id: str) -> None:
        if self.is_refused(new_id):
            return
        run, now, model = self.job_run(new_id).begin(), self.clock.now, self.model
        until = now + LEASE
        modelled = Run(new_id, until, until - MARGIN, model.last_batch + 1, model.attempts + 1, model.marks.copy())
        model.begin(modelled)
        self.runs.append((run, modelled))
        self.started.append(new_id)

    def is_refused(self, new_id: str) -> bool:
        holder = self.model.holds(self.clock.now)
        if holder is None or is_earlier_attempt(holder.run_id, new_id):
            return False
        with pytest.raises(JobAlreadyRunningError) as refusal:
            self.job_run(new_id).begin()
        assert refusal.value.holder == holder.run_id
        return True

    def holding(self) -> list[tuple[JobRun, Run]]:
        """The run that has the job, if it is still there."""
        return [run for run in self.runs if run[1] is self.model.holder]

    def fenced(self) -> list[tuple[JobRun, Run]]:
        """The runs that lost the job, whether they know it or not."""
        return [run for run in self.runs if run[1] is not self.model.holder]

    def commit_in_vain(self, run: JobRun, modelled: Run) -> None:
        with pytest.raises(RunSupersededError) as superseded:
            run.commit()
        run.fail(superseded.value)
        self.model.fail(modelled)
        self.runs.remove((run, modelled))

    def write_target(self, run: JobRun, modelled: Run) -> None:
        if self.notices(modelled):
            with pytest.raises(RunSupersededError):
                _ = run.batch_id
        elif not modelled.reads:
            for source in SOURCES:
                read_ids(run, up_to=self.model.newest[source], source=source)
                self.model.write(modelled, source, run.batch_id, run.window(source))

    def notices(self, modelled: Run) -> bool:
        """Whether the run sees by itself that its lease is over; once it has, it stays so."""
        modelled.noticed |= not modelled.asleep and self.clock.now >= modelled.gives_up
        return modelled.noticed

    def may_change(self, force: bool, without_force: Callable[[], object]) -> bool:
        if force or self.model.holds(self.clock.now) is None:
            return True
        with pytest.raises(JobAlreadyRunningError):
            without_force()
        return False


def marks_of(sources: Mapping[str, Any]) -> dict[str, object]:
    return {name: source["mark"] for name, source in sources.items()}


def fall_asleep(run: JobRun) -> None:
    assert run._heartbeat is not None
    run._heartbeat.stop()


def is_earlier_attempt(earlier: str, later: str) -> bool:
    (first, _, number), (same, _, higher) = (each.partition("_attempt_") for each in (earlier, later))
    return first == same and int(number or 0) < int(higher or 0)
