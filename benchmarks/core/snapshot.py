"""Putting a job back to where it stood, between two rounds: its items, restored behind the package's back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Snapshot:
    """All items of a job at one moment."""

    client: Any
    table: str
    job: str
    items: tuple[dict[str, Any], ...]

    @classmethod
    def take(cls, client: Any, table: str, job: str) -> Snapshot:
        """Copy the job's items."""
        return cls(client, table, job, tuple(_items(client, table, job)))

    def restore(self) -> None:
        """Take away what came since, and put back what was there."""
        kept = {item["runId"]["S"] for item in self.items}
        for item in _items(self.client, self.table, self.job):
            if item["runId"]["S"] not in kept:
                key = {name: item[name] for name in ("jobName", "runId")}
                self.client.delete_item(TableName=self.table, Key=key)
        for item in self.items:
            self.client.put_item(TableName=self.table, Item=item)


def _items(client: Any, table: str, job: str) -> list[dict[str, Any]]:
    pages = client.get_paginator("query").paginate(
        TableName=table,
        KeyConditionExpression="jobName = :job",
        ExpressionAttributeValues={":job": {"S": job}},
        ConsistentRead=True,
    )
    return [item for page in pages for item in page["Items"]]
