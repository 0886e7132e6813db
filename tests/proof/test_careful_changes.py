"""Changes that are tried before they are made: nothing is written, and what changed meanwhile is not overrun."""

import socket
from collections.abc import Callable
from typing import TypeAlias

import pytest

from scripts.helpers.watermarks import (
    Changed,
    ConflictError,
    InvalidArgumentError,
    JobAlreadyRunningError,
    WatermarkNotFoundError,
    Watermarks,
)
from tests.support.runs import commit_run
from tests.support.tables import Clock, EmulatedTable, requests_of

Operation: TypeAlias = "Callable[..., Changed]"

OPERATIONS: dict[str, Callable[[Watermarks, str], Operation]] = {
    "rewind": lambda watermarks, job: lambda **how: watermarks.rewind(job, "jr_1", "why", **how),
    "reset": lambda watermarks, job: lambda **how: watermarks.reset(job, None, "why", **how),
    "set": lambda watermarks, job: lambda **how: watermarks.set_mark(job, "repairs", 15, "why", **how),
    "forget": lambda watermarks, job: lambda **how: watermarks.forget(job, "why", **how),
}
WRITES = {"TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem"}


@pytest.fixture
def watermarks(local_table: EmulatedTable, clock: Clock) -> Watermarks:
    return local_table.watermarks(clock=clock)


@pytest.fixture
def loaded(watermarks: Watermarks, job: str) -> str:
    for number in (1, 2, 3):
        commit_run(watermarks, job, f"jr_{number}", up_to=number * 10)
    return job


@pytest.fixture(params=OPERATIONS)
def operation(request: pytest.FixtureRequest, watermarks: Watermarks, loaded: str) -> Operation:
    return OPERATIONS[request.param](watermarks, loaded)


def test_dry_run__tells_what_the_change_then_does(
    operation: Operation, watermarks: Watermarks, local_table: EmulatedTable, loaded: str
) -> None:
    before = local_table.items(loaded)

    with requests_of(watermarks) as requests:
        planned = operation(dry_run=True)

    assert not WRITES & set(requests.names)
    assert local_table.items(loaded) == before
    assert operation() == planned


def test_dry_run__is_refused_while_a_run_holds_the_job(
    operation: Operation, watermarks: Watermarks, loaded: str
) -> None:
    run = watermarks.job_run(loaded, "jr_4").begin()

    with pytest.raises(JobAlreadyRunningError, match="jr_4"):
        operation(dry_run=True)
    planned = operation(dry_run=True, force=True)
    run.commit()

    assert planned.version == 4


def test_dry_run__of_a_job_that_is_not_there(watermarks: Watermarks, job: str) -> None:
    with pytest.raises(WatermarkNotFoundError):
        watermarks.reset(job, dry_run=True)


def test_expected_version__as_looked_at(operation: Operation) -> None:
    assert operation(expected_version=3).version == 4


def test_expected_version__changed_since(
    operation: Operation, watermarks: Watermarks, local_table: EmulatedTable, loaded: str
) -> None:
    commit_run(watermarks, loaded, "jr_4", up_to=40)
    before = local_table.items(loaded)

    with pytest.raises(ConflictError, match=r"version 3 then, 4 now; latest run 'jr_4'"):
        operation(expected_version=3)

    assert local_table.items(loaded) == before


def test_expected_version__of_a_job_that_is_new(watermarks: Watermarks, job: str) -> None:
    with pytest.raises(ConflictError):
        watermarks.set_mark(job, "repairs", 1, expected_version=3)

    assert watermarks.set_mark(job, "repairs", 1, expected_version=0).version == 1


def test_view__shows_what_the_audit_keeps(operation: Operation, watermarks: Watermarks, loaded: str) -> None:
    changed = operation()

    (kept,) = watermarks.changes(loaded)
    assert changed.view() == kept | {"batchIds": list(changed.batch_ids), "warning": changed.warning, "takenFrom": None}


@pytest.mark.parametrize(
    ("kind", "value", "mark"),
    [("integer", "12", 12), ("date", "2023-03-16", "2023-03-16"), ("string", "12", "12")],
)
def test_mark_type__of_a_source_that_was_never_read(
    watermarks: Watermarks, job: str, kind: str, value: str, mark: object
) -> None:
    changed = watermarks.set_mark(job, "repairs", value, mark_type=kind)  # type: ignore[arg-type]

    assert changed.after["sources"] == {"repairs": {"column": None, "type": kind, "mark": mark}}


@pytest.mark.parametrize(("source", "kind"), [("repairs", "date"), ("tenancies", "float")], ids=["another", "none"])
def test_mark_type__refused(watermarks: Watermarks, loaded: str, source: str, kind: str) -> None:
    with pytest.raises(InvalidArgumentError, match="mark_type"):
        watermarks.set_mark(loaded, source, "2023-03-16", mark_type=kind)  # type: ignore[arg-type]


def test_changed_by__where_sts_answers_nonsense_is_the_user_of_this_machine(
    local_table: EmulatedTable, loaded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All of AWS is said to be at DynamoDB Local, which knows nothing of STS and answers in another language.
    monkeypatch.setenv("AWS_ENDPOINT_URL", local_table.endpoint_url)

    changed = local_table.watermarks().reset(loaded)

    assert changed.changed_by.endswith(f"@{socket.gethostname()}")
