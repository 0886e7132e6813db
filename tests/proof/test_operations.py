"""What operators do to a job: what it gives back, what it leaves in the table, and what it refuses."""

import getpass
import socket
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import (
    InvalidArgumentError,
    WatermarkMismatchError,
    WatermarkNotFoundError,
    Watermarks,
)
from tests.support.adding import add
from tests.support.frames import frame, load
from tests.support.runs import commit_run, fail_run, read_ids
from tests.support.tables import NOON, Clock, EmulatedTable, Wire

OPERATOR = f"{getpass.getuser()}@{socket.gethostname()}"


@pytest.fixture
def watermarks(local_table: EmulatedTable, clock: Clock) -> Watermarks:
    return local_table.watermarks(clock=clock)


@pytest.fixture
def loaded(watermarks: Watermarks, job: str, clock: Clock) -> str:
    """A job with three committed runs, an hour apart from 12:00, and one that failed after the second."""
    commit_run(watermarks, job, "jr_1", up_to=10, rejected=1)
    clock.turn(hours=1)
    commit_run(watermarks, job, "jr_2", up_to=20, rejected=2)
    fail_run(watermarks, job, "jr_failed", up_to=25)
    clock.turn(hours=1)
    commit_run(watermarks, job, "jr_3", up_to=30, rejected=3)
    clock.turn(hours=1)
    return job


def position(mark: int | None, column: str | None = "id") -> Wire:
    stored_mark = {"NULL": True} if mark is None else {"N": str(mark)}
    stored_column = {"NULL": True} if column is None else {"S": column}
    return {"M": {"column": stored_column, "type": {"S": "integer"}, "mark": stored_mark}}


def next_window(watermarks: Watermarks, job: str, run_id: str, *, up_to: int) -> tuple[int, Any]:
    """Have a run commit; give its batch id and where its window began."""
    batch_id = commit_run(watermarks, job, run_id, up_to=up_to)
    record = next(watermarks.history(job))
    assert record["runId"] == run_id
    return batch_id, record["sources"]["repairs"].get("low")


def test_rewind__the_job_stands_where_it_stood_after_the_run(
    watermarks: Watermarks, local_table: EmulatedTable, loaded: str
) -> None:
    changed = watermarks.rewind(loaded, "jr_1", "wrong exchange rate")

    assert (changed.operation, changed.job_id, changed.version) == ("rewind", loaded, 5)
    assert (changed.changed_by, changed.changed_at) == (OPERATOR, NOON.replace(hour=15))
    assert changed.reason == "wrong exchange rate"
    assert changed.batch_ids == (2, 3)
    state = local_table.item(loaded)
    assert state["latestRunId"] == {"S": "jr_1"}
    assert state["sources"] == {"M": {"repairs": position(10)}}
    assert (state["version"], state["lastBatchId"]) == ({"N": "5"}, {"N": "3"})
    assert watermarks.get_watermark(loaded) == watermarks.get_watermark(loaded, "jr_1")
    assert watermarks.get_watermark_values(loaded) == {"repairs": 10, "rejected": 1}
    assert next_window(watermarks, loaded, "jr_4", up_to=40) == (4, 10)


def test_rewind__is_appended_to_history_and_audited(
    watermarks: Watermarks, local_table: EmulatedTable, loaded: str
) -> None:
    before = local_table.items(loaded)[1:]
    watermarks.rewind(loaded, "jr_1", "wrong exchange rate")

    audit, _, *records = local_table.items(loaded)
    assert records == before
    assert audit == {
        "jobName": {"S": loaded},
        "runId": {"S": "#change/000000000005"},
        "version": {"N": "5"},
        "operation": {"S": "rewind"},
        "changedBy": {"S": OPERATOR},
        "changedAt": {"S": "2023-03-16T15:00:00.000000Z"},
        "reason": {"S": "wrong exchange rate"},
        "before": {"M": {"latestRunId": {"S": "jr_3"}, "sources": {"M": {"repairs": position(30)}}}},
        "after": {"M": {"latestRunId": {"S": "jr_1"}, "sources": {"M": {"repairs": position(10)}}}},
        "commitId": local_table.item(loaded)["commitId"],
    }
    # The audit is no run: history does not show it, and it never expires.
    assert [run["runId"] for run in watermarks.history(loaded)] == ["jr_3", "jr_failed", "jr_2", "jr_1"]


