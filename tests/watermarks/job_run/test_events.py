"""The line of JSON per commit and per failure, as real runs log it."""

import json
import logging
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.helpers.watermarks import RunSupersededError, Watermarks
from scripts.helpers.watermarks.job_run.events import PREFIX, event_line
from scripts.helpers.watermarks.job_run.outcome import FilesRead, SourceRead
from scripts.helpers.watermarks.table import RunRecord, Values
from scripts.helpers.watermarks.values.positions import RowsPosition
from scripts.helpers.watermarks.window import FilePlan, ListedFile
from tests.support.runs import commit_run, fail_run, read_ids
from tests.support.tables import NOON, Clock, EmulatedTable

LOGGER = "scripts.helpers.watermarks.events"


@pytest.fixture
def watermarks(moto_table: EmulatedTable, clock: Clock, caplog: pytest.LogCaptureFixture) -> Watermarks:
    caplog.set_level(logging.INFO, logger=LOGGER)
    return moto_table.watermarks(clock=clock)


def lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    messages = [record.getMessage() for record in caplog.records if record.name == LOGGER]
    assert all(message.startswith(f"{PREFIX} ") for message in messages)
    return [json.loads(message.removeprefix(PREFIX)) for message in messages]


def test_line__of_a_commit(watermarks: Watermarks, job: str, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    commit_run(watermarks, job, "jr_1", up_to=10)
    noon = int(NOON.timestamp()) * 1_000_000
    with watermarks.job_run(job, "jr_2") as run:
        read_ids(run, up_to=20, rows=12)
        run._reads["trades"] = SourceRead(
            RowsPosition("at", "timestamp", noon), None, noon, 3, nulls=1, held=2, late=1, late_by=0.5
        )
        plan = FilePlan((ListedFile(noon, "s3://landing/a", 1),), 4, noon // 10**6 - 900, frozenset())
        run._reads["photos"] = FilesRead(("s3://landing",), None, plan)
        clock.turn(seconds=61.5)

    assert lines(caplog)[1] == {
        "event": "committed",
        "job": job,
        "run": "jr_2",
        "batch": 2,
        "version": 2,
        "seconds": 61.5,
        "rows": 15,
        "files": 1,
        "sources": {
            "repairs": {"low": 10, "high": 20, "rows": 12},
            "trades": {
                "low": None,
                "high": "2023-03-16T12:00:00.000000Z",
                "rows": 3,
                "nulls": 1,
                "held": 2,
                "late_rows": 1,
                "late_by": 0.5,
            },
            "photos": {"low": None, "high": "2023-03-16T12:00:00.000000Z", "files": 1, "left": 4},
        },
    }


def test_line__of_a_failure(watermarks: Watermarks, job: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(OSError, match="disk"), watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=20, rows=12)
        raise OSError('disk "full"\nat jdbc:x?password=hunter2&ssl=true')

    assert lines(caplog) == [
        {
            "event": "failed",
            "job": job,
            "run": "jr_1",
            "batch": 1,
            "version": 1,
            "seconds": 0.0,
            "rows": 0,
            "files": 0,
            "error": 'OSError: disk "full" at jdbc:x?password=***&ssl=true',
            "sources": {"repairs": {"low": None, "high": 20, "rows": 12}},
        }
    ]


def test_line__of_a_run_that_lost_its_job(
    watermarks: Watermarks, job: str, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(RunSupersededError), watermarks.job_run(job, "jr_1"):
        clock.turn(hours=1)
        commit_run(watermarks, job, "jr_2", up_to=5)

    mine, other = reversed(lines(caplog))
    assert (other["event"], other["run"], other["version"]) == ("committed", "jr_2", 1)
    assert (mine["event"], mine["run"], mine["version"], mine["batch"]) == ("failed", "jr_1", None, 1)


def test_line__of_steps_and_of_their_run_count_each_row_once(
    watermarks: Watermarks, job: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ZeroDivisionError), watermarks.job_run(job, "jr_1") as run:
        run._in_steps = True
        for number in (1, 2):
            step = SourceRead(RowsPosition("id", "integer", 10 * number), 10 * number - 10, 10 * number, number)
            run._stepping = "repairs", step
            run._finish_step("repairs")
        run._stepping = "repairs", SourceRead(RowsPosition("id", "integer", 30), 20, 30, 99)
        _ = 1 / 0
    with watermarks.job_run(job, "jr_2") as run:
        run._in_steps = True
        run._stepping = "repairs", SourceRead(RowsPosition("id", "integer", 30), 20, 30, 99)
        run._finish_step("repairs")

    told = [(line["event"], line["run"], line["batch"], line["rows"]) for line in lines(caplog)]
    assert told == [
        ("step", "jr_1", 1, 1),
        ("step", "jr_1", 2, 2),
        ("failed", "jr_1", 3, 0),
        ("step", "jr_2", 3, 99),
        ("committed", "jr_2", None, 0),
    ]
    assert lines(caplog)[2]["sources"] == {"repairs": {"low": 20, "high": 30, "rows": 99}}


def test_line__of_a_failure_between_steps_has_no_window(
    watermarks: Watermarks, job: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ZeroDivisionError), watermarks.job_run(job, "jr_1") as run:
        run._in_steps = True
        run._stepping = "repairs", SourceRead(RowsPosition("id", "integer", 10), None, 10, 4)
        run._finish_step("repairs")
        _ = 1 / 0

    step, failed = lines(caplog)
    assert (step["rows"], failed["rows"]) == (4, 0)
    assert failed["sources"] == {}


def test_line__rows_that_nobody_counted(watermarks: Watermarks, job: str, caplog: pytest.LogCaptureFixture) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=20, rows=None)

    (line,) = lines(caplog)
    assert (line["rows"], line["files"]) == (None, None)
    assert line["sources"] == {"repairs": {"low": None, "high": 20}}


def test_line__is_not_made_where_nobody_listens(
    watermarks: Watermarks, job: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scripts.helpers.watermarks.job_run.events.event_line", lambda *_, **__: 1 / 0)
    caplog.set_level(logging.WARNING, logger=LOGGER)

    fail_run(watermarks, job, "jr_1")

    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.parametrize(
    ("mark", "shown"),
    [
        (Decimal("12345678901234567890123456789012345678"), 12345678901234567890123456789012345678),
        (Decimal("1.10"), "1.1"),
        (Decimal("0.0000001"), "1E-7"),
    ],
    ids=["38-digits", "decimals", "tiny"],
)
def test_line__decimal_marks_keep_every_digit(mark: Decimal, shown: object) -> None:
    read = SourceRead(RowsPosition("amount", "decimal", mark), None, mark, 1)

    line = json.loads(event_line("committed", "jr_1", _record("job"), {"repairs": read}))

    assert line["sources"]["repairs"]["high"] == shown


@given(job=st.text(min_size=1), source=st.text(min_size=1), high=st.text(), error=st.text())
def test_line__is_one_line_of_ascii_whatever_the_names_are(job: str, source: str, high: str, error: str) -> None:
    read = SourceRead(RowsPosition("c", "string", high), None, high, 1)

    told = event_line("failed", "jr_1", _record(job, error), {source: read})

    assert told.isascii()
    assert len(told.splitlines()) == 1
    line = json.loads(told)
    assert (line["job"], line["error"], line["sources"][source]["high"]) == (job, error, high)


def _record(job: str, error: str | None = None) -> RunRecord:
    began = NOON - timedelta(seconds=1)
    return RunRecord(job, "jr_1", Values(), version=1, batch_id=1, started_at=began, recorded_at=NOON, error=error)
