"""What happens between the showing and the doing of a change: runs that hold the job, and others who change it."""

from typing import Any

import pytest

from scripts.helpers.watermarks import JobRun, Watermarks
from scripts.helpers.watermarks.operations.targets import last_success_before
from tests.watermarks.cli.conftest import Command, long_id


@pytest.mark.parametrize("force", [False, True], ids=["refused", "forced"])
def test_run_under_way__is_named_and_overrun_only_by_force(
    command: Command, loaded: str, on_moto: Watermarks, force: bool
) -> None:
    run = on_moto.job_run(loaded, "jr_under_way").begin()
    try:
        told = command("rewind", loaded, long_id(1), "-y", *(["--force"] if force else []))
    finally:
        run.fail("over")

    assert told.code == (0 if force else 4)
    assert ("jr_under_way" in told.err) is not force
    assert (on_moto.get_most_recent_run_id(loaded) == long_id(1)) is force


def test_job_changed_meanwhile__is_not_changed_again(
    command: Command, loaded: str, on_moto: Watermarks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def somebody_is_faster(*_: object) -> None:
        on_moto.set_mark(loaded, "repairs", 99)

    monkeypatch.setattr("scripts.helpers.watermarks.cli.changing._ask", somebody_is_faster)

    told = command("rewind", loaded, long_id(1))

    assert told.code == 6
    assert "has changed since you looked at it" in told.err
    assert on_moto.get_most_recent_run_id(loaded) == long_id(4)


def test_run_that_began_since_the_plan__is_not_overrun_even_by_force(
    command: Command, loaded: str, on_moto: Watermarks, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[JobRun] = []
    monkeypatch.setattr(
        "scripts.helpers.watermarks.cli.changing._ask",
        lambda *_: begun.append(on_moto.job_run(loaded, "jr_new").begin()),
    )

    told = command("rewind", loaded, long_id(1), "--force")
    begun[0].commit()

    assert told.code == 4
    assert on_moto.get_most_recent_run_id(loaded) == "jr_new"


def test_force__says_from_whom_the_job_is_taken(command: Command, loaded: str, on_moto: Watermarks) -> None:
    run = on_moto.job_run(loaded, "jr_under_way").begin()

    told = command("rewind", loaded, long_id(1), "--force", "--dry-run")
    document = command("rewind", loaded, long_id(1), "--force", "--yes", "--json").document
    run.fail("over")

    assert "Takes the job away from run jr_under_way" in told.out
    assert document["takenFrom"] == "jr_under_way"


def test_rewind__before_a_time_does_what_was_shown(
    command: Command, loaded: str, on_moto: Watermarks, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []

    def once_from_an_index_that_lags(table: Any, job: str, before: Any) -> Any:
        looked_up.append(job)
        return table.record(job, long_id(1)) if len(looked_up) == 1 else last_success_before(table, job, before)

    name = "scripts.helpers.watermarks.operations.operations.last_success_before"
    monkeypatch.setattr(name, once_from_an_index_that_lags)

    told = command("rewind", loaded, "--before", "2023-03-16T15:00Z", "--yes")

    assert "batch_id 2–3" in told.out
    assert on_moto.get_most_recent_run_id(loaded) == long_id(1)
