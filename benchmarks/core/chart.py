"""A chart of a bench as plain SVG: a bar for each contender, in groups, readable on light and on dark pages."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape

from benchmarks.core.results import Bench, Case, Measured, Unit

WIDTH, LEFT, RIGHT = 860, 300, 170
BAR, GAP, GROUP = 18, 6, 34
DIGITS: dict[Unit, int] = {"s": 2, "ms": 1, "MB": 0, "requests": 0, "units": 1}
STYLE = """
    text { font: 13px system-ui, sans-serif; fill: #1f2328; }
    .group { font-weight: 600; }
    .value { font-size: 12px; fill: #59636e; }
    .bar { fill: #afb8c1; }
    .ours { fill: #0969da; }
    .spread { stroke: #1f2328; stroke-width: 1.2; opacity: 0.55; }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3; }
      .value { fill: #9198a1; }
      .bar { fill: #59636e; }
      .ours { fill: #4493f8; }
      .spread { stroke: #e6edf3; }
    }
"""


def draw(bench: Bench) -> str:
    """Draw the medians of a bench, with a line from the lowest to the highest sample. Each group has its own scale."""
    parts: list[str] = []
    top = 10
    for case in bench.cases:
        parts.append(f'<text class="group" x="0" y="{top + 14}">{escape(case.work)}</text>')
        top += 24
        scale = (WIDTH - LEFT - RIGHT) / (max(max(each.samples) for each in case.contenders) or 1)
        for each in case.contenders:
            parts += _bar(case, each, top, scale)
            top += BAR + GAP
        top += GROUP - 24
    size = f'viewBox="0 0 {WIDTH} {top}" width="{WIDTH}" height="{top}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(bench.title)}">'
    drawn = (f"  {part}" for part in parts)
    return "\n".join([opening, f"  <style>{STYLE}  </style>", *drawn, "</svg>", ""])


def _bar(case: Case, each: Measured, top: int, scale: float) -> Iterator[str]:
    middle = top + BAR / 2
    low, high = LEFT + min(each.samples) * scale, LEFT + max(each.samples) * scale
    kind = "bar ours" if each is case.ours else "bar"
    label = f"{each.median:,.{DIGITS[case.unit]}f} {case.unit}"
    ratio = None if each is case.ours else case.ratio_to(each.name)
    times = f"  (× {1 / ratio:.2f})" if ratio else ""
    yield f'<text x="{LEFT - 8}" y="{middle + 4}" text-anchor="end">{escape(each.name)}</text>'
    yield f'<rect class="{kind}" x="{LEFT}" y="{top}" width="{max(each.median * scale, 1):.1f}" height="{BAR}" rx="2"/>'
    if high - low >= 1:
        yield f'<line class="spread" x1="{low:.1f}" y1="{middle}" x2="{high:.1f}" y2="{middle}"/>'
    yield f'<text class="value" x="{max(high, LEFT) + 8:.1f}" y="{middle + 4}">{label}{times}</text>'
