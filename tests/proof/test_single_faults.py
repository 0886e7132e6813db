"""One fault at one step: the step is done once, or the next attempt does it, and never is it done twice.

DynamoDB knows a transaction again by its token, but only for ten minutes: each lost answer is tried with and without.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from scripts.helpers.watermarks import JobAlreadyRunningError, RunSupersededError, TableUnavailableError, Watermarks
from tests.support.adding import add
from tests.support.ledger import read_ledger
from tests.support.proxy import (
    EVERY_FAULT,
    Fault,
    FaultyProxy,
    answer_cut_short,
    answer_lost,
    arrives_late,
    connection_reset,
    error_although_done,
    faulty_proxy,
    nth_request,
    retry_at_once,
    then,
)
from tests.support.runs import read_ids
from tests.support.tables import Clock, EmulatedTable

APPLIED = (answer_lost, answer_cut_short, error_although_done, arrives_late)
FAULTS = pytest.mark.parametrize(
    ("fault", "tokens"),
    [
        *(pytest.param(fault, "forgotten", id=fault.__name__) for fault in EVERY_FAULT),
        *(pytest.param(fault, "known", id=f"{fault.__name__}-token-known") for fault in APPLIED),
    ],
)
BOTH = pytest.mark.usefixtures("token_known_or_not")


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    retry_at_once(monkeypatch)


@pytest.fixture
def proxy(local_table: EmulatedTable) -> Iterator[FaultyProxy]:
    with faulty_proxy(local_table.endpoint_url) as proxy:
        yield proxy


@pytest.fixture(params=[False, True], ids=["token-known", "token-forgotten"])
def token_known_or_not(request: pytest.FixtureRequest, proxy: FaultyProxy) -> None:
    proxy.forgets_tokens = request.param


@pytest.fixture
def far(proxy: FaultyProxy, local_table: EmulatedTable, clock: Clock) -> Watermarks:
    """The object under test, behind the proxy. `watermarks` is somebody else's, in front of it."""
    return EmulatedTable(proxy.endpoint_url, local_table.name).watermarks(clock=clock)


@pytest.fixture
def watermarks(local_table: EmulatedTable, clock: Clock) -> Watermarks:
    return local_table.watermarks(clock=clock)


@pytest.fixture
def stood(watermarks: Watermarks, job: str) -> str:
    """A job that stands at 10, after one run."""
    load(watermarks, job, "jr_1", up_to=10)
    return job


def load(watermarks: Watermarks, job: str, run_id: str = "jr_2", up_to: int = 20) -> None:
    with watermarks.job_run(job, run_id) as run:
        read_ids(run, up_to=up_to)


def break_off(watermarks: Watermarks, job: str) -> None:
    with suppress(ZeroDivisionError), watermarks.job_run(job, "jr_2") as run:
        read_ids(run, up_to=20)
        raise ZeroDivisionError


STEPS: dict[str, tuple[str, Callable[[Watermarks, str], object], tuple[str, int, int | None]]] = {
    "begin": ("UpdateItem", load, ("jr_2", 2, 20)),
    "commit": ("TransactWriteItems", load, ("jr_2", 2, 20)),
    "fail": ("TransactWriteItems", break_off, ("jr_1", 1, 10)),
    "add": ("TransactWriteItems", lambda far, job: add(far, job, "jr_2", rows=1), ("jr_2", 1, 10)),
    "set": ("TransactWriteItems", lambda far, job: far.set_mark(job, "repairs", 5), ("jr_1", 1, 5)),
    "rewind": ("TransactWriteItems", lambda far, job: far.rewind(job, "jr_1"), ("jr_1", 1, 10)),
}


READS: dict[str, Callable[[Watermarks, str], object]] = {
    "latest": lambda far, job: far.get_watermark(job),
    "run": lambda far, job: far.get_watermark(job, "jr_1"),
    "history": lambda far, job: list(far.history(job)),
    "jobs": lambda far, _: list(far.jobs()),
}


@FAULTS
@pytest.mark.parametrize("step", STEPS)
def test_step__done_once_whatever_the_fault(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str, step: str, fault: Fault, tokens: str
) -> None:
    operation, do, stands = STEPS[step]
    proxy.plan, proxy.forgets_tokens = nth_request(fault, operation), tokens == "forgotten"

    do(far, stood)

    assert proxy.faults().total() == 1
    ledger = read_ledger(watermarks, stood)
    assert ledger.versions == [1, 2]
    assert (ledger.state.latest_run_id, ledger.state.last_batch_id) == stands[:2]
    assert position(watermarks, stood) == stands[2]
    assert (ledger.state.lease is None) or fault is arrives_late
    if step in ("begin", "commit", "fail"):
        assert ledger.run("jr_2")["attempt"] == 1


@pytest.mark.parametrize(("fault", "times"), [(answer_lost, 1), (answer_cut_short, 2)], ids=["lost", "cut-short-twice"])
def test_begin__answer_lost_holds_the_job(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str, fault: Fault, times: int
) -> None:
    proxy.plan = nth_request(fault, "UpdateItem", times=times)

    run = far.job_run(stood, "jr_2").begin()

    assert proxy.operations() == ["UpdateItem"] * (times + 1) + ["GetItem"]
    assert run.batch_id == 2
    with pytest.raises(JobAlreadyRunningError, match="'jr_2'"):
        watermarks.job_run(stood, "jr_3").begin()
    run.fail("enough")


