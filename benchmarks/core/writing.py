"""Writing down what was found: `results.json`, which keeps every sample, and from it `RESULTS.md` with its charts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.core.chart import draw
from benchmarks.core.results import Bench, Case, Measured, Unit, Verdict, from_json, to_json

RESULTS, PAGE, CHARTS = "results.json", "RESULTS.md", "charts"
HEAD = ("work", "contender", "median", "spread", "this package ÷ it", "goal", "met")
DIGITS: dict[Unit, int] = {"s": 3, "ms": 1, "MB": 0, "requests": 0, "units": 1}
INTRODUCTION = """\
# Results

Written by `make bench`; every sample is in [`results.json`](results.json), and [`README.md`](README.md) says what is
compared and what is not fair about it. A ratio is this package's median divided by the other's: below 1, this package
takes less. Spread is from the lowest to the highest of the samples.
"""


def keep(path: Path, bench: Bench) -> None:
    """Put a bench beside the others that are kept, in place of what it found before."""
    kept = _kept(path)
    kept[bench.name] = to_json(bench)
    path.write_text(json.dumps(kept, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def write_page(folder: Path, *, order: Sequence[str]) -> None:
    """Write the page and the charts from what is kept."""
    kept = _kept(folder / RESULTS)
    benches = [from_json(kept[name]) for name in order if name in kept]
    (folder / CHARTS).mkdir(exist_ok=True)
    for bench in benches:
        (folder / CHARTS / f"{bench.name}.svg").write_text(draw(bench), encoding="utf-8")
    (folder / PAGE).write_text(page(benches), encoding="utf-8")


def page(benches: Sequence[Bench]) -> str:
    """Give the page in Markdown."""
    return "\n".join([INTRODUCTION, _summary(benches), *(_part(bench) for bench in benches)])


def plain_table(bench: Bench) -> str:
    """Give what a bench found for a terminal."""
    rows = [HEAD, *(row for case in bench.cases for row in _rows(case))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return "\n".join(["", bench.title, *lines, *bench.notes])


def _summary(benches: Iterable[Bench]) -> str:
    verdicts = [(bench, case, verdict) for bench in benches for case in bench.cases for verdict in case.verdicts()]
    met = sum(verdict.met for _, _, verdict in verdicts)
    lines = [f"**{met} of {len(verdicts)} goals are met.**"]
    if met < len(verdicts):
        lines += ["", "Not met, with what explains it further down:", ""]
        lines += [
            f"- {bench.name}, {case.work}: {verdict.goal.words}; reached {_reached(verdict, case)}"
            for bench, case, verdict in verdicts
            if not verdict.met
        ]
    return "\n".join([*lines, ""])


def _part(bench: Bench) -> str:
    table = [_line(HEAD), _line(["---", "---", "--:", "--:", "--:", "---", "---"])]
    table += [_line(row) for case in bench.cases for row in _rows(case)]
    notes = [f"- {each.note}" for each in _noted(bench)] + [f"- {note}" for note in bench.notes]
    facts = ", ".join(f"{name} {value}" for name, value in bench.facts.items())
    return "\n".join(
        [
            f"## {bench.title}",
            "",
            bench.about,
            "",
            f"![{bench.title}]({CHARTS}/{bench.name}.svg)",
            "",
            *table,
            "",
            *([*notes, ""] if notes else []),
            f"<sub>{facts}</sub>",
            "",
        ]
    )


def _noted(bench: Bench) -> list[Measured]:
    """Give the contenders that have something to be said about them, each remark once."""
    return list({each.note: each for case in bench.cases for each in case.contenders if each.note}.values())


def _rows(case: Case) -> list[tuple[str, ...]]:
    verdicts = case.verdicts()
    return [
        (
            case.work if each is case.ours else "",
            each.name,
            amount(each.median, case.unit),
            _spread(each, case.unit),
            _ratio(case, each),
            "; ".join(verdict.goal.words for verdict in _held_against(each, case, verdicts)),
            "; ".join(_answer(verdict, case) for verdict in _held_against(each, case, verdicts)),
        )
        for each in case.contenders
    ]


def _held_against(each: Measured, case: Case, verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Give the goals that stand in a contender's line: those it is the measure of."""
    return [verdict for verdict in verdicts if (verdict.against or case.ours.name) == each.name]


def _answer(verdict: Verdict, case: Case) -> str:
    return "yes" if verdict.met else f"**no**: {_reached(verdict, case)}"


def _reached(verdict: Verdict, case: Case) -> str:
    if verdict.goal.measure == "ratio":
        return f"{verdict.reached:.2f} ×"
    return amount(verdict.reached, case.unit)


def _ratio(case: Case, each: Measured) -> str:
    ratio = None if each is case.ours else case.ratio_to(each.name)
    return "" if ratio is None else f"{ratio:.2f}"


def _spread(each: Measured, unit: Unit) -> str:
    low, high = (amount(value, unit) for value in (min(each.samples), max(each.samples)))
    return low if low == high else f"{low.removesuffix(f' {unit}')} – {high}"


def amount(value: float, unit: Unit) -> str:
    """Give a value with its unit."""
    return f"{value:,.{DIGITS[unit]}f} {unit}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _kept(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return kept
