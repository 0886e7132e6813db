"""The requests that a boto3 client makes to DynamoDB, and the capacity that each consumed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Requests:
    """What was asked, each request once however often it was sent, and the units that it took."""

    names: list[str] = field(default_factory=list)
    units: float = 0.0

    def asked(self, model: Any, **_: Any) -> None:
        """Note a request."""
        self.names.append(model.name)

    def answered(self, parsed: Any, **_: Any) -> None:
        """Note what a request took, as DynamoDB tells it."""
        told = parsed.get("ConsumedCapacity", ())
        self.units += sum(each["CapacityUnits"] for each in (told if isinstance(told, list) else [told]))


@contextmanager
def requests_of(client: Any) -> Iterator[Requests]:
    """See every request that is made within the block."""
    requests, events = Requests(), client.meta.events
    watchers = (("before-parameter-build.dynamodb", requests.asked), ("after-call.dynamodb", requests.answered))
    for event, watcher in watchers:
        events.register(event, watcher)
    try:
        yield requests
    finally:
        for event, watcher in watchers:
            events.unregister(event, watcher)
