"""The command as a script calls it, on a table in moto with jobs in every state."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from click.testing import CliRunner

from scripts.helpers.watermarks import Watermarks
from scripts.helpers.watermarks.cli.app import app
from tests.support.runs import commit_run, fail_run, read_ids
from tests.support.tables import NOON, Clock, EmulatedTable, new_table, run_id, session


@dataclass(frozen=True)
class Ended:
    """What a command printed, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> Any:
        return json.loads(self.err)["error"]


Command = Callable[..., Ended]


def run_command(*arguments: str, **environ: str) -> Ended:
    """Run the command in this process, with standard output and error apart."""
    # The width of a pipe is nobody's, whatever the terminal of those who run the tests.
    env = {"COLUMNS": ""} | environ
    result = CliRunner().invoke(app, list(arguments), env=env, prog_name="watermarks")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)


@pytest.fixture(autouse=True)
def one_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share the session: a new one for each command reads botocore's data files again, for longer than it works."""
    monkeypatch.setattr("scripts.helpers.watermarks.table.reads.EnvironmentSession", session)


@pytest.fixture
def command(moto_table: EmulatedTable) -> Command:
    """The command, on the table of this file."""

    def run(*arguments: str, **environ: str) -> Ended:
        place = {"AWS_ENDPOINT_URL_DYNAMODB": moto_table.endpoint_url, "WATERMARKS_TABLE": moto_table.name}
        return run_command(*arguments, **place | environ)

    return run


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def loaded(moto_table: EmulatedTable, job: str, clock: Clock) -> str:
    """A job with two committed runs an hour apart, a failed one, and one more; its ids are as long as Glue's."""
    watermarks = moto_table.watermarks(clock=clock)
    commit_run(watermarks, job, long_id(1), up_to=10, rejected=1)
    clock.turn(hours=1)
    commit_run(watermarks, job, long_id(2), up_to=20, rejected=2)
    fail_run(watermarks, job, long_id(3), up_to=25)
    clock.turn(hours=1)
    commit_run(watermarks, job, long_id(4), up_to=30, rejected=2)
    clock.turn(hours=1)
    return job


def long_id(number: int) -> str:
    """A run id of Glue's length."""
    return f"{run_id(number)}{run_id(number + 100).removeprefix('jr_')}"


@pytest.fixture(scope="module")
def busy_table(moto_endpoint: str) -> EmulatedTable:
    """A table of its own with a job in each state."""
    table, clock = new_table(moto_endpoint), Clock()
    watermarks: Watermarks = table.watermarks(clock=clock)
    commit_run(watermarks, "fine", "jr_1", up_to=10)
    fail_run(watermarks, "failing", "jr_1", up_to=10)
    watermarks.set_mark("prepared", "payments", 81_204)
    begun = watermarks.job_run("stalled", "jr_1", lease=timedelta(minutes=5)).begin()
    read_ids(begun, up_to=1)
    running = table.watermarks().job_run("running", "jr_9", lease=timedelta(hours=1)).begin()
    for run in (begun, running):
        assert run._heartbeat is not None
        run._heartbeat.stop()
    assert clock.now == NOON
    return table
