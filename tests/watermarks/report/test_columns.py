"""A job's story as columns: every run and change once, in order, with what a chart needs and nothing twice."""

from datetime import timedelta
from typing import Any

from scripts.helpers.watermarks.report import JobStory
from scripts.helpers.watermarks.report.columns import job_columns
from tests.support.stories import HOUR, START, change, run, source, state, story_of_marks


def unpacked(column: Any) -> list[Any]:
    if isinstance(column, list):
        return column
    if "none" in column:
        return [None] * column["none"]
    numbers, last = [], 0
    for each in column["differences"]:
        last += each or 0
        numbers.append(None if each is None else last)
    return numbers


def events(*runs: Any, changes: tuple[Any, ...] = ()) -> dict[str, Any]:
    columns: dict[str, Any] = job_columns(JobStory("repairs", None, runs, changes))["events"]
    return columns


def test_events__oldest_first_runs_and_changes_together() -> None:
    marks = {"orders": source(START)}
    rewound = change(2, START + HOUR * 2, "rewind", marks, marks, reason="wrong rate", changedBy="ada")

    found = events(
        run(3, START + HOUR * 3, marks, status="FAILED", error="boom", runId="jr_3"),
        run(1, START + HOUR, marks, runId="jr_1"),
        changes=(rewound,),
    )

    assert found["what"] == ["SUCCEEDED", "rewind", "FAILED"]
    assert found["id"] == ["jr_1", rewound["after"]["runId"], "jr_3"]
    assert unpacked(found["at"]) == [int((START + HOUR * each).timestamp() * 1000) for each in (1, 2, 3)]
    assert found["note"] == {1: "wrong rate", 2: "boom"}
    assert found["by"] == {1: "ada"}


def test_rows_and_files__counted_over_the_sources_that_the_run_read() -> None:
    read = {"a": source(START, rows=5), "b": source(START, rows=7), "c": source(START)}
    landed = {"c": {"paths": ["s3://c"], "mark": START, "files": 0}}

    found = events(run(1, START, read), run(2, START + HOUR, landed), run(3, START + 2 * HOUR, {"a": source(START)}))

    assert unpacked(found["rows"]) == [12, None, None]
    assert unpacked(found["files"]) == [None, 0, None]


def test_duration__of_a_backfills_step_begins_with_the_step_before() -> None:
    started = START - HOUR
    steps = [run(each, START + HOUR * each, runId=f"jr_1#step/{each:012d}", startedAt=started) for each in (1, 2)]

    found = events(
        *steps, run(3, START + HOUR * 5, runId="jr_1", startedAt=started), run(4, START + HOUR * 6, startedAt=None)
    )

    assert unpacked(found["took"]) == [each * 3_600_000 if each else None for each in (2, 1, 3, None)]


def test_mark__where_it_stood_after_each_event_and_where_it_stands_now() -> None:
    runs = [run(each, START + HOUR * each, {"ids": source(10 * each, "integer", "id")}) for each in (1, 2, 4)]
    rewound = change(3, START + HOUR * 3, "rewind", {}, {"ids": source(10, "integer", "id")})
    reset = change(5, START + HOUR * 5, "reset", {}, {})

    (ids,) = job_columns(JobStory("repairs", state({}), tuple(runs), (reset, rewound)))["series"]

    assert (ids["role"], ids["name"], ids["kind"], ids["about"]) == ("source", "ids", "number", "id")
    assert unpacked(ids["y"]) == [10, 20, 10, 40, None, None]


def test_mark__of_another_type_after_a_reset_is_another_series() -> None:
    runs = [run(1, START, {"a": source(7, "integer")}), run(2, START + HOUR, {"a": source("x", "string")})]

    series = job_columns(JobStory("repairs", state({"a": source("y", "string")}), tuple(runs)))["series"]

    assert [(each["kind"], unpacked(each["y"])) for each in series] == [
        ("number", [7, None, None]),
        ("text", [None, 0, 1]),
    ]


def test_recorded_values__drawn_unless_a_sources_or_not_drawable() -> None:
    recorded = {"orders": START, "latest_data": "2026-03-02 06:00:00", "rows_rejected": 3, "by": "hand", "tags": ["a"]}
    runs = (
        run(1, START, {"orders": source(START)}, watermarks=recorded),
        run(2, START + HOUR, {"orders": source(START)}, watermarks=recorded, status="FAILED"),
    )

    columns = job_columns(JobStory("repairs", state({"orders": source(START)}, watermarks=recorded), runs))

    series = {(each["role"], each["name"]): unpacked(each["y"]) for each in columns["series"]}
    assert list(series) == [("source", "orders"), ("value", "latest_data"), ("value", "rows_rejected")]
    assert series["value", "rows_rejected"] == [3, None, None]
    assert columns["events"]["values"][0] == "by: hand, tags: ['a']"


def test_times__without_a_recording_sort_first_and_stay_empty() -> None:
    found = events(
        run(2, START, runId="jr_2"), run(1, START, runId="old", recordedAt=None, startedAt=None, version=None)
    )

    assert found["id"] == ["old", "jr_2"]
    assert unpacked(found["at"])[0] is None
    assert unpacked(found["took"]) == [None, int(timedelta(minutes=4).total_seconds() * 1000)]


def test_state__status_lease_and_attempts() -> None:
    held = {"runId": "jr_9", "since": START, "until": START + HOUR}

    found = job_columns(JobStory("repairs", state({}, status="RUNNING", lease=held, attempts=2)))["state"]

    assert (found["status"], found["attempts"], found["lease"]["runId"]) == ("RUNNING", 2, "jr_9")
    assert found["lease"]["until"] - found["lease"]["since"] == 3_600_000


def test_story__of_every_type_of_mark_has_one_series() -> None:
    marks_of: dict[str, list[Any]] = {"integer": [1, 2], "string": ["a", "b"], "timestamp": [START, START + HOUR]}
    for kind, marks in marks_of.items():
        (series,) = job_columns(story_of_marks(kind, marks))["series"]

        assert len(unpacked(series["y"])) == len(marks) + 1
