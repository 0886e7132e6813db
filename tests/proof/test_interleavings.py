"""Somebody else comes in between two requests of a change: it is made again from where the job is then, or refused."""

from collections.abc import Callable, Iterator

import pytest

from scripts.helpers.watermarks import JobAlreadyRunningError, Watermarks
from tests.support.adding import add
from tests.support.ledger import read_ledger
from tests.support.proxy import Answer, FaultyProxy, Request, faulty_proxy, nth_request, retry_at_once, then
from tests.support.runs import read_ids
from tests.support.tables import EmulatedTable

CHANGES: dict[str, Callable[[Watermarks, str], object]] = {
    "add": lambda far, job: add(far, job, "jr_far", by="far"),
    "set": lambda far, job: far.set_mark(job, "payments", 5),
    "rewind": lambda far, job: far.rewind(job, "jr_1"),
    "reset": lambda far, job: far.reset(job),
    "forget": lambda far, job: far.forget(job),
}
EVERY_CHANGE = pytest.mark.parametrize("change", CHANGES)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    retry_at_once(monkeypatch)


@pytest.fixture
def proxy(local_table: EmulatedTable) -> Iterator[FaultyProxy]:
    with faulty_proxy(local_table.endpoint_url) as proxy:
        yield proxy


@pytest.fixture
def far(proxy: FaultyProxy, local_table: EmulatedTable) -> Watermarks:
    """The object under test, behind the proxy; `watermarks` is somebody else's, in front of it."""
    return EmulatedTable(proxy.endpoint_url, local_table.name).watermarks()


@pytest.fixture
def stood(watermarks: Watermarks, job: str) -> str:
    with watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=10)
    return job


def before_it_writes(proxy: FaultyProxy, do: Callable[[], object]) -> None:
    """Let something happen when the change has read the job, and has yet to write it."""

    def first(proxy: FaultyProxy, request: Request) -> Answer:
        do()
        return proxy.forward(request)

    proxy.plan = nth_request(first, "TransactWriteItems")


@EVERY_CHANGE
def test_change__a_run_begins_in_between(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str, change: str
) -> None:
    run = watermarks.job_run(stood, "jr_2")
    before_it_writes(proxy, run.begin)

    with pytest.raises(JobAlreadyRunningError, match="'jr_2'"):
        CHANGES[change](far, stood)

    read_ids(run, up_to=20)
    run.commit()
    ledger = read_ledger(watermarks, stood)
    assert (ledger.versions, ledger.state.latest_run_id, ledger.state.last_batch_id) == ([1, 2], "jr_2", 2)


@EVERY_CHANGE
def test_change__another_change_in_between_is_not_lost(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str, change: str
) -> None:
    before_it_writes(proxy, lambda: add(watermarks, stood, "jr_other", by="other"))

    CHANGES[change](far, stood)

    ledger = read_ledger(watermarks, stood)
    assert ledger.versions == [1, 2, 3]
    assert ledger.run("jr_other")["version"] == 2
    if change != "add":
        assert ledger.changes[3].before["latestRunId"] == "jr_other"


def test_rewind__its_run_is_added_again_in_between(
    far: Watermarks, proxy: FaultyProxy, watermarks: Watermarks, stood: str
) -> None:
    def passed(proxy: FaultyProxy, request: Request) -> Answer:
        return proxy.forward(request)

    proxy.plan = nth_request(then(passed, lambda: add(watermarks, stood, "jr_1", checkpoint=2)), "GetItem")

    far.rewind(stood, "jr_1")

    latest, run = watermarks.get_watermark_values(stood), watermarks.get_watermark_values(stood, "jr_1")
    assert latest == run == {"checkpoint": 2}
