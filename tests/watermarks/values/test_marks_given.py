"""Marks that a caller gives: bounds and marks to set, as Python values or as text from a job's arguments."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.helpers.watermarks.values.marks import (
    DAY,
    SECOND,
    MarkType,
    MarkValue,
    from_python,
    from_stored,
    to_stored,
)

NOON = 1_678_968_000 * SECOND  # 2023-03-16 12:00 UTC
UTC_NOON = datetime(2023, 3, 16, 12, tzinfo=timezone.utc)
BERLIN = timezone(timedelta(hours=1))
LONDON = ZoneInfo("Europe/London")


@pytest.mark.parametrize(
    ("kind", "value", "mark"),
    [
        pytest.param("timestamp", UTC_NOON, NOON, id="timestamp-in-utc"),
        pytest.param("timestamp", UTC_NOON.astimezone(BERLIN), NOON, id="timestamp-elsewhere"),
        pytest.param("timestamp", UTC_NOON + timedelta(microseconds=1), NOON + 1, id="timestamp-to-the-microsecond"),
        pytest.param("timestamp", datetime(1969, 12, 31, 23, 59, 59, 999_999, timezone.utc), -1, id="before-1970"),
        pytest.param(
            "timestamp", datetime(2023, 10, 29, 1, 30, fold=1, tzinfo=LONDON), 1_698_543_000 * SECOND, id="fold"
        ),
        pytest.param("timestamp", "2023-03-16T12:00:00Z", NOON, id="timestamp-as-text"),
        pytest.param("timestamp", " 2023-03-16 13:00:00+01:00 ", NOON, id="timestamp-as-text-elsewhere"),
        pytest.param("timestamp_ntz", datetime(2023, 3, 16, 12), NOON, id="timestamp_ntz"),
        pytest.param("timestamp_ntz", "2023-03-16 12:00:00", NOON, id="timestamp_ntz-as-text"),
        pytest.param("timestamp_ntz", date(2023, 3, 16), NOON - DAY // 2, id="timestamp_ntz-as-day"),
        pytest.param("timestamp_ntz", "2023-03-16", NOON - DAY // 2, id="timestamp_ntz-as-text-of-a-day"),
        pytest.param("date", date(2023, 3, 16), 19_432, id="date"),
        pytest.param("date", "2023-03-16", 19_432, id="date-as-text"),
        pytest.param("integer", 808, 808, id="integer"),
        pytest.param("integer", " -808 ", -808, id="integer-as-text"),
        pytest.param("decimal", Decimal("1.50"), Decimal("1.5"), id="decimal"),
        pytest.param("decimal", 808, Decimal(808), id="decimal-as-int"),
        pytest.param("decimal", "1.50", Decimal("1.5"), id="decimal-as-text"),
        pytest.param("string", "808", "808", id="string"),
    ],
)
def test_from_python__takes_what_fits(kind: MarkType, value: object, mark: MarkValue) -> None:
    given_mark = from_python(kind, value)

    assert given_mark == mark
    assert type(given_mark) is type(mark)


@pytest.mark.parametrize(
    ("kind", "value", "problem"),
    [
        pytest.param("timestamp", datetime(2023, 3, 16), "with a time zone", id="naive-for-timestamp"),
        pytest.param("timestamp", "2023-03-16 12:00:00", "with a time zone", id="text-without-zone"),
        pytest.param("timestamp", date(2023, 3, 16), "with a time zone", id="day-for-timestamp"),
        pytest.param("timestamp", "yesterday", "'yesterday' is not an ISO-8601", id="no-time-at-all"),
        pytest.param("timestamp", "", "'' is not an ISO-8601", id="empty-text"),
        pytest.param("timestamp", NOON, "expected a datetime", id="number-for-timestamp"),
        pytest.param("timestamp", None, "expected a datetime", id="none-for-timestamp"),
        pytest.param("timestamp_ntz", UTC_NOON, "without time zone", id="aware-for-timestamp_ntz"),
        pytest.param("date", UTC_NOON, "expected a date", id="datetime-for-date"),
        pytest.param("date", "2023-02-29", "'2023-02-29' is not an ISO-8601", id="no-such-day"),
        pytest.param("integer", 1.0, "expected an integer", id="float-for-integer"),
        pytest.param("integer", True, "expected an integer", id="true-for-integer"),
        pytest.param("integer", Decimal(1), "expected an integer", id="decimal-for-integer"),
        pytest.param("integer", "1.5", "expected an integer", id="fraction-for-integer"),
        pytest.param("integer", "9" * 41, "expected an integer", id="too-many-digits-for-integer"),
        pytest.param("integer", 10**38, "expected an integer", id="integer-that-dynamodb-cannot-hold"),
        pytest.param("integer", "9" * 39, "expected an integer", id="text-of-one-that-dynamodb-cannot-hold"),
        pytest.param("decimal", 1.5, "expected a Decimal", id="float-for-decimal"),
        pytest.param("decimal", True, "expected a Decimal", id="true-for-decimal"),
        pytest.param("decimal", "eight", "expected a decimal number", id="word-for-decimal"),
        pytest.param("decimal", "NaN", "expected a Decimal", id="nan-for-decimal"),
        pytest.param("decimal", Decimal("Infinity"), "expected a Decimal", id="infinity-for-decimal"),
        pytest.param("decimal", "1E+999999999", "expected a Decimal", id="exponent-that-fills-the-memory"),
        pytest.param("decimal", "1E-999999", "expected a Decimal", id="exponent-far-below"),
        pytest.param("string", 808, "expected text", id="number-for-string"),
        pytest.param("string", None, "expected text", id="none-for-string"),
    ],
)
def test_from_python__refuses_what_does_not_fit(kind: MarkType, value: object, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        from_python(kind, value)


@given(value=st.one_of(st.decimals(allow_nan=False, allow_infinity=False), st.integers()))
def test_from_python__whatever_it_takes_can_be_stored_and_read(value: Decimal | int) -> None:
    kind: MarkType = "integer" if isinstance(value, int) else "decimal"
    try:
        mark = from_python(kind, value)
    except ValueError:
        return

    assert mark == value
    assert from_stored(kind, to_stored(kind, mark)) == value
