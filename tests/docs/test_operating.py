"""The operator's page says what the command is and prints."""

import re
import shlex
from pathlib import Path

import pytest

from scripts.helpers.watermarks.cli.app import COMMANDS
from scripts.helpers.watermarks.cli.exits import EXIT_CODES
from tests.watermarks.cli.conftest import run_command

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
CALLS = sorted(set(re.findall(r"(?:\$ |`)(watermarks [^`|\n]+)", PAGE)))


@pytest.mark.parametrize("call", CALLS)
def test_calls__name_commands_and_options_that_exist(call: str) -> None:
    words = shlex.split(call)[1:]
    name = next((word for word in words if not word.startswith("-")), None)
    assert name in COMMANDS or name == "COMMAND" or call == "watermarks --install-completion"

    told = run_command(*([name] if name in COMMANDS else []), "--help").out
    assert all(re.search(rf"{re.escape(word)}\b", told) for word in words if word.startswith("--"))


def test_every_command__is_explained() -> None:
    assert all(f"watermarks {name}" in PAGE for name in COMMANDS)


def test_exit_codes__are_those_of_the_help() -> None:
    listed = re.findall(r"(?m)^\| (\d+) \| (.+?) \|$", PAGE)
    helped = re.findall(r"(?m)^  (\d+) +(.+?)$", EXIT_CODES)

    assert [code for code, _ in listed] == [code for code, _ in helped] == [*map(str, range(7)), "130"]
    assert all(told.startswith(meaning) for (_, meaning), (_, told) in zip(listed, helped, strict=True))
