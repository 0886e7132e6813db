"""Completion: what a shell is told at the end of a line, and how it comes to ask."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.helpers.watermarks.cli.app import COMMANDS
from tests.support.tables import EmulatedTable
from tests.watermarks.cli.conftest import Command, long_id, run_command

ROOT = Path(__file__).parents[3]
PLACES = {
    "bash": ".bash_completions/watermarks.sh",
    "zsh": ".zfunc/_watermarks",
    "fish": ".config/fish/completions/watermarks.fish",
}


def complete(command: Command, line: str) -> list[str]:
    """What the shell proposes at the end of a line, asked as bash asks for it."""
    words = line.split(" ")
    told = command(_WATERMARKS_COMPLETE="bash_complete", COMP_WORDS=" ".join(words), COMP_CWORD=str(len(words) - 1))
    return [proposed.removeprefix("plain,") for proposed in told.out.split()]


def test_jobs_runs_and_sources(command: Command, loaded: str) -> None:
    assert loaded in complete(command, f"watermarks show {loaded[:6]}")
    assert complete(command, f"watermarks rewind {loaded} jr_") == [long_id(number) for number in (4, 3, 2, 1)]
    assert complete(command, f"watermarks diff {loaded} {long_id(1)} {long_id(2)[:8]}") == [long_id(2)]
    assert complete(command, f"watermarks reset {loaded} re") == ["repairs"]
    assert loaded in complete(command, f"watermarks report {loaded} {loaded[:6]}")


@pytest.mark.parametrize("line", ["watermarks PLACE show fi", "watermarks show PLACE fi"], ids=["before", "after"])
def test_options__say_which_table_is_asked(busy_table: EmulatedTable, line: str) -> None:
    place = f"--table {busy_table.name} --endpoint-url {busy_table.endpoint_url}"

    assert complete(run_command, line.replace("PLACE", place)) == ["fine"]


def test_commands_and_options() -> None:
    assert complete(run_command, "watermarks ") == list(COMMANDS)
    assert complete(run_command, "watermarks re") == ["rewind", "reset", "report"]
    assert complete(run_command, "watermarks rewind --re") == ["--reason", "--region"]
    assert complete(run_command, "watermarks report -o re") == ["file,re"]


@pytest.mark.parametrize(
    "line",
    [
        "watermarks --table no-such-table show jo",
        "watermarks --table no-such-table reset nobody re",
        "watermarks --profile nobody show jo",
    ],
)
def test_what_cannot_be_asked__proposes_nothing(command: Command, line: str) -> None:
    assert complete(command, line) == []


@pytest.mark.parametrize("shell", PLACES)
@pytest.mark.parametrize("named", [True, False], ids=["named", "by-the-environment"])
def test_script__is_shown(shell: str, named: bool) -> None:
    told = run_command("--show-completion", *([shell] if named else []), SHELL="" if named else f"/usr/bin/{shell}")

    assert told.code == 0
    assert f"_WATERMARKS_COMPLETE={shell}_complete" in told.out


@pytest.mark.parametrize("option", ["--show-completion", "--install-completion"])
@pytest.mark.parametrize("shell", ["/bin/tcsh", ""], ids=["another", "none"])
def test_script__of_a_shell_that_has_none(option: str, shell: str, tmp_path: Path) -> None:
    told = run_command(option, SHELL=shell, HOME=str(tmp_path))

    assert (told.code, told.out) == (2, "")
    assert "Name a shell: bash, zsh, fish" in told.err
    assert not list(tmp_path.iterdir())


def test_installed__not_where_the_home_cannot_be_written(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("no folder")

    told = run_command("--install-completion", "bash", HOME=str(home))

    assert told.code == 1
    assert "bash completion could not be had" in told.err


@pytest.mark.parametrize("shell", PLACES)
def test_installed__once_however_often_and_nothing_of_the_user_is_lost(shell: str, tmp_path: Path) -> None:
    settings = tmp_path / {"bash": ".bashrc", "zsh": ".zshrc", "fish": "none"}[shell]
    settings.write_text("alias ll='ls -l'")

    for _ in range(2):
        told = run_command("--install-completion", shell, HOME=str(tmp_path))
        assert told.code == 0
        assert f"{shell} completion installed in {tmp_path / PLACES[shell]}" in told.out

    assert (tmp_path / PLACES[shell]).read_text() == run_command("--show-completion", shell).out
    said = settings.read_text().splitlines()
    assert said[0] == "alias ll='ls -l'"
    assert len(said) == (1 if shell == "fish" else 2)


@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_bash__completes_after_the_installation(busy_table: EmulatedTable, tmp_path: Path) -> None:
    script = tmp_path / "watermarks"
    script.write_text(f"#!{sys.executable}\nfrom scripts.helpers.watermarks.cli import main\n\nmain()\n")
    script.chmod(0o755)
    run_command("--install-completion", "bash", HOME=str(tmp_path))
    asks = f"""
. ~/.bashrc
COMP_WORDS=(watermarks --endpoint-url {busy_table.endpoint_url} -t {busy_table.name} show f) COMP_CWORD=6
_watermarks_completion {script}
complete -p watermarks
echo "${{COMPREPLY[@]}}"
"""
    environ = os.environ | {"HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}

    told = subprocess.run(["bash", "--norc", "-c", asks], capture_output=True, text=True, check=True, env=environ)

    assert told.stdout.splitlines()[0].endswith("_watermarks_completion watermarks")
    assert told.stdout.splitlines()[1].split() == ["failing", "fine"]
