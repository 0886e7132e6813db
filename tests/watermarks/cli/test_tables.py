"""Tables: never wider than the terminal, never a cell cut without a sign, what matters most always there."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from scripts.helpers.watermarks.cli.tables import Column, print_table

COLUMNS = [
    Column("JOB", gives=True),
    Column("STATE"),
    Column("MARK", matters=7),
    Column("BATCH", right=True, matters=1),
    Column("", cut=True, matters=5),
]
SHORT = st.text("abcdefgh", max_size=12)


def printed(rows: list[list[str]], width: int) -> list[str]:
    console = Console(file=io.StringIO(), width=width)
    print_table(console, COLUMNS, rows)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text.splitlines()


@given(st.lists(st.tuples(SHORT, SHORT, SHORT, SHORT, SHORT).map(list), min_size=1, max_size=5), st.integers(40, 120))
def test_width__is_never_exceeded_and_nothing_of_what_matters_is_lost(rows: list[list[str]], width: int) -> None:
    lines = printed(rows, width)

    assert all(cell_len(line) <= width for line in lines)
    for name, state, *_ in rows:
        assert state in "".join(lines)
        assert name in "".join("".join(lines).split()) or len(name) > 8


def test_columns__are_left_out_by_what_they_matter() -> None:
    row = ["load-repairs", "ok", "2026-11-17 08:30:23", "5", "an error that takes a lot of room to be told in full"]

    assert printed([row], 110)[0].split() == ["JOB", "STATE", "MARK", "BATCH"]
    assert printed([row], 50)[0].split() == ["JOB", "STATE", "MARK"]
    assert printed([row], 30)[0].split() == ["JOB", "STATE"]


def test_details__end_with_a_sign_where_they_are_cut() -> None:
    row = ["load-repairs", "ok", "2026-11-17 08:30:23", "5", "an error that takes a lot of room to be told in full"]

    line = printed([row], 80)[1]

    assert line.startswith("load-repairs  ok     2026-11-17 08:30:23      5  an error that takes")
    assert line.rstrip().endswith("…")


def test_details__are_cut_before_a_name_is_folded() -> None:
    row = ["load-repairs", "ok", "2026-11-17 08:30:23", "5", "an error that takes a lot of room to be told in full"]

    assert printed([row], 62)[1] == "load-repairs  ok     2026-11-17 08:30:23      5  an error tha…"


def test_columns__that_are_empty_are_not_shown() -> None:
    assert printed([["load-repairs", "ok", "", "", ""]], 80)[0].split() == ["JOB", "STATE"]


@pytest.mark.parametrize("text", ["[red]x[/red]", "a:smile:b"], ids=["markup", "emoji"])
def test_cells__are_text_and_nothing_else(text: str) -> None:
    assert text in "\n".join(printed([[text, "ok", "", "", ""]], 80))
