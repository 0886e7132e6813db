"""What a test does with a table behind the package's back: raw items, requests seen on the wire, a clock to turn."""

import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import cache, cached_property
from io import BytesIO
from typing import Any

import boto3
from botocore.awsrequest import AWSResponse

from scripts.helpers.watermarks import Watermarks

REGION = "eu-west-2"
NOON = datetime(2023, 3, 16, 12, tzinfo=timezone.utc)

Wire = dict[str, Any]


def run_id(number: int) -> str:
    """A run id as Glue makes them: hex digits that say nothing about the order of the runs."""
    return f"jr_{uuid.UUID(int=(number * 0x9E3779B97F4A7C15F39CC0605CEDC835) % 2**128).hex}"


@dataclass
class Clock:
    """A clock that stands still until it is turned."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now

    def turn(self, **by: float) -> None:
        self.now += timedelta(**by)


@cache
def session() -> boto3.Session:
    """One for most tests: a new one reads botocore's data files again, which takes longer than a test's requests."""
    return boto3.Session(region_name=REGION)


@dataclass(frozen=True)
class EmulatedTable:
    """A table of an emulator, its items in DynamoDB's own JSON, as the console shows them."""

    endpoint_url: str
    name: str

    def watermarks(self, **options: Any) -> Watermarks:
        usual: dict[str, Any] = {"table_name": self.name, "endpoint_url": self.endpoint_url, "boto3_session": session()}
        return Watermarks(**usual | options)

    @cached_property
    def client(self) -> Any:
        return session().client("dynamodb", endpoint_url=self.endpoint_url)

    def put(self, job: str, run: str, **attributes: Wire) -> None:
        keys = {"jobName": {"S": job}, "runId": {"S": run}}
        self.client.put_item(TableName=self.name, Item=keys | attributes)

    def put_many(self, items: list[Wire]) -> None:
        """Items in batches, where as many transactions would take minutes."""
        puts = [{"PutRequest": {"Item": item}} for item in items]
        for start in range(0, len(puts), 25):
            told = self.client.batch_write_item(RequestItems={self.name: puts[start : start + 25]})
            assert not told["UnprocessedItems"]

    def item(self, job: str, run: str = "#latest") -> Wire:
        keys = {"jobName": {"S": job}, "runId": {"S": run}}
        item: Wire = self.client.get_item(TableName=self.name, Key=keys, ConsistentRead=True)["Item"]
        return item

    def items(self, job: str) -> list[Wire]:
        """Every item of a job, the state first."""
        return [item for page in self._pages(job) for item in page["Items"]]

    def count(self, job: str) -> int:
        return sum(page["Count"] for page in self._pages(job, Select="COUNT"))

    def edit(self, job: str, run: str = "#latest", /, **changes: Wire | None) -> None:
        """Change attributes as a person does in the console; None removes one."""
        item = self.item(job, run)
        for name, value in changes.items():
            item.pop(name, None)
            if value is not None:
                item[name] = value
        self.client.put_item(TableName=self.name, Item=item)

    def delete(self, job: str, run: str) -> None:
        self.client.delete_item(TableName=self.name, Key={"jobName": {"S": job}, "runId": {"S": run}})

    def _pages(self, job: str, **options: Any) -> Any:
        return self.client.get_paginator("query").paginate(
            TableName=self.name,
            KeyConditionExpression="jobName = :job",
            ExpressionAttributeValues={":job": {"S": job}},
            ConsistentRead=True,
            **options,
        )


def new_table(endpoint_url: str) -> EmulatedTable:
    """A table of its own in an emulator, empty."""
    table = EmulatedTable(endpoint_url, f"watermarks-{uuid.uuid4().hex[:12]}")
    table.watermarks().create_table()
    return table


def client_of(watermarks: Watermarks) -> Any:
    """The boto3 client that makes the requests."""
    return watermarks._table.item._get_connection().connection.client


@dataclass
class Requests:
    """The requests that were made, each counted once however often it was sent."""

    parameters: list[tuple[str, Wire]] = field(default_factory=list)
    consumed: list[float] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.parameters]

    def _asked(self, params: Wire, model: Any, **_: Any) -> None:
        self.parameters.append((model.name, params))

    def _answered(self, parsed: Wire, **_: Any) -> None:
        capacity = parsed.get("ConsumedCapacity", [])
        self.consumed += [each["CapacityUnits"] for each in (capacity if isinstance(capacity, list) else [capacity])]


@contextmanager
def requests_of(watermarks: Watermarks) -> Iterator[Requests]:
    """See every request that is made within the block."""
    requests = Requests()
    events = client_of(watermarks).meta.events
    events.register("before-parameter-build.dynamodb", requests._asked)
    events.register("after-call.dynamodb", requests._answered)
    try:
        yield requests
    finally:
        events.unregister("before-parameter-build.dynamodb", requests._asked)
        events.unregister("after-call.dynamodb", requests._answered)


Fault = Callable[[Any], AWSResponse | None]


@dataclass
class Line:
    """The line to DynamoDB, with faults on it: each request sent meets the next one, until they are used up."""

    faults: list[Fault]
    sent: list[str] = field(default_factory=list)

    def _send(self, request: Any, event_name: str, **_: Any) -> AWSResponse | None:
        self.sent.append(event_name.rpartition(".")[2])
        return self.faults.pop(0)(request) if self.faults else None


@contextmanager
def faults_on(watermarks: Watermarks, *faults: Fault, operation: str = "") -> Iterator[Line]:
    """Let requests (of one operation, where given) meet faults; botocore's retries are requests too."""
    line = Line(list(faults))
    event = "before-send.dynamodb" + (f".{operation}" if operation else "")
    events = client_of(watermarks).meta.events
    events.register(event, line._send)
    try:
        yield line
    finally:
        events.unregister(event, line._send)


def answer(status: int, code: str, message: str = "made up by a test", **more: Any) -> Fault:
    """An error that DynamoDB answers with."""
    told = json.dumps({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": message, **more})
    return page(status, told)


def page(status: int, text: str) -> Fault:
    """An answer of any kind, such as that of a proxy in between."""
    body = text.encode()

    def fault(request: Any) -> AWSResponse:
        raw: Any = BytesIO(body)
        raw.stream = lambda **_: [body]
        headers: Any = {"Content-Type": "application/x-amz-json-1.0"}
        return AWSResponse(request.url, status, headers, raw)

    return fault


def breakdown(error: Exception) -> Fault:
    """A request that never arrives."""

    def fault(_: Any) -> AWSResponse:
        raise error

    return fault


def cancelled(*reasons: str) -> Fault:
    """A transaction that DynamoDB cancelled, with the reason of each of its items."""
    return answer(
        400,
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{', '.join(reasons)}]",
        CancellationReasons=[{"Code": reason} for reason in reasons],
    )
