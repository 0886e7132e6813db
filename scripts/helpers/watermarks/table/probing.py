"""Asking the table about itself: what it is like, what one may do with it, and what time it is there.

Nothing is ever written: the requests that would change something carry a condition that cannot hold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from scripts.helpers.watermarks.table.client import error_code, errors_in_words, in_words
from scripts.helpers.watermarks.table.model import Item
from scripts.helpers.watermarks.table.reads import TableReads

CANNOT_HOLD = "attribute_exists(jobName) AND attribute_not_exists(jobName)"
# A range key that no item has: run ids must not contain "#".
NOBODY = "#doctor"
REFUSED = "AccessDeniedException"
ANSWERS_TO_AN_IMPOSSIBLE_CONDITION = frozenset({"ConditionalCheckFailedException", "TransactionCanceledException"})


@dataclass(frozen=True)
class Described:
    """The table as DynamoDB describes it, and how far this machine's clock is ahead of DynamoDB's."""

    table: dict[str, Any]
    clock_ahead: timedelta | None


class Probes:
    """Questions to one table. Each raises `TableError` where it gets no answer."""

    def __init__(self, table: TableReads) -> None:
        """Take the table to ask about."""
        self._reads = table

    def credentials(self) -> str | None:
        """Say where the credentials come from; None if there are none."""
        with errors_in_words(self._reads.place, "look for credentials"):
            found = self._reads.session.get_credentials()
        return None if found is None else str(getattr(found, "method", "unknown"))

    def describe(self, clock: Callable[[], datetime]) -> Described:
        """Describe the table, and compare the clocks."""
        asked_at = clock()
        answer = self._ask("describe_table")
        middle = asked_at + (clock() - asked_at) / 2
        told = answer["ResponseMetadata"]["HTTPHeaders"].get("date")
        # The header has whole seconds: on average the moment was half a second later.
        there = parsedate_to_datetime(told).replace(tzinfo=timezone.utc) + timedelta(seconds=0.5) if told else None
        return Described(answer["Table"], None if there is None else middle - there)

    def expiry(self) -> str | None:
        """Give the attribute by which items expire; None if they do not."""
        told = self._ask("describe_time_to_live")["TimeToLiveDescription"]
        return told.get("AttributeName") if told.get("TimeToLiveStatus") in ("ENABLED", "ENABLING") else None

    def recovery(self) -> bool:
        """Say whether the table can be restored to a point in time."""
        told = self._ask("describe_continuous_backups")["ContinuousBackupsDescription"]
        return bool(told.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED")

    def may_look(self, job_id: str | None) -> dict[str, bool]:
        """Try what a reader does. Without a job, listing the jobs too."""
        key = {"jobName": {"S": job_id or NOBODY}, "runId": {"S": NOBODY}}
        of_job = {
            "KeyConditionExpression": "jobName = :job",
            "ExpressionAttributeValues": {":job": key["jobName"]},
            "Limit": 1,
        }
        tried = {
            "read an item (GetItem)": self._may("get_item", Key=key),
            "read the items of a job (Query)": self._may("query", **of_job),
            "read a history (Query of runs-by-time)": self._may("query", IndexName="runs-by-time", **of_job),
        }
        if job_id is None:
            tried["list the jobs (Scan of latest-by-job)"] = self._may("scan", IndexName="latest-by-job", Limit=1)
        return tried

    def may_change(self, job_id: str | None) -> dict[str, bool]:
        """Try what a commit does, without any effect."""
        table_name, job = self._reads.place.table_name, {"S": job_id or NOBODY}

        def key(number: int) -> dict[str, Any]:
            return {"jobName": job, "runId": {"S": f"{NOBODY}/{number}"}}

        impossible = {"TableName": table_name, "ConditionExpression": CANNOT_HOLD}
        transaction = [
            {"ConditionCheck": {**impossible, "Key": key(1)}},
            {"Put": {**impossible, "Item": key(2)}},
            {"Update": {**impossible, "Key": key(3), "UpdateExpression": "REMOVE doctor"}},
        ]
        take = {"Key": key(4), "UpdateExpression": "REMOVE doctor", "ConditionExpression": CANNOT_HOLD}
        return {
            "take a job (UpdateItem)": self._may("update_item", **take),
            "commit (PutItem, UpdateItem, ConditionCheckItem)": self._may(
                "transact_write_items", TableName=None, TransactItems=transaction
            ),
        }

    def _may(self, operation: str, **parameters: Any) -> bool:
        """Say whether a request is allowed: one that is refused for any other reason is."""
        try:
            self._send(operation, parameters)
        except ClientError as error:
            if error_code(error) == REFUSED:
                return False
            if error_code(error) not in ANSWERS_TO_AN_IMPOSSIBLE_CONDITION:
                raise self._in_words(error, operation) from error
        except BotoCoreError as error:
            raise self._in_words(error, operation) from error
        return True

    def _ask(self, operation: str) -> dict[str, Any]:
        try:
            return self._send(operation, {})
        except (BotoCoreError, ClientError) as error:
            raise self._in_words(error, operation) from error

    def _send(self, operation: str, parameters: dict[str, Any]) -> dict[str, Any]:
        given = {"TableName": self._reads.place.table_name} | parameters
        request = {name: value for name, value in given.items() if value is not None}
        answer: dict[str, Any] = getattr(self._reads.client, operation)(**request)
        return answer

    def _in_words(self, error: Exception, operation: str) -> Exception:
        return in_words(error, self._reads.place, operation.replace("_", " "))


def needed_indexes() -> dict[str, dict[str, Any]]:
    """Give the indexes that the package needs, as its own model has them. pynamodb 6.1 has no public name for it."""
    schemas = (index._get_schema() for index in (Item.runs_by_time, Item.latest_by_job))  # noqa: SLF001
    return {schema["index_name"]: dict(schema) for schema in schemas}


def missing_in_index(described: dict[str, Any], name: str) -> str | None:
    """Say what an index of the table lacks; None if it is as needed."""
    found = {index["IndexName"]: index for index in described.get("GlobalSecondaryIndexes", ())}.get(name)
    if found is None:
        return "is missing"
    needed = needed_indexes()[name]
    if found["KeySchema"] != needed["key_schema"]:
        has, wanted = (
            ", ".join(key["AttributeName"] for key in keys) for keys in (found["KeySchema"], needed["key_schema"])
        )
        return f"has the keys {has} instead of {wanted}"
    lacking = _not_projected(found["Projection"], needed["projection"])
    if lacking:
        return f"does not hold {lacking}"
    if found.get("IndexStatus") in ("CREATING", "DELETING"):
        return f"is {found['IndexStatus']}: wait until it is ACTIVE"
    return None


def _not_projected(found: dict[str, Any], needed: dict[str, Any]) -> str:
    if found["ProjectionType"] == "ALL":
        return ""
    if needed["ProjectionType"] == "ALL":
        return "all attributes"
    return ", ".join(sorted(set(needed["NonKeyAttributes"]) - set(found.get("NonKeyAttributes", ()))))
