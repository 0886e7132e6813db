"""Glue's three bookmark options: what each commits, what it costs, and what it is refused with."""

from datetime import timedelta
from typing import Any

import pytest

from scripts.helpers.watermarks import InvalidArgumentError, RunStateError, UnadoptedItemsError, Watermarks
from scripts.helpers.watermarks.window import Window
from tests.support.runs import DISABLE, PAUSE, commit_run, fail_run, read_ids
from tests.support.tables import Clock, EmulatedTable, requests_of

NOT_COMMITTING = pytest.mark.parametrize("option", [PAUSE, DISABLE])


@pytest.fixture
def watermarks(table: EmulatedTable, clock: Clock) -> Watermarks:
    return table.watermarks(clock=clock)


def test_enable__is_our_default_and_counts_batches(watermarks: Watermarks, job: str) -> None:
    assert [commit_run(watermarks, job, f"jr_{number}") for number in range(3)] == [1, 2, 3]


def test_enable__batch_id_is_known_from_the_start(watermarks: Watermarks, job: str) -> None:
    commit_run(watermarks, job, "jr_1")

    with watermarks.job_run(job, "jr_2", bookmark_option="job-bookmark-enable") as run:
        assert run.batch_id == 2
    assert run.batch_id == 2


@NOT_COMMITTING
@pytest.mark.parametrize("runs_before", [0, 1], ids=["new-job", "job-with-a-run"])
def test_not_committing__writes_nothing_and_holds_nothing(
    watermarks: Watermarks, table: EmulatedTable, job: str, option: Any, runs_before: int
) -> None:
    for number in range(runs_before):
        commit_run(watermarks, job, f"jr_{number}", up_to=808)
    before = table.items(job)

    with watermarks.job_run(job, "jr_x", bookmark_option=option) as run:
        assert run.batch_id == 0
        run.record(rows_rejected=3)
        assert table.items(job) == before
        commit_run(watermarks, f"{job}-other", "jr_y")
    with pytest.raises(ZeroDivisionError), watermarks.job_run(job, "jr_x", bookmark_option=option):
        _ = 1 / 0

    assert table.items(job) == before


