"""On a terminal: questions, colours, width and short run ids, in a pseudo-terminal as a person has it."""

import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from fcntl import ioctl

import pytest

from scripts.helpers.watermarks import Watermarks
from tests.support.tables import EmulatedTable
from tests.watermarks.cli.conftest import Command, long_id

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
PATIENCE = 60


class Terminal:
    """The command on a terminal of its own, answered by a test."""

    def __init__(self, table: EmulatedTable, *arguments: str, columns: int = 100, **environ: str) -> None:
        self._screen, terminal = pty.openpty()
        ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        place = {"AWS_ENDPOINT_URL_DYNAMODB": table.endpoint_url, "WATERMARKS_TABLE": table.name, "TERM": "xterm"}
        kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "scripts.helpers.watermarks", *arguments],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=kept | place | environ,
        )
        os.close(terminal)
        self.shown = ""

    def until(self, text: str) -> None:
        """Read until a text is shown."""
        self._read(lambda: text in self.shown)
        assert text in self.shown, self.shown

    def answer(self, text: str) -> None:
        os.write(self._screen, f"{text}\n".encode())

    def interrupt(self, until: str) -> None:
        """Do what Ctrl-C does; again where it came just before Python waits for an answer, and was not seen."""
        for _ in range(PATIENCE // 5):
            self._process.send_signal(signal.SIGINT)
            self._read(lambda: until in self.shown, patience=5)
            if until in self.shown:
                return

    def end(self) -> int:
        """Read the rest, and give the exit code."""
        self._read(lambda: False)
        os.close(self._screen)
        return self._process.wait(PATIENCE)

    def _read(self, enough: Callable[[], bool], patience: int = PATIENCE) -> None:
        ends_at = time.monotonic() + patience
        while not enough() and time.monotonic() < ends_at:
            if not select.select([self._screen], [], [], 1)[0]:
                continue
            try:
                read = os.read(self._screen, 65_536)
            except OSError:  # Linux says so when the other end is closed
                return
            if not read:
                return
            self.shown += read.decode()


def shown_by(table: EmulatedTable, *arguments: str, columns: int = 100, **environ: str) -> str:
    terminal = Terminal(table, *arguments, columns=columns, **environ)
    assert terminal.end() == 0, terminal.shown
    return terminal.shown


@pytest.mark.parametrize(
    ("answer", "code"), [("y", 0), ("n", 5), ("", 5), ("\x04", 5)], ids=["yes", "no", "enter", "end-of-input"]
)
def test_question__nothing_happens_without_a_yes(
    moto_table: EmulatedTable, loaded: str, on_moto: Watermarks, answer: str, code: int
) -> None:
    terminal = Terminal(moto_table, "rewind", loaded, long_id(1)[:10])

    terminal.until(f"rewind {loaded}? [y/N]")
    assert "batch_id 2–3" in terminal.shown
    terminal.answer(answer)

    assert terminal.end() == code
    assert on_moto.get_most_recent_run_id(loaded) == (long_id(4) if code else long_id(1))


def test_question__ctrl_c_is_a_no(moto_table: EmulatedTable, loaded: str, on_moto: Watermarks) -> None:
    terminal = Terminal(moto_table, "reset", loaded)

    terminal.until(f"reset {loaded}? [y/N]")
    terminal.interrupt(until="Nothing was changed.")

    assert terminal.end() == 5, terminal.shown
    assert on_moto.get_most_recent_run_id(loaded) == long_id(4)


def test_run_ids__are_short_and_understood_as_shown(moto_table: EmulatedTable, loaded: str, command: Command) -> None:
    shown = COLOUR.sub("", shown_by(moto_table, "history", loaded))

    short = [line.split()[0] for line in shown.splitlines() if line.startswith("jr_")]
    assert [len(each) for each in short] == [13] * 4
    assert command("diff", loaded, short[-1], short[0], "--json").document["to"]["runId"] == long_id(4)


@pytest.mark.parametrize("arguments", [["jobs"], ["show", "JOB"], ["history", "JOB"], ["doctor", "JOB"]], ids=" ".join)
def test_sixty_columns__nothing_is_wider_and_what_matters_is_there(
    moto_table: EmulatedTable, loaded: str, arguments: list[str]
) -> None:
    own = [loaded if each == "JOB" else each for each in arguments]

    lines = COLOUR.sub("", shown_by(moto_table, *own, columns=60)).splitlines()

    assert max(map(len, lines)) <= 60
    if arguments != ["doctor", "JOB"]:
        assert any(loaded in line for line in lines)
        assert any("ok" in line.split() for line in lines)


def test_colour__on_a_terminal_and_never_with_no_color(moto_table: EmulatedTable, loaded: str) -> None:
    assert "\x1b[32mok" in shown_by(moto_table, "show", loaded)
    assert "\x1b[3" not in shown_by(moto_table, "show", loaded, NO_COLOR="1")


def test_colour__never_in_a_pipe(command: Command, loaded: str) -> None:
    assert "\x1b" not in command("show", loaded).out
    assert "\x1b" not in command("show", "nobody").err


def test_times__in_the_local_zone_and_in_utc_on_demand(moto_table: EmulatedTable, loaded: str) -> None:
    assert "2023-03-16 19:45:00+05:45" in shown_by(moto_table, "show", loaded, TZ="Asia/Kathmandu")
    assert "2023-03-16 14:00:00" in shown_by(moto_table, "show", loaded, "--utc", TZ="Asia/Kathmandu")
