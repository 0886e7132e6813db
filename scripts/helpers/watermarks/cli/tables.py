"""Tables that fit the terminal: what matters least is left out first, and nothing is cut without a sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

Cell: TypeAlias = "str | Text"
GAP = 2
NARROWEST = 8
MATTERS_MOST = 9


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        title: its heading.
        right: whether numbers are set flush right.
        matters: the lower, the sooner it is left out of a narrow terminal; what matters most always stays.
        gives: whether it may be narrower than its text, which then goes on in the next line.
        cut: whether its text rather ends in `…`, because all of it is shown elsewhere.
        least: how narrow it may get before others are left out.
    """

    title: str
    right: bool = False
    matters: int = MATTERS_MOST
    gives: bool = False
    cut: bool = False
    least: int = NARROWEST


def print_table(console: Console, columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> None:
    """Print a table of the columns that fit."""
    natural = [_natural_width(column, [row[index] for row in rows]) for index, column in enumerate(columns)]
    shown = _those_that_fit(columns, natural, console.width)
    widths = _given_widths(columns, natural, shown, console.width)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for index in shown:
        column = columns[index]
        table.add_column(
            column.title,
            justify="right" if column.right else "left",
            no_wrap=not column.gives,
            overflow="ellipsis" if column.cut else "fold",
            min_width=widths[index],
            max_width=widths[index],
        )
    for row in rows:
        table.add_row(*(_text(row[index]) for index in shown))
    console.print(table)


def _natural_width(column: Column, cells: Sequence[Cell]) -> int:
    """Give the width that a column would like to have; nothing for one that is empty."""
    lines = [line for cell in cells for line in _plain(cell).split("\n")]
    widest = max(map(cell_len, lines), default=0)
    return max(widest, cell_len(column.title)) if widest or not cells else 0


def _those_that_fit(columns: Sequence[Column], natural: Sequence[int], width: int) -> list[int]:
    """Leave out the columns that are empty, and what matters least until the rest fits."""
    shown = [index for index in range(len(columns)) if natural[index]]
    while sum(_least_width(columns[index], natural[index]) + GAP for index in shown) - GAP > width:
        least = min(shown, key=lambda index: columns[index].matters)
        if columns[least].matters == MATTERS_MOST:
            break
        shown.remove(least)
    return shown


def _given_widths(
    columns: Sequence[Column], natural: Sequence[int], shown: Sequence[int], width: int
) -> dict[int, int]:
    """Share what is left between the columns that give: the narrow ones first, those that may be cut last."""
    widths = {index: natural[index] for index in shown}
    giving = sorted(
        (index for index in shown if _gives(columns[index])), key=lambda index: (columns[index].cut, natural[index])
    )
    left = width - GAP * (len(shown) - 1) - sum(widths[index] for index in shown if index not in giving)
    for number, index in enumerate(giving, start=1):
        others = [each for each in giving[number:] if columns[each].cut == columns[index].cut]
        kept = sum(_least_width(columns[each], natural[each]) for each in giving[number:] if each not in others)
        widths[index] = min(natural[index], max((left - kept) // (len(others) + 1), 1))
        left -= widths[index]
    return widths


def _least_width(column: Column, natural: int) -> int:
    return min(natural, max(column.least, cell_len(column.title))) if _gives(column) else natural


def _gives(column: Column) -> bool:
    return column.gives or column.cut


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
