"""A request that its sender has given up on arrives all the same, when others have gone ahead: it moves no mark."""

from collections.abc import Iterator

import pytest

from scripts.helpers.watermarks import JobAlreadyRunningError, TableUnavailableError, Watermarks
from tests.support.ledger import read_ledger
from tests.support.proxy import FaultyProxy, Request, faulty_proxy, nth_request, retry_at_once
from tests.support.runs import read_ids
from tests.support.tables import Clock, EmulatedTable


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    retry_at_once(monkeypatch)


@pytest.fixture
def proxy(local_table: EmulatedTable) -> Iterator[FaultyProxy]:
    with faulty_proxy(local_table.endpoint_url) as proxy:
        yield proxy


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


def held_back_by(proxy: FaultyProxy, operation: str) -> list[Request]:
    """Let no request of an operation through; gives those that were held back, to let them arrive later."""
    held: list[Request] = []

    def hold_back(_: FaultyProxy, request: Request) -> None:
        held.append(request)

    proxy.plan = nth_request(hold_back, operation, times=1_000)
    return held


def test_commit__arrives_when_the_job_has_been_taken_over(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str
) -> None:
    late = held_back_by(proxy, "TransactWriteItems")
    with pytest.raises(TableUnavailableError, match="commit the run"):
        load(far, stood)

    with watermarks.job_run(stood, "jr_2_attempt_1") as retried:
        assert {proxy.forward(request).status for request in late} == {400}
        read_ids(retried, up_to=20)
        assert (retried.batch_id, retried.window("repairs").low) == (2, 10)

    assert {proxy.forward(request).status for request in late} == {400}
    assert [run["runId"] for run in watermarks.history(stood)] == ["jr_2_attempt_1", "jr_1"]


def test_begin__arrives_when_the_run_is_long_over(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str, clock: Clock
) -> None:
    late = held_back_by(proxy, "UpdateItem")
    with pytest.raises(TableUnavailableError, match="take the job"):
        far.job_run(stood, "jr_2").begin()
    load(watermarks, stood, "jr_3")

    # It holds the job for nobody, until its lease is over; more it cannot do.
    assert proxy.forward(late[0]).status == 200
    with pytest.raises(JobAlreadyRunningError, match="'jr_2'"):
        watermarks.job_run(stood, "jr_4").begin()
    clock.turn(minutes=6)
    with watermarks.job_run(stood, "jr_4") as run:
        read_ids(run, up_to=30)
        assert (run.batch_id, run.window("repairs").low) == (3, 20)
    assert {proxy.forward(request).status for request in late} == {200, 400}
    assert read_ledger(watermarks, stood).versions == [1, 2, 3]
