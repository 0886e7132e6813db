"""The mark of a source: how far its column has been loaded, exactly.

Inside, a mark is an integer (microseconds since 1970, days since 1970, an id), a Decimal or a text: values that
compare as Spark compares the column. Stored, it is what a person reads in the console. Times are counted in the
proleptic Gregorian calendar, as Spark does, and reach beyond the years 1 to 9999 of Python's datetime: the last hours
of 9999 in New York are in the year 10000 in UTC.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal, InvalidOperation
from typing import Literal, TypeAlias, get_args

from scripts.helpers.watermarks.values.stored import MAX_DIGITS, Stored, canonical_number, is_held

MarkType: TypeAlias = Literal["timestamp", "timestamp_ntz", "date", "integer", "decimal", "string"]
MarkValue: TypeAlias = "int | Decimal | str"
PythonMark: TypeAlias = "datetime | date | int | Decimal | str"

MARK_TYPES: tuple[str, ...] = get_args(MarkType)
SECOND = 1_000_000
DAY = 86_400 * SECOND

_CYCLE_YEARS = 400
_CYCLE_DAYS = 146_097
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the wall clock has no zone
_ISO = re.compile(r"([+-]?\d{4,6})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)\.(\d{6})(Z?))?")


def to_stored(kind: MarkType, value: MarkValue) -> Stored:
    """Give the mark as it is stored: ISO-8601 text for times, a number for ids, text for text."""
    if kind == "timestamp":
        return f"{_iso_time(_whole(value))}Z"
    if kind == "timestamp_ntz":
        return _iso_time(_whole(value))
    if kind == "date":
        return _iso_date(_whole(value))
    if kind == "string":
        return str(value)
    return canonical_number(Decimal(value))


def from_stored(kind: MarkType, stored: Stored) -> MarkValue:
    """Read a stored mark back.

    Raises:
        ValueError: the stored value is not a mark of this type.
    """
    if kind in ("timestamp", "timestamp_ntz", "date"):
        return _parse_iso(kind, stored)
    if kind == "string" and isinstance(stored, str):
        return stored
    if kind == "integer" and isinstance(stored, Decimal) and stored == stored.to_integral_value():
        return int(stored)
    if kind == "decimal" and isinstance(stored, Decimal):
        return canonical_number(stored)
    raise ValueError(f"{stored!r} is not a mark of type {kind}")


def to_python(kind: MarkType, value: MarkValue) -> PythonMark:
    """Give the mark as a Python value; as text where it lies outside the years that Python's datetime has."""
    if kind not in ("timestamp", "timestamp_ntz", "date"):
        return value
    micros = _whole(value) * (DAY if kind == "date" else 1)
    try:
        moment = _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        return str(to_stored(kind, value))
    if kind == "date":
        return moment.date()
    return moment.replace(tzinfo=timezone.utc) if kind == "timestamp" else moment


def from_python(kind: MarkType, value: object) -> MarkValue:
    """Turn a value that a caller gave (a bound, a mark to set) into a mark of this type.

    Text is parsed by the type, since values often come from a job's arguments. A naive datetime is not accepted for
    a timestamp: the caller says which zone it is in.

    Raises:
        ValueError: the value does not fit the type; the message says what would.
    """
    if kind == "string":
        if type(value) is str:
            return value
        raise ValueError(f"expected text, not {value!r}")
    if kind == "integer":
        return _integer(value)
    if kind == "decimal":
        return _decimal(value)
    if isinstance(value, str):
        value = _parse_python_time(value)
    if kind == "date":
        if type(value) is date:
            return (value - _EPOCH.date()).days
        raise ValueError(f"expected a date, not {value!r}")
    if isinstance(value, datetime):
        return _micros(kind, value)
    if isinstance(value, date):
        return _micros(kind, datetime.combine(value, time()))
    raise ValueError(f"expected a datetime, not {value!r}")


def kind_of(value: object) -> MarkType:
    """Give the type of mark that a Python value would be.

    Raises:
        ValueError: it could be none.
    """
    if isinstance(value, datetime):
        return "timestamp_ntz" if value.tzinfo is None else "timestamp"
    kinds: dict[type, MarkType] = {date: "date", int: "integer", Decimal: "decimal", str: "string"}
    try:
        return kinds[type(value)]
    except KeyError:
        raise ValueError("expected a datetime, a date, an integer, a Decimal or text") from None


def is_above(value: MarkValue, other: MarkValue) -> bool:
    """Say whether one mark is above another of the same type."""
    return value > other  # type: ignore[operator]


