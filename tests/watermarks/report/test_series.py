"""Points of a chart: near enough for the eye, exact for the reader, whatever JavaScript's floats can hold."""

import json
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.helpers.watermarks.report.columns import differences
from scripts.helpers.watermarks.report.series import MAX_SAFE_INTEGER, Column, as_drawable, column, kind_of_source

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
NUMBERS = st.one_of(
    st.integers(-(10**38) + 1, 10**38 - 1), st.decimals(allow_nan=False, allow_infinity=False, places=9), st.integers()
)


def in_javascript(found: Column) -> list[float | None]:
    """The numbers as a page has them: from JSON, and every one of them a float."""
    unpacked = json.loads(json.dumps(differences(found.y)))
    if isinstance(unpacked, list):
        return [None if each is None else float(each) for each in unpacked]
    numbers: list[float | None] = []
    last = 0.0
    for each in unpacked.get("differences", [None] * unpacked.get("none", 0)):
        last += float(each or 0)
        numbers.append(None if each is None else last)
    return numbers


def shown(found: Column, index: int) -> str:
    """The text of a point, as the page's scripts have it: JavaScript writes floats as Python does."""
    if index in found.text:
        return found.text[index]
    number = in_javascript(found)[index]
    assert number is not None
    return repr(int(number)) if number.is_integer() else repr(number)


@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_numbers__the_text_is_exact(numbers: list[Any]) -> None:
    found = column("number", numbers)

    for index, number in enumerate(numbers):
        assert Decimal(shown(found, index).replace(",", "")) == Decimal(number)


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=20), st.integers(20, 37))
def test_numbers__huge_and_close_together_are_told_apart(small: list[int], digits: int) -> None:
    found = column("number", [10**digits + each for each in small])

    order = [each for each in in_javascript(found) if each is not None]
    for one, other in zip(range(len(small)), range(1, len(small)), strict=False):
        assert (order[one] < order[other]) == (small[one] < small[other])


def test_numbers__drawn_above_a_base_that_is_named() -> None:
    marks = [Decimal("1234567890123456789012345678901234.5600"), Decimal("1234567890123456789012345678901234.5675")]

    found = column("number", marks)

    assert found.y == [0, 0.0075]
    assert found.base == "1,234,567,890,123,456,789,012,345,678,901,234.5600"
    assert found.text[1] == "1,234,567,890,123,456,789,012,345,678,901,234.5675"


def test_numbers__ordinary_ids_need_no_text_and_no_base() -> None:
    found = column("number", [81_204, None, 82_000])

    assert found == Column([81_204, None, 82_000])


@given(st.lists(st.datetimes(datetime(1700, 1, 1), datetime(2250, 1, 1), timezones=st.just(timezone.utc)), max_size=10))
def test_times__to_the_microsecond(times: list[datetime]) -> None:
    numbers = in_javascript(column("timestamp", times))

    assert [EPOCH + timedelta(microseconds=int(each or 0)) for each in numbers] == times


@pytest.mark.parametrize("mark", [datetime(9999, 12, 31, 23, 59, 59, 999999), date(9999, 12, 31)], ids=["time", "date"])
def test_times__too_far_for_a_float_are_told_as_text(mark: date) -> None:
    found = column("timestamp_ntz", [mark])

    assert found.text == {0: str(mark)}
    assert isinstance(found.y[0], int)
    assert found.y[0] > MAX_SAFE_INTEGER


def test_times__outside_pythons_years_are_text_and_not_drawn() -> None:
    found = column("timestamp", ["+10000-01-01T00:00:00.000000Z", None])

    assert found == Column([None, None], text={0: "+10000-01-01T00:00:00.000000Z"})


def test_texts__stand_in_the_order_in_which_spark_compares_them() -> None:
    found = column("text", ["b", None, "\U0001f6b2", "\uffff", "b"])

    assert found.labels == ["b", "\uffff", "\U0001f6b2"]
    assert found.y == [0, None, 2, 1, 0]


@given(
    st.lists(st.none() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False, allow_infinity=False), max_size=20)
)
def test_differences__add_up_again(numbers: list[Any]) -> None:
    assert in_javascript(Column(numbers)) == [None if each is None else float(each) for each in numbers]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("2023-03-16 15:45:00", "timestamp_ntz"),
        ("2023-03-16T15:45:00.5Z", "timestamp"),
        ("2023-03-16", "date"),
        (datetime(2023, 3, 16), "timestamp_ntz"),
        (date(2023, 3, 16), "date"),
        (808, "number"),
        (0.5, "number"),
        (Decimal("1.10"), "number"),
        ("2023-13-45 15:45:00", None),
        ("2023-1-1-01", None),
        ("ten letter", None),
        (True, None),
        (None, None),
        ([1], None),
    ],
    ids=repr,
)
def test_recorded_values__times_and_numbers_are_drawn(value: object, kind: str | None) -> None:
    drawable = as_drawable(value)

    assert (drawable and drawable[0]) == kind


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ({"type": "integer", "mark": 1}, "number"),
        ({"type": "string", "mark": "a"}, "text"),
        ({"paths": ["s3://landing/"], "mark": EPOCH}, "timestamp"),
        ({"low": None, "high": None}, None),
        ("damaged", None),
    ],
    ids=["integer", "string", "files", "read but never committed", "no map"],
)
def test_sources__kind_of_mark(source: object, kind: str | None) -> None:
    assert kind_of_source(source) == kind