def test_begin__answers_cut_short_to_the_end_are_no_full_load(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str
) -> None:
    proxy.plan = nth_request(answer_cut_short, "UpdateItem", times=100)
    with pytest.raises(TableUnavailableError, match="take the job"):
        far.job_run(stood, "jr_2").begin()

    with watermarks.job_run(stood, "jr_2_attempt_1") as run:
        read_ids(run, up_to=20)
        assert (run.batch_id, run.window("repairs").low) == (2, 10)


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_read__answers_cut_short_to_the_end_are_not_nothing(
    far: Watermarks, proxy: FaultyProxy, stood: str, read: Callable[[Watermarks, str], object]
) -> None:
    proxy.plan = lambda _: answer_cut_short

    with pytest.raises(TableUnavailableError):
        read(far, stood)


@BOTH
def test_commit__answer_lost_and_the_next_run_came_in_between(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str
) -> None:
    next_run = then(answer_lost, lambda: load(watermarks, stood, "jr_3", up_to=30))
    proxy.plan = nth_request(next_run, "TransactWriteItems")
    load(far, stood)

    ledger = read_ledger(watermarks, stood)
    assert [(run["runId"], run["batchId"]) for run in ledger.runs.values()] == [("jr_3", 3), ("jr_2", 2), ("jr_1", 1)]
    assert ledger.run("jr_3")["sources"]["repairs"]["low"] == 20
    assert ledger.state.latest_run_id == "jr_3"


@BOTH
@pytest.mark.parametrize("meanwhile", ["rewind", "taken-over"])
def test_commit__request_lost_and_the_job_with_it(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str, clock: Clock, meanwhile: str
) -> None:
    def take_it_away() -> None:
        if meanwhile == "rewind":
            watermarks.rewind(stood, "jr_1", reason="wrong rate", force=True)
        else:
            clock.turn(hours=1)
            load(watermarks, stood, "jr_3")

    proxy.plan = nth_request(then(connection_reset, take_it_away), "TransactWriteItems")

    with pytest.raises(RunSupersededError):
        load(far, stood)

    assert read_ledger(watermarks, stood).versions == [1, 2]
    assert [run["runId"] for run in watermarks.history(stood)] in (["jr_1"], ["jr_3", "jr_1"])


@BOTH
def test_commit__every_answer_lost_and_the_table_asked(far: Watermarks, proxy: FaultyProxy, stood: str) -> None:
    proxy.plan = lambda request: answer_lost if b"SUCCEEDED" in request.body else None

    load(far, stood)

    ledger = read_ledger(far, stood)
    assert (ledger.versions, ledger.state.latest_run_id, ledger.state.last_batch_id) == ([1, 2], "jr_2", 2)


@BOTH
@pytest.mark.parametrize("until", ["the-commit-is-given-up", "the-end"])
def test_commit__every_answer_lost_and_the_table_not_to_be_asked(
    far: Watermarks, proxy: FaultyProxy, stood: str, until: str, caplog: pytest.LogCaptureFixture
) -> None:
    dead = nth_request(connection_reset, "GetItem", times=6 if until == "the-commit-is-given-up" else 1_000)
    proxy.plan = lambda request: answer_lost if b"SUCCEEDED" in request.body else dead(request)

    with pytest.raises(TableUnavailableError):
        load(far, stood)

    # Nobody could know. The table does: the run is a success and stays one, and the retry goes on after it.
    proxy.plan = lambda _: None
    assert ("had been committed: its answer was lost" in caplog.text) == (until == "the-commit-is-given-up")
    assert read_ledger(far, stood).run("jr_2")["status"] == "SUCCEEDED"
    with far.job_run(stood, "jr_2_attempt_1") as retried:
        read_ids(retried, up_to=20)
        assert (retried.batch_id, retried.window("repairs").low) == (3, 20)
    assert read_ledger(far, stood).versions == [1, 2, 3]


@BOTH
@pytest.mark.parametrize("change", ["add", "set"])
def test_change__answer_lost_and_another_change_came_in_between(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str, change: str
) -> None:
    operation, do, (latest, _, mark) = STEPS[change]
    proxy.plan = nth_request(then(answer_lost, lambda: do(watermarks, stood)), operation)

    if change == "add":
        add(far, stood, "jr_far", rows=0)
    else:
        far.set_mark(stood, "repairs", 99)

    assert read_ledger(watermarks, stood).versions == [1, 2, 3]
    assert (watermarks.get_most_recent_run_id(stood), position(watermarks, stood)) == (latest, mark)


def test_renewal__failing_for_a_while_fails_no_run(far: Watermarks, proxy: FaultyProxy, stood: str) -> None:
    with far.job_run(stood, "jr_2") as run:
        assert run._heartbeat is not None
        proxy.plan = nth_request(connection_reset, "UpdateItem", times=12)
        assert [run._heartbeat.renew() for _ in range(3)] == [False, False, True]
        read_ids(run, up_to=20)

    assert position(far, stood) == 20


def position(watermarks: Watermarks, job: str) -> object:
    """How far the job is, as its next run would see it."""
    run = watermarks.job_run(job, "jr_look", bookmark_option="job-bookmark-pause").begin()
    known = run._position(run._state.sources, "repairs")
    return None if known is None else known.mark  # type: ignore[union-attr]
