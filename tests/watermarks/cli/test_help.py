"""Help and start: every command explains itself, and nothing heavy is imported for that."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.helpers.watermarks.cli.app import COMMANDS
from scripts.helpers.watermarks.cli.exits import EXIT_CODES
from tests.support.tables import EmulatedTable
from tests.watermarks.cli.conftest import run_command

HEAVY = {"boto3", "botocore", "pynamodb", "pyspark", "rich", "plotly"}


USAGES = {
    "jobs": "",
    "show": " JOB",
    "history": " JOB",
    "diff": " JOB RUN RUN",
    "rewind": " JOB [RUN]",
    "reset": " JOB [SOURCE]",
    "set": " JOB SOURCE VALUE",
    "forget": " JOB",
    "adopt": " JOB RUN",
    "report": " [JOB]...",
    "doctor": " [JOB]",
}


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("name", COMMANDS)
def test_help__of_a_command_explains_its_arguments(name: str, option: str) -> None:
    told = run_command(name, option).out

    assert told.splitlines()[0] == f"Usage: watermarks {name} [OPTIONS]{USAGES[name]}"
    explained = re.split(r"\n  (?=\S)", told.partition("Arguments:")[2].partition("\n\n")[0])[1:]
    assert [each.split()[0] for each in explained] == USAGES[name].split()
    assert all(len(each.split()) > 2 for each in explained)
    assert all(each.endswith("[required]") is not each.startswith("[") for each in explained)


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


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["jbos"], "No such command 'jbos'. Did you mean 'jobs'?"),
        (["zzz"], "No such command 'zzz'."),
        (["--nope", "jobs"], "--nope"),
        (["jobs", "--nope"], "--nope"),
        (["show"], "Missing argument 'JOB'."),
        (["show", "a", "b"], "(b)"),
        (["diff", "a", "b"], "Missing argument 'RUN'."),
        (["history", "a", "-n", "0"], "0 is not in the range x>=1."),
        (["report", "--limit", "many"], "'many' is not a valid integer"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_misuse__is_told_with_the_usage(arguments: list[str], told: str) -> None:
    ended = run_command(*arguments)

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("Usage: watermarks ")
    assert told in ended.err.splitlines()[-1]


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


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_without_the_extra__says_what_to_install(missing: str, busy_table: EmulatedTable, tmp_path: Path) -> None:
    program = f"""
import sys
sys.modules[{missing!r}] = None
sys.argv = ["watermarks", "jobs", "--table", {busy_table.name!r}, "--endpoint-url", {busy_table.endpoint_url!r}]
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
