"""A proxy in front of a DynamoDB emulator that breaks requests and answers, on real sockets.

A fault is a function of the proxy and a request: it gives the answer to send, or none to reset the connection. Which
request meets which fault is decided by a plan; the random one is a function of its seed and of the order of requests.
"""

from __future__ import annotations

import http.client
import json
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import pytest

from scripts.helpers.watermarks.table import Backoff

# About the connection rather than the message: each side has its own.
HOP_BY_HOP = frozenset({"connection", "content-length", "date", "keep-alive", "server", "transfer-encoding"})


@dataclass(frozen=True)
class Request:
    """A request as it came in: `operation` is DynamoDB's name for it, such as `UpdateItem`."""

    operation: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Answer:
    """What is sent back. With `missing` bytes, it breaks off before its end."""

    status: int
    headers: dict[str, str]
    body: bytes
    missing: int = 0


Fault: TypeAlias = "Callable[[FaultyProxy, Request], Answer | None]"
Plan: TypeAlias = Callable[[Request], "Fault | None"]


@dataclass
class FaultyProxy:
    """What stands between: every request is seen, and meets the fault that the plan has for it.

    DynamoDB knows a transaction again by its token, for ten minutes. With `forgets_tokens` it does not.
    """

    upstream: str
    plan: Plan = lambda _: None
    endpoint_url: str = ""
    forgets_tokens: bool = False
    seen: list[tuple[str, str]] = field(default_factory=list)
    _postponed: list[tuple[int, Request]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def handle(self, request: Request) -> Answer | None:
        with self._lock:
            fault = self.plan(request)
            self.seen.append((request.operation, getattr(fault, "__name__", "passed")))
            due = [late for number, late in self._postponed if number <= len(self.seen)]
            self._postponed = [late for late in self._postponed if late[0] > len(self.seen)]
        for late in due:
            self.forward(late)
        return self.forward(request) if fault is None else fault(self, request)

    def forward(self, request: Request) -> Answer:
        """Have the emulator carry the request out."""
        body = request.body
        if self.forgets_tokens:
            asked = json.loads(body)
            asked.pop("ClientRequestToken", None)
            body = json.dumps(asked).encode()
        connection = http.client.HTTPConnection(urlsplit(self.upstream).netloc, timeout=30)
        with closing(connection):
            connection.request("POST", "/", body, request.headers)
            answer = connection.getresponse()
            headers = {name: value for name, value in answer.getheaders() if name.lower() not in HOP_BY_HOP}
            return Answer(answer.status, headers, answer.read())

    def postpone(self, request: Request, requests: int) -> None:
        """Have it carried out later: after so many other requests."""
        with self._lock:
            self._postponed.append((len(self.seen) + requests, request))

    def faults(self) -> Counter[str]:
        """How often each fault was met."""
        return Counter(fault for _, fault in self.seen if fault != "passed")

    def operations(self) -> list[str]:
        return [operation for operation, _ in self.seen]


@contextmanager
def faulty_proxy(upstream: str, plan: Plan = lambda _: None) -> Iterator[FaultyProxy]:
    """Stand in front of an emulator for as long as the block lasts."""
    proxy = FaultyProxy(upstream, plan)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            answer = proxy.handle(Request(self.headers["X-Amz-Target"].rpartition(".")[2], kept, body))
            if answer is None:
                reset_connection(self.connection)
                self.close_connection = True
                return
            self.send_response_only(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            self.wfile.write(answer.body[: len(answer.body) - answer.missing])
            self.close_connection = answer.missing > 0

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """Say nothing of clients that hang up, which is what this is about."""

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        proxy.endpoint_url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield proxy
        finally:
            server.shutdown()


def reset_connection(connection: socket.socket) -> None:
    """Close so that the other side sees a reset, not an orderly end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def error(status: int, code: str, **more: object) -> Answer:
    """An error as DynamoDB tells it."""
    told = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": "made up by the proxy", **more}
    return Answer(status, {"Content-Type": "application/x-amz-json-1.0"}, json.dumps(told).encode())


def cancelled(*reasons: str) -> Answer:
    """A cancelled transaction as DynamoDB tells it, with the reason of each of its items."""
    listed = [{"Code": reason} | ({} if reason == "None" else {"Message": "made up"}) for reason in reasons]
    return error(400, "TransactionCanceledException", CancellationReasons=listed)


def connection_reset(_: FaultyProxy, __: Request) -> None:
    """The request never arrives."""


def bad_gateway(_: FaultyProxy, __: Request) -> Answer:
    return Answer(502, {"Content-Type": "text/html"}, b"<html>Bad Gateway</html>")


def internal_error(_: FaultyProxy, __: Request) -> Answer:
    return error(500, "InternalServerError")


def over_capacity(_: FaultyProxy, request: Request) -> Answer:
    if _is_transaction(request):
        return cancelled("ProvisionedThroughputExceeded", "None")
    return error(400, "ProvisionedThroughputExceededException")


def throttled(_: FaultyProxy, request: Request) -> Answer:
    return cancelled("None", "ThrottlingError") if _is_transaction(request) else error(400, "ThrottlingException")


def conflict(proxy: FaultyProxy, request: Request) -> Answer:
    """Another transaction is at the same item. Reads are never in conflict."""
    if _is_transaction(request):
        return cancelled("None", "TransactionConflict")
    if request.operation == "UpdateItem":
        return error(400, "TransactionConflictException")
    return proxy.forward(request)


def slow(proxy: FaultyProxy, request: Request) -> Answer:
    time.sleep(0.02)
    return proxy.forward(request)


def answer_lost(proxy: FaultyProxy, request: Request) -> None:
    """The request is carried out, and nobody is told."""
    proxy.forward(request)


def answer_cut_short(proxy: FaultyProxy, request: Request) -> Answer:
    """The request is carried out, and its answer breaks off."""
    answer = proxy.forward(request)
    return replace(answer, missing=(len(answer.body) + 1) // 2)


def error_although_done(proxy: FaultyProxy, request: Request) -> Answer:
    """The request is carried out, and yet answered with an error, as DynamoDB says a 500 may be."""
    proxy.forward(request)
    return error(500, "InternalServerError")


def arrives_late(proxy: FaultyProxy, request: Request) -> None:
    """The connection breaks, and the request is carried out all the same, when other requests have overtaken it."""
    proxy.postpone(request, requests=1 + len(proxy.seen) % 5)


EVERY_FAULT: tuple[Fault, ...] = (
    connection_reset,
    bad_gateway,
    internal_error,
    over_capacity,
    throttled,
    conflict,
    slow,
    answer_lost,
    answer_cut_short,
    error_although_done,
    arrives_late,
)


def random_faults(seed: int, *, rate: float = 0.12, storms: float = 0.01) -> Plan:
    """Let a share of the requests meet a fault, and now and then most of them for a while.

    The same requests meet the same faults whenever the seed is the same.
    """
    chance = random.Random(seed)
    storm_left = 0

    def plan(_: Request) -> Fault | None:
        nonlocal storm_left
        if chance.random() < storms:
            storm_left = chance.randint(5, 30)
        storm_left -= storm_left > 0
        return chance.choice(EVERY_FAULT) if chance.random() < (0.9 if storm_left else rate) else None

    return plan


def nth_request(fault: Fault, operation: str, number: int = 1, times: int = 1) -> Plan:
    """Let the nth request of an operation meet a fault, and so many after it (retries are requests too)."""
    met = 0

    def plan(request: Request) -> Fault | None:
        nonlocal met
        met += request.operation == operation
        return fault if request.operation == operation and number <= met < number + times else None

    return plan


def then(fault: Fault, meanwhile: Callable[[], object]) -> Fault:
    """Let something else happen after the fault, before the client knows of it."""

    def both(proxy: FaultyProxy, request: Request) -> Answer | None:
        answer = fault(proxy, request)
        meanwhile()
        return answer

    return both


def retry_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the waits out of botocore's retries and the package's own: a fault is over by requests, not by seconds."""
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None, time=time.time))
    monkeypatch.setattr(Backoff, "wait", lambda *_: None)


def _is_transaction(request: Request) -> bool:
    return request.operation == "TransactWriteItems"
