"""How things are said: ages, numbers, short ids, sparklines."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.helpers.watermarks.cli import words
from scripts.helpers.watermarks.watermarks.comparing import the_run_meant
from tests.support.tables import NOON


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (timedelta(0), "0 s"),
        (timedelta(seconds=4.14), "4.1 s"),
        (timedelta(seconds=41), "41 s"),
        (timedelta(seconds=60), "1 min"),
        (timedelta(minutes=5, seconds=7), "5 min 7 s"),
        (timedelta(hours=2, minutes=5), "2 h 5 min"),
        (timedelta(hours=26), "1 d 2 h"),
        (timedelta(days=3, hours=2), "3 d"),
        (timedelta(days=364), "364 d"),
        (timedelta(days=366), "1 y 1 d"),
        (timedelta(days=4_000), "10 y"),
        (timedelta(seconds=-90), "1 min 30 s"),
    ],
    ids=str,
)
def test_span(length: timedelta, said: str) -> None:
    assert words.span(length) == said


def test_ago__also_of_what_is_to_come() -> None:
    assert words.ago(NOON, NOON + timedelta(minutes=2)) == "2 min ago"
    assert words.ago(NOON + timedelta(minutes=2), NOON) == "in 2 min"
    assert words.ago(NOON + timedelta(milliseconds=500), NOON) == "0 s ago"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "–"),
        (True, "true"),
        (81_204, "81,204"),
        (Decimal("12.50"), "12.50"),
        (date(2023, 3, 16), "2023-03-16"),
        (datetime(2023, 3, 16, 15, 45), "2023-03-16 15:45:00"),
        (datetime(2023, 3, 16, 15, 45, 0, 5, timezone.utc), "2023-03-16 15:45:00.000005"),
        ("text", "text"),
        (b"12345", "5 bytes"),
        ([1, 2], "list of 2"),
        ({"a": 1}, "dict of 1"),
    ],
    ids=repr,
)
def test_value(value: object, said: str) -> None:
    assert words.value(value) == said


@pytest.mark.parametrize(
    ("mark", "age"),
    [
        (NOON - timedelta(days=5), "5 d"),
        (datetime(2023, 3, 16, 11, 0), "1 h"),
        (date(2023, 3, 10), "6 d"),
        (NOON + timedelta(days=4_000), "in 10 y"),
        (date(2023, 3, 17), "in 12 h"),
        (81_204, ""),
        ("text", ""),
        (None, ""),
    ],
    ids=repr,
)
def test_mark_age__only_of_times(mark: object, age: str) -> None:
    assert words.mark_age(mark, NOON) == age


@given(st.sets(st.integers(1, 60)))
def test_ranges__say_exactly_these_numbers(numbers: set[int]) -> None:
    said: set[int] = set()
    for part in filter(None, words.ranges(numbers).split(", ")):
        low, _, high = part.partition("–")
        said |= set(range(int(low), int(high or low) + 1))

    assert said == numbers


@pytest.mark.parametrize(
    ("counts", "drawn"),
    [
        ([], ""),
        ([0], "▁"),
        ([0, 1_000_000], "▁█"),
        ([100_000, 300, "×", None, 0], "█▄×·▁"),
        ([5, 5], "██"),
    ],
    ids=repr,
)
def test_sparkline(counts: list[Any], drawn: str) -> None:
    assert words.sparkline(counts) == drawn


HEX = st.text("0123456789abcdef", min_size=64, max_size=64)


@given(st.lists(HEX, min_size=1, max_size=20, unique_by=lambda each: each[:9]), st.integers(0, 3), st.booleans())
def test_short_id__tells_which_run_is_meant(hexes: list[str], attempt: int, stepped: bool) -> None:
    suffix = (f"_attempt_{attempt}" if attempt else "") + ("#step/000000000007" if stepped else "")
    runs = [f"jr_{each}{end}" for each in hexes for end in {"", suffix}]

    for run in runs:
        beginning, _, end = words.short_id(run).partition("…")
        candidates = [each for each in runs if each.startswith(beginning) and each.endswith(end)]
        assert the_run_meant(words.short_id(run), candidates) == run


def test_run_meant__is_no_other_run_whose_id_merely_goes_on() -> None:
    assert the_run_meant("run", ["run-1", "run-10", "run-11"]) is None
    assert the_run_meant("run-1", ["run-1", "run-10", "run-11"]) == "run-1"
    assert the_run_meant("run", ["run-1", "run-1_attempt_2", "run-1#step/000000000003"]) == "run-1"


def test_time__carries_its_offset_unless_it_is_utc() -> None:
    london = ZoneInfo("Europe/London")

    assert words.time(NOON, timezone.utc) == "2023-03-16 12:00:00"
    assert words.time(NOON, london) == "2023-03-16 12:00:00+00:00"
    assert words.time(NOON.replace(month=7), london) == "2023-07-16 13:00:00+01:00"


def test_short_id__leaves_short_ones_alone() -> None:
    assert words.short_id("jr_3f") == "jr_3f"
    assert words.short_id("local_4fc3e6d0") == "local_4fc3e6d0"
    assert words.short_id(None) == "–"