@NOT_COMMITTING
def test_not_committing__is_told(
    watermarks: Watermarks, job: str, option: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with watermarks.job_run(job, "jr_x", bookmark_option=option):
        pass

    (told,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert told.getMessage().startswith(f"{job}: {option}: no mark is moved, and batch_id is 0")


@NOT_COMMITTING
def test_not_committing__goes_ahead_while_another_run_holds_the_job(
    watermarks: Watermarks, job: str, option: Any
) -> None:
    with watermarks.job_run(job, "jr_1") as holder:
        read_ids(holder, up_to=808)
        with watermarks.job_run(job, "jr_x", bookmark_option=option):
            pass

    assert watermarks.get_watermark_values(job) == {"repairs": 808}


@NOT_COMMITTING
def test_not_committing__can_be_used_with_the_id_of_a_committed_run(
    watermarks: Watermarks, table: EmulatedTable, job: str, option: Any
) -> None:
    commit_run(watermarks, job, "jr_1", up_to=808)
    before = table.items(job)

    with watermarks.job_run(job, "jr_1", bookmark_option=option):
        pass

    assert table.items(job) == before


@NOT_COMMITTING
def test_not_committing__is_closed_after_the_block_all_the_same(watermarks: Watermarks, job: str, option: Any) -> None:
    with watermarks.job_run(job, "jr_x", bookmark_option=option) as run:
        pass

    with pytest.raises(RunStateError, match="has committed already"):
        run.record(rows_rejected=3)


def test_cost__of_a_run_is_one_request_to_begin_and_one_to_commit(watermarks: Watermarks, job: str) -> None:
    commit_run(watermarks, job, "jr_1", up_to=808)

    with requests_of(watermarks) as beginning:
        run = watermarks.job_run(job, "jr_2").begin()
    with requests_of(watermarks) as between:
        read_ids(run, up_to=900)
        run.record(rows_rejected=3)
        _ = run.batch_id, run.window("repairs"), run.is_full_load("repairs")
    with requests_of(watermarks) as committing:
        run.commit()

    assert beginning.names == ["UpdateItem"]
    assert between.names == []
    assert committing.names == ["TransactWriteItems"]


def test_cost__of_the_first_run_is_one_more_look_for_older_items(watermarks: Watermarks, job: str) -> None:
    with requests_of(watermarks) as requests:
        commit_run(watermarks, job, "jr_1")

    assert requests.names == ["UpdateItem", "Query", "TransactWriteItems"]


def test_cost__of_a_failure_is_one_request(watermarks: Watermarks, job: str) -> None:
    commit_run(watermarks, job, "jr_1")

    with requests_of(watermarks) as requests:
        fail_run(watermarks, job, "jr_2")

    assert requests.names == ["UpdateItem", "TransactWriteItems"]


@pytest.mark.parametrize(
    ("option", "names"), [pytest.param(PAUSE, ["GetItem"], id="pause"), pytest.param(DISABLE, [], id="disable")]
)
def test_cost__of_not_committing(watermarks: Watermarks, job: str, option: Any, names: list[str]) -> None:
    commit_run(watermarks, job, "jr_1")

    with requests_of(watermarks) as requests, watermarks.job_run(job, "jr_x", bookmark_option=option):
        pass

    assert requests.names == names


@pytest.mark.parametrize("option", ["enable", "job-bookmark-enabled", "", None, "JOB-BOOKMARK-ENABLE"])
def test_option__unknown_one_is_told_the_known_ones(on_moto: Watermarks, job: str, option: Any) -> None:
    with pytest.raises(
        InvalidArgumentError, match="must be one of job-bookmark-enable, job-bookmark-pause, job-bookmark-disable"
    ) as refused:
        on_moto.job_run(job, "jr_1", bookmark_option=option)

    assert (refused.value.argument, refused.value.value) == ("bookmark_option", option)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        pytest.param("lease", timedelta(0), id="no-lease"),
        pytest.param("lease", timedelta(seconds=-5), id="negative-lease"),
        pytest.param("lease", 300, id="lease-as-a-number"),
        pytest.param("lease", None, id="lease-of-none"),
        pytest.param("wait", timedelta(seconds=-1), id="negative-wait"),
        pytest.param("wait", 5, id="wait-as-a-number"),
    ],
)
def test_option__time_spans_that_cannot_be(on_moto: Watermarks, job: str, argument: str, value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=f"{argument} .* must be a timedelta"):
        on_moto.job_run(job, "jr_1", **{argument: value})


@pytest.mark.parametrize("option", ["job-bookmark-enable", PAUSE])
def test_older_items__of_the_platforms_class_are_not_taken_for_a_new_job(
    watermarks: Watermarks, table: EmulatedTable, job: str, option: Any
) -> None:
    table.put(job, "jr_old", watermarks={"M": {"latest_data": {"S": "2023-03-16 15:45:00"}}})

    with pytest.raises(UnadoptedItemsError, match="adopt"), watermarks.job_run(job, "jr_1", bookmark_option=option):
        pass

    assert all("lease" not in item for item in table.items(job))
    watermarks.adopt(job, "jr_old")
    assert commit_run(watermarks, job, "jr_1") == 1


def test_window__tells_what_is_read(watermarks: Watermarks, job: str) -> None:
    commit_run(watermarks, job, "jr_1", up_to=808)

    with watermarks.job_run(job, "jr_2") as run:
        read_ids(run, up_to=900, rows=5)
        read_ids(run, up_to=3, source="payments", rows=3)

        assert run.window("repairs") == Window(low=808, high=900, rows=5)
        assert not run.is_full_load("repairs")
        assert run.window("payments") == Window(low=None, high=3, rows=3)
        assert run.is_full_load("payments")


def test_window__of_a_source_that_was_not_read(watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        with pytest.raises(RunStateError, match=r"has not read a source 'payments'\. Read so far: none"):
            run.window("payments")
        read_ids(run, up_to=1)
        with pytest.raises(RunStateError, match="Read so far: 'repairs'"):
            run.is_full_load("payments")
