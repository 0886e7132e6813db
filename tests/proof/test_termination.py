"""SIGTERM, with which Glue stops a job.

The run is recorded as FAILED and the job is free at once, a commit happens entirely or not at all, and whoever listened
before is heard.
"""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.helpers.watermarks import RunSupersededError, Watermarks
from tests.support.processes import said_by, started
from tests.support.runs import commit_run, read_ids
from tests.support.tables import EmulatedTable

TOLD = "SIGTERM: the process was told to end"


@pytest.fixture(autouse=True)
def loaded(watermarks: Watermarks, job: str) -> None:
    commit_run(watermarks, job, "jr_1", up_to=10)


@pytest.fixture
def handled() -> Iterator[list[int]]:
    """The signals that a handler of the script's own has seen; it does nothing else."""
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
    yield seen
    signal.signal(signal.SIGTERM, before)


def terminate(table: EmulatedTable, job: str, mode: str) -> tuple[int, list[str]]:
    """Start a job, tell it to end once it is at work, and give its exit code and what it said after that."""
    told = [mode, table.endpoint_url, table.name, job]
    with started("tests.proof.terminated_job", *told, log=Path(os.devnull)) as process:
        assert process.stdout is not None
        if said_by(process) == "ready":
            process.terminate()
        said = process.stdout.read().splitlines()
        return process.wait(60), said


def assert_failed_and_free(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    last = next(watermarks.history(job))
    assert (last["runId"], last["status"], last["error"], last["batchId"]) == ("jr_2", "FAILED", TOLD, 2)
    state = table.item(job)
    assert "lease" not in state
    assert (state["latestRunId"], state["lastBatchId"]) == ({"S": "jr_1"}, {"N": "1"})
    # Nobody has to wait for a lease to run out.
    assert commit_run(watermarks, job, "jr_3", up_to=20) == 2
    assert next(watermarks.history(job))["sources"]["repairs"]["low"] == 10


@pytest.mark.parametrize(
    ("mode", "code", "said"),
    [
        pytest.param("plain", -signal.SIGTERM, [], id="nobody-else-listens"),
        pytest.param("handler_exits", 3, ["handler 15"], id="handler-that-exits"),
        # Its lease is gone, so the script must not take the quiet end of its block for a commit.
        pytest.param("handler_returns", 1, ["handler 15", "still at work"], id="handler-that-returns"),
    ],
)
def test_sigterm__records_the_failure_and_frees_the_job(
    watermarks: Watermarks, local_table: EmulatedTable, job: str, mode: str, code: int, said: list[str]
) -> None:
    assert terminate(local_table, job, mode) == (code, said)
    assert_failed_and_free(watermarks, local_table, job)


def test_sigterm__two_runs_in_one_process(watermarks: Watermarks, local_table: EmulatedTable, job: str) -> None:
    commit_run(watermarks, f"{job}-too", "jr_1", up_to=10)

    assert terminate(local_table, job, "two_runs") == (-signal.SIGTERM, [])

    for each in (job, f"{job}-too"):
        assert_failed_and_free(watermarks, local_table, each)


def test_sigterm__of_a_process_that_ignores_it(watermarks: Watermarks, local_table: EmulatedTable, job: str) -> None:
    assert terminate(local_table, job, "ignored") == (0, [])
    assert watermarks.get_watermark_values(job) == {"repairs": 20}


def test_sigterm__of_a_run_outside_the_main_thread_is_as_if_it_were_killed(
    watermarks: Watermarks, local_table: EmulatedTable, job: str
) -> None:
    assert terminate(local_table, job, "other_thread") == (-signal.SIGTERM, [])

    assert local_table.item(job)["lease"]["M"]["runId"] == {"S": "jr_2"}
    assert [run["runId"] for run in watermarks.history(job)] == ["jr_1"]
    assert commit_run(watermarks, job, "jr_2_attempt_1", up_to=20) == 2


@pytest.mark.parametrize("mode", ["before_the_request", "after_the_request"])
def test_sigterm__during_the_commit_waits_for_it(
    watermarks: Watermarks, local_table: EmulatedTable, job: str, mode: str
) -> None:
    assert terminate(local_table, job, mode) == (-signal.SIGTERM, [])

    last, _ = watermarks.history(job)
    assert (last["runId"], last["status"], last["batchId"]) == ("jr_2", "SUCCEEDED", 2)
    assert watermarks.get_watermark_values(job) == {"repairs": 20}
    assert "lease" not in local_table.item(job)


@pytest.mark.parametrize("end", ["commit", "fail"])
def test_handler__is_there_again_after_the_run(watermarks: Watermarks, job: str, handled: list[int], end: str) -> None:
    before = signal.getsignal(signal.SIGTERM)
    run = watermarks.job_run(job, "jr_2").begin()
    assert signal.getsignal(signal.SIGTERM) != before

    run.commit() if end == "commit" else run.fail("over")

    assert signal.getsignal(signal.SIGTERM) is before
    os.kill(os.getpid(), signal.SIGTERM)
    assert handled == [signal.SIGTERM]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1)], ids=str)
@pytest.mark.usefixtures("handled")
def test_handler__is_there_again_after_several_runs_in_whatever_order_they_end(
    watermarks: Watermarks, job: str, order: tuple[int, ...]
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    runs = [watermarks.job_run(f"{job}-{number}", "jr_1").begin() for number in range(3)]

    for number in order:
        runs[number].commit()

    assert signal.getsignal(signal.SIGTERM) is before


def test_handler__put_on_top_by_the_script_is_left_alone(watermarks: Watermarks, job: str, handled: list[int]) -> None:
    def own(number: int, _: object) -> None:
        raise KeyError(number)

    with watermarks.job_run(job, "jr_2"):
        signal.signal(signal.SIGTERM, own)

    assert signal.getsignal(signal.SIGTERM) is own
    assert handled == []


def test_handler__is_not_touched_by_runs_that_do_not_commit(
    watermarks: Watermarks, job: str, handled: list[int]
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with watermarks.job_run(job, "jr_2", bookmark_option="job-bookmark-pause"):
        assert signal.getsignal(signal.SIGTERM) is before
    assert handled == []


def test_handler__is_not_touched_from_another_thread(watermarks: Watermarks, job: str, handled: list[int]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen: list[object] = []

    def work() -> None:
        with watermarks.job_run(job, "jr_2"):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)

    assert seen == [before]
    assert watermarks.get_most_recent_run_id(job) == "jr_2"
    assert handled == []


@pytest.mark.usefixtures("handled")
def test_sigterm__right_before_the_commit_is_not_taken_for_a_lost_answer(
    watermarks: Watermarks, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def held_and_told_to_end() -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    run = watermarks.job_run(job, "jr_2").begin()
    read_ids(run, up_to=20)
    monkeypatch.setattr(run._heartbeat, "why_lost", held_and_told_to_end)

    # The handler has recorded the failure, with the very token that the commit would have carried.
    with pytest.raises(RunSupersededError), run:
        pass

    assert next(watermarks.history(job))["status"] == "FAILED"
    assert watermarks.get_watermark_values(job) == {"repairs": 10}
