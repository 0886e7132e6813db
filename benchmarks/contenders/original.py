"""The requests of the platform's original class: query by job, highest run id first, then get; put to record.

Written from its description. Run ids are random, so the "most recent" run that it finds is most often another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class OriginalStore:
    """Watermarks of jobs, an item for each run, and nothing that says which was the last."""

    client: Any
    table: str

    @classmethod
    def create(cls, client: Any, table: str) -> OriginalStore:
        """Make its table, with the keys that the platform's has."""
        client.create_table(
            TableName=table,
            KeySchema=[{"AttributeName": "jobName", "KeyType": "HASH"}, {"AttributeName": "runId", "KeyType": "RANGE"}],
            AttributeDefinitions=[
                {"AttributeName": "jobName", "AttributeType": "S"},
                {"AttributeName": "runId", "AttributeType": "S"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        return cls(client, table)

    def most_recent_run(self, job: str) -> str | None:
        """Find the run that the original takes for the most recent."""
        found = self.client.query(
            TableName=self.table,
            KeyConditionExpression="jobName = :job",
            ExpressionAttributeValues={":job": {"S": job}},
            ScanIndexForward=False,
            Limit=1,
            ReturnConsumedCapacity="TOTAL",
        )
        return found["Items"][0]["runId"]["S"] if found["Items"] else None

    def mark(self, job: str, run: str | None = None) -> str | None:
        """Look the mark of a run up; of the most recent one where none is given."""
        run = run or self.most_recent_run(job)
        if run is None:
            return None
        key = {"jobName": {"S": job}, "runId": {"S": run}}
        found = self.client.get_item(TableName=self.table, Key=key, ReturnConsumedCapacity="TOTAL")
        mark: str = found["Item"]["watermarks"]["M"]["mark"]["S"]
        return mark

    def record(self, job: str, run: str, mark: str) -> None:
        """Record a run and its mark."""
        item = {"jobName": {"S": job}, "runId": {"S": run}, "watermarks": {"M": {"mark": {"S": mark}}}}
        self.client.put_item(TableName=self.table, Item=item, ReturnConsumedCapacity="TOTAL")
