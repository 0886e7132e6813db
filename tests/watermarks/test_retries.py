"""Faults that pass by themselves are waited out; those that stay are told in one line."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError, ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError

from scripts.helpers.watermarks import TableError, TableUnavailableError, Watermarks
from scripts.helpers.watermarks.table import Backoff
from tests.support.adding import add
from tests.support.tables import EmulatedTable, Fault, answer, breakdown, cancelled, client_of, faults_on, page

URL = "http://127.0.0.1"
PASSING: dict[str, Fault] = {
    "internal-error": answer(500, "InternalServerError"),
    "unavailable": answer(503, "ServiceUnavailable"),
    "bad-gateway": page(502, "<html>Bad Gateway</html>"),
    "throttled": answer(400, "ThrottlingException"),
    "over-capacity": answer(400, "ProvisionedThroughputExceededException"),
    "over-the-account-limit": answer(400, "RequestLimitExceeded"),
    "read-timeout": breakdown(ReadTimeoutError(endpoint_url=URL)),
    "connect-timeout": breakdown(ConnectTimeoutError(endpoint_url=URL)),
    "connection-closed": breakdown(ConnectionClosedError(endpoint_url=URL)),
    "connection-refused": breakdown(EndpointConnectionError(endpoint_url=URL)),
}
FAULTS = pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)

# Reasons for which DynamoDB cancels a transaction that would succeed a moment later.
CANCELLATIONS = [
    pytest.param(cancelled("None", "TransactionConflict"), id="conflict-on-the-state"),
    pytest.param(cancelled("TransactionConflict", "None"), id="conflict-on-the-record"),
    pytest.param(cancelled("None", "ThrottlingError"), id="throttled"),
    pytest.param(cancelled("ProvisionedThroughputExceeded", "None"), id="over-capacity"),
    pytest.param(answer(400, "TransactionInProgressException"), id="in-progress"),
]


@pytest.fixture
def watermarks(moto_table: EmulatedTable, waits: list[float]) -> Watermarks:
    assert waits == []
    return moto_table.watermarks()


@FAULTS
def test_read__waits_out_a_fault(watermarks: Watermarks, job: str, fault: Fault, waits: list[float]) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)

    with faults_on(watermarks, *[fault] * 3) as line:
        assert watermarks.get_most_recent_run_id(job) == "jr_1"

    assert line.sent == ["GetItem"] * 4
    assert len(waits) == 3


@FAULTS
def test_add__waits_out_a_fault(watermarks: Watermarks, moto_table: EmulatedTable, job: str, fault: Fault) -> None:
    with faults_on(watermarks, *[fault] * 3, operation="TransactWriteItems") as line:
        add(watermarks, job, "jr_1", rows_collected=1)

    assert line.sent == ["TransactWriteItems"] * 4
    assert moto_table.item(job)["version"] == {"N": "1"}
    assert moto_table.count(job) == 2


@pytest.mark.parametrize("fault", CANCELLATIONS)
def test_add__waits_out_a_cancelled_transaction(
    watermarks: Watermarks, moto_table: EmulatedTable, job: str, fault: Fault, waits: list[float]
) -> None:
    with faults_on(watermarks, *[fault] * 3, operation="TransactWriteItems") as line:
        add(watermarks, job, "jr_1", rows_collected=1)

    assert line.sent == ["TransactWriteItems"] * 4
    assert len(waits) == 3
    assert moto_table.item(job)["latestRunId"] == {"S": "jr_1"}
    assert moto_table.item(job)["version"] == {"N": "1"}


@FAULTS
def test_read__gives_up_on_a_fault_that_stays(watermarks: Watermarks, job: str, fault: Fault) -> None:
    with faults_on(watermarks, *[fault] * 100) as line, pytest.raises(TableUnavailableError) as failure:
        watermarks.get_most_recent_run_id(job)

    message = str(failure.value)
    assert message.startswith(f"Cannot read the state of a job: table {watermarks.table_name!r} in region 'eu-west-2'")
    assert "It was retried; try again later" in message
    assert "\n" not in message
    assert len(line.sent) == 6


@pytest.mark.parametrize("fault", [*CANCELLATIONS, *(pytest.param(each, id=name) for name, each in PASSING.items())])
def test_add__gives_up_on_a_fault_that_stays(
    watermarks: Watermarks, moto_table: EmulatedTable, job: str, fault: Fault
) -> None:
    with (
        faults_on(watermarks, *[fault] * 1_000, operation="TransactWriteItems"),
        pytest.raises(TableUnavailableError, match=r"^Cannot add a watermark: table .* kept refusing"),
    ):
        add(watermarks, job, "jr_1", rows_collected=1)

    assert moto_table.items(job) == []


def test_add__a_cancelled_transaction_that_cannot_succeed_is_not_sent_again(watermarks: Watermarks, job: str) -> None:
    refused = cancelled("ValidationError", "None")

    with (
        faults_on(watermarks, *[refused] * 9, operation="TransactWriteItems") as line,
        pytest.raises(TableError, match=r"TransactionCanceledException.*ValidationError") as failure,
    ):
        add(watermarks, job, "jr_1", rows_collected=1)

    assert type(failure.value) is TableError
    assert line.sent == ["TransactWriteItems"]


def test_backoff__full_jitter_under_a_rising_ceiling() -> None:
    slept: list[float] = []
    backoff = Backoff(sleep=slept.append, base=0.1, most=1.0)

    for tries in range(200):
        backoff.wait(tries % 10)

    ceilings = [min(1.0, 0.1 * 2 ** (tries % 10)) for tries in range(200)]
    assert all(0 <= seconds <= ceiling for seconds, ceiling in zip(slept, ceilings, strict=True))
    assert max(slept) > 0.8
    assert len(set(slept)) == 200


def test_client__does_not_hang_for_long(watermarks: Watermarks) -> None:
    config = client_of(watermarks).meta.config

    assert (config.connect_timeout, config.read_timeout) == (5, 10)
    assert config.retries["mode"] == "standard"
    assert "glue-watermarks" in config.user_agent_extra


@contextmanager
def flaky_server(*statuses: int | None) -> Iterator[tuple[str, list[int | None]]]:
    """A DynamoDB on a real socket that answers with these statuses (None: hangs up), then with an empty item."""
    left, seen = list(statuses), list[int | None]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            status = left.pop(0) if left else 200
            seen.append(status)
            if status is None:
                self.close_connection = True
                return
            body = b"{}" if status == 200 else b'{"__type": "InternalServerError"}'
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", seen
        finally:
            server.shutdown()


@pytest.mark.usefixtures("waits")
def test_read__over_a_real_socket_that_fails_at_first() -> None:
    with flaky_server(None, 500, 503, None) as (endpoint_url, seen):
        watermarks = EmulatedTable(endpoint_url, "glue-watermarks").watermarks()

        with pytest.raises(LookupError, match="was never recorded"):
            watermarks.get_watermark("repairs", "jr_1")

    assert seen[:5] == [None, 500, 503, None, 200]
