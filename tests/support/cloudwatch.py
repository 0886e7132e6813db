"""CloudWatch in a test: what is sent to it, what moto keeps of that, and endpoints that misbehave."""

import json
import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import Any

from tests.support.tables import session

Call = dict[str, float]


def named(datum: dict[str, Any]) -> str:
    """A metric's name, with its source where it has one: `RowsLoaded`, `RowsLoaded of repairs`."""
    dimensions = {each["Name"]: each["Value"] for each in datum["Dimensions"]}
    return f"{datum['MetricName']} of {dimensions['Source']}" if "Source" in dimensions else str(datum["MetricName"])


@contextmanager
def calls_to_cloudwatch(job: str | None = None) -> Iterator[list[Call]]:
    """See the metrics of every call that is made within the block, of one job where given."""
    calls: list[Call] = []

    def see(params: dict[str, Any], **_: Any) -> None:
        data = params["MetricData"]
        jobs = {each["Dimensions"][0]["Value"] for each in data}
        assert params["Namespace"] == "GlueWatermarks"
        if job is None or jobs == {job}:
            # To the millisecond: what is recorded at the same time is recorded a microsecond apart.
            calls.append({named(datum): round(datum["Value"], 3) for datum in data})

    event = "provide-client-params.cloudwatch.PutMetricData"
    session().events.register(event, see)
    try:
        yield calls
    finally:
        session().events.unregister(event, see)


def kept_by_moto(endpoint_url: str, job: str) -> dict[str, tuple[float, float, str]]:
    """What moto keeps of a job: of each metric how many values, their sum and their unit."""
    client = session().client("cloudwatch", endpoint_url=endpoint_url)
    pages = client.get_paginator("list_metrics").paginate(Namespace="GlueWatermarks")
    of_job = {"Name": "JobName", "Value": job}
    found = {}
    for metric in (each for page in pages for each in page["Metrics"] if of_job in each["Dimensions"]):
        # By the unit it has to have, since moto tells none; not get_metric_statistics, for which moto 5.2 takes the
        # metrics of sources for those of their job.
        for unit in ("Count", "Seconds"):
            count, total = (_statistic(client, metric, name, unit) for name in ("SampleCount", "Sum"))
            if count:
                found[named(metric)] = count, total, unit
    return found


def _statistic(client: Any, metric: dict[str, Any], statistic: str, unit: str) -> float:
    now = datetime.now(timezone.utc)
    query = {"Metric": metric, "Period": 7_200, "Stat": statistic, "Unit": unit}
    (told,) = client.get_metric_data(
        MetricDataQueries=[{"Id": "asked", "MetricStat": query}],
        StartTime=now - timedelta(hours=1),
        EndTime=now + timedelta(hours=1),
    )["MetricDataResults"]
    return float(sum(told["Values"]))


@contextmanager
def endpoint(answer: Callable[[Any], None]) -> Iterator[str]:
    """A server on loopback that takes a request and then does with the connection what it is told to."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65_536)
            answer(self.request)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, *_: Any) -> None:
            """Say nothing of clients that hang up."""

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def refuses(connection: Any) -> None:
    """Answer as CloudWatch does to a role that may not publish."""
    body = json.dumps({"__type": "AccessDenied", "message": "User is not authorized to do this"}).encode()
    head = f"HTTP/1.1 403 Forbidden\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)


def hangs(until: threading.Event) -> Callable[[Any], None]:
    """Take the request and never answer."""

    def answer(_: Any) -> None:
        until.wait(60)

    return answer


def trickles(until: threading.Event) -> Callable[[Any], None]:
    """Answer a byte at a time, often enough that no read ever times out."""

    def answer(connection: Any) -> None:
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"z" * 10_000:
            connection.sendall(bytes([byte]))
            if until.wait(0.05):
                return

    return answer


def elapsed(work: Callable[[], object]) -> float:
    """How long something takes, in seconds."""
    start = time.monotonic()
    work()
    return time.monotonic() - start
