"""Several at the same time, on DynamoDB Local: everybody ends up in history, one is the latest, versions count up."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from scripts.helpers.watermarks import ConflictError, Watermarks
from scripts.helpers.watermarks.table import Backoff
from scripts.helpers.watermarks.table.changes import CHANGE_ATTEMPTS
from tests.support.adding import add
from tests.support.tables import EmulatedTable, run_id

PROCESSES = 3
ADDS = 6


@contextmanager
def adder(table: EmulatedTable, job: str, runs: list[str]) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.support.adder", table.endpoint_url, table.name, job, *runs]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def assert_consistent(table: EmulatedTable, job: str, runs: set[str]) -> None:
    """Every run once in history, versions 1, 2, 3 … in the order of time, and the last of them is the latest."""
    state, *records = table.items(job)
    assert {record["runId"]["S"] for record in records} == runs
    in_order = sorted(records, key=lambda record: str(record["recordedAt"]["S"]))
    assert [int(record["version"]["N"]) for record in in_order] == list(range(1, len(runs) + 1))
    assert len({record["recordedAt"]["S"] for record in records}) == len(runs)
    before = [record.get("previousRunId", {}).get("S") for record in in_order]
    assert before == [None, *(record["runId"]["S"] for record in in_order[:-1])]

    last = in_order[-1]
    assert state["version"] == last["version"]
    assert state["latestRunId"] == last["runId"]
    assert state["commitId"] == last["commitId"]
    assert state["updatedAt"] == last["recordedAt"]
    assert state["watermarks"] == last["watermarks"] == {"M": {"by": last["runId"]}}


def test_add__by_several_processes_at_once(local_table: EmulatedTable, job: str) -> None:
    runs = [[run_id(process * 100 + number) for number in range(ADDS)] for process in range(PROCESSES)]

    with ExitStack() as stack:
        processes = [stack.enter_context(adder(local_table, job, each)) for each in runs]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        assert [process.wait(60) for process in processes] == [0] * PROCESSES

    assert_consistent(local_table, job, {run for each in runs for run in each})


def test_add__by_several_threads_with_one_object(local_table: EmulatedTable, job: str) -> None:
    watermarks = local_table.watermarks()
    runs = [[run_id(thread * 100 + number) for number in range(4)] for thread in range(4)]
    start = threading.Barrier(len(runs))
    failures: list[BaseException] = []

    def work(mine: list[str]) -> None:
        try:
            start.wait(10)
            for run in mine:
                add(watermarks, job, run, by=run)
        except BaseException as error:  # a thread would swallow it
            failures.append(error)

    threads = [threading.Thread(target=work, args=(each,)) for each in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert failures == []
    assert_consistent(local_table, job, {run for each in runs for run in each})


@pytest.mark.parametrize("runs_before", [0, 2], ids=["new-job", "job-with-runs"])
def test_add__somebody_else_between_its_read_and_its_write(
    watermarks: Watermarks, table: EmulatedTable, job: str, runs_before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(runs_before):
        add(watermarks, job, f"jr_{number}", by=f"jr_{number}")
    other = table.watermarks()
    overtake(watermarks, other, job, monkeypatch, times=1)

    add(watermarks, job, "jr_mine", by="jr_mine")

    earlier = {f"jr_{number}" for number in range(runs_before)}
    assert_consistent(table, job, {*earlier, "jr_other0", "jr_mine"})
    assert watermarks.get_most_recent_run_id(job) == "jr_mine"


def test_add__somebody_else_is_always_faster(
    on_moto: Watermarks, moto_table: EmulatedTable, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    watermarks, waits = moto_table.watermarks(), list[float]()
    watermarks._table.backoff = Backoff(sleep=waits.append)
    overtake(watermarks, on_moto, job, monkeypatch, times=CHANGE_ATTEMPTS)

    with pytest.raises(ConflictError) as failure:
        add(watermarks, job, "jr_mine", by="jr_mine")

    assert str(failure.value).startswith(f"Cannot add a watermark of job {job!r}: others changed the job 40 times")
    assert (failure.value.job_id, failure.value.table_name) == (job, moto_table.name)
    assert_consistent(moto_table, job, {f"jr_other{number}" for number in range(CHANGE_ATTEMPTS)})
    # Full jitter under a rising ceiling: nobody waits in step, nobody for long.
    assert len(waits) == CHANGE_ATTEMPTS
    assert len(set(waits)) == CHANGE_ATTEMPTS
    assert waits[0] <= 0.05
    assert max(waits) <= 2.0


def overtake(
    watermarks: Watermarks, other: Watermarks, job: str, monkeypatch: pytest.MonkeyPatch, *, times: int
) -> None:
    """Let another one add a run right after each read of the state, so many times."""
    read = watermarks._table.state
    overtaken: list[str] = []

    def read_and_be_overtaken(job_id: str) -> object:
        state = read(job_id)
        if len(overtaken) < times:
            overtaken.append(f"jr_other{len(overtaken)}")
            add(other, job, overtaken[-1], by=overtaken[-1])
        return state

    monkeypatch.setattr(watermarks._table, "state", read_and_be_overtaken)