def test_rewind__to_the_latest_run_drops_nothing(watermarks: Watermarks, loaded: str) -> None:
    assert watermarks.rewind(loaded, "jr_3").batch_ids == ()
    assert next_window(watermarks, loaded, "jr_4", up_to=40) == (4, 30)


def test_rewind__after_a_failure_keeps_its_batch_id_for_the_retry(watermarks: Watermarks, loaded: str) -> None:
    assert fail_run(watermarks, loaded, "jr_4") == 4

    assert watermarks.rewind(loaded, "jr_2").batch_ids == (3,)
    assert next_window(watermarks, loaded, "jr_5", up_to=40) == (4, 20)


def test_rewind__to_what_was_added_by_hand(watermarks: Watermarks, loaded: str) -> None:
    add(watermarks, loaded, "jr_hand", note="checked")
    assert commit_run(watermarks, loaded, "jr_4", up_to=40) == 4

    # It stood at the mark and the batch of the run before it.
    assert watermarks.rewind(loaded, "jr_hand").batch_ids == (4,)
    assert watermarks.get_watermark_values(loaded) == {"note": "checked"}
    assert next_window(watermarks, loaded, "jr_5", up_to=50) == (5, 30)


@pytest.mark.parametrize(
    ("before", "stands_at", "batch_ids"),
    [
        pytest.param(NOON + timedelta(microseconds=1), "jr_1", (2, 3), id="right-after-the-first"),
        pytest.param(NOON.replace(hour=13), "jr_1", (2, 3), id="not-the-run-of-that-very-moment"),
        pytest.param(NOON.replace(hour=13, minute=30), "jr_2", (3,), id="past-the-failure"),
        pytest.param(NOON.replace(hour=23), "jr_3", (), id="after-everything"),
        pytest.param(datetime(2023, 3, 16, 15, 30, tzinfo=timezone(timedelta(hours=2))), "jr_2", (3,), id="zone"),
    ],
)
def test_rewind__to_a_time(
    watermarks: Watermarks, loaded: str, before: datetime, stands_at: str, batch_ids: tuple[int, ...]
) -> None:
    assert watermarks.rewind(loaded, before=before).batch_ids == batch_ids
    assert watermarks.get_most_recent_run_id(loaded) == stands_at


@pytest.mark.parametrize(
    ("target", "told"),
    [
        pytest.param("jr_failed", "it FAILED, so the job never stood there; the last success before it is 'jr_2'"),
        pytest.param(
            "jr_9", "it was never recorded, or its record has expired; the oldest run that can be used is 'jr_2'"
        ),
        pytest.param(
            "jr_1", "it was never recorded, or its record has expired; the oldest run that can be used is 'jr_2'"
        ),
        pytest.param(NOON.replace(hour=12, minute=30), "has no successful run on record before 2023-03-16T12:30:00"),
    ],
    ids=["failed", "unknown", "expired", "before-the-oldest"],
)
def test_rewind__to_what_cannot_be_used(
    watermarks: Watermarks, local_table: EmulatedTable, loaded: str, target: Any, told: str
) -> None:
    local_table.delete(loaded, "jr_1")  # as DynamoDB does once it has expired
    before = local_table.items(loaded)

    with pytest.raises(WatermarkNotFoundError) as failure:
        watermarks.rewind(loaded, **{"run_id" if isinstance(target, str) else "before": target})

    assert told in str(failure.value)
    assert repr(loaded) in str(failure.value)
    assert local_table.items(loaded) == before


