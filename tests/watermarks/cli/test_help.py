"""Help, completion and start: every command explains itself, and nothing heavy is imported for that."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.helpers.watermarks.cli.app import COMMANDS
from scripts.helpers.watermarks.cli.exits import EXIT_CODES
from tests.support.tables import EmulatedTable
from tests.watermarks.cli.conftest import Command, run_command

HEAVY = {"boto3", "botocore", "pynamodb", "pyspark", "rich", "plotly"}


@pytest.mark.parametrize("name", COMMANDS)
def test_help__of_a_command_has_an_example_and_the_common_options(name: str) -> None:
    told = run_command(name, "--help").out

    assert f"watermarks {name}" in told.partition("Examples:")[2]
    assert all(option in told for option in ("--table", "--region", "--endpoint-url", "--profile", "--json", "--utc"))


def test_help__of_all_lists_the_commands_and_exit_codes() -> None:
    told = run_command("--help").out

    assert all(f"  {name} " in told for name in COMMANDS)
    assert "..." not in told.partition("Commands:")[2]
    assert all(line.strip() in told for line in EXIT_CODES.splitlines()[1:])


def test_no_command__shows_the_help() -> None:
    assert "Commands:" in run_command().out + run_command().err


def test_version__is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert run_command("--version").out == f"watermarks {version('glue-watermarks')}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["rewind", "--help"], ["--version"]], ids=" ".join)
def test_start__imports_nothing_heavy(arguments: list[str]) -> None:
    program = f"""
import sys
from scripts.helpers.watermarks.cli import main
sys.argv = ["watermarks", *{arguments!r}]
try:
    main()
except SystemExit:
    print("HEAVY", sorted({HEAVY!r} & set(sys.modules)))
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "HEAVY []" in told.stdout


def test_module__is_the_command_too() -> None:
    program = [sys.executable, "-m", "scripts.helpers.watermarks", "--version"]

    assert subprocess.run(program, capture_output=True, text=True, check=True).stdout.startswith("watermarks ")


def test_without_the_extra__says_what_to_install(tmp_path: Path) -> None:
    program = """
import sys
sys.modules["typer"] = None
from scripts.helpers.watermarks.cli import main
main()
"""
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path)

    assert told.returncode == 1
    assert told.stderr.strip().endswith("pip install 'glue-watermarks[cli]'")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_pipes__that_have_no_bars_get_question_marks(encoding: str, busy_table: EmulatedTable) -> None:
    place = ["--table", busy_table.name, "--endpoint-url", busy_table.endpoint_url]
    program = [sys.executable, "-m", "scripts.helpers.watermarks", "history", "fine", *place]

    told = subprocess.run(
        program, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    )

    assert b"rows per run ?" in told.stdout


def complete(command: Command, line: str) -> list[str]:
    """What the shell proposes at the end of a line, asked as bash asks for it."""
    words = line.split(" ")
    told = command(_WATERMARKS_COMPLETE="complete_bash", COMP_WORDS=" ".join(words), COMP_CWORD=str(len(words) - 1))
    return told.out.split()


def test_completion__of_jobs_runs_and_sources(command: Command, loaded: str) -> None:
    assert loaded in complete(command, f"watermarks show {loaded[:6]}")
    assert len(complete(command, f"watermarks rewind {loaded} jr_")) == 4
    assert complete(command, f"watermarks reset {loaded} re") == ["repairs"]


def test_completion__of_a_table_that_does_not_answer_proposes_nothing(command: Command) -> None:
    assert complete(command, "watermarks --table no-such-table show jo") == []
