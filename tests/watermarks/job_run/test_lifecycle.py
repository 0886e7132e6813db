"""The life of a run: it begins once, ends once, and only a good end moves anything."""

import pickle
import sys
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from scripts.helpers.watermarks import (
    InvalidArgumentError,
    NotPicklableError,
    RunStateError,
    TableError,
    UnsupportedValueError,
    WatermarkNotFoundError,
    Watermarks,
)
from tests.support.runs import commit_run, fail_run, read_ids
from tests.support.tables import NOON, Clock, EmulatedTable, answer, faults_on


@pytest.fixture
def watermarks(table: EmulatedTable, clock: Clock) -> Watermarks:
    return table.watermarks(clock=clock)


def statuses(watermarks: Watermarks, job: str) -> dict[str, Any]:
    return {str(run["runId"]): run["status"] for run in watermarks.history(job)}


def test_block__that_ends_well_commits(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=808, rows=5)
        run.record(rows_rejected=3)

    state, record = table.item(job), table.item(job, "jr_1")
    assert state["latestRunId"] == {"S": "jr_1"}
    assert state["lastBatchId"] == record["batchId"] == {"N": "1"}
    assert state["version"] == record["version"] == {"N": "1"}
    assert state["sources"]["M"]["repairs"]["M"]["mark"] == {"N": "808"}
    assert state["commitId"] == record["commitId"]
    assert "lease" not in state
    assert record["status"] == {"S": "SUCCEEDED"}


def test_block__that_raises_commits_nothing_and_records_why(
    watermarks: Watermarks, table: EmulatedTable, job: str
) -> None:
    commit_run(watermarks, job, "jr_1", up_to=808, rows_rejected=3)
    before = table.item(job)

    def load() -> None:
        with watermarks.job_run(job, "jr_2") as run:
            read_ids(run, up_to=900)
            run.record(rows_rejected=4)
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        load()

    state, record = table.item(job), table.item(job, "jr_2")
    for kept in ("latestRunId", "lastBatchId", "sources", "watermarks", "commitId"):
        assert state[kept] == before[kept], kept
    assert "lease" not in state
    assert state["version"] == {"N": "2"}
    assert record["status"] == {"S": "FAILED"}
    assert record["error"] == {"S": "ZeroDivisionError: division by zero"}
    assert record["sources"]["M"]["repairs"]["M"]["mark"] == {"N": "808"}
    assert record["watermarks"] == {"M": {}}


@pytest.mark.parametrize(
    ("leave", "told"),
    [
        pytest.param(lambda: sys.exit(3), "SystemExit: 3", id="sys.exit"),
        pytest.param(lambda: sys.exit(0), "SystemExit: 0", id="sys.exit-without-complaint"),
        pytest.param(lambda: (_ for _ in ()).throw(KeyboardInterrupt()), "KeyboardInterrupt:", id="ctrl-c"),
    ],
)
def test_block__left_on_the_way_out_of_the_process(watermarks: Watermarks, job: str, leave: Any, told: str) -> None:
    with pytest.raises((SystemExit, KeyboardInterrupt)), watermarks.job_run(job, "jr_1"):
        leave()

    (failed,) = watermarks.history(job)
    assert (failed["status"], failed["error"]) == ("FAILED", told)
    assert watermarks.get_most_recent_run_id(job) is None


def test_block__committed_inside_is_not_undone_by_what_comes_after(watermarks: Watermarks, job: str) -> None:
    def load() -> None:
        with watermarks.job_run(job, "jr_1") as run:
            run.commit()
            _ = 1 / 0

    with pytest.raises(ZeroDivisionError):
        load()

    assert statuses(watermarks, job) == {"jr_1": "SUCCEEDED"}


