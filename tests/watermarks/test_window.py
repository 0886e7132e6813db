"""What may be taken, before any row was looked at: complete seconds and days, delay, until, future, doubled hours."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scripts.helpers.watermarks import InvalidArgumentError
from scripts.helpers.watermarks.values.marks import DAY, SECOND
from scripts.helpers.watermarks.window import Limits, WallClock, check_options, limits

EPOCH = datetime(1970, 1, 1)
HOUR = 3600 * SECOND
# Clocks go back: by half an hour, at midnight, to midnight, before midnight, by two hours, never.
ZONES = (
    "America/New_York",
    "Australia/Lord_Howe",
    "America/Asuncion",
    "America/Havana",
    "Africa/Cairo",
    "Antarctica/Troll",
    "Asia/Kathmandu",
    "UTC",
)


def micros(text: str) -> int:
    """Microseconds since 1970 of a time without a zone: UTC, or on the wall."""
    return (datetime.fromisoformat(text) - EPOCH) // timedelta(microseconds=1)


def days(text: str) -> int:
    return (date.fromisoformat(text) - EPOCH.date()).days


def wall_clock(zone: str) -> WallClock:
    """A zone as Python knows it, to check the answers that do not come from Spark."""

    def show(moments: Sequence[int]) -> list[int]:
        there = [
            datetime.fromtimestamp(moment // SECOND, timezone.utc).astimezone(ZoneInfo(zone)) for moment in moments
        ]
        return [
            (local.replace(tzinfo=None) - EPOCH) // timedelta(seconds=1) * SECOND + moment % SECOND
            for local, moment in zip(there, moments, strict=True)
        ]

    return show


def never_asked(_: Sequence[int]) -> list[int]:
    raise AssertionError("this type has no need of the session's zone")


def at(now: str, kind: Any, zone: str | None = None, **options: Any) -> Limits:
    return limits(kind, None, now=micros(now), wall_clock=wall_clock(zone) if zone else never_asked, **options)


@pytest.mark.parametrize(
    ("now", "ceiling"),
    [
        pytest.param("2023-03-16 12:00:07.25", "2023-03-16 12:00:06.999999", id="the-last-complete-second"),
        pytest.param("2023-03-16 12:00:07", "2023-03-16 12:00:06.999999", id="a-second-just-begun-is-not-complete"),
        pytest.param("1969-12-31 23:59:58.5", "1969-12-31 23:59:57.999999", id="before-1970"),
    ],
)
def test_limits__of_a_timestamp(now: str, ceiling: str) -> None:
    assert at(now, "timestamp") == Limits(low=None, ceiling=micros(ceiling), present=micros(now))


SOME_DAY, NEXT_YEAR = micros("2023-03-01"), micros("2024-03-01")


@pytest.mark.parametrize(
    ("options", "ceiling"),
    [
        pytest.param({"delay": timedelta(minutes=5)}, "2023-03-16 11:55:06.999999", id="delay"),
        pytest.param({"delay": timedelta(0)}, "2023-03-16 12:00:06.999999", id="no-delay-is-no-way-out"),
        pytest.param({"delay": timedelta(seconds=0.5)}, "2023-03-16 12:00:05.999999", id="delay-of-half-a-second"),
        pytest.param({"until": SOME_DAY}, "2023-03-01", id="until-is-lower"),
        pytest.param({"until": NEXT_YEAR}, "2023-03-16 12:00:06.999999", id="until-is-later-than-now"),
        pytest.param({"future": "error"}, "2023-03-16 12:00:06.999999", id="future-error"),
        pytest.param({"future": "allow"}, None, id="future-allowed"),
        pytest.param({"future": "allow", "until": NEXT_YEAR}, "2024-03-01", id="future-allowed-until"),
        pytest.param(
            {"future": "allow", "delay": timedelta(hours=1)}, "2023-03-16 11:00:06.999999", id="allowed-but-delayed"
        ),
    ],
)
def test_limits__of_a_timestamp__with_options(options: dict[str, Any], ceiling: str | None) -> None:
    now = "2023-03-16 12:00:07.25"

    found = at(now, "timestamp", **options)

    assert found.ceiling == (None if ceiling is None else micros(ceiling))
    assert found.present == (None if options.get("future") == "allow" else micros(now))


@pytest.mark.parametrize(
    ("now", "zone", "delay", "ceiling"),
    [
        pytest.param("2023-03-16 12:00", "UTC", None, "2023-03-15", id="yesterday"),
        pytest.param("2023-03-16 00:00", "UTC", None, "2023-03-15", id="midnight-ends-the-day-before"),
        pytest.param("2023-03-16 23:59:59.999999", "UTC", None, "2023-03-15", id="last-microsecond-of-the-day"),
        pytest.param("2023-03-16 03:00", "America/New_York", None, "2023-03-14", id="still-yesterday-in-new-york"),
        pytest.param("2023-03-16 20:00", "Asia/Kathmandu", None, "2023-03-16", id="tomorrow-already-in-kathmandu"),
        pytest.param("2023-03-16 12:00", "UTC", timedelta(0), "2023-03-16", id="no-delay-takes-today"),
        pytest.param("2023-03-16 12:00", "UTC", timedelta(hours=13), "2023-03-15", id="delay-of-hours"),
        pytest.param("2023-03-16 12:00", "UTC", timedelta(days=3), "2023-03-13", id="delay-of-days"),
        # 25 hours long: 24 hours before its last one it was the same day.
        pytest.param("2023-11-06 04:30", "America/New_York", None, "2023-11-04", id="last-hour-of-a-day-of-25"),
        pytest.param(
            "2023-11-06 04:30", "America/New_York", timedelta(days=1), "2023-11-04", id="a-day-of-25-and-a-days-delay"
        ),
        pytest.param("2023-11-06 05:00", "America/New_York", None, "2023-11-05", id="end-of-a-day-of-25-hours"),
        # 23 hours long: 24 hours before its end it was the day before.
        pytest.param("2023-03-13 04:00", "America/New_York", None, "2023-03-12", id="end-of-a-day-of-23-hours"),
        pytest.param("2023-03-13 03:59", "America/New_York", None, "2023-03-11", id="last-minute-of-a-day-of-23"),
        # In Asunción clocks go back from midnight: the evening of the 25th comes a second time.
        pytest.param("2023-03-26 02:59", "America/Asuncion", None, "2023-03-24", id="evening-before-its-repetition"),
        pytest.param("2023-03-26 03:30", "America/Asuncion", None, "2023-03-24", id="evening-that-came-again"),
        pytest.param("2023-03-26 04:00", "America/Asuncion", None, "2023-03-25", id="after-both-evenings"),
        # In St. John's they once went back from a minute past midnight: for that minute the next day had begun.
        pytest.param("2010-11-07 02:30:30", "America/St_Johns", None, "2010-11-05", id="day-that-comes-back"),
    ],
)
def test_limits__of_a_date(now: str, zone: str, delay: timedelta | None, ceiling: str) -> None:
    assert at(now, "date", zone, delay=delay).ceiling == days(ceiling)


def test_limits__of_a_date__later_than_today_is_the_future() -> None:
    assert at("2023-03-16 03:00", "date", "America/New_York").present == days("2023-03-15")


@pytest.mark.parametrize(
    ("now", "zone", "delay", "ceiling"),
    [
        pytest.param("2023-03-16 12:00:07.25", "UTC", None, "2023-03-16 12:00:06.999999", id="utc"),
        pytest.param("2023-03-16 12:00:07.25", "Asia/Kathmandu", None, "2023-03-16 17:45:06.999999", id="kathmandu"),
        # New York, 5 November 2023: 01:00 to 02:00 comes twice, from 05:00 and from 06:00 UTC.
        pytest.param("2023-11-05 02:59:59", "America/New_York", None, "2023-11-04 22:59:58.999999", id="long-before"),
        pytest.param("2023-11-05 05:00:00", "America/New_York", None, "2023-11-05 00:59:59.999999", id="hour-begins"),
        pytest.param(
            "2023-11-05 05:59:59", "America/New_York", None, "2023-11-05 00:59:59.999999", id="hour-nearly-up"
        ),
        pytest.param("2023-11-05 06:00:00", "America/New_York", None, "2023-11-05 00:59:59.999999", id="hour-again"),
        pytest.param(
            "2023-11-05 06:30:00", "America/New_York", None, "2023-11-05 01:29:59.999999", id="hour-half-again"
        ),
        pytest.param(
            "2023-11-05 07:30:00",
            "America/New_York",
            timedelta(hours=2),
            "2023-11-05 00:59:59.999999",
            id="delay-reaches-into-the-first-of-the-two-hours",
        ),
        pytest.param(
            "2023-11-05 07:30:00",
            "America/New_York",
            timedelta(minutes=45),
            "2023-11-05 01:44:59.999999",
            id="delay-reaches-into-the-second-of-the-two-hours",
        ),
        # Lord Howe, 2 April 2023: back from 02:00 to 01:30, at 15:00 UTC of the day before.
        pytest.param("2023-04-01 14:45:00", "Australia/Lord_Howe", None, "2023-04-02 01:29:59.999999", id="lord-howe"),
        pytest.param(
            "2023-04-01 15:15:00", "Australia/Lord_Howe", None, "2023-04-02 01:44:59.999999", id="lord-howe-again"
        ),
        # Havana, 5 November 2023: back from 01:00 to midnight, at 05:00 UTC.
        pytest.param("2023-11-05 04:30:00", "America/Havana", None, "2023-11-04 23:59:59.999999", id="havana-midnight"),
        # Asunción, 26 March 2023: back from midnight to 23:00 of the 25th, at 03:00 UTC.
        pytest.param("2023-03-26 02:30:00", "America/Asuncion", None, "2023-03-25 22:59:59.999999", id="asuncion"),
    ],
)
def test_limits__of_a_time_without_zone(now: str, zone: str, delay: timedelta | None, ceiling: str) -> None:
    assert at(now, "timestamp_ntz", zone, delay=delay).ceiling == micros(ceiling)


def test_limits__of_a_time_without_zone__the_future_begins_at_what_the_wall_shows() -> None:
    found = at("2023-11-05 05:30:00", "timestamp_ntz", "America/New_York")

    assert (found.present, found.utc_offset) == (micros("2023-11-05 01:30:00"), -4 * HOUR)


@pytest.mark.parametrize(
    ("kind", "until"), [("integer", 808), ("decimal", Decimal("8.08")), ("string", "2023-03-16"), ("integer", None)]
)
def test_limits__of_ids_and_text__have_neither_present_nor_future(kind: Any, until: Any) -> None:
    found = limits(kind, None, now=0, wall_clock=never_asked, until=until)

    assert found == Limits(low=None, ceiling=until, present=None)


@pytest.mark.parametrize(("kind", "low"), [("timestamp", 1), ("date", 1), ("integer", 0), ("string", "")])
def test_limits__low_is_kept(kind: Any, low: Any) -> None:
    assert limits(kind, low, now=0, wall_clock=wall_clock("UTC")).low == low


# Any second from 2000 to 2030, and often one near to when some zone's clocks go back.
MOMENTS = st.one_of(
    st.integers(micros("2000-01-01"), micros("2030-01-01")),
    st.builds(
        lambda fold, near: micros(fold) + near,
        st.sampled_from(
            ["2023-11-05 06:00", "2023-04-01 15:00", "2023-03-26 03:00", "2023-11-05 05:00", "2023-10-26 21:00"]
        ),
        st.integers(-27 * HOUR, 27 * HOUR),
    ),
)
DELAYS = st.one_of(st.none(), st.timedeltas(timedelta(0), timedelta(days=2)))


@given(now=MOMENTS, zone=st.sampled_from(ZONES), delay=DELAYS, later=st.integers(0, 30 * HOUR))
@example(now=micros("2023-11-05 05:30"), zone="America/New_York", delay=None, later=HOUR // 2)
def test_limits__of_a_time_without_zone__what_the_wall_has_yet_to_show_is_above(
    now: int, zone: str, delay: timedelta | None, later: int
) -> None:
    show = wall_clock(zone)
    since = now - (delay or timedelta(0)) // timedelta(microseconds=1)

    ceiling = limits("timestamp_ntz", None, now=now, wall_clock=show, delay=delay).ceiling

    assert isinstance(ceiling, int)
    # Above, even as a source writes it that knows whole seconds only; and not needlessly far above.
    (stamped,) = show([since + later])
    assert stamped - stamped % SECOND > ceiling
    assert show([since])[0] - ceiling <= 3 * HOUR + SECOND


@given(now=MOMENTS, zone=st.sampled_from(ZONES), delay=DELAYS, later=st.integers(0, 30 * HOUR))
@example(now=micros("2023-11-06 04:30"), zone="America/New_York", delay=None, later=0)
def test_limits__of_a_date__today_and_later_are_above(now: int, zone: str, delay: timedelta | None, later: int) -> None:
    show = wall_clock(zone)
    today = show([now])[0] // DAY

    ceiling = limits("date", None, now=now, wall_clock=show, delay=delay).ceiling

    assert isinstance(ceiling, int)
    if delay is None or delay >= timedelta(days=1):
        assert ceiling < show([now + later])[0] // DAY
    if delay is None:
        assert ceiling in (today - 1, today - 2)
    else:
        assert ceiling <= show([now - delay // timedelta(microseconds=1)])[0] // DAY


@given(first=MOMENTS, later=st.integers(0, 30 * HOUR), zone=st.sampled_from(ZONES), delay=DELAYS, kind=st.data())
def test_limits__never_go_back_as_time_goes_on(
    first: int, later: int, zone: str, delay: timedelta | None, kind: st.DataObject
) -> None:
    drawn: Any = kind.draw(st.sampled_from(["timestamp", "timestamp_ntz", "date"]))

    one, other = (
        limits(drawn, None, now=now, wall_clock=wall_clock(zone), delay=delay).ceiling for now in (first, first + later)
    )

    assert isinstance(one, int)
    assert isinstance(other, int)
    assert one <= other


@pytest.mark.parametrize(
    ("options", "argument", "told"),
    [
        pytest.param({"future": "ignore"}, "future", "must be one of hold, allow, error", id="unknown-future"),
        pytest.param({"nulls": None}, "nulls", "must be one of include, exclude, error", id="unknown-nulls"),
        pytest.param({"delay": 60}, "delay", "must be a timedelta", id="delay-as-a-number"),
        pytest.param({"delay": timedelta(-1)}, "delay", "not negative", id="negative-delay"),
        pytest.param({"kind": "integer", "delay": timedelta(1)}, "delay", "use until=", id="delay-of-an-id"),
        pytest.param({"kind": "string", "delay": timedelta(1)}, "delay", "type string", id="delay-of-text"),
    ],
)
def test_check_options__refused(options: dict[str, Any], argument: str, told: str) -> None:
    given_options = {
        "kind": "timestamp",
        "column": "last_modified",
        "delay": None,
        "future": "hold",
        "nulls": "include",
    }

    with pytest.raises(InvalidArgumentError, match=told) as refused:
        check_options(**given_options | options)

    assert refused.value.argument == argument


@pytest.mark.parametrize("nulls", ["include", "exclude", "error"])
@pytest.mark.parametrize("future", ["hold", "allow", "error"])
@pytest.mark.parametrize(
    ("kind", "delay"), [("timestamp", timedelta(0)), ("timestamp_ntz", timedelta(1)), ("date", None), ("string", None)]
)
def test_check_options__accepted(kind: Any, delay: timedelta | None, future: str, nulls: str) -> None:
    check_options(kind, "last_modified", delay, future, nulls)
