"""Which rows a run may take: pure arithmetic on marks. No I/O, no Spark, no clock of its own.

A window is `(low, high]`. `low` is the mark; `high` is the highest value present, but never one that could still gain
rows: the current second, the current day, anything later than now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Context, Decimal
from typing import Literal, TypeAlias, get_args

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.values.marks import DAY, SECOND, MarkType, MarkValue, PythonMark

Future: TypeAlias = Literal["hold", "allow", "error"]
Nulls: TypeAlias = Literal["include", "exclude", "error"]
# Turns moments (microseconds since 1970 in UTC) into what the clock on the wall shows in the session's zone.
WallClock: TypeAlias = Callable[[Sequence[int]], Sequence[int]]

FUTURES: tuple[str, ...] = get_args(Future)
NULLS: tuple[str, ...] = get_args(Nulls)
# The usual context has 28 digits, and a decimal column up to 38.
EXACT = Context(prec=100)
TIMES: frozenset[str] = frozenset({"timestamp", "timestamp_ntz", "date"})

# When clocks go back, the wall shows the same hour twice. Looking three hours ahead in quarters covers every zone
# that changes by up to three hours at a quarter of an hour.
_QUARTER = 15 * 60 * SECOND
_LOOK_AHEAD = 12


@dataclass(frozen=True)
class Window:
    """The rows that a run loads of one source: above `low`, up to and including `high`.

    `low` is None for a full load. `high` is None where the source had no value to take, and where everything is read.
    `rows` is None where nobody counted.
    """

    low: PythonMark | None
    high: PythonMark | None
    rows: int | None


@dataclass(frozen=True)
class Limits:
    """What may be taken, before looking at the data.

    Attributes:
        low: take values above this one; everything where None.
        ceiling: take values up to this one; no limit where None.
        present: values above this one are in the future; there is no future where None.
        utc_offset: how far the wall clock is ahead of UTC now, in microseconds, for types without a zone of their own.
    """

    low: MarkValue | None
    ceiling: MarkValue | None
    present: MarkValue | None
    utc_offset: int = 0


def limits(
    kind: MarkType,
    low: MarkValue | None,
    *,
    now: int,
    wall_clock: WallClock,
    until: MarkValue | None = None,
    delay: timedelta | None = None,
    future: Future = "hold",
) -> Limits:
    """Work out what may be taken.

    Args:
        kind: the type of the column.
        low: the mark.
        now: the present moment, in microseconds since 1970 in UTC.
        wall_clock: the session's zone, asked only for types that have none of their own.
        until: nothing above this value.
        delay: for times, nothing later than this long ago. One day for dates where not given.
        future: whether values later than now are held back, taken, or an error.

    Returns:
        The limits.
    """
    if kind not in TIMES:
        return Limits(low, until, None)
    present, complete, utc_offset = _time_limits(kind, now, wall_clock, delay)
    if future == "allow":
        ceiling = _lower(until, None if delay is None else complete)
        return Limits(low, ceiling, None, utc_offset)
    return Limits(low, _lower(until, complete), present, utc_offset)


def lagged(kind: MarkType, low: MarkValue | None, lag: timedelta | int | None) -> MarkValue | None:
    """Give the value from which on rows are read again, to catch those that appeared late; None if none are.

    Raises:
        InvalidArgumentError: the lag is of the wrong type for the column, or negative.
    """
    if lag is None:
        return None
    fits = isinstance(lag, timedelta) if kind in TIMES else type(lag) is int and kind in ("integer", "decimal")
    if not fits or lag < type(lag)(0):  # type: ignore[operator]
        wanted = "a timedelta" if kind in TIMES else "a whole number" if kind != "string" else "left out"
        _refuse("lag", lag, f"must be {wanted}, and not negative, for a column of type {kind}")
    if low is None or isinstance(low, str) or not lag:
        return None
    if isinstance(lag, timedelta):
        return low - (-(-lag // timedelta(days=1)) if kind == "date" else _micros(lag))
    return EXACT.subtract(low, lag) if isinstance(low, Decimal) else low - lag


def check_options(kind: MarkType, column: str, delay: object, future: object, nulls: object) -> None:
    """Refuse options that mean nothing, naming those that do."""
    if future not in FUTURES:
        _refuse("future", future, f"must be one of {', '.join(FUTURES)}")
    if nulls not in NULLS:
        _refuse("nulls", nulls, f"must be one of {', '.join(NULLS)}")
    if delay is None:
        return
    if not isinstance(delay, timedelta) or delay < timedelta(0):
        _refuse("delay", delay, "must be a timedelta that is not negative")
    if kind not in TIMES:
        _refuse("delay", delay, f"only goes with times, and column {column!r} is of type {kind}; use until=")


def _time_limits(kind: MarkType, now: int, wall_clock: WallClock, delay: timedelta | None) -> tuple[int, int, int]:
    """Give the present, and the last value that cannot gain rows any more, both as values of the column's type.

    And how far the wall clock, by which they were found, is ahead of UTC.
    """
    if kind == "timestamp":
        return now, _before_second(now - _micros(delay or timedelta(0))), 0
    shown, lowest = _walls(wall_clock, now)
    delayed = _walls(wall_clock, now - _micros(delay))[1] if delay else lowest
    if kind == "timestamp_ntz":
        return shown, _before_second(min(lowest, delayed)), shown - now
    if delay is None:
        return shown // DAY, lowest // DAY - 1, shown - now
    # On the wall too: 24 hours before the last hour of a day of 25, it was the same day.
    return shown // DAY, min(lowest - _micros(delay), delayed) // DAY, shown - now


def _walls(wall_clock: WallClock, moment: int) -> tuple[int, int]:
    """Give what the wall shows, and the lowest that it will show from then on: less, if clocks are about to go back."""
    first_quarter = moment - moment % _QUARTER + _QUARTER
    shown, *later = wall_clock([moment, *(first_quarter + step * _QUARTER for step in range(_LOOK_AHEAD))])
    return shown, min(shown, *later)


def _lower(one: MarkValue | None, other: int | None) -> MarkValue | None:
    """Give the lower of two limits, where None is no limit."""
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def _before_second(moment: int) -> int:
    return moment - moment % SECOND - 1


def _micros(span: timedelta) -> int:
    return span // timedelta(microseconds=1)


def _refuse(argument: str, value: object, problem: str) -> None:
    raise InvalidArgumentError(f"{argument} {value!r} {problem}.", argument=argument, value=value)