def distance(low: MarkValue, high: MarkValue) -> float:
    """Give how far two marks are apart; text has no distance."""
    return 0.0 if isinstance(low, str) or isinstance(high, str) else float(high - low)


def describe(kind: MarkType, value: MarkValue | None) -> str:
    """Give the mark as a log line shows it: times in UTC, without zeros that say nothing."""
    if value is None:
        return "nothing"
    text = str(to_stored(kind, value))
    if kind in ("timestamp", "timestamp_ntz"):
        return text.removesuffix("Z").removesuffix(".000000").replace("T", " ")
    return text


def _micros(kind: MarkType, moment: datetime) -> int:
    if kind == "timestamp_ntz":
        if moment.tzinfo is not None:
            raise ValueError(f"expected a datetime without time zone for a timestamp_ntz, not {moment!r}")
        return (moment - _EPOCH) // timedelta(microseconds=1)
    if moment.tzinfo is None:
        raise ValueError(f"expected a datetime with a time zone, not {moment!r}")
    return (moment - _EPOCH.replace(tzinfo=timezone.utc)) // timedelta(microseconds=1)


def _parse_python_time(text: str) -> date | datetime:
    # Python 3.10 knows neither the Z nor a date given as a datetime.
    text = text.strip()
    try:
        if len(text) == len("2023-03-16"):
            return date.fromisoformat(text)
        return datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
    except ValueError:
        raise ValueError(f"{text!r} is not an ISO-8601 date or time, such as 2023-03-16T15:45:00Z") from None


def _integer(value: object) -> int:
    if type(value) is int and abs(value) < 10**MAX_DIGITS:
        return value
    if isinstance(value, str) and re.fullmatch(rf"[+-]?\d{{1,{MAX_DIGITS}}}", value.strip()):
        return int(value)
    raise ValueError(f"expected an integer of at most {MAX_DIGITS} digits, not {value!r}")


def _decimal(value: object) -> Decimal:
    if isinstance(value, (Decimal, str)) or type(value) is int:
        try:
            number = Decimal(value)
        except InvalidOperation:
            raise ValueError(f"expected a decimal number, not {value!r}") from None
        if number.is_finite() and is_held(number.copy_abs()):
            return canonical_number(number)
    raise ValueError(f"expected a Decimal or an integer of at most {MAX_DIGITS} digits, not {value!r}")


def _whole(value: MarkValue) -> int:
    if type(value) is not int:
        raise TypeError(f"a time mark is an integer, not {value!r}")
    return value


def _shift_into_python_years(days: int) -> tuple[date, int]:
    """Give a date that Python can hold and the years to add to it: the calendar repeats every 400 years."""
    cycles = (days - (date(2000, 1, 1) - _EPOCH.date()).days) // _CYCLE_DAYS
    return _EPOCH.date() + timedelta(days=days - cycles * _CYCLE_DAYS), cycles * _CYCLE_YEARS


def _iso_date(days: int) -> str:
    day, years = _shift_into_python_years(days)
    year = day.year + years
    text = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+05d}"
    return f"{text}-{day.month:02d}-{day.day:02d}"


def _iso_time(micros: int) -> str:
    days, within = divmod(micros, DAY)
    seconds, fraction = divmod(within, SECOND)
    return f"{_iso_date(days)}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{fraction:06d}"


def _parse_iso(kind: MarkType, stored: Stored) -> int:
    found = _ISO.fullmatch(stored) if isinstance(stored, str) else None
    problem = ValueError(f"{stored!r} is not a mark of type {kind}")
    if found is None or (found[4] is None) != (kind == "date") or (found[8] == "Z") != (kind == "timestamp"):
        raise problem
    year, month, day = int(found[1]), int(found[2]), int(found[3])
    cycles = (year - 2000) // _CYCLE_YEARS
    try:
        in_cycle = date(year - cycles * _CYCLE_YEARS, month, day)
    except ValueError:
        raise problem from None
    days = (in_cycle - _EPOCH.date()).days + cycles * _CYCLE_DAYS
    if kind == "date":
        return days
    hour, minute, second, fraction = (int(found[group]) for group in (4, 5, 6, 7))
    if hour > 23 or minute > 59 or second > 59:
        raise problem
    return days * DAY + (hour * 3600 + minute * 60 + second) * SECOND + fraction


def local_time(value: object) -> datetime | None:
    """Give a time without a zone that a caller gave, as a datetime, a date or text; None if it is anything else."""
    if isinstance(value, str):
        value = _parse_python_time(value)
    if type(value) is date:
        return datetime.combine(value, time())
    return value if isinstance(value, datetime) and value.tzinfo is None else None
