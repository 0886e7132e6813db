"""`doctor` warns of marks in the future: a run would load nothing up to them, and nobody would be told."""

from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest

from scripts.helpers.watermarks.doctor import examine
from scripts.helpers.watermarks.doctor.future import future_marks
from scripts.helpers.watermarks.values.marks import to_python
from tests.support.runs import commit_run
from tests.support.tables import NOON, Clock, EmulatedTable
from tests.watermarks.cli.conftest import run_command
from tests.watermarks.doctor.conftest import not_ok

WALL = NOON.replace(tzinfo=None)
YEAR_10000 = 253_402_300_800 * 10**6


def job(kind: str, mark: Any, name: str = "repairs") -> dict[str, Any]:
    stands = {"paths": ["s3://landing"]} if kind == "files" else {"type": kind, "column": "c"}
    return {"jobName": "load", "sources": {name: {**stands, "mark": mark}}}


@pytest.mark.parametrize(
    ("kind", "mark"),
    [
        ("timestamp", NOON + timedelta(minutes=1, microseconds=1)),
        ("timestamp", (NOON + timedelta(hours=1)).astimezone(timezone(timedelta(hours=-9)))),
        ("timestamp", to_python("timestamp", YEAR_10000)),
        ("timestamp_ntz", WALL + timedelta(hours=14, microseconds=1)),
        ("timestamp_ntz", to_python("timestamp_ntz", YEAR_10000)),
        ("date", date(2023, 3, 18)),
        ("files", NOON + timedelta(days=1)),
    ],
    ids=["moment", "zone", "beyond-python", "wall-clock", "wall-clock-beyond-python", "date", "files"],
)
def test_mark__in_the_future(kind: str, mark: Any) -> None:
    (found,) = future_marks(job(kind, mark), NOON)

    assert (found.check, found.verdict) == ("mark", "warning")


@pytest.mark.parametrize(
    ("kind", "mark"),
    [
        ("timestamp", NOON + timedelta(minutes=1)),
        ("timestamp", None),
        # Noon in London is two in the next morning on Kiritimati.
        ("timestamp_ntz", WALL + timedelta(hours=14)),
        ("date", date(2023, 3, 17)),
        ("timestamp", to_python("timestamp", -YEAR_10000)),
        ("integer", 10**18),
        ("string", "9999-12-31"),
        ("files", None),
        ("files", NOON - timedelta(minutes=15)),
    ],
    ids=["clocks-differ", "none", "wall-clock", "date", "before-python", "id", "text", "no-files-yet", "files"],
)
def test_mark__not_in_the_future(kind: str, mark: Any) -> None:
    assert list(future_marks(job(kind, mark), NOON)) == []


def test_mark__is_named_with_its_remedy() -> None:
    (found,) = future_marks(job("timestamp", datetime(2099, 1, 1, tzinfo=timezone.utc), "all trades"), NOON)

    assert found.told.startswith("source 'all trades' of job 'load' has the mark 2099-01-01 00:00:00 UTC, which lies ")
    assert "`watermarks set load 'all trades' VALUE`" in str(found.remedy)
    assert "`watermarks rewind load RUN`" in str(found.remedy)


def test_examine__of_a_job_that_was_set_by_mistake(table: EmulatedTable) -> None:
    watermarks = table.watermarks()
    commit_run(watermarks, "fine", "jr_1", up_to=10)
    watermarks.set_mark("load", "repairs", datetime(2203, 3, 16, tzinfo=timezone.utc), "meant 2023")

    found = not_ok(examine(watermarks))

    assert set(found) == {"mark"}
    assert "source 'repairs' of job 'load' has the mark 2203-03-16 00:00:00 UTC" in found["mark"].told
    watermarks.set_mark("load", "repairs", NOON)
    assert not_ok(examine(watermarks)) == {}


def test_examine__goes_by_the_clock_that_it_was_given(table: EmulatedTable, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock)
    watermarks.set_mark("load", "repairs", NOON + timedelta(hours=1))

    assert "mark" in not_ok(examine(watermarks))
    clock.turn(hours=1)
    assert "mark" not in not_ok(examine(watermarks))


def test_command__shows_names_that_a_terminal_would_obey(table: EmulatedTable) -> None:
    table.watermarks().set_mark("\x1b[2J", "\x1b[31m", datetime(2203, 3, 16, tzinfo=timezone.utc))

    told = run_command("doctor", "--table", table.name, "--endpoint-url", table.endpoint_url)

    assert told.code == 0
    assert "`watermarks set '␛[2J' '␛[31m' VALUE`" in told.out
    assert "\x1b" not in told.out