def test_block__committed_or_failed_inside_ends_quietly(watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        run.commit()
    with watermarks.job_run(job, "jr_2") as run:
        run.fail("the target is full")

    assert statuses(watermarks, job) == {"jr_2": "FAILED", "jr_1": "SUCCEEDED"}
    assert next(watermarks.history(job))["error"] == "the target is full"


def test_block__of_a_run_begun_before(watermarks: Watermarks, job: str) -> None:
    run = watermarks.job_run(job, "jr_1").begin()

    with run as same:
        assert same is run

    assert statuses(watermarks, job) == {"jr_1": "SUCCEEDED"}


def test_block__whose_commit_is_refused_fails(watermarks: Watermarks, job: str) -> None:
    with pytest.raises(UnsupportedValueError, match="too large"), watermarks.job_run(job, "jr_1") as run:
        run.record(notes="x" * 410_000)

    (failed,) = watermarks.history(job)
    assert failed["status"] == "FAILED"
    assert str(failed["error"]).startswith("UnsupportedValueError: The watermarks are too large")
    commit_run(watermarks, job, "jr_2")


def test_begin_and_commit__as_job_init_and_job_commit(watermarks: Watermarks, job: str) -> None:
    run = watermarks.job_run(job, "jr_1")
    assert run.begin() is run
    read_ids(run, up_to=808)
    run.commit()

    assert watermarks.get_watermark_values(job) == {"repairs": 808}
    assert (run.job_id, run.run_id, run.batch_id) == (job, "jr_1", 1)


def test_record_of_a_run__knows_when_it_began_and_ended(watermarks: Watermarks, job: str, clock: Clock) -> None:
    run = watermarks.job_run(job, "jr_1")
    clock.turn(seconds=10)
    run.begin()
    clock.turn(seconds=20)
    run.commit()

    (record,) = watermarks.history(job)
    assert record["startedAt"] == NOON + timedelta(seconds=10)
    assert record["recordedAt"] == NOON + timedelta(seconds=30)


def test_record_of_a_run__expires_with_the_retention(table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock, retention=timedelta(days=400))
    commit_run(watermarks, job, "jr_1")
    fail_run(watermarks, job, "jr_2")

    for run_id in ("jr_1", "jr_2"):
        expires_at = int(table.item(job, run_id)["expiresAt"]["N"])
        assert datetime.fromtimestamp(expires_at, timezone.utc) == NOON + timedelta(days=400)
    assert "expiresAt" not in table.item(job)


def test_fail__a_retry_has_the_same_batch_id_and_the_job_is_free(watermarks: Watermarks, job: str) -> None:
    commit_run(watermarks, job, "jr_1")

    assert [fail_run(watermarks, job, "jr_2"), fail_run(watermarks, job, "jr_3")] == [2, 2]
    assert commit_run(watermarks, job, "jr_4") == 2
    assert commit_run(watermarks, job, "jr_5") == 3
    assert [run["attempt"] for run in watermarks.history(job)] == [1, 3, 2, 1, 1]


def test_fail__then_the_same_run_id_succeeds(watermarks: Watermarks, job: str) -> None:
    fail_run(watermarks, job, "jr_1")
    commit_run(watermarks, job, "jr_1", rows_rejected=3)

    assert statuses(watermarks, job) == {"jr_1": "SUCCEEDED"}
    assert watermarks.get_watermark(job, "jr_1") == {
        "jobName": job,
        "runId": "jr_1",
        "watermarks": {"rows_rejected": 3},
    }


def test_fail__never_replaces_the_record_of_a_success(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    watermarks.add_watermark(watermarks.create_watermark_item(job, "jr_1", rows_collected=808))
    before = table.item(job, "jr_1"), table.item(job)["latestRunId"], table.item(job)["watermarks"]

    fail_run(watermarks, job, "jr_1")

    assert (table.item(job, "jr_1"), table.item(job)["latestRunId"], table.item(job)["watermarks"]) == before
    assert "lease" not in table.item(job)
    assert watermarks.get_watermark_values(job, "jr_1") == {"rows_collected": 808}


def test_fail__is_what_reading_the_run_tells(watermarks: Watermarks, job: str) -> None:
    fail_run(watermarks, job, "jr_1")

    with pytest.raises(WatermarkNotFoundError, match=r"'jr_1'.* FAILED \(made up by a test\)"):
        watermarks.get_watermark(job, "jr_1")
    assert watermarks.get_watermark(job) is None


def test_fail__that_cannot_be_recorded_does_not_hide_the_jobs_own_error(
    moto_table: EmulatedTable, job: str, caplog: pytest.LogCaptureFixture
) -> None:
    watermarks = moto_table.watermarks()

    with (
        pytest.raises(ZeroDivisionError),
        faults_on(watermarks, answer(400, "AccessDeniedException"), operation="TransactWriteItems"),
        watermarks.job_run(job, "jr_1"),
    ):
        _ = 1 / 0

    assert "run jr_1 failed, and that could not be recorded" in caplog.text


def test_commit__that_fails_goes_up(moto_table: EmulatedTable, job: str) -> None:
    watermarks = moto_table.watermarks()

    with (
        pytest.raises(TableError),
        watermarks.job_run(job, "jr_1") as run,
        faults_on(watermarks, answer(400, "AccessDeniedException"), operation="TransactWriteItems"),
    ):
        run.commit()

    assert statuses(watermarks, job) == {"jr_1": "FAILED"}


def test_run_id__already_committed(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    commit_run(watermarks, job, "jr_1")
    commit_run(watermarks, job, "jr_2")

    for again in ("jr_1", "jr_2"):
        before = table.item(job, again)
        with pytest.raises(RunStateError, match=f"'{again}' of job '{job}' was already committed"):
            commit_run(watermarks, job, again)
        assert table.item(job, again) == before
    assert "lease" not in table.item(job)
    assert commit_run(watermarks, job, "jr_3") == 3


UNOPENED = [
    pytest.param(lambda run: run.commit(), id="commit"),
    pytest.param(lambda run: run.record(rows=1), id="record"),
    pytest.param(lambda run: run.new_rows(None, "id", transformation_ctx="repairs"), id="new_rows"),
]


@pytest.mark.parametrize("use", [*UNOPENED, pytest.param(lambda run: run.batch_id, id="batch_id")])
def test_use__before_begin(on_moto: Watermarks, job: str, use: Any) -> None:
    with pytest.raises(RunStateError, match=f"Run 'jr_1' of job '{job}' has not begun"):
        use(on_moto.job_run(job, "jr_1"))


@pytest.mark.parametrize("use", [*UNOPENED, pytest.param(lambda run: run.begin(), id="begin")])
@pytest.mark.parametrize("end", ["committed", "failed"])
def test_use__after_the_end(on_moto: Watermarks, job: str, use: Any, end: str) -> None:
    run = on_moto.job_run(job, "jr_1").begin()
    run.commit() if end == "committed" else run.fail("over")

    with pytest.raises(RunStateError, match=f"has {end} already|has begun already"):
        use(run)


def test_begin__twice(on_moto: Watermarks, job: str) -> None:
    with on_moto.job_run(job, "jr_1") as run, pytest.raises(RunStateError, match="has begun already"):
        run.begin()


def test_fail__before_begin_and_after_the_end_does_nothing(on_moto: Watermarks, job: str) -> None:
    run = on_moto.job_run(job, "jr_1")
    run.fail("not begun")
    run.begin().commit()
    run.fail("too late")

    assert statuses(on_moto, job) == {"jr_1": "SUCCEEDED"}


def test_run__cannot_be_pickled(on_moto: Watermarks, job: str) -> None:
    with (
        on_moto.job_run(job, "jr_1") as run,
        pytest.raises(NotPicklableError, match=r"Take run\.batch_id into a variable"),
    ):
        pickle.dumps(run)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("job_id", ""), ("job_id", None), ("run_id", ""), ("run_id", None), ("run_id", "jr#1")],
)
def test_job_run__ids_that_cannot_be(on_moto: Watermarks, argument: str, value: Any) -> None:
    ids = {"job_id": "repairs", "run_id": "jr_1", argument: value}

    with pytest.raises(InvalidArgumentError, match=argument):
        on_moto.job_run(**ids)
