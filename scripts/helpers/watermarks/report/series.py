"""A mark or a recorded value over time, as a page can draw it: a number for the eye, and exact text for the reader.

JavaScript's numbers are floats. Whatever a float does not hold exactly goes to the page as text beside it, and marks so
close together that floats could not tell them apart are drawn as their distance from the lowest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from decimal import Context, Decimal
from typing import Literal, TypeAlias, cast

Kind: TypeAlias = Literal["timestamp", "timestamp_ntz", "date", "number", "text"]
Role: TypeAlias = Literal["source", "value"]
Number: TypeAlias = "int | float"

MAX_SAFE_INTEGER = 2**53 - 1
# A line whose whole height is fewer floats than this would be drawn as stairs that are not there.
FLOATS_PER_HEIGHT = 4_096

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MICROSECOND = timedelta(microseconds=1)
# Marks have 38 digits, recorded numbers any number of them; exponents reach from -90 to beyond a float's.
_EXACT = Context(prec=5_000)
_ISO_TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?")
_MARK_KINDS: dict[object, Kind] = {
    "timestamp": "timestamp",
    "timestamp_ntz": "timestamp_ntz",
    "date": "date",
    "integer": "number",
    "decimal": "number",
    "string": "text",
}


@dataclass(frozen=True)
class Column:
    """The points of a series.

    Attributes:
        y: where each point is drawn: microseconds since 1970, a number, the place of a text in `labels`; None for none.
        text: the exact text of those points whose number does not say it, by index.
        base: what was subtracted from every number, as text; None if nothing was.
        labels: of texts, the distinct ones in their order.
    """

    y: list[Number | None]
    text: dict[int, str] = field(default_factory=dict)
    base: str | None = None
    labels: list[str] | None = None


def kind_of_source(source: object) -> Kind | None:
    """Give what kind of mark a source has, as a run's or a job's view shows it; None where it has none."""
    if not isinstance(source, dict):
        return None
    return "timestamp" if "paths" in source else _MARK_KINDS.get(source.get("type"))


def as_drawable(value: object) -> tuple[Kind, object] | None:
    """Give a recorded value as a point of a series, with its kind; None where it is no time and no number.

    Times are often recorded as text: `latest_data="2023-03-16 15:45:00"`.
    """
    if isinstance(value, str):
        moment = _parse_time(value)
        return None if moment is None else as_drawable(moment)
    if isinstance(value, datetime):
        return ("timestamp_ntz" if value.tzinfo is None else "timestamp"), value
    if isinstance(value, date):
        return "date", value
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return "number", value
    return None


def column(kind: Kind, values: Sequence[object]) -> Column:
    """Turn the values of a series into what can be drawn."""
    if kind == "text":
        return _texts(values)
    return _numbers(values) if kind == "number" else _times(values)


def _texts(values: Sequence[object]) -> Column:
    # Spark compares text by its UTF-8 bytes, which is the order of code points, which is Python's.
    labels = sorted({str(each) for each in values if each is not None})
    places = {label: place for place, label in enumerate(labels)}
    return Column([None if each is None else places[str(each)] for each in values], labels=labels)


def _times(values: Sequence[object]) -> Column:
    found = Column([])
    for index, value in enumerate(values):
        micros = _micros(value)
        found.y.append(micros)
        if value is not None and (micros is None or abs(micros) > MAX_SAFE_INTEGER):
            found.text[index] = str(value)
    return found


def _numbers(values: Sequence[object]) -> Column:
    numbers = [None if each is None else _decimal(each) for each in values]
    base = _base([each for each in numbers if each is not None])
    found = Column([], base=None if base is None else number_text(base))
    for index, number in enumerate(numbers):
        shown = None if number is None else _drawn(number if base is None else _EXACT.subtract(number, base))
        found.y.append(shown)
        if number is not None and (base is not None or shown is None or not _says(shown, number)):
            found.text[index] = number_text(number)
    return found


def _base(numbers: list[Decimal]) -> Decimal | None:
    """Give the lowest number where floats of all of them would be too coarse to draw."""
    if not numbers:
        return None
    lowest, highest = min(numbers), max(numbers)
    if lowest == highest:
        shown = _drawn(lowest)
        return None if shown is not None and _says(shown, lowest) else lowest
    height = _EXACT.subtract(highest, lowest)
    # A float has 53 bits: this is about how far apart the floats at this size are.
    spacing = _EXACT.divide(max(abs(lowest), abs(highest)), Decimal(2**52))
    return lowest if height < spacing * FLOATS_PER_HEIGHT else None


def _drawn(number: Decimal) -> Number | None:
    if number == number.to_integral_value() and abs(number) <= MAX_SAFE_INTEGER:
        return int(number)
    shown = float(number)
    return shown if abs(shown) != float("inf") else None


def _says(shown: Number, number: Decimal) -> bool:
    """Say whether JavaScript would print the number as it is: it prints the shortest text, as Python does."""
    text = repr(shown)
    return "e" not in text and Decimal(text) == number


def number_text(number: Decimal) -> str:
    """Give a number with all its digits, in groups of thousands; with an exponent where that would be absurdly long."""
    return format(number, ",f") if -40 < number.adjusted() < 60 else str(number)


def _decimal(value: object) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(cast("int | Decimal", value))


def _micros(value: object) -> int | None:
    """Give microseconds since 1970, a time without zone taken as UTC; None for text: a year that Python has not."""
    if isinstance(value, datetime):
        aware = value if value.tzinfo is not None else value.replace(tzinfo=timezone.utc)
        return (aware - _EPOCH) // _MICROSECOND
    if isinstance(value, date):
        return _micros(datetime.combine(value, time(), timezone.utc))
    return None


def _parse_time(text: str) -> datetime | date | None:
    try:
        if len(text) == len("2023-03-16"):
            return date.fromisoformat(text)
        if _ISO_TIME.fullmatch(text):
            # Python 3.10 knows neither the Z nor a fraction of other than three or six digits.
            padded = re.sub(r"\.(\d+)", lambda found: f".{found[1]:0<6}", text.replace("Z", "+00:00"))
            return datetime.fromisoformat(padded)
    except ValueError:
        return None
    return None
