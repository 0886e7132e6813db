"""What cannot be used is refused in one line that names it, before any request."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from scripts.helpers.watermarks import InvalidArgumentError, InvalidItemError, WatermarkError, Watermarks
from tests.support.tables import EmulatedTable, requests_of

BAD_IDS = [
    # id, value, what the error says
    pytest.param("", "must not be empty", id="empty"),
    pytest.param(" \t\n", "must not be empty", id="whitespace"),
    pytest.param(None, "must be text, not NoneType", id="none"),
    pytest.param(5, "must be text, not int", id="number"),
    pytest.param(b"jr_1", "must be text, not bytes", id="bytes"),
    pytest.param(["jr_1"], "must be text, not list", id="list"),
    pytest.param("\ud800", "lone surrogate", id="lone-surrogate"),
]
BAD_JOB_IDS = [
    *BAD_IDS,
    pytest.param("j" * 2_049, "has 2,049 bytes, and at most 2,048 are allowed", id="over-long"),
    pytest.param("é" * 1_025, "has 2,050 bytes, and at most 2,048 are allowed", id="over-long-in-bytes"),
]
BAD_RUN_IDS = [
    *BAD_IDS,
    pytest.param("r" * 1_001, "has 1,001 bytes, and at most 1,000 are allowed", id="over-long"),
    pytest.param("#latest", "must not contain '#'", id="the-state"),
    pytest.param("jr_1#step/1", "must not contain '#'", id="a-step"),
]
BAD_NAMES = [
    pytest.param("", "must not be empty", id="empty"),
    pytest.param(" ", "must not be empty", id="whitespace"),
    pytest.param("jobName", "is reserved", id="jobName"),
    pytest.param("runId", "is reserved", id="runId"),
    pytest.param("watermarks", "is reserved", id="watermarks"),
    pytest.param("#total", "is reserved", id="hash"),
    pytest.param("n" * 256, "has 256 bytes, and at most 255 are allowed", id="over-long"),
    pytest.param("\udfff", "lone surrogate", id="lone-surrogate"),
]


def assert_refused(refusal: pytest.ExceptionInfo[Any], argument: str, value: object, problem: str) -> None:
    message = str(refusal.value)
    assert message.startswith(f"{argument} ")
    assert problem in message
    assert "\n" not in message
    assert len(message) < 250
    assert (refusal.value.argument, refusal.value.value) == (argument, value)


@pytest.mark.parametrize(("job_id", "problem"), BAD_JOB_IDS)
def test_job_id__refused_everywhere(on_moto: Watermarks, job_id: Any, problem: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: on_moto.create_watermark_item(job_id, "jr_1"),
        lambda: on_moto.add_watermark({"jobName": job_id, "runId": "jr_1", "watermarks": {}}),
        lambda: on_moto.adopt(job_id, "jr_1"),
        lambda: on_moto.get_most_recent_run_id(job_id),
        lambda: on_moto.get_watermark(job_id),
        lambda: on_moto.get_watermark(job_id, "jr_1"),
        lambda: on_moto.get_watermark_values(job_id),
        lambda: on_moto.history(job_id),
    ]

    with requests_of(on_moto) as requests:
        for call in calls:
            with pytest.raises(InvalidArgumentError) as refusal:
                call()
            assert_refused(refusal, "job_id", job_id, problem)
    assert requests.names == []


@pytest.mark.parametrize(("run_id", "problem"), BAD_RUN_IDS)
def test_run_id__refused_everywhere(on_moto: Watermarks, run_id: Any, problem: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: on_moto.create_watermark_item("repairs", run_id),
        lambda: on_moto.add_watermark({"jobName": "repairs", "runId": run_id, "watermarks": {}}),
        lambda: on_moto.adopt("repairs", run_id),
    ]
    if run_id is not None:  # which means the most recent one
        calls += [
            lambda: on_moto.get_watermark("repairs", run_id),
            lambda: on_moto.get_watermark_values("repairs", run_id),
        ]

    with requests_of(on_moto) as requests:
        for call in calls:
            with pytest.raises(InvalidArgumentError) as refusal:
                call()
            assert_refused(refusal, "run_id", run_id, problem)
    assert requests.names == []


@pytest.mark.parametrize(("name", "problem"), BAD_NAMES)
def test_watermark_name__refused(on_moto: Watermarks, name: str, problem: str) -> None:
    item: Any = {"jobName": "repairs", "runId": "jr_1", "watermarks": {name: 1}}

    with requests_of(on_moto) as requests:
        with pytest.raises(InvalidArgumentError) as refusal:
            on_moto.create_watermark_item("repairs", "jr_1", **{name: 1})
        assert_refused(refusal, "watermark name", name, problem)
        with pytest.raises(InvalidArgumentError) as refusal:
            on_moto.add_watermark(item)
        assert_refused(refusal, "watermark name", name, problem)
    assert requests.names == []


@pytest.mark.parametrize(
    ("item", "seen"),
    [
        pytest.param({"runId": "r", "watermarks": {}}, "not: runId, watermarks", id="no-job"),
        pytest.param({"jobName": "j", "watermarks": {}}, "not: jobName, watermarks", id="no-run"),
        pytest.param({"jobName": "j", "runId": "r"}, "not: jobName, runId", id="no-watermarks"),
        pytest.param({}, "not: none", id="empty"),
        pytest.param(
            {"jobName": "j", "runId": "r", "watermarks": {}, "status": "SUCCEEDED"},
            "not: jobName, runId, status, watermarks",
            id="extra-key",
        ),
        pytest.param({"jobName": "j", "runId": "r", "watermark": {}}, "not: jobName, runId, watermark", id="misspelt"),
        pytest.param({1: 2}, "not: 1", id="key-that-is-no-text"),
        pytest.param(None, "not: NoneType", id="none"),
        pytest.param([("jobName", "j")], "not: list", id="list"),
        pytest.param("jobName", "not: str", id="text"),
        pytest.param({"jobName": "j", "runId": "r", "watermarks": None}, "not NoneType", id="watermarks-none"),
        pytest.param({"jobName": "j", "runId": "r", "watermarks": [1]}, "not list", id="watermarks-list"),
        pytest.param({"jobName": "j", "runId": "r", "watermarks": "x"}, "not str", id="watermarks-text"),
    ],
)
def test_add_watermark__item_of_another_shape(on_moto: Watermarks, item: Any, seen: str) -> None:
    with requests_of(on_moto) as requests, pytest.raises(InvalidItemError) as refusal:
        on_moto.add_watermark(item)

    assert seen in str(refusal.value)
    assert str(refusal.value).endswith("Nothing was written.")
    assert "\n" not in str(refusal.value)
    assert refusal.value.argument == "watermark_item"
    assert requests.names == []


@pytest.mark.parametrize(
    ("job_id", "run_id"),
    [
        pytest.param("j" * 2_048, "r" * 1_000, id="longest"),
        pytest.param("é" * 1_024, "😀" * 250, id="longest-in-bytes"),
        pytest.param("#job", "a/b c.d:e", id="marks-of-every-kind"),
        pytest.param(" repairs ", " jr_1 ", id="spaces-around"),
    ],
)
def test_ids__just_allowed(watermarks: Watermarks, table: EmulatedTable, job_id: str, run_id: str) -> None:
    watermarks.add_watermark(watermarks.create_watermark_item(job_id, run_id, rows_collected=1))

    assert watermarks.get_most_recent_run_id(job_id) == run_id
    assert watermarks.get_watermark(job_id, run_id) == {
        "jobName": job_id,
        "runId": run_id,
        "watermarks": {"rows_collected": 1},
    }
    assert table.count(job_id) == 2


@pytest.mark.parametrize("table_name", ["", "  ", None, 5, b"glue-watermarks"], ids=repr)
def test_table_name__refused(table_name: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^table_name .* must be the name of a DynamoDB table"):
        Watermarks(table_name)


@pytest.mark.parametrize(
    "retention",
    [timedelta(0), timedelta(days=-1), 400, "400 days", timedelta.max],
    ids=["zero", "negative", "number", "text", "longer-than-time"],
)
def test_retention__refused(retention: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^retention .* must be a positive timedelta") as refusal:
        Watermarks("glue-watermarks", retention=retention)

    assert refusal.value.value == retention


def test_errors__are_all_of_one_base_and_value_errors_too(on_moto: Watermarks) -> None:
    with pytest.raises(WatermarkError):
        on_moto.get_watermark("")
    with pytest.raises(ValueError, match="job_id '' must not be empty"):
        on_moto.get_watermark("")
