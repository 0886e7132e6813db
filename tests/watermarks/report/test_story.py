"""A job's story, read from a real table (moto's)."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from scripts.helpers.watermarks import InvalidArgumentError, WatermarkNotFoundError, Watermarks
from scripts.helpers.watermarks.report import JobStory
from scripts.helpers.watermarks.report.columns import job_columns
from tests.support.adding import add
from tests.support.runs import commit_run, fail_run
from tests.support.tables import Clock, EmulatedTable


@pytest.fixture
def watermarks(moto_table: EmulatedTable, clock: Clock) -> Watermarks:
    return moto_table.watermarks(clock=clock)


@pytest.fixture
def rewound(watermarks: Watermarks, clock: Clock, job: str) -> str:
    """A job that ran, failed, was rewound, ran again and was reset."""
    steps: list[Callable[[], object]] = [
        lambda: commit_run(watermarks, job, "jr_1", up_to=10),
        lambda: commit_run(watermarks, job, "jr_2", up_to=20, rows_rejected=3),
        lambda: fail_run(watermarks, job, "jr_3", up_to=30),
        lambda: watermarks.rewind(job, "jr_1", reason="wrong exchange rate"),
        lambda: commit_run(watermarks, job, "jr_4", up_to=40),
        lambda: watermarks.reset(job, reason="once more"),
    ]
    for step in steps:
        step()
        clock.turn(minutes=10)
    return job


def test_story__everything_that_happened(watermarks: Watermarks, rewound: str) -> None:
    story = JobStory.of(watermarks, rewound)

    columns = job_columns(story)
    assert columns["events"]["what"] == ["SUCCEEDED", "SUCCEEDED", "FAILED", "rewind", "SUCCEEDED", "reset"]
    assert columns["events"]["id"][3] == "jr_1"
    assert columns["events"]["note"] == {2: "made up by a test", 3: "wrong exchange rate", 5: "once more"}
    marks, rejected = columns["series"]
    assert marks["y"] == {"differences": [10, 10, 0, -10, 30, None, None]}
    assert (rejected["role"], rejected["name"]) == ("value", "rows_rejected")
    assert story.complete


def test_story__limited_to_the_latest_runs_and_the_changes_since(watermarks: Watermarks, rewound: str) -> None:
    story = JobStory.of(watermarks, rewound, limit=1)

    assert [each["runId"] for each in story.runs] == ["jr_4"]
    assert [each["operation"] for each in story.changes] == ["reset"]
    assert not story.complete


def test_story__a_limit_that_is_just_enough_is_complete(watermarks: Watermarks, rewound: str) -> None:
    story = JobStory.of(watermarks, rewound, limit=4)

    assert len(story.runs) == 4
    assert len(story.changes) == 2
    assert story.complete


def test_story__of_a_run_under_way(watermarks: Watermarks, job: str) -> None:
    run = watermarks.job_run(job, "jr_1", lease=timedelta(hours=1)).begin()
    try:
        assert job_columns(JobStory.of(watermarks, job))["state"]["status"] == "RUNNING"
    finally:
        run.fail("made up by a test")


def test_story__of_values_recorded_by_hand(watermarks: Watermarks, job: str) -> None:
    add(watermarks, job, "jr_1", latest_data="2023-03-16 15:45:00", rows_collected=808)

    columns = job_columns(JobStory.of(watermarks, job))

    assert [(each["name"], each["kind"]) for each in columns["series"]] == [
        ("latest_data", "timestamp_ntz"),
        ("rows_collected", "number"),
    ]


def test_story__of_an_unknown_job_names_it(watermarks: Watermarks) -> None:
    with pytest.raises(WatermarkNotFoundError, match="Job 'nobody' is not in table"):
        JobStory.of(watermarks, "nobody")


def test_story__bad_limit(watermarks: Watermarks) -> None:
    with pytest.raises(InvalidArgumentError, match="limit"):
        JobStory.of(watermarks, "repairs", limit=0)
