"""Marks of sources: stored exactly, read back exactly, over all the time that Spark has."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scripts.helpers.watermarks.values import Stored
from scripts.helpers.watermarks.values.marks import (
    DAY,
    SECOND,
    MarkType,
    MarkValue,
    describe,
    from_python,
    from_stored,
    to_python,
    to_stored,
)

# Spark keeps timestamps as microseconds in 64 bits.
FIRST, LAST = -(2**63), 2**63 - 1
EPOCH = datetime(1970, 1, 1)
MICROSECOND = timedelta(microseconds=1)
NOON = (datetime(2023, 3, 16, 12) - EPOCH) // MICROSECOND
YEAR_10000 = (datetime.max - EPOCH) // MICROSECOND + 1
YEAR_1 = (datetime.min - EPOCH) // MICROSECOND

micros = st.integers(FIRST, LAST)
days = st.integers(FIRST // DAY, LAST // DAY)
decimals = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**38) + 1, max_value=10**38 - 1, places=6)

STORED = [
    ("timestamp", 0, "1970-01-01T00:00:00.000000Z"),
    ("timestamp", -1, "1969-12-31T23:59:59.999999Z"),
    ("timestamp", NOON + 1, "2023-03-16T12:00:00.000001Z"),
    ("timestamp", YEAR_10000, "+10000-01-01T00:00:00.000000Z"),
    ("timestamp", YEAR_1, "0001-01-01T00:00:00.000000Z"),
    ("timestamp", YEAR_1 - 1, "0000-12-31T23:59:59.999999Z"),
    ("timestamp", YEAR_1 - 366 * DAY - 1, "-0001-12-31T23:59:59.999999Z"),
    ("timestamp", LAST, "+294247-01-10T04:00:54.775807Z"),
    ("timestamp", FIRST, "-290308-12-21T19:59:05.224192Z"),
    ("timestamp_ntz", NOON, "2023-03-16T12:00:00.000000"),
    ("date", 0, "1970-01-01"),
    ("date", 19_432, "2023-03-16"),
    ("date", 11_016, "2000-02-29"),
    ("date", YEAR_10000 // DAY, "+10000-01-01"),
    ("integer", 0, Decimal(0)),
    ("integer", -808, Decimal(-808)),
    ("integer", LAST, Decimal(LAST)),
    ("integer", 100, Decimal(100)),
    ("decimal", Decimal("1.50"), Decimal("1.5")),
    ("decimal", Decimal("-0.0"), Decimal(0)),
    ("decimal", Decimal("9" * 38), Decimal("9" * 38)),
    ("string", "repairs/0001", "repairs/0001"),
    ("string", "", ""),
]


def ids(case: object) -> str | None:
    return str(case) or "empty" if isinstance(case, (str, int, Decimal)) else None


@pytest.mark.parametrize(("kind", "value", "stored"), STORED, ids=ids)
def test_to_stored__as_a_person_reads_it(kind: MarkType, value: MarkValue, stored: Stored) -> None:
    written = to_stored(kind, value)

    assert written == stored
    assert type(written) is type(stored)
    assert from_stored(kind, stored) == value


@given(value=micros, kind=st.sampled_from(["timestamp", "timestamp_ntz"]))
@example(value=FIRST, kind="timestamp")
@example(value=LAST, kind="timestamp")
def test_times__come_back_exactly(value: int, kind: MarkType) -> None:
    assert from_stored(kind, to_stored(kind, value)) == value


@given(value=days)
def test_dates__come_back_exactly(value: int) -> None:
    assert from_stored("date", to_stored("date", value)) == value


@given(value=st.integers(FIRST, LAST))
def test_integers__come_back_exactly(value: int) -> None:
    assert from_stored("integer", to_stored("integer", value)) == value


@given(value=decimals)
@example(value=Decimal("1E-38"))
@example(value=Decimal("9" * 38))
def test_decimals__come_back_exactly(value: Decimal) -> None:
    assert from_stored("decimal", to_stored("decimal", value)) == value


@given(moment=st.datetimes())
def test_times__agree_with_pythons_calendar(moment: datetime) -> None:
    value = (moment - EPOCH) // MICROSECOND

    assert to_stored("timestamp_ntz", value) == moment.isoformat(timespec="microseconds")
    assert to_stored("timestamp", value) == f"{moment.isoformat(timespec='microseconds')}Z"
    assert to_stored("date", value // DAY) == moment.date().isoformat()
    assert to_python("timestamp_ntz", value) == moment
    assert to_python("timestamp", value) == moment.replace(tzinfo=timezone.utc)
    assert to_python("date", value // DAY) == moment.date()


@given(value=micros)
def test_times__the_calendar_repeats_every_400_years(value: int) -> None:
    year, rest = _year_and_rest(value)

    assert _year_and_rest(value + 146_097 * DAY) == (year + 400, rest)


def _year_and_rest(value: int) -> tuple[int, str]:
    found = re.fullmatch(r"([+-]?\d{4,6})(-\d\d-\d\dT.*)", str(to_stored("timestamp", value)))
    assert found is not None
    return int(found[1]), found[2]


@given(value=micros)
def test_to_python__and_from_python_again(value: int) -> None:
    python = to_python("timestamp", value)

    if isinstance(python, datetime):
        assert python.tzinfo == timezone.utc
        assert from_python("timestamp", python) == value
    else:
        assert not YEAR_1 <= value < YEAR_10000
        assert python == to_stored("timestamp", value)


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        ("timestamp", "2023-03-16T12:00:00.000000"),
        ("timestamp", "2023-03-16T12:00:00Z"),
        ("timestamp", "2023-03-16"),
        ("timestamp", "2023-13-16T12:00:00.000000Z"),
        ("timestamp", "2023-03-16T24:00:00.000000Z"),
        ("timestamp", "2023-03-16T12:60:00.000000Z"),
        ("timestamp", "2023-03-16T12:00:60.000000Z"),
        ("timestamp", "2023-03-16T12:00:00.000000Z\n"),
        ("timestamp", Decimal(0)),
        ("timestamp", None),
        ("timestamp_ntz", "2023-03-16T12:00:00.000000Z"),
        ("date", "2023-02-29"),
        ("date", "2023-03-16T12:00:00.000000"),
        ("date", Decimal(19_432)),
        ("integer", Decimal("1.5")),
        ("integer", "808"),
        ("integer", True),
        ("decimal", "1.5"),
        ("decimal", "NaN"),
        ("decimal", True),
        ("string", Decimal(1)),
        ("string", None),
    ],
    ids=ids,
)
def test_from_stored__not_a_mark_of_this_type(kind: MarkType, stored: Stored) -> None:
    with pytest.raises(ValueError, match=f"is not a mark of type {kind}$"):
        from_stored(kind, stored)


@pytest.mark.parametrize(
    ("kind", "value", "line"),
    [
        ("timestamp", None, "nothing"),
        ("timestamp", NOON, "2023-03-16 12:00:00"),
        ("timestamp", NOON + 250_000, "2023-03-16 12:00:00.250000"),
        ("timestamp", NOON + 45 * SECOND, "2023-03-16 12:00:45"),
        ("timestamp_ntz", NOON, "2023-03-16 12:00:00"),
        ("date", 19_432, "2023-03-16"),
        ("integer", 1_000, "1000"),
        ("decimal", Decimal("1.50"), "1.5"),
        ("string", "2023T.000000Z", "2023T.000000Z"),
    ],
    ids=ids,
)
def test_describe__as_a_log_line_shows_it(kind: MarkType, value: MarkValue | None, line: str) -> None:
    assert describe(kind, value) == line


@pytest.mark.parametrize("kind", ["integer", "decimal", "string"])
def test_to_python__numbers_and_text_as_they_are(kind: MarkType) -> None:
    value: MarkValue = {"integer": 5, "decimal": Decimal("1.5"), "string": "a"}[kind]  # type: ignore[assignment]

    assert to_python(kind, value) is value


def test_to_python__dates_and_times_have_their_own_types() -> None:
    assert to_python("date", 19_432) == date(2023, 3, 16)
    assert type(to_python("date", 19_432)) is date
    assert to_python("date", YEAR_10000 // DAY) == "+10000-01-01"


@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz", "date"])
def test_to_stored__a_time_mark_that_is_no_integer(kind: MarkType) -> None:
    with pytest.raises(TypeError, match="a time mark is an integer, not '2023-03-16'"):
        to_stored(kind, "2023-03-16")