@pytest.mark.parametrize(
    "arguments",
    [{}, {"run_id": "jr_1", "before": NOON}, {"before": NOON.replace(tzinfo=None)}, {"run_id": "#latest"}],
    ids=["neither", "both", "naive-time", "no-run"],
)
def test_rewind__arguments_that_mean_nothing(watermarks: Watermarks, loaded: str, arguments: Any) -> None:
    with pytest.raises(InvalidArgumentError):
        watermarks.rewind(loaded, **arguments)


@pytest.mark.parametrize("operation", ["rewind", "reset", "forget"])
def test_change__of_a_job_that_is_not_there(watermarks: Watermarks, operation: str, job: str) -> None:
    with pytest.raises(WatermarkNotFoundError, match=job):
        getattr(watermarks, operation)(job, *(["jr_1"] if operation == "rewind" else []))


def test_reset__the_next_run_is_a_full_load_with_a_batch_id_of_its_own(
    watermarks: Watermarks, local_table: EmulatedTable, loaded: str
) -> None:
    changed = watermarks.reset(loaded, reason="new columns")

    assert (changed.operation, changed.version, changed.batch_ids) == ("reset", 5, (1, 2, 3))
    assert local_table.item(loaded, "#change/000000000005")["after"] == {
        "M": {"latestRunId": {"NULL": True}, "sources": {"M": {}}}
    }
    assert watermarks.get_watermark(loaded) is None
    assert next_window(watermarks, loaded, "jr_4", up_to=40) == (4, None)


def test_reset__one_source_leaves_the_others(watermarks: Watermarks, local_table: EmulatedTable, loaded: str) -> None:
    with watermarks.job_run(loaded, "jr_4") as run:
        read_ids(run, up_to=7, source="claims")

    changed = watermarks.reset(loaded, "repairs")

    assert changed.batch_ids == (1, 2, 3, 4)
    assert local_table.item(loaded)["sources"] == {"M": {"claims": position(7)}}
    assert watermarks.get_watermark_values(loaded) == {"claims": 7}
    assert next_window(watermarks, loaded, "jr_5", up_to=40) == (5, None)
    with pytest.raises(InvalidArgumentError, match=r"has no source 'orders' to reset. It has: 'claims', 'repairs'"):
        watermarks.reset(loaded, "orders")


def test_set__of_a_known_source_and_back(watermarks: Watermarks, local_table: EmulatedTable, loaded: str) -> None:
    changed = watermarks.set_mark(loaded, "repairs", "25", "as text, from a job's arguments")

    assert (changed.operation, changed.version, changed.batch_ids) == ("set", 5, ())
    assert local_table.item(loaded)["sources"] == {"M": {"repairs": position(25)}}
    assert watermarks.get_watermark_values(loaded) == {"repairs": 25, "rejected": 3}
    assert watermarks.get_most_recent_run_id(loaded) == "jr_3"
    assert next_window(watermarks, loaded, "jr_4", up_to=40) == (4, 25)


@pytest.mark.parametrize("value", ["tomorrow", Decimal("2.5"), date(2023, 3, 16), None, 10**39, True])
def test_set__to_what_does_not_fit(
    watermarks: Watermarks, local_table: EmulatedTable, loaded: str, value: object
) -> None:
    before = local_table.items(loaded)

    with pytest.raises(InvalidArgumentError, match="cannot be the mark of source 'repairs'"):
        watermarks.set_mark(loaded, "repairs", value)

    assert local_table.items(loaded) == before


def test_set__of_a_job_that_never_ran(watermarks: Watermarks, local_table: EmulatedTable, job: str) -> None:
    changed = watermarks.set_mark(job, "repairs", 81_204, "loaded by the old job up to here")

    assert (changed.version, changed.batch_ids) == (1, ())
    assert local_table.item(job)["sources"] == {"M": {"repairs": position(81_204, column=None)}}
    assert watermarks.get_most_recent_run_id(job) is None
    assert job in {each["jobName"] for each in watermarks.jobs()}
    assert next_window(watermarks, job, "jr_1", up_to=90_000) == (1, 81_204)


