"""What a run tells of itself: how old its marks are, how much it loaded, and whether it loaded anything."""

from dataclasses import replace
from datetime import date, datetime, timedelta, timezone
from typing import Any

import pytest

from scripts.helpers.watermarks.job_run import telling
from scripts.helpers.watermarks.job_run.outcome import FilesRead, Read, SourceRead
from scripts.helpers.watermarks.metrics import RunFacts, SourceFacts
from scripts.helpers.watermarks.table import RunRecord, Values
from scripts.helpers.watermarks.values import marks
from scripts.helpers.watermarks.values.marks import MarkType
from scripts.helpers.watermarks.values.positions import RowsPosition
from scripts.helpers.watermarks.window import FilePlan, ListedFile
from tests.support.tables import NOON

RECORD = RunRecord("job", "jr_1", Values(), started_at=NOON - timedelta(seconds=90), recorded_at=NOON)
FILE = ListedFile(int(NOON.timestamp()) * 1_000_000, "s3://landing/a", 10)


def rows(
    kind: MarkType = "integer",
    mark: int | str | None = 7,
    *,
    low: int | str | None = None,
    count: int | None = 1,
    late: int | None = None,
) -> SourceRead:
    return SourceRead(RowsPosition("value", kind, mark), low, mark, count, late=late)


def files(*taken: ListedFile, horizon: int | None = int(NOON.timestamp()) - 900) -> FilesRead:
    return FilesRead(("s3://landing",), None, FilePlan(taken, 0, horizon, frozenset()))


def at(kind: MarkType, value: Any, *, hours: float = 0) -> SourceRead:
    """A source at a mark, read in a session whose clock is so many hours ahead of UTC."""
    mark = marks.from_python(kind, value)
    assert isinstance(mark, int)
    return replace(rows(kind, mark), utc_offset=int(hours * 3_600) * marks.SECOND)


@pytest.mark.parametrize(
    ("read", "age"),
    [
        pytest.param(at("timestamp", NOON - timedelta(seconds=1.5)), 1.5, id="moment"),
        pytest.param(at("timestamp", NOON.astimezone(timezone(timedelta(hours=5)))), 0.0, id="moment-in-a-zone"),
        pytest.param(at("timestamp", NOON + timedelta(hours=1)), 0.0, id="from-the-future"),
        pytest.param(at("timestamp_ntz", datetime(2023, 3, 16, 11)), 3_600.0, id="without-zone-in-utc"),
        pytest.param(at("timestamp_ntz", datetime(2023, 3, 16, 11), hours=-4), 0.0, id="without-zone-in-new-york"),
        pytest.param(at("timestamp_ntz", datetime(2023, 3, 16, 7), hours=-4), 3_600.0, id="older-in-new-york"),
        pytest.param(at("timestamp_ntz", datetime(2023, 3, 16, 17), hours=5.75), 2_700.0, id="in-kathmandu"),
        pytest.param(at("date", date(2023, 3, 15)), 43_200.0, id="date-counts-from-its-end"),
        pytest.param(at("date", date(2023, 3, 15), hours=-4), 28_800.0, id="date-ends-later-in-new-york"),
        pytest.param(at("date", date(2023, 3, 16)), 0.0, id="current-day"),
        pytest.param(rows("timestamp", 253_402_300_800 * 10**6), 0.0, id="beyond-pythons-years"),
        pytest.param(rows("timestamp", None), None, id="no-mark-yet"),
        pytest.param(rows("integer", 7), None, id="id"),
        pytest.param(rows("string", "2023-03-16"), None, id="text"),
        pytest.param(files(), 900.0, id="files-by-their-horizon"),
        pytest.param(files(FILE), 900.0, id="new-files-by-their-horizon-too"),
        pytest.param(files(horizon=None), None, id="files-without-horizon"),
    ],
)
def test_mark_age(read: Read, age: float | None) -> None:
    assert telling.mark_age(read, NOON) == age


@pytest.mark.parametrize(
    ("reads", "nothing"),
    [
        pytest.param([], None, id="no-source"),
        pytest.param([rows(count=0)], True, id="no-rows"),
        pytest.param([rows(count=3)], False, id="rows"),
        pytest.param([files()], True, id="no-files"),
        pytest.param([files(FILE)], False, id="files"),
        pytest.param([rows(count=0), files()], True, id="nothing-of-either"),
        pytest.param([rows(count=0), files(FILE)], False, id="only-files"),
        pytest.param([rows(count=None, low=5)], False, id="uncounted-and-the-mark-moved"),
        pytest.param([rows(count=None, low=7)], None, id="uncounted-and-the-mark-stayed"),
        pytest.param([rows(count=None, low=7), rows(count=0)], None, id="one-not-known"),
        pytest.param([rows(count=None, low=7), rows(count=1)], False, id="one-not-known-and-another-loaded"),
    ],
)
def test_loaded_nothing(reads: list[Read], nothing: bool | None) -> None:
    assert telling.loaded_nothing(reads) is nothing


def test_facts__of_a_commit() -> None:
    reads: dict[str, Read] = {"repairs": rows(count=300, late=2), "trades": rows(count=8), "photos": files(FILE)}

    assert telling.of_commit(RECORD, reads) == RunFacts(
        "job",
        seconds=90.0,
        failed=False,
        empty=False,
        rows=308,
        sources={
            "repairs": SourceFacts(rows=300, late_rows=2),
            "trades": SourceFacts(rows=8),
            "photos": SourceFacts(mark_age=900.0),
        },
    )


def test_facts__of_a_run_of_files_alone_have_no_rows() -> None:
    assert telling.of_commit(RECORD, {"photos": files()}).rows is None


def test_facts__of_a_step_leave_the_run_open() -> None:
    told = telling.of_step(RECORD, {"repairs": rows(count=10)})

    assert told == RunFacts("job", rows=10, sources={"repairs": SourceFacts(rows=10)})


def test_facts__of_the_end_of_steps_count_no_row_again() -> None:
    told = telling.of_end_of_steps(RECORD, {"repairs": at("timestamp", NOON - timedelta(seconds=5))})

    ages = {"repairs": SourceFacts(mark_age=5.0)}
    assert told == RunFacts("job", seconds=90.0, failed=False, empty=False, sources=ages)


def test_facts__of_a_backfill_that_found_nothing() -> None:
    assert telling.of_end_of_steps(RECORD, {}) == RunFacts("job", seconds=90.0, failed=False, empty=True, rows=0)


def test_facts__of_a_failure() -> None:
    assert telling.of_failure(RECORD) == RunFacts("job", seconds=90.0, failed=True)


def test_seconds__not_less_than_nothing_when_the_clock_was_set_back() -> None:
    record = RunRecord("job", "jr_1", Values(), started_at=NOON, recorded_at=NOON - timedelta(hours=1))

    assert telling.seconds_of(record) == 0.0
