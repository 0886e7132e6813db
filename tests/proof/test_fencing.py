"""A run that lost its job cannot commit, and is told what happened meanwhile; a run that has it is not overrun."""

import getpass
import socket
import time
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest
from botocore.exceptions import ReadTimeoutError
from botocore.httpsession import URLLib3Session

from scripts.helpers.watermarks import (
    JobAlreadyRunningError,
    JobRun,
    RunStateError,
    RunSupersededError,
    Watermarks,
)
from tests.support.adding import add
from tests.support.runs import commit_run, read_ids
from tests.support.tables import NOON, Clock, EmulatedTable, faults_on

OPERATOR = f"{getpass.getuser()}@{socket.gethostname()}"
FIVE_MINUTES = timedelta(minutes=5)

Change = Callable[..., object]
CHANGES = {
    "rewind": lambda w, job, **options: w.rewind(job, "jr_1", "wrong rate", **options),
    "rewind-before": lambda w, job, **options: w.rewind(
        job, None, "wrong rate", before=NOON.replace(hour=13), **options
    ),
    "reset": lambda w, job, **options: w.reset(job, None, "wrong rate", **options),
    "reset-source": lambda w, job, **options: w.reset(job, "repairs", "wrong rate", **options),
    "set": lambda w, job, **options: w.set_mark(job, "repairs", 5, "wrong rate", **options),
    "forget": lambda w, job, **options: w.forget(job, "wrong rate", **options),
}
every_change = pytest.mark.parametrize(("name", "change"), CHANGES.items(), ids=CHANGES)


@pytest.fixture
def watermarks(local_table: EmulatedTable, clock: Clock) -> Watermarks:
    return local_table.watermarks(clock=clock)


@pytest.fixture
def run(watermarks: Watermarks, job: str, clock: Clock) -> JobRun:
    """The second run of a job, at work; the first one loaded the ids up to 10."""
    commit_run(watermarks, job, "jr_1", up_to=10)
    clock.turn(hours=2)
    run = watermarks.job_run(job, "jr_2").begin()
    read_ids(run, up_to=20)
    return run


def assert_superseded(run: JobRun, table: EmulatedTable, told: str) -> None:
    """See that the run cannot commit, says why, and changes nothing by trying, nor by failing after that."""
    before = table.items(run.job_id)

    with pytest.raises(RunSupersededError) as failure, run:
        pass

    assert str(failure.value).startswith(
        f"Run 'jr_2' no longer holds job {run.job_id!r}, so it commits nothing: {told}. What it wrote as this batch is "
    )
    assert (failure.value.job_id, failure.value.run_id) == (run.job_id, "jr_2")
    assert table.items(run.job_id) == before


@every_change
def test_change__by_force_while_a_run_is_at_work(
    watermarks: Watermarks, local_table: EmulatedTable, run: JobRun, name: str, change: Change
) -> None:
    change(watermarks, run.job_id, force=True)

    did = f"{OPERATOR} did a {name.partition('-')[0]} at 2023-03-16 14:00:00 UTC (wrong rate)"
    assert_superseded(run, local_table, did)
    assert commit_run(watermarks, run.job_id, "jr_3", up_to=20) == 2


@every_change
def test_change__without_force_while_a_run_is_at_work(
    watermarks: Watermarks, local_table: EmulatedTable, run: JobRun, name: str, change: Change
) -> None:
    before = local_table.items(run.job_id)

    with pytest.raises(JobAlreadyRunningError) as refusal:
        change(watermarks, run.job_id)

    error, operation = refusal.value, name.partition("-")[0]
    assert str(error) == (
        f"Job {run.job_id!r} is held by run 'jr_2' since 2023-03-16 14:00:00 UTC (its lease ends at 14:05:00 UTC "
        f"unless renewed), so {operation!r} cannot go ahead. Wait for it to end, or take the job away from it with "
        "force=True: it will then fail to commit."
    )
    assert (error.holder, error.run_id, error.since, error.until) == (
        "jr_2",
        operation,
        NOON.replace(hour=14),
        NOON.replace(hour=14, minute=5),
    )
    assert local_table.items(run.job_id) == before
    run.commit()


@every_change
def test_change__once_the_lease_ran_out_needs_no_force_and_fences_the_run_as_well(
    local_table: EmulatedTable, run: JobRun, name: str, change: Change
) -> None:
    later = NOON.replace(hour=14) + FIVE_MINUTES + timedelta(microseconds=1)
    change(local_table.watermarks(clock=Clock(later)), run.job_id)

    did = f"{OPERATOR} did a {name.partition('-')[0]} at 2023-03-16 14:05:00 UTC (wrong rate)"
    assert_superseded(run, local_table, did)


def test_change__several_by_force_tell_the_last(
    watermarks: Watermarks, local_table: EmulatedTable, run: JobRun
) -> None:
    watermarks.set_mark(run.job_id, "repairs", 5, "first thought", force=True)
    watermarks.reset(run.job_id, force=True)

    assert_superseded(run, local_table, f"{OPERATOR} did a reset at 2023-03-16 14:00:00 UTC")


def test_takeover__by_a_run_that_is_at_work(local_table: EmulatedTable, run: JobRun) -> None:
    later = Clock(NOON.replace(hour=14, minute=6))
    other = local_table.watermarks(clock=later).job_run(run.job_id, "jr_other").begin()

    assert_superseded(run, local_table, "run 'jr_other' took the job over at 2023-03-16 14:06:00 UTC")
    # The loser's failure did not take the job away from the winner.
    read_ids(other, up_to=30)
    other.commit()
    assert local_table.item(run.job_id)["latestRunId"] == {"S": "jr_other"}
    assert local_table.item(run.job_id)["lastBatchId"] == {"N": "2"}


