"""Stories of jobs for the report, as plain dicts: long ones, odd ones, hostile ones."""

import random
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from scripts.helpers.watermarks.report import JobStory
from tests.support.tables import run_id

START = datetime(2026, 3, 2, 6, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "<!-- <script>",
    "<img src=x onerror=alert(3)>",
    "\"'`&amp;&lt;",
    "a\u2028b\u2029c",
    "\u202eright-to-left \u05e9\u05dc\u05d5\u05dd",
    "emoji 🚲🧑‍🔧",
    "{{script}} %{y} $x^2$",
    "<b>bold</b><br>",
)


def source(mark: object, kind: str = "timestamp", column: str = "last_modified", **read: object) -> dict[str, Any]:
    return {"column": column, "type": kind, "mark": mark, **read}


def run(
    number: int,
    at: datetime,
    sources: dict[str, Any] | None = None,
    *,
    took: timedelta = timedelta(minutes=4),
    **facts: Any,
) -> dict[str, Any]:
    usual = {
        "jobName": "repairs",
        "runId": f"{run_id(number)}{number:032x}",
        "watermarks": {},
        "status": "SUCCEEDED",
        "version": number,
        "batchId": number,
        "startedAt": at - took,
        "recordedAt": at,
        "sources": sources or {},
    }
    return usual | facts


def change(version: int, at: datetime, operation: str, before: Any, after: Any, **facts: Any) -> dict[str, Any]:
    usual = {
        "jobName": "repairs",
        "version": version,
        "operation": operation,
        "changedBy": "arn:aws:sts::123456789012:assumed-role/Operator/ada",
        "changedAt": at,
        "reason": "wrong exchange rate in the source",
        "before": {"runId": run_id(version - 1), "sources": before},
        "after": {"runId": run_id(1), "sources": after},
    }
    return usual | facts


def state(sources: dict[str, Any], **facts: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "jobName": "repairs",
        "status": "SUCCEEDED",
        "runId": run_id(1),
        "watermarks": {},
        "version": 9,
        "lastBatchId": 9,
        "updatedAt": START,
        "sources": sources,
        "attempts": 0,
    }
    return usual | facts


def long_story(runs: int, name: str = "repairs-hourly", *, seed: int = 1, failing: float = 0.03) -> JobStory:
    """A job that has run every hour, with a failure now and then, two sources and a rewind in the middle."""
    dice = random.Random(seed)
    history: list[dict[str, Any]] = []
    changes: list[dict[str, Any]] = []
    marks: dict[str, Any] = {}
    for number in range(1, runs + 1):
        at = START + HOUR * number + timedelta(seconds=dice.random() * 300)
        took = timedelta(seconds=dice.lognormvariate(5, 0.4))
        if dice.random() < failing:
            error = "AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] The table or view `repairs` cannot be found."
            history.append(run(number, at, marks, took=took / 3, status="FAILED", error=error, version=2 * number))
            continue
        # The first run is the full load.
        rows = 48_211 if not marks else round(dice.lognormvariate(6, 0.5))
        orders, parts = at - timedelta(minutes=20 * dice.random()), at - timedelta(hours=3 + dice.random())
        marks = {"orders": source(orders), "parts": source(parts)}
        read = {"orders": {**marks["orders"], "rows": rows}, "parts": {**marks["parts"], "rows": rows // 3}}
        history.append(run(number, at, read, took=took, version=2 * number, batchId=number))
        if number == runs * 2 // 3 and runs > 20:
            back = {name: source(each["mark"] - HOUR * (runs // 4)) for name, each in marks.items()}
            changes.append(change(2 * number + 1, at + HOUR / 2, "rewind", marks, back))
            marks = back
    latest = max(
        (each for each in history if each["status"] == "SUCCEEDED"), key=lambda each: each["version"], default={}
    )
    stands = state(
        marks,
        version=2 * runs,
        runId=latest.get("runId"),
        lastBatchId=latest.get("batchId", 0),
        updatedAt=history[-1]["recordedAt"],
        status=history[-1]["status"],
        attempts=int(history[-1]["status"] == "FAILED"),
    )
    return JobStory(name, stands, tuple(reversed(history)), tuple(changes))


def story_of_marks(kind: str, marks: list[Any], name: str | None = None) -> JobStory:
    """A job whose one source had these marks, one after each run."""
    runs = [
        run(number, START + HOUR * number, {"source": source(mark, kind, column="id", rows=100 + number)})
        for number, mark in enumerate(marks, start=1)
    ]
    return JobStory(name or f"{kind} marks", state({"source": source(marks[-1], kind, column="id")}), tuple(runs))


def odd_stories() -> list[JobStory]:
    """Every type of mark, and the values that floats cannot hold."""
    return [
        story_of_marks("integer", [81_204 + 997 * each for each in range(12)]),
        story_of_marks("decimal", [Decimal(f"1234567890123456789012345678901234.{5600 + each}") for each in range(12)]),
        story_of_marks("string", [f"2026-{each:02d}/part-{each}" for each in range(1, 13)]),
        story_of_marks("date", [date(2026, 3, 1) + timedelta(days=each // 4) for each in range(12)]),
        story_of_marks("timestamp_ntz", [datetime(2026, 3, 2, 7, 0, 0, 123456) + HOUR * each for each in range(12)]),
        story_of_marks("timestamp", [START + HOUR * each for each in range(11)] + ["+10000-01-01T00:00:00.000000Z"]),
        JobStory(
            "files",
            state({"landing": {"paths": ["s3://landing/repairs/", "s3://landing/parts/"], "mark": START + 11 * HOUR}}),
            tuple(
                run(
                    each,
                    START + HOUR * each,
                    {"landing": {"paths": ["s3://landing/"], "mark": START + HOUR * (each - 1), "files": each % 5}},
                )
                for each in range(1, 13)
            ),
        ),
        JobStory(
            "by hand",
            state({}),
            tuple(
                run(
                    each,
                    START + HOUR * each,
                    watermarks={
                        "latest_data": f"2026-03-02 {each:02d}:45:00",
                        "rows_collected": 800 + each,
                        "by": "hand",
                    },
                    startedAt=None,
                    batchId=None,
                )
                for each in range(1, 13)
            ),
        ),
        JobStory("only forgotten", state({}, status="NO_RUN"), (), (change(1, START, "forget", {}, {}),)),
        JobStory("never ran", state({}, status="NO_RUN", runId=None, lastBatchId=0)),
    ]


def hostile_story(text: str, *, version: int = 1) -> JobStory:
    """A job in which everything that somebody can name is called this."""
    marks = {text: source(text, "string", column=text)}
    runs = (
        run(
            version, START + HOUR, {text: {**marks[text], "rows": 3}}, runId=text, watermarks={text + "!": text, "n": 1}
        ),
        run(version + 1, START + 2 * HOUR, marks, runId=text + " again", status="FAILED", error=text),
    )
    changed = change(version + 2, START + 3 * HOUR, "reset", marks, {}, changedBy=text, reason=text)
    return JobStory(
        text, state({}, runId=text, lease={"runId": text, "since": START, "until": START + HOUR}), runs, (changed,)
    )
