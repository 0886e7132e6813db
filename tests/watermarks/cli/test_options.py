"""The common options: before the command's name or after it, and the later ones win."""

from collections.abc import Callable
from typing import Any

import click
import pytest

from scripts.helpers.watermarks import Watermarks
from scripts.helpers.watermarks.cli.app import COMMANDS
from scripts.helpers.watermarks.cli.options import Asked
from tests.watermarks.cli.conftest import run_command

GIVEN: dict[str, tuple[list[str], Any, list[str], Any]] = {
    "table": (["--table", "one"], "one", ["-t", "two"], "two"),
    "region": (["--region", "eu-west-1"], "eu-west-1", ["--region", "eu-west-2"], "eu-west-2"),
    "endpoint_url": (["--endpoint-url", "http://a"], "http://a", ["--endpoint-url", "http://b"], "http://b"),
    "profile": (["--profile", "one"], "one", ["--profile", "two"], "two"),
    "json": (["--json"], True, ["--json"], True),
    "utc": (["--utc"], True, ["--utc"], True),
}
# What a command needs besides, so that it comes to open the table.
ARGUMENTS = {
    "jobs": [],
    "show": ["job"],
    "history": ["job"],
    "diff": ["job", "jr_1", "jr_2"],
    "rewind": ["job", "jr_1"],
    "reset": ["job"],
    "set": ["job", "source", "5"],
    "forget": ["job"],
    "adopt": ["job", "jr_1"],
    "report": [],
    "doctor": [],
}


@pytest.fixture
def asked_by(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Asked]:
    """Run a command, and give what it was asked for by the time it opens the table."""
    seen: list[Asked] = []

    def opened(asked: Asked) -> Watermarks:
        seen.append(asked)
        raise click.exceptions.Exit(0)

    monkeypatch.setattr(Asked, "watermarks", opened)

    def run(*arguments: str) -> Asked:
        assert run_command(*arguments).code == 0
        return seen.pop()

    return run


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("option", GIVEN)
def test_before_after_and_both(asked_by: Callable[..., Asked], name: str, option: str) -> None:
    first, one, second, two = GIVEN[option]
    command = [name, *ARGUMENTS[name]]

    assert asked_by(*command) == Asked()
    assert asked_by(*first, *command) == Asked(**{option: one})
    assert asked_by(*command, *first) == Asked(**{option: one})
    assert asked_by(name, *first, *ARGUMENTS[name]) == Asked(**{option: one})
    assert asked_by(*first, *command, *second) == Asked(**{option: two})
    assert asked_by(*first, *second, *command) == Asked(**{option: two})


def test_some_before_and_others_after(asked_by: Callable[..., Asked]) -> None:
    asked = asked_by("--json", "--table", "one", "--region", "eu-west-1", "show", "job", "--table", "two", "--utc")

    assert asked == Asked(table="two", region="eu-west-1", json=True, utc=True)
    assert asked_by("show", "job") == Asked()  # nothing is kept for the next command of the process


def test_interrupted__ends_as_shells_expect(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: Asked) -> Watermarks:
        raise KeyboardInterrupt

    monkeypatch.setattr(Asked, "watermarks", interrupted)

    told = run_command("jobs")

    assert (told.code, told.out, told.err) == (130, "", "")
