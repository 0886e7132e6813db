"""Where a source of files stands: modes, spans, and what operators do to it."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from scripts.helpers.watermarks import InvalidArgumentError, WatermarkMismatchError
from tests.support.frames import frame, numbers
from tests.support.landing import HOUR, Landing
from tests.support.runs import DISABLE, PAUSE

UTC = timezone.utc
HORIZON = datetime(2023, 3, 16, 11, 44, 59, tzinfo=UTC)


def span(first: str, last: str) -> dict[str, Any]:
    return {"bookmark_option": PAUSE, "bookmark_from": first, "bookmark_to": last}


def load_thrice(landing: Landing) -> None:
    """Three runs a minute apart: two old files, then a new one and a late one, then one overwritten and one new."""
    landing.put("a.json", 1, ago=2 * HOUR)
    landing.put("b.json", 2, ago=60)
    assert landing.load(run_id="jr_1") == [1, 2]
    landing.clock.turn(minutes=1)
    landing.put("c.json", 3, ago=60)
    landing.put("late.json", 4, ago=800)
    assert landing.load(run_id="jr_2") == [3, 4]
    landing.clock.turn(minutes=1)
    landing.put("c.json", 33, ago=10)
    landing.put("d.json", 5, ago=10)
    assert landing.load(run_id="jr_3") == [5, 33]


def test_pause__gives_what_is_new_and_moves_nothing(landing: Landing) -> None:
    landing.put("a.json", 1, ago=60)
    landing.load()
    landing.put("b.json", 2, ago=60)
    before = landing.position()

    assert landing.look(bookmark_option=PAUSE) == [2]
    assert landing.position() == before
    assert landing.load() == [2]


def test_disable__gives_everything_and_moves_nothing(landing: Landing) -> None:
    landing.put("a.json", 1, ago=60)
    landing.load()
    landing.put("b.json", 2, ago=60)
    before = landing.position()

    assert landing.look(bookmark_option=DISABLE) == [1, 2]
    assert landing.position() == before
    assert landing.load() == [2]


def test_span__is_exactly_what_the_runs_in_between_took(landing: Landing) -> None:
    load_thrice(landing)

    # What was overwritten since is gone: 3 is not there any more, and 33 belongs to the third run.
    assert landing.look(**span("jr_1", "jr_2")) == [4]
    assert landing.look(**span("jr_2", "jr_3")) == [5, 33]
    assert landing.look(**span("jr_1", "jr_3")) == [4, 5, 33]
    assert landing.look(**span("jr_2", "jr_2")) == []


def test_span__from_before_the_first_success(landing: Landing) -> None:
    landing.put("a.json", 1, ago=60)
    run = landing.watermarks.job_run(landing.job, "jr_0").begin()
    landing.new(run)
    run.fail("made up by a test")
    load_thrice(landing)

    assert landing.look(**span("jr_0", "jr_1")) == [1, 2]


def test_span__long_after_is_still_exact(landing: Landing) -> None:
    load_thrice(landing)
    landing.clock.turn(days=30)
    landing.put("e.json", 6, ago=60)
    landing.load(run_id="jr_4")

    assert landing.look(**span("jr_1", "jr_2")) == [4]
    assert landing.look(**span("jr_3", "jr_4")) == [6]


def test_span__over_a_source_that_was_added_in_between(landing: Landing) -> None:
    with landing.watermarks.job_run(landing.job, "jr_1"):
        pass
    landing.put("a.json", 1, ago=60)
    landing.load(run_id="jr_2")

    assert landing.look(**span("jr_1", "jr_2")) == [1]
    assert landing.look(**span("jr_1", "jr_1")) == []


def test_rewind__to_a_run_loads_exactly_what_came_after_it(landing: Landing) -> None:
    load_thrice(landing)

    changed = landing.watermarks.rewind(landing.job, "jr_1", reason="wrong rate")

    assert changed.batch_ids == (2, 3)
    assert landing.mark() == HORIZON
    with landing.watermarks.job_run(landing.job, "jr_4") as run:
        assert numbers(landing.new(run)) == [4, 5, 33]
        assert run.batch_id == 4
    assert landing.load() == []


def test_rewind__and_forward_again(landing: Landing) -> None:
    load_thrice(landing)

    landing.watermarks.rewind(landing.job, "jr_1")
    landing.watermarks.rewind(landing.job, "jr_3")

    assert landing.load() == []


def test_reset__of_the_source_loads_everything(landing: Landing) -> None:
    load_thrice(landing)

    landing.watermarks.reset(landing.job, "claims")

    assert landing.load() == [1, 2, 4, 5, 33]
    assert landing.load() == []


def test_get_watermark__shows_the_horizon(landing: Landing) -> None:
    landing.put("a.json", 1, ago=60)
    landing.load(run_id="jr_1")

    watermark = landing.watermarks.get_watermark(landing.job)

    assert watermark == {"jobName": landing.job, "runId": "jr_1", "watermarks": {"claims": HORIZON}}


def test_history__tells_what_a_run_took(landing: Landing) -> None:
    load_thrice(landing)

    second = next(run for run in landing.watermarks.history(landing.job) if run["runId"] == "jr_2")

    assert second["sources"]["claims"] == {
        "paths": [landing.path],
        "mark": HORIZON + timedelta(minutes=1),
        "digests": "#files/claims/000000000002",
        "options": {},
        "low": HORIZON,
        "high": HORIZON + timedelta(minutes=15, seconds=1),
        "files": 2,
    }


@pytest.mark.parametrize("value", [HORIZON - timedelta(hours=1, seconds=-1), "2023-03-16 10:45:00+00:00"])
def test_set_mark__everything_up_to_it_counts_as_loaded(landing: Landing, value: Any) -> None:
    landing.put("before.json", 1, ago=75 * 60)
    landing.put("after.json", 2, ago=75 * 60 - 1)
    landing.load()

    landing.watermarks.set_mark(landing.job, "claims", value)

    assert landing.mark() == datetime(2023, 3, 16, 10, 45, tzinfo=UTC)
    assert landing.load() == [2]


def test_set_mark__before_the_first_run(landing: Landing) -> None:
    """A job that goes on where another tool has stopped."""
    landing.put("before.json", 1, ago=HOUR)
    landing.put("after.json", 2, ago=HOUR - 1)

    landing.watermarks.set_mark(landing.job, "claims", datetime(2023, 3, 16, 11, tzinfo=UTC))

    assert landing.load() == [2]
    assert landing.position()["paths"] == [landing.path]
    assert landing.load() == []


@pytest.mark.parametrize("value", [808, "noon", datetime(2023, 3, 16, 11)], ids=["number", "text", "no-zone"])
def test_set_mark__to_what_is_no_moment_is_refused(landing: Landing, value: Any) -> None:
    landing.put("a.json", 1)
    landing.load()

    with pytest.raises(InvalidArgumentError, match="cannot be the mark of source 'claims'"):
        landing.watermarks.set_mark(landing.job, "claims", value)


@pytest.mark.parametrize("value", [808, "abc"], ids=["number", "text"])
def test_set_mark__before_the_first_run_to_what_is_no_moment(landing: Landing, value: Any) -> None:
    landing.put("a.json", 1)
    landing.watermarks.set_mark(landing.job, "claims", value)

    with pytest.raises(WatermarkMismatchError, match="has a position among rows"):
        landing.load()


def test_mismatch__rows_where_files_were(landing: Landing) -> None:
    landing.put("a.json", 1)
    landing.load()

    with (
        pytest.raises(WatermarkMismatchError, match="claims"),
        landing.watermarks.job_run(landing.job, "jr_2") as run,
    ):
        run.new_rows(frame(landing.spark, "int", ["1"]), "value", transformation_ctx="claims")


def test_mismatch__files_where_rows_were(landing: Landing) -> None:
    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        run.new_rows(frame(landing.spark, "int", ["1"]), "value", transformation_ctx="claims")

    with pytest.raises(WatermarkMismatchError, match=r"has a position among rows by 'value'.*reset\(") as refused:
        landing.load()

    assert (refused.value.job_id, refused.value.transformation_ctx) == (landing.job, "claims")
    landing.put("a.json", 1)
    landing.watermarks.reset(landing.job, "claims")
    assert landing.load() == [1]


def test_add_watermark__leaves_the_position(landing: Landing) -> None:
    landing.put("a.json", 1, ago=60)
    landing.load(run_id="jr_1")

    landing.watermarks.add_watermark(landing.watermarks.create_watermark_item(landing.job, "jr_2", rows=1))

    assert landing.load() == []