@pytest.mark.parametrize(
    ("mark", "column_type", "taken"),
    [
        pytest.param(10, "int", [2], id="integer"),
        pytest.param(date(2023, 3, 16), "date", [2], id="date"),
        pytest.param("2023-03-16", "date", [2], id="date-as-text-before-anybody-knew-the-type"),
        pytest.param(10, "decimal(10,2)", [2], id="integer-for-a-decimal"),
        pytest.param("yesterday", "date", None, id="text-that-is-no-date"),
    ],
)
def test_set__before_the_source_was_ever_read(
    spark: SparkSession, local_table: EmulatedTable, job: str, mark: object, column_type: str, taken: list[int] | None
) -> None:
    watermarks = local_table.watermarks()
    watermarks.set_mark(job, "repairs", mark)
    source = frame(spark, column_type, ["2023-03-16", "2023-03-17"] if column_type == "date" else ["10", "11"])

    if taken is None:
        with pytest.raises(WatermarkMismatchError, match=rf"reset\('{job}', transformation_ctx='repairs'\)"):
            load(watermarks, job, source)
    else:
        assert load(watermarks, job, source) == taken


def test_rewind__to_a_run_that_was_undone_warns(watermarks: Watermarks, job: str) -> None:
    for number, run_id in enumerate(("jr_1", "jr_2", "jr_3"), start=1):
        commit_run(watermarks, job, run_id, up_to=100 * number)
    assert watermarks.rewind(job, "jr_2").warning is None
    assert watermarks.rewind(job, "jr_1").warning is None
    commit_run(watermarks, job, "jr_4", up_to=300)

    changed = watermarks.rewind(job, "jr_2")

    assert changed.batch_ids == (3, 4)
    assert changed.warning is not None
    assert "'jr_2' had been undone by a rewind" in changed.warning


def test_forget__is_listed_no_more_and_never_repeats_a_batch_id(
    watermarks: Watermarks, local_table: EmulatedTable, loaded: str
) -> None:
    changed = watermarks.forget(loaded, "deleted")

    assert (changed.operation, changed.version, changed.batch_ids) == ("forget", 5, ())
    assert loaded not in {each["jobName"] for each in watermarks.jobs()}
    assert (watermarks.get_watermark(loaded), watermarks.get_most_recent_run_id(loaded)) == (None, None)
    assert local_table.item(loaded)["lastBatchId"] == {"N": "3"}
    assert len(list(watermarks.history(loaded))) == 4

    # A job of the same name, later: a full load, but not into a batch that the old one wrote.
    assert next_window(watermarks, loaded, "jr_new", up_to=5) == (4, None)
    assert loaded in {each["jobName"] for each in watermarks.jobs()}


def test_changes__one_after_the_other_all_stay_on_record(
    watermarks: Watermarks, local_table: EmulatedTable, loaded: str
) -> None:
    watermarks.rewind(loaded, "jr_2")
    watermarks.set_mark(loaded, "repairs", 15)
    watermarks.reset(loaded)
    watermarks.forget(loaded)
    watermarks.rewind(loaded, "jr_1")

    audit = [item for item in local_table.items(loaded) if item["runId"]["S"].startswith("#change/")]
    assert [item["operation"]["S"] for item in audit] == ["rewind", "set", "reset", "forget", "rewind"]
    assert [int(item["version"]["N"]) for item in audit] == [5, 6, 7, 8, 9]
    for earlier, later in pairwise(audit):
        assert earlier["after"] == later["before"]
        assert earlier["changedAt"]["S"] < later["changedAt"]["S"]
    assert loaded in {each["jobName"] for each in watermarks.jobs()}
