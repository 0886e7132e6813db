"""How the command says things: ages, durations, times, numbers, short run ids, sparklines. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta, timezone, tzinfo
from datetime import time as midnight
from decimal import Decimal
from itertools import pairwise
from math import log1p
from typing import Any

BARS = "▁▂▃▄▅▆▇█"
NOT_COUNTED = "·"
FAILED = "×"
# Of a Glue run id (`jr_` and 64 hex digits) this much tells it from any other, in practice.
SHORT_ID = 12
LONGEST_ID = 24
# Control characters, and those that change the direction of writing.
UNSEEN = frozenset({"Cc", "Cf"})
_UNITS = (("y", 365 * 86_400), ("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def harmless(shown: Any) -> Any:
    """Give text, or lists and dicts of it, without what a terminal would obey or reorder; it is shown as a picture.

    An error or a job's name may hold anything, and a terminal would take an escape sequence in it for its own.
    """
    if isinstance(shown, str):
        return "".join(
            each if each == "\n" or unicodedata.category(each) not in UNSEEN else _picture(each) for each in shown
        )
    if isinstance(shown, Mapping):
        return {harmless(name): harmless(each) for name, each in shown.items()}
    return [harmless(each) for each in shown] if isinstance(shown, (list, tuple)) else shown


def _picture(control: str) -> str:
    return chr(0x2400 + ord(control)) if ord(control) < 0x20 else "␡" if control == "\x7f" else "�"


def span(length: timedelta) -> str:
    """Say a length of time in its two largest units: `3 d`, `2 h 5 min`, `41 s`."""
    seconds = abs(length.total_seconds())
    if seconds < 1:
        return "0 s"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for (unit, size), (smaller, part) in pairwise(_UNITS):
        if whole >= size:
            rest = whole % size // part
            # Of what is days old nobody wants the hours, except of one or two.
            coarse = unit in ("y", "d") and whole >= 3 * size
            return f"{whole // size} {unit}" if coarse or not rest else f"{whole // size} {unit} {rest} {smaller}"
    return f"{whole} s"


def ago(moment: datetime, now: datetime) -> str:
    """Say how long ago a moment was."""
    length = now - moment
    return f"in {span(length)}" if length < timedelta(seconds=-1) else f"{span(length)} ago"


def time(moment: datetime, zone: tzinfo | None) -> str:
    """Show a moment in a zone (this machine's where None), to the second, or finer where it is.

    In a zone of its own it carries its offset: summer and winter differ, and what is shown can be given to `set`.
    """
    local = moment.astimezone(zone)
    shown = local if local.tzname() != "UTC" else local.replace(tzinfo=None)
    return shown.isoformat(sep=" ", timespec="microseconds" if shown.microsecond else "seconds")


def heading(title: str, zone: tzinfo | None) -> str:
    """Give the heading of a column of times, which says UTC where they are."""
    in_utc = datetime.now(timezone.utc).astimezone(zone).tzname() == "UTC"
    return f"{title} (UTC)" if in_utc else title


def value(shown: object, zone: tzinfo | None = timezone.utc) -> str:
    """Show a mark or a recorded value."""
    if shown is None:
        return "–"
    if isinstance(shown, datetime):
        return shown.isoformat(sep=" ") if shown.tzinfo is None else time(shown, zone)
    if isinstance(shown, bool):
        return str(shown).lower()
    if isinstance(shown, int):
        return f"{shown:,}"
    if isinstance(shown, (bytes, bytearray)):
        return f"{len(shown):,} bytes"
    if isinstance(shown, (Decimal, date)):
        return str(shown)
    if isinstance(shown, (list, dict)):
        return f"{type(shown).__name__} of {len(shown):,}"
    return str(shown)


def mark_age(mark: object, now: datetime) -> str:
    """Say how old a mark is, where it is a time; nothing of ids and text. One that is to come says so.

    A time without a zone is taken as one in UTC, a date as its midnight.
    """
    if not isinstance(mark, date):
        return ""
    moment = mark if isinstance(mark, datetime) else datetime.combine(mark, midnight())
    length = now - (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc))
    return f"in {span(length)}" if length < timedelta(0) else span(length)


def short_id(run_id: str | None) -> str:
    """Shorten a long run id, keeping what tells a retry or a step; `find_run` understands it."""
    if run_id is None:
        return "–"
    first, end = re.fullmatch(r"(.*?)((?:_attempt_\d+)?(?:#step/\d{12})?)", run_id, re.DOTALL).groups()  # type: ignore[union-attr]
    return run_id if len(first) <= LONGEST_ID else f"{first[:SHORT_ID]}…{end}"


def ranges(numbers: Iterable[int]) -> str:
    """Say which numbers there are: `2–5, 7`."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(f"{low}" if low == high else f"{low}–{high}" for low, high in found)


def sparkline(counts: Sequence[int | str | None]) -> str:
    """Draw counts as bars. The scale is logarithmic: after a full load, deltas would all be flat.

    A text stands for itself (a failed run), None for a run that was not counted.
    """
    numbers = [count for count in counts if isinstance(count, int)]
    most = log1p(max(numbers, default=0))

    def bar(count: int | str | None) -> str:
        if isinstance(count, str):
            return count
        if count is None:
            return NOT_COUNTED
        return BARS[round(log1p(count) / most * (len(BARS) - 1))] if most else BARS[0]

    return "".join(map(bar, counts))
