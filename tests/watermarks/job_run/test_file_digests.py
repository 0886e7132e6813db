"""The item that remembers which files were read: written with the commit, kept while needed, missed when it is gone."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from scripts.helpers.watermarks import BrokenItemError, InvalidArgumentError, JobRun, Watermarks
from scripts.helpers.watermarks.job_run.outcome import FilesRead
from scripts.helpers.watermarks.table.wire import MAX_ITEM_BYTES
from scripts.helpers.watermarks.values import digests
from scripts.helpers.watermarks.window import FilePlan
from tests.support.arrivals import Bucket, Version, plan_of_a_run
from tests.support.runs import commit_run
from tests.support.tables import NOON, Clock, EmulatedTable, requests_of

PATHS = ("s3://landing/claims",)
RETENTION = timedelta(days=7)
FIRST, SECOND = (f"#files/claims/{version:012d}" for version in (1, 2))


@pytest.fixture
def watermarks(table: EmulatedTable, clock: Clock) -> Watermarks:
    return table.watermarks(clock=clock, retention=RETENTION)


def read_files(run: JobRun, *names: str, band: float = 900.0) -> list[str]:
    """Have a run take the files of these names, modified a second before noon, and tell which of them it takes."""
    known = run._known_files(run._state.sources, "claims", PATHS, {})
    bucket = Bucket([Version(n, name, -1.0, -1.0, 10) for n, name in enumerate(names)], now=1.0)
    plan = plan_of_a_run(bucket, known, band=band)
    run._reads["claims"] = FilesRead(PATHS, known.horizon, plan)
    return [file.path.rpartition("/")[2] for file in plan.taken]


def load(watermarks: Watermarks, job: str, run_id: str, *names: str, band: float = 900.0) -> list[str]:
    with watermarks.job_run(job, run_id) as run:
        return read_files(run, *names, band=band)


def items(table: EmulatedTable, job: str) -> dict[str, float | None]:
    """The items of digests, and when each expires, in days after noon."""
    found = {item["runId"]["S"]: item.get("expiresAt") for item in table.items(job)}
    return {
        item: None if expires is None else round((int(expires["N"]) - NOON.timestamp()) / 86_400, 3)
        for item, expires in found.items()
        if item.startswith("#files/")
    }


def pointed_to(table: EmulatedTable, job: str, run_id: str = "#latest") -> str | None:
    name: str | None = table.item(job, run_id)["sources"]["M"]["claims"]["M"]["digests"].get("S")
    return name


def test_item__is_written_in_the_same_transaction(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    run = watermarks.job_run(job, "jr_1").begin()
    read_files(run, "a", "b")
    with requests_of(watermarks) as requests:
        run.commit()

    assert requests.names == ["TransactWriteItems"]
    assert len(table.item(job, FIRST)["digests"]["B"]) == 2 * digests.SIZE
    assert pointed_to(table, job) == pointed_to(table, job, "jr_1") == FIRST
    # A heartbeat writes the state: nothing of the digests may be in it.
    assert len(str(table.item(job))) < 2_000


def test_item__is_not_written_where_there_is_nothing_to_remember(
    watermarks: Watermarks, table: EmulatedTable, job: str
) -> None:
    load(watermarks, job, "jr_1", "a", band=0.0)

    assert items(table, job) == {}
    assert pointed_to(table, job) is None


def test_item__is_not_written_by_a_run_that_fails(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    run = watermarks.job_run(job, "jr_1").begin()
    read_files(run, "a")
    run.fail("made up by a test")

    assert items(table, job) == {}
    assert load(watermarks, job, "jr_2", "a") == ["a"]


def test_item__is_one_more_request_to_read(watermarks: Watermarks, job: str) -> None:
    load(watermarks, job, "jr_1", "a")

    with requests_of(watermarks) as requests:
        assert load(watermarks, job, "jr_2", "a", "b") == ["b"]

    assert requests.names == ["UpdateItem", "GetItem", "TransactWriteItems"]
    assert requests.parameters[1][1]["ConsistentRead"]


def test_item__is_no_run_and_no_older_item(watermarks: Watermarks, job: str) -> None:
    load(watermarks, job, "jr_1", "a")

    assert [run["runId"] for run in watermarks.history(job)] == ["jr_1"]
    assert watermarks._table.older_run_ids(job, limit=5) == ()


def test_expiry__is_set_when_a_run_replaces_it(
    watermarks: Watermarks, table: EmulatedTable, job: str, clock: Clock
) -> None:
    load(watermarks, job, "jr_1", "a")
    assert items(table, job) == {FIRST: None}

    clock.turn(days=1)
    load(watermarks, job, "jr_2", "a", "b")

    # Until then the record of the run that points to it has expired.
    assert items(table, job) == {FIRST: 8, SECOND: None}
    assert int(table.item(job, "jr_1")["expiresAt"]["N"]) <= int(table.item(job, FIRST)["expiresAt"]["N"])


def test_expiry__is_never_set_without_a_retention(table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock)
    for run_id in ("jr_1", "jr_2"):
        load(watermarks, job, run_id, "a")
    watermarks.reset(job)

    assert items(table, job) == {FIRST: None, SECOND: None}


def test_expiry__not_while_the_job_points_to_it(
    watermarks: Watermarks, table: EmulatedTable, job: str, clock: Clock
) -> None:
    load(watermarks, job, "jr_1", "a")
    clock.turn(days=30)

    commit_run(watermarks, job, "jr_2", up_to=1)
    watermarks.add_watermark(watermarks.create_watermark_item(job, "jr_3", rows=1))
    watermarks.set_mark(job, "repairs", 5)

    assert items(table, job) == {FIRST: None}
    assert pointed_to(table, job) == FIRST


def test_expiry__is_removed_by_a_rewind_and_set_on_what_it_leaves(
    watermarks: Watermarks, table: EmulatedTable, job: str, clock: Clock
) -> None:
    load(watermarks, job, "jr_1", "a")
    load(watermarks, job, "jr_2", "a", "b")
    clock.turn(days=2)

    watermarks.rewind(job, "jr_1")

    assert items(table, job) == {FIRST: None, SECOND: 9}
    assert load(watermarks, job, "jr_3", "a", "b") == ["b"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda watermarks, job: watermarks.reset(job), id="reset"),
        pytest.param(lambda watermarks, job: watermarks.reset(job, "claims"), id="reset-of-the-source"),
        pytest.param(lambda watermarks, job: watermarks.set_mark(job, "claims", NOON), id="set"),
        pytest.param(lambda watermarks, job: watermarks.forget(job), id="forget"),
    ],
)
@pytest.mark.parametrize("deleted", [False, True], ids=["there", "deleted"])
def test_expiry__is_set_by_what_operators_do(
    watermarks: Watermarks,
    table: EmulatedTable,
    job: str,
    change: Callable[[Watermarks, str], object],
    deleted: bool,
    waits: list[float],
) -> None:
    load(watermarks, job, "jr_1", "a")
    if deleted:
        table.delete(job, FIRST)

    change(watermarks, job)

    assert items(table, job) == ({} if deleted else {FIRST: 7})
    assert waits == []


def assert_names(error: BrokenItemError, job: str, problem: str) -> None:
    assert (error.job_id, error.item, error.attribute) == (job, FIRST, "digests")
    assert problem in str(error)


def test_missing__is_an_error_and_never_a_fresh_start(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    load(watermarks, job, "jr_1", "a")
    table.delete(job, FIRST)

    with pytest.raises(BrokenItemError) as failure:
        load(watermarks, job, "jr_2", "a")

    assert_names(failure.value, job, "is gone: it has expired, or somebody deleted it")
    # The remedy: say from when on files are to be read again.
    watermarks.set_mark(job, "claims", NOON - timedelta(seconds=2))
    assert load(watermarks, job, "jr_3", "a") == ["a"]


@pytest.mark.parametrize(
    ("attribute", "problem"),
    [
        pytest.param({"B": b"x" * 15}, "has 15 bytes, which are no whole digests of 8", id="cut-off"),
        pytest.param({"S": "x"}, "cannot be read", id="text"),
        pytest.param(None, "is gone", id="removed"),
    ],
)
def test_broken__is_an_error(
    watermarks: Watermarks, table: EmulatedTable, job: str, attribute: Any, problem: str
) -> None:
    load(watermarks, job, "jr_1", "a")
    table.edit(job, FIRST, digests=attribute)

    with pytest.raises(BrokenItemError) as failure:
        load(watermarks, job, "jr_2", "a")

    assert_names(failure.value, job, problem)


def test_missing__a_rewind_to_where_it_is_needed_is_refused(
    watermarks: Watermarks, table: EmulatedTable, job: str, waits: list[float]
) -> None:
    load(watermarks, job, "jr_1", "a")
    load(watermarks, job, "jr_2", "a", "b")
    table.delete(job, FIRST)
    before = table.items(job)

    with pytest.raises(BrokenItemError) as failure:
        watermarks.rewind(job, "jr_1")

    assert_names(failure.value, job, "is gone: it has expired, or somebody deleted it")
    assert table.items(job) == before
    assert waits == []


def test_too_many__is_refused_before_anything_is_read(
    watermarks: Watermarks, table: EmulatedTable, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digests, "MOST", 2)

    with pytest.raises(
        InvalidArgumentError, match=r"3 files within band=0:15:00, and at most 2.*Lower band"
    ) as refused:
        load(watermarks, job, "jr_1", "a", "b", "c")

    assert refused.value.argument == "band"
    assert items(table, job) == {}
    assert load(watermarks, job, "jr_2", "a", "b", "c", band=0.5) == ["a", "b", "c"]


def test_most__fits_into_an_item(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    every = frozenset(number.to_bytes(digests.SIZE, "big") for number in range(digests.MOST))
    with watermarks.job_run(job, "jr_1") as run:
        run._reads["claims"] = FilesRead(PATHS, None, FilePlan((), 0, 7, every))

    with watermarks.job_run(job, "jr_2") as run:
        known = run._known_files(run._state.sources, "claims", PATHS, {})

    assert (known.horizon, known.digests) == (7, every)
    assert len(table.item(job, FIRST)["digests"]["B"]) < MAX_ITEM_BYTES
