"""`add_watermark` beside a `JobRun`: it waits for nobody, disturbs nobody, and keeps what the run left."""

from datetime import timedelta

import pytest

from scripts.helpers.watermarks import JobAlreadyRunningError, Watermarks
from scripts.helpers.watermarks.table import Lease
from tests.support.adding import add
from tests.support.tables import NOON, Clock, EmulatedTable

MARK = {"M": {"column": {"S": "last_modified"}, "type": {"S": "timestamp"}, "mark": {"S": "2023-03-16T12:00:00Z"}}}
FIVE_MINUTES = timedelta(minutes=5)


def lease(run: str = "jr_running", token: str = "token") -> Lease:
    return Lease(token=token, run_id=run, since=NOON, until=NOON + FIVE_MINUTES)


@pytest.fixture
def watermarks(table: EmulatedTable, clock: Clock) -> Watermarks:
    return table.watermarks(clock=clock)


@pytest.mark.parametrize("runs_before", [0, 1], ids=["new-job", "job-with-a-run"])
def test_add__while_a_run_holds_the_job(
    watermarks: Watermarks, table: EmulatedTable, job: str, runs_before: int
) -> None:
    for number in range(runs_before):
        add(watermarks, job, f"jr_{number}", rows_collected=number)
    watermarks._table.take(job, lease())
    before = table.items(job)

    with pytest.raises(JobAlreadyRunningError) as refusal:
        add(watermarks, job, "jr_late", rows_collected=1)

    error = refusal.value
    assert str(error).startswith(
        f"Job {job!r} is held by run 'jr_running' since 2023-03-16 12:00:00 UTC (its lease ends at 12:05:00 UTC unless "
        "renewed), so 'jr_late' cannot go ahead."
    )
    assert "run.record(...)" in str(error)
    assert (error.job_id, error.run_id, error.holder) == (job, "jr_late", "jr_running")
    assert (error.since, error.until) == (NOON, NOON + FIVE_MINUTES)
    assert table.items(job) == before


def test_add__by_the_very_run_that_holds_the_job(watermarks: Watermarks, job: str) -> None:
    watermarks._table.take(job, lease(run="jr_1"))

    with pytest.raises(JobAlreadyRunningError, match=r"use run\.record"):
        add(watermarks, job, "jr_1", rows_collected=1)


@pytest.mark.parametrize(
    ("late", "free"),
    [
        pytest.param(timedelta(0), False, id="to-the-microsecond"),
        pytest.param(timedelta(microseconds=1), True, id="a-microsecond-later"),
    ],
)
def test_add__when_the_lease_runs_out(
    watermarks: Watermarks, table: EmulatedTable, job: str, clock: Clock, late: timedelta, free: bool
) -> None:
    watermarks._table.take(job, lease())
    clock.now = NOON + FIVE_MINUTES + late

    if free:
        add(watermarks, job, "jr_1", rows_collected=1)
        assert "lease" not in table.item(job)
        assert watermarks.get_most_recent_run_id(job) == "jr_1"
    else:
        with pytest.raises(JobAlreadyRunningError):
            add(watermarks, job, "jr_1", rows_collected=1)


def test_add__the_run_whose_lease_ran_out_cannot_renew_afterwards(
    watermarks: Watermarks, job: str, clock: Clock
) -> None:
    watermarks._table.take(job, lease())
    clock.turn(minutes=6)
    add(watermarks, job, "jr_1", rows_collected=1)

    assert watermarks._table.renew(job, lease()) is False


def test_add__job_taken_between_its_read_and_its_write(
    watermarks: Watermarks, table: EmulatedTable, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(watermarks, job, "jr_0", rows_collected=0)
    read, other = watermarks._table.state, table.watermarks()._table

    def read_then_lose(job_id: str) -> object:
        state = read(job_id)
        if state is not None and state.lease is None:
            other.take(job_id, lease())
        return state

    monkeypatch.setattr(watermarks._table, "state", read_then_lose)

    with pytest.raises(JobAlreadyRunningError, match="held by run 'jr_running'"):
        add(watermarks, job, "jr_1", rows_collected=1)
    assert table.item(job)["latestRunId"] == {"S": "jr_0"}
    assert table.count(job) == 2


def test_reading__is_not_hindered_by_a_run(watermarks: Watermarks, job: str) -> None:
    add(watermarks, job, "jr_0", rows_collected=0)
    watermarks._table.take(job, lease())

    assert watermarks.get_most_recent_run_id(job) == "jr_0"
    assert watermarks.get_watermark_values(job) == {"rows_collected": 0}


def test_reading__job_that_its_first_run_holds(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    watermarks._table.take(job, lease())

    assert watermarks.get_most_recent_run_id(job) is None
    assert watermarks.get_watermark(job) is None
    assert next(each for each in watermarks.jobs() if each["jobName"] == job)["runId"] is None
    assert list(watermarks.history(job)) == []
    assert table.item(job)["version"] == {"N": "0"}


def test_add__marks_and_batch_id_survive_it_and_failures_are_over(
    watermarks: Watermarks, table: EmulatedTable, job: str
) -> None:
    add(watermarks, job, "jr_0", rows_collected=0)
    table.edit(job, sources={"M": {"repairs": MARK}}, lastBatchId={"N": "7"}, attempts={"N": "2"})

    add(watermarks, job, "jr_1", rows_collected=1)

    state, record = table.item(job), table.item(job, "jr_1")
    assert state["sources"] == record["sources"] == {"M": {"repairs": MARK}}
    assert state["lastBatchId"] == record["batchId"] == {"N": "7"}
    assert "attempts" not in state


def test_add__to_the_run_of_a_job_run_keeps_what_that_recorded(
    watermarks: Watermarks, table: EmulatedTable, job: str
) -> None:
    add(watermarks, job, "jr_0", rows_collected=0)
    add(watermarks, job, "jr_1", rows_collected=1)
    windows = {"M": {"repairs": {"M": MARK["M"] | {"rows": {"N": "808"}}}}}
    started = {"S": "2023-03-16T11:00:00.000000Z"}
    table.edit(job, "jr_1", sources=windows, startedAt=started, batchId={"N": "3"}, attempt={"N": "2"})

    add(watermarks, job, "jr_1", rows_collected=2)

    record = table.item(job, "jr_1")
    assert record["watermarks"] == {"M": {"rows_collected": {"N": "2"}}}
    assert (record["sources"], record["startedAt"]) == (windows, started)
    assert (record["batchId"], record["attempt"]) == ({"N": "3"}, {"N": "2"})
    assert (record["version"], record["previousRunId"]) == ({"N": "3"}, {"S": "jr_0"})
