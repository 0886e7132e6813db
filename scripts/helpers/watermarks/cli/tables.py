"""Tables that fit the terminal: what matters least is left out first, and nothing is cut without a sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

Cell: TypeAlias = "str | Text"
GAP = 2
NARROWEST = 8


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: its heading.
        right: whether numbers are set flush right.
        matters: the lower, the sooner it is left out of a narrow terminal; what matters most always stays.
        gives: whether it may be narrower than its text, which then goes on in the next line.
        cut: whether its text rather ends in `…`, because all of it is shown elsewhere.
    """

    title: str
    right: bool = False
    matters: int = 9
    gives: bool = False
    cut: bool = False


def print_table(console: Console, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
    """Print a table of the columns that fit."""
    shown = _those_that_fit(columns, rows, console.width)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for index in shown:
        column = columns[index]
        justify: Literal["left", "right"] = "right" if column.right else "left"
        overflow: Literal["ellipsis", "fold"] = "ellipsis" if column.cut else "fold"
        table.add_column(column.title, justify=justify, no_wrap=not column.gives, overflow=overflow)
    for row in rows:
        table.add_row(*(_text(row[index]) for index in shown))
    console.print(table)


def _those_that_fit(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], width: int) -> list[int]:
    widths = [_width(column, [row[index] for row in rows]) for index, column in enumerate(columns)]
    empty = {index for index in range(len(columns)) if rows and not any(_plain(row[index]) for row in rows)}
    shown = [index for index in range(len(columns)) if index not in empty]
    while sum(widths[index] + GAP for index in shown) - GAP > width:
        least = min(shown, key=lambda index: columns[index].matters)
        if columns[least].matters >= Column("").matters:
            break
        shown.remove(least)
    return shown


def _width(column: Column, cells: Sequence[Cell]) -> int:
    lines = [line for cell in cells for line in _plain(cell).split("\n")]
    widest = max(map(cell_len, [column.title, *lines]))
    return min(widest, max(NARROWEST, cell_len(column.title))) if column.gives or column.cut else widest


def _plain(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell.plain


def _text(cell: Cell) -> Text:
    # Never as markup: a job may be called "[red]".
    return Text(cell) if isinstance(cell, str) else cell


def keys_and_values(console: Console, pairs: Sequence[tuple[str, Cell]]) -> None:
    """Print names and values below each other; what is empty is left out."""
    table = Table.grid(padding=(0, GAP, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, told in pairs:
        if _plain(told):
            table.add_row(Text(name), _text(told))
    console.print(table)