def test_takeover__by_a_run_that_has_ended(local_table: EmulatedTable, run: JobRun) -> None:
    later = Clock(NOON.replace(hour=14, minute=6))
    commit_run(local_table.watermarks(clock=later), run.job_id, "jr_other", up_to=30)

    told = "the job was changed at 2023-03-16 14:06:00 UTC (latest run is now 'jr_other', version 2)"
    assert_superseded(run, local_table, told)


def test_takeover__at_once_from_an_earlier_attempt_of_the_same_run(
    watermarks: Watermarks, local_table: EmulatedTable, run: JobRun, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(JobAlreadyRunningError):
        watermarks.job_run(run.job_id, "jr_22_attempt_1").begin()

    retry = watermarks.job_run(run.job_id, "jr_2_attempt_1").begin()

    assert f"{run.job_id}: taken over from run jr_2, which did not end" in caplog.text
    assert retry.batch_id == run.batch_id
    assert_superseded(run, local_table, "run 'jr_2_attempt_1' took the job over at 2023-03-16 14:00:00 UTC")
    later_still = watermarks.job_run(run.job_id, "jr_2_attempt_12").begin()
    later_still.commit()
    with pytest.raises(RunSupersededError, match="latest run is now 'jr_2_attempt_12'"):
        retry.commit()


def test_takeover__by_a_run_that_fails_leaves_the_job_free(
    watermarks: Watermarks, local_table: EmulatedTable, run: JobRun
) -> None:
    watermarks.job_run(run.job_id, "jr_2_attempt_1").begin().fail("made up by a test")

    assert "lease" not in local_table.item(run.job_id)
    assert commit_run(watermarks, run.job_id, "jr_3", up_to=20) == 2
    assert [each["attempt"] for each in watermarks.history(run.job_id)] == [3, 2, 1]


@pytest.mark.parametrize("earlier", ["jr_2", "jr_2_attempt_1"])
def test_takeover__not_from_a_later_attempt(watermarks: Watermarks, job: str, earlier: str) -> None:
    with watermarks.job_run(job, "jr_2_attempt_2"), pytest.raises(JobAlreadyRunningError, match="'jr_2_attempt_2'"):
        watermarks.job_run(job, earlier).begin()


def test_added_by_hand__once_the_lease_ran_out(local_table: EmulatedTable, run: JobRun) -> None:
    later = local_table.watermarks(clock=Clock(NOON.replace(hour=14, minute=6)))
    add(later, run.job_id, "jr_hand", rows_collected=1)

    told = "the job was changed at 2023-03-16 14:06:00 UTC (latest run is now 'jr_hand', version 2)"
    assert_superseded(run, local_table, told)


def test_state__deleted_by_hand(local_table: EmulatedTable, run: JobRun) -> None:
    local_table.delete(run.job_id, "#latest")

    assert_superseded(run, local_table, "the state of the job was deleted")


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda run: run.batch_id, id="batch_id"),
        pytest.param(lambda run: run.record(rows=1), id="record"),
        pytest.param(lambda run: run.new_rows(None, "id", transformation_ctx="claims"), id="new_rows"),
        pytest.param(lambda run: run.commit(), id="commit"),
    ],
)
def test_lost__every_later_call_of_the_run_says_so(
    local_table: EmulatedTable, run: JobRun, clock: Clock, use: Callable[[JobRun], object]
) -> None:
    clock.turn(minutes=4, seconds=9)
    assert run.batch_id == 2
    clock.turn(seconds=1)  # the margin: nobody else could have taken the job yet

    with pytest.raises(RunSupersededError, match="it could not be renewed in time; nobody has taken it over yet"):
        use(run)

    assert local_table.item(run.job_id)["lease"]["M"]["runId"] == {"S": "jr_2"}
    run.fail("lost")  # it still holds the job in the table: it may say how it ended, and let go
    assert "lease" not in local_table.item(run.job_id)
    assert local_table.item(run.job_id, "jr_2")["status"] == {"S": "FAILED"}


def test_begin__a_run_that_was_committed_is_refused_also_when_others_came_after(
    watermarks: Watermarks, local_table: EmulatedTable, job: str
) -> None:
    for run_id in ("jr_1", "jr_2"):
        commit_run(watermarks, job, run_id, up_to=10)
    add(watermarks, job, "jr_hand", rows_collected=1)

    for again, batch in (("jr_1", 1), ("jr_2", 2)):
        with pytest.raises(RunStateError, match=rf"'{again}' of job '{job}' was already committed \(batch {batch}\)"):
            watermarks.job_run(job, again).begin()
        assert "lease" not in local_table.item(job)
    # What was recorded by hand is not a run of a JobRun: the run it belongs to may still come.
    assert commit_run(watermarks, job, "jr_hand", up_to=20) == 3


def test_commit__whose_every_answer_was_lost_is_recognised_as_done(
    watermarks: Watermarks, local_table: EmulatedTable, run: JobRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None, time=time.time))

    def carried_out_but_not_told(request: Any) -> NoReturn:
        URLLib3Session().send(request)
        raise ReadTimeoutError(endpoint_url=local_table.endpoint_url)

    lost = [carried_out_but_not_told] * 100
    with faults_on(watermarks, *lost, operation="TransactWriteItems"):
        run.commit()

    assert watermarks.get_watermark_values(run.job_id) == {"repairs": 20}
    assert [(each["runId"], each["batchId"]) for each in watermarks.history(run.job_id)] == [("jr_2", 2), ("jr_1", 1)]
