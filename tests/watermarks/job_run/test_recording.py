"""What runs leave behind: marks of every source and recorded values, all of it or nothing, and how it reads."""

from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

from scripts.helpers.watermarks import (
    BrokenItemError,
    InvalidArgumentError,
    RunStateError,
    UnsupportedValueError,
    Watermarks,
)
from scripts.helpers.watermarks.job_run.outcome import SourceRead, error_text
from scripts.helpers.watermarks.values.positions import RowsPosition
from tests.support.runs import PAUSE, commit_run, fail_run, read_ids
from tests.support.tables import Clock, EmulatedTable

QUARTER_TO_FOUR = 1_678_981_500_000_000


@pytest.fixture
def watermarks(table: EmulatedTable, clock: Clock) -> Watermarks:
    return table.watermarks(clock=clock)


def test_get_watermark__reads_what_a_run_committed(watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        mark = RowsPosition("last_modified", "timestamp", QUARTER_TO_FOUR)
        run._reads["repairs"] = SourceRead(mark, None, QUARTER_TO_FOUR, 808)
        run._reads["tariffs"] = SourceRead(RowsPosition("price", "decimal", Decimal("1.10")), None, Decimal("1.10"), 2)
        run._reads["letters"] = SourceRead(RowsPosition("id", "integer", None), None, None, 0)
        run.record(rows_rejected=3, note=None)

    watermark = watermarks.get_watermark(job)
    assert watermark == watermarks.get_watermark(job, "jr_1")
    assert watermark is not None
    assert watermark["watermarks"] == {
        "repairs": datetime(2023, 3, 16, 15, 45, tzinfo=timezone.utc),
        "tariffs": Decimal("1.1"),
        "letters": None,
        "rows_rejected": 3,
        "note": None,
    }


def test_history__keeps_the_window_of_every_source_read(watermarks: Watermarks, job: str) -> None:
    commit_run(watermarks, job, "jr_1", up_to=808)
    with watermarks.job_run(job, "jr_2") as run:
        read_ids(run, up_to=5, source="payments", rows=5)

    newest, _ = watermarks.history(job)

    assert newest["sources"] == {
        "repairs": {"column": "id", "type": "integer", "mark": 808},
        "payments": {"column": "id", "type": "integer", "mark": 5, "low": None, "high": 5, "rows": 5},
    }
    assert (newest["batchId"], newest["previousRunId"]) == (2, "jr_1")


def test_history__of_a_failure_keeps_what_it_tried(watermarks: Watermarks, job: str) -> None:
    commit_run(watermarks, job, "jr_1", up_to=808)
    fail_run(watermarks, job, "jr_2", up_to=900)

    newest, _ = watermarks.history(job)

    tried = {"column": "id", "type": "integer", "mark": 808, "low": 808, "high": 900, "rows": 1}
    assert newest["sources"] == {"repairs": tried}
    assert (newest["batchId"], newest["previousRunId"]) == (2, "jr_1")


def test_sources__of_one_run_are_committed_together(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=1)
        read_ids(run, up_to=2, source="payments")
        assert table.item(job)["sources"] == {"M": {}}

    sources = table.item(job)["sources"]["M"]
    assert {name: source["M"]["mark"] for name, source in sources.items()} == {
        "repairs": {"N": "1"},
        "payments": {"N": "2"},
    }


def test_sources__that_a_run_does_not_read_stay_where_they_are(watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=1)
        read_ids(run, up_to=2, source="payments")
    with watermarks.job_run(job, "jr_2") as run:
        read_ids(run, up_to=20, source="payments")
    commit_run(watermarks, job, "jr_3", rows_rejected=3)

    assert watermarks.get_watermark_values(job) == {"repairs": 1, "payments": 20, "rows_rejected": 3}
    with watermarks.job_run(job, "jr_4") as run:
        read_ids(run, up_to=10)
        assert run.window("repairs").low == 1


def test_source__read_twice_in_a_run(watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=1)
        frame: Any = None
        with pytest.raises(RunStateError, match="has read source 'repairs' already"):
            run.new_rows(frame, "id", transformation_ctx="repairs")


@pytest.mark.parametrize("name", [None, "", "  ", 7, "x" * 256])
def test_source__without_a_name_that_can_be_used(watermarks: Watermarks, job: str, name: Any) -> None:
    frame: Any = None
    with (
        watermarks.job_run(job, "jr_1", bookmark_option=PAUSE) as run,
        pytest.raises(InvalidArgumentError, match="transformation_ctx") as refused,
    ):
        run.new_rows(frame, "id", transformation_ctx=name)

    assert refused.value.argument == "transformation_ctx"


def test_record__replaces_what_was_recorded_under_the_name(watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        run.record(rows_rejected=1, rows_mended=2)
        run.record(rows_rejected=3)

    assert watermarks.get_watermark_values(job) == {"rows_rejected": 3, "rows_mended": 2}


def test_record__is_not_carried_over_to_the_next_run(watermarks: Watermarks, job: str) -> None:
    commit_run(watermarks, job, "jr_1", up_to=808, rows_rejected=3)
    commit_run(watermarks, job, "jr_2")

    assert watermarks.get_watermark_values(job) == {"repairs": 808}


def test_record__name_of_a_source(watermarks: Watermarks, job: str) -> None:
    commit_run(watermarks, job, "jr_1", up_to=808)

    with watermarks.job_run(job, "jr_2") as run:
        with pytest.raises(InvalidArgumentError, match="'repairs' is the name of a source"):
            run.record(repairs=1)
        read_ids(run, up_to=1, source="payments")
        with pytest.raises(InvalidArgumentError, match="'payments' is the name of a source"):
            run.record(rows_rejected=3, payments=1)

    assert watermarks.get_watermark_values(job) == {"repairs": 808, "payments": 1}


def test_source__name_of_a_recorded_value(watermarks: Watermarks, job: str) -> None:
    frame: Any = None
    with watermarks.job_run(job, "jr_1") as run:
        run.record(repairs=3)
        with pytest.raises(InvalidArgumentError, match="'repairs' is also the name of a recorded value"):
            run.new_rows(frame, "id", transformation_ctx="repairs")


@pytest.mark.parametrize(
    ("values", "error"),
    [
        pytest.param({"rows": {1, 2}}, UnsupportedValueError, id="a-set"),
        pytest.param({"rows": float("nan")}, UnsupportedValueError, id="not-a-number"),
        pytest.param({"runId": 1}, InvalidArgumentError, id="reserved-name"),
        pytest.param({"": 1}, InvalidArgumentError, id="no-name"),
    ],
)
def test_record__refused_at_once(on_moto: Watermarks, job: str, values: Any, error: type[Exception]) -> None:
    with on_moto.job_run(job, "jr_1") as run, pytest.raises(error):
        run.record(good=1, **values)

    assert on_moto.get_watermark_values(job) == {}


def test_add_watermark__between_runs_keeps_marks_and_batch_id(
    watermarks: Watermarks, table: EmulatedTable, job: str
) -> None:
    commit_run(watermarks, job, "jr_1", up_to=808)
    watermarks.add_watermark(watermarks.create_watermark_item(job, "jr_hand", rows_collected=1))

    with watermarks.job_run(job, "jr_2") as run:
        assert run.batch_id == 2
        read_ids(run, up_to=900)
        assert run.window("repairs").low == 808

    assert table.item(job)["version"] == {"N": "3"}
    assert [record["batchId"] for record in watermarks.history(job)] == [2, 1, 1]


def test_add_watermark__before_the_first_run(watermarks: Watermarks, job: str) -> None:
    watermarks.add_watermark(watermarks.create_watermark_item(job, "jr_hand", rows_collected=1))

    with watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=1)
        assert run.batch_id == 1
        assert run.is_full_load("repairs")


def test_add_watermark__then_a_run_of_the_same_id(watermarks: Watermarks, job: str) -> None:
    watermarks.add_watermark(watermarks.create_watermark_item(job, "jr_1", rows_collected=1))

    assert commit_run(watermarks, job, "jr_1", up_to=808) == 1
    assert watermarks.get_watermark_values(job) == {"repairs": 808}


def test_position__that_cannot_be_read_is_no_full_load(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    commit_run(watermarks, job, "jr_1", up_to=808)
    table.edit(job, sources={"M": {"repairs": {"M": {"column": {"S": "id"}, "type": {"S": "integer"}}}}})

    with (
        pytest.raises(BrokenItemError, match=r"sources\.repairs.*has no mark"),
        watermarks.job_run(job, "jr_2") as run,
    ):
        read_ids(run, up_to=900)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        pytest.param(ValueError("bad row"), "ValueError: bad row", id="class-and-message"),
        pytest.param(ValueError("first line\n  second line"), "ValueError: first line second line", id="one-line"),
        pytest.param("stopped by hand", "stopped by hand", id="text"),
        pytest.param(ValueError("\ud800"), "ValueError: ?", id="lone-surrogate"),
    ],
)
def test_error_text__is_one_readable_line(error: Exception | str, text: str) -> None:
    assert error_text(error) == text


def test_error_text__is_cut_where_it_is_too_long() -> None:
    text = error_text(ValueError("x" * 5_000))

    assert len(text) == 1_000
    assert text.endswith("x…")
