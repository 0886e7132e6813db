"""The page and the charts that are written from what was found."""

import json
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.core.chart import draw
from benchmarks.core.results import Bench, Case, Goal, Measured
from benchmarks.core.writing import keep, page, plain_table, write_page

OURS, OTHER = Measured("this package", (0.9, 1.2, 1.0)), Measured("other <&>", (2.0, 1.9, 2.5), "It was told more.")
MET, MISSED = Goal("≤ 0.6 × the other", 0.6, ("other <&>",)), Goal("≤ 0.4 × the other", 0.4, ("other <&>",))


def bench(*goals: Goal, name: str = "rows") -> Bench:
    case = Case("full load", "s", (OURS, OTHER), goals)
    return Bench(name, f"Title of {name}", "About it.", (case,), ("A profile.",), facts={"cores": "2"})


def test_page__a_line_for_each_contender_with_ratio_and_verdict() -> None:
    told = page([bench(MET, MISSED)])

    assert "| full load | this package | 1.000 s | 0.900 – 1.200 s |  |  |  |" in told
    goals = "≤ 0.6 × the other; ≤ 0.4 × the other | yes; **no**: 0.50 ×"
    assert f"|  | other <&> | 2.000 s | 1.900 – 2.500 s | 0.50 | {goals} |" in told
    assert "- It was told more.\n- A profile.\n" in told
    assert "<sub>cores 2</sub>" in told


def test_page__says_first_which_goals_are_missed() -> None:
    assert "**1 of 2 goals are met.**" in page([bench(MET, MISSED)])
    assert "- rows, full load: ≤ 0.4 × the other; reached 0.50 ×" in page([bench(MET, MISSED)])
    assert "Not met" not in page([bench(MET)])


def test_keep__replaces_a_bench_and_leaves_the_others(tmp_path: Path) -> None:
    results = tmp_path / "results.json"
    keep(results, bench(MISSED))
    keep(results, bench(name="files"))
    keep(results, bench(MET))

    write_page(tmp_path, order=("files", "rows", "never measured"))

    assert set(json.loads(results.read_text(encoding="utf-8"))) == {"rows", "files"}
    told = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert told.index("Title of files") < told.index("Title of rows")
    assert "≤ 0.6" in told
    assert "≤ 0.4" not in told
    assert {each.name for each in (tmp_path / "charts").iterdir()} == {"files.svg", "rows.svg"}


def test_plain_table__fits_a_terminal() -> None:
    assert "other <&>" in plain_table(bench(MET))


def test_chart__is_svg_with_a_bar_for_each_contender_in_scale() -> None:
    root = ElementTree.fromstring(draw(bench(MET)))

    bars = root.findall("{http://www.w3.org/2000/svg}rect")
    ours, other = (float(bar.attrib["width"]) for bar in bars)
    assert [bar.attrib["class"] for bar in bars] == ["bar ours", "bar"]
    assert abs(other / ours - 2.0) < 0.01
    assert "prefers-color-scheme: dark" in draw(bench(MET))
