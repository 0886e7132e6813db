"""Writes that were applied although their answer was lost: recognised as done, never done twice."""

from collections.abc import Callable
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ConnectionClosedError, ReadTimeoutError
from botocore.httpsession import URLLib3Session

from scripts.helpers.watermarks import TableUnavailableError, Watermarks
from scripts.helpers.watermarks.table import Lease, LeaseRefusedError
from tests.support.adding import add
from tests.support.tables import NOON, EmulatedTable, Fault, breakdown, faults_on

LOST = ReadTimeoutError(endpoint_url="http://127.0.0.1")
LEASE = Lease("token", "jr_1", NOON, NOON)

pytestmark = pytest.mark.usefixtures("waits")


def applied_then_lost(meanwhile: Callable[[], object] = lambda: None) -> Fault:
    """The request arrives and is carried out; its answer does not come back."""

    def fault(request: Any) -> AWSResponse:
        answered = URLLib3Session().send(request)
        assert answered.status_code == 200, answered.content
        meanwhile()
        raise LOST

    return fault


@pytest.mark.parametrize("runs_before", [0, 1], ids=["first-run", "later-run"])
def test_add__answer_lost(watermarks: Watermarks, table: EmulatedTable, job: str, runs_before: int) -> None:
    for number in range(runs_before):
        add(watermarks, job, f"jr_{number}", rows_collected=number)

    with faults_on(watermarks, applied_then_lost(), operation="TransactWriteItems") as line:
        add(watermarks, job, "jr_mine", rows_collected=808)

    assert line.sent == ["TransactWriteItems"] * 2
    assert table.item(job)["version"] == {"N": str(runs_before + 1)}
    assert table.count(job) == runs_before + 2
    assert watermarks.get_watermark(job) == {"jobName": job, "runId": "jr_mine", "watermarks": {"rows_collected": 808}}


def test_add__answer_lost_and_others_wrote_on_top(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    other = table.watermarks()
    fault = applied_then_lost(lambda: add(other, job, "jr_other", rows_collected=2))

    with faults_on(watermarks, fault, operation="TransactWriteItems"):
        add(watermarks, job, "jr_mine", rows_collected=1)

    assert watermarks.get_most_recent_run_id(job) == "jr_other"
    assert [(run["runId"], run["version"]) for run in watermarks.history(job)] == [("jr_other", 2), ("jr_mine", 1)]


def test_add__same_run_again_and_its_answer_lost(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    add(watermarks, job, "jr_1", checkpoint=1)

    with faults_on(watermarks, applied_then_lost(), operation="TransactWriteItems"):
        add(watermarks, job, "jr_1", checkpoint=2)

    assert watermarks.get_watermark_values(job) == {"checkpoint": 2}
    assert table.item(job)["version"] == {"N": "2"}


def test_add__request_itself_lost(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    lost = breakdown(ConnectionClosedError(endpoint_url="http://127.0.0.1"))

    with faults_on(watermarks, lost, operation="TransactWriteItems") as line:
        add(watermarks, job, "jr_1", rows_collected=1)

    assert line.sent == ["TransactWriteItems"] * 2
    assert table.item(job)["version"] == {"N": "1"}


def test_add__answer_lost_and_the_line_stays_down(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    faults = [applied_then_lost(), *[breakdown(LOST)] * 1_000]

    with faults_on(watermarks, *faults, operation="TransactWriteItems"), pytest.raises(TableUnavailableError):
        add(watermarks, job, "jr_1", rows_collected=1)

    # Nobody could know; a job that tries again finds its own write and replaces it.
    add(watermarks, job, "jr_1", rows_collected=1)
    assert watermarks.get_watermark_values(job) == {"rows_collected": 1}
    assert table.count(job) == 2


def test_adopt__answer_lost(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    table.put(job, "jr_older", watermarks={"M": {"rows": {"N": "1"}}})

    with faults_on(watermarks, applied_then_lost(), operation="TransactWriteItems"):
        watermarks.adopt(job, "jr_older")

    assert watermarks.get_most_recent_run_id(job) == "jr_older"
    assert table.item(job)["version"] == {"N": "1"}


def test_take__answer_lost(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    add(watermarks, job, "jr_0", rows_collected=1)

    with faults_on(watermarks, applied_then_lost(), operation="UpdateItem") as line:
        state = watermarks._table.take(job, Lease("token", "jr_1", NOON, NOON.replace(hour=13)))

    assert line.sent == ["UpdateItem"] * 2
    assert (state.latest_run_id, state.version, state.lease) == ("jr_0", 1, None)
    assert table.item(job)["lease"]["M"]["token"] == {"S": "token"}


def test_take__answer_lost_for_somebody_else(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    later = NOON.replace(hour=13)
    table.watermarks()._table.take(job, Lease("other", "jr_other", NOON, later))

    with (
        faults_on(watermarks, breakdown(LOST), operation="UpdateItem"),
        pytest.raises(LeaseRefusedError) as refusal,
    ):
        watermarks._table.take(job, Lease("token", "jr_1", NOON, later))

    state: Any = refusal.value.state
    assert state.lease.run_id == "jr_other"


@pytest.mark.parametrize("renewed", [True, False], ids=["held", "lost"])
def test_renew__answer_lost(watermarks: Watermarks, job: str, renewed: bool) -> None:
    watermarks._table.take(job, LEASE)
    lease = LEASE if renewed else Lease("another", "jr_2", NOON, NOON)
    fault = applied_then_lost() if renewed else breakdown(LOST)

    with faults_on(watermarks, fault, operation="UpdateItem"):
        assert watermarks._table.renew(job, lease) is renewed
