"""The pynamodb model of the table: its keys, attributes and indexes. It says what is stored, not when.

Every kind of item (section 3 of the design) is of this one model. `item_model` gives a subclass per `Watermarks`
object, so that two of them on different tables or endpoints share nothing.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from pynamodb.attributes import Attribute, BinaryAttribute, NumberAttribute, UnicodeAttribute
from pynamodb.connection.table import TableConnection
from pynamodb.constants import MAP, STRING
from pynamodb.exceptions import AttributeDeserializationError
from pynamodb.expressions.operand import Path
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex, IncludeProjection
from pynamodb.models import Model

from scripts.helpers.watermarks.errors import BrokenItemError
from scripts.helpers.watermarks.table.client import SessionConnection
from scripts.helpers.watermarks.table.session import AwsSession
from scripts.helpers.watermarks.table.wire import map_from_wire, map_to_wire
from scripts.helpers.watermarks.values import StoredMap

LATEST = "#latest"
CHANGE = "#change/"
FILES = "#files/"
LEASE_TOKEN = Path(["lease", "token"])
LEASE_RUN_ID = Path(["lease", "runId"])
LEASE_UNTIL = Path(["lease", "until"])


def instant_text(moment: datetime) -> str:
    """Write a moment in UTC, always with microseconds, so that text order is time order."""
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_instant(text: str) -> datetime:
    """Read a moment written by `instant_text`."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)


class InstantAttribute(Attribute[datetime]):
    """A moment, as sortable ISO-8601 text in UTC."""

    attr_type = STRING

    def serialize(self, value: datetime) -> str:
        """Write the moment."""
        return instant_text(value)

    def deserialize(self, value: str) -> datetime:
        """Read the moment."""
        return parse_instant(value)


class StoredMapAttribute(Attribute[StoredMap]):
    """A map of stored values: pynamodb's own MapAttribute refuses Decimal and rounds numbers of 38 digits."""

    attr_type = MAP

    def serialize(self, value: StoredMap) -> Any:
        """Write the map."""
        return map_to_wire(value)

    def deserialize(self, value: Any) -> StoredMap:
        """Read the map."""
        return map_from_wire(value)


class RunsByTime(GlobalSecondaryIndex["Item"]):  # type: ignore[no-untyped-call]
    """The runs of a job by the time they were recorded: history, newest first."""

    class Meta:
        """The index's name and what it projects."""

        index_name = "runs-by-time"
        projection = AllProjection()

    job_name = UnicodeAttribute(hash_key=True, attr_name="jobName")
    recorded_at = InstantAttribute(range_key=True, attr_name="recordedAt")


class LatestByJob(GlobalSecondaryIndex["Item"]):  # type: ignore[no-untyped-call]
    """The state of every job, and nothing else: only state items have `stateOf`."""

    class Meta:
        """The index's name and what it projects."""

        index_name = "latest-by-job"
        projection = IncludeProjection(
            ["latestRunId", "version", "lastBatchId", "updatedAt", "watermarks", "watermarkTypes"]
        )

    state_of = UnicodeAttribute(hash_key=True, attr_name="stateOf")


class Item(Model):
    """Any item of the table."""

    job_name = UnicodeAttribute(hash_key=True, attr_name="jobName")
    run_id = UnicodeAttribute(range_key=True, attr_name="runId")

    # What a run recorded; on the state, what the latest run recorded.
    watermarks = StoredMapAttribute(null=True)
    watermark_types = StoredMapAttribute(null=True, attr_name="watermarkTypes")
    sources = StoredMapAttribute(null=True)
    version = NumberAttribute(null=True)
    commit_id = UnicodeAttribute(null=True, attr_name="commitId")

    # The state of a job.
    state_of = UnicodeAttribute(null=True, attr_name="stateOf")
    latest_run_id = UnicodeAttribute(null=True, attr_name="latestRunId")
    last_batch_id = NumberAttribute(null=True, attr_name="lastBatchId")
    updated_at = InstantAttribute(null=True, attr_name="updatedAt")
    lease = StoredMapAttribute(null=True)
    attempts = NumberAttribute(null=True)
    recent_runs = BinaryAttribute(null=True, legacy_encoding=False, attr_name="recentRuns")

    # The record of a run.
    status = UnicodeAttribute(null=True)
    batch_id = NumberAttribute(null=True, attr_name="batchId")
    previous_run_id = UnicodeAttribute(null=True, attr_name="previousRunId")
    started_at = InstantAttribute(null=True, attr_name="startedAt")
    recorded_at = InstantAttribute(null=True, attr_name="recordedAt")
    attempt = NumberAttribute(null=True)
    error = UnicodeAttribute(null=True)
    expires_at = NumberAttribute(null=True, attr_name="expiresAt")

    # Digests of files.
    digests = BinaryAttribute(null=True, legacy_encoding=False)

    # An operator's change.
    operation = UnicodeAttribute(null=True)
    changed_by = UnicodeAttribute(null=True, attr_name="changedBy")
    changed_at = InstantAttribute(null=True, attr_name="changedAt")
    reason = UnicodeAttribute(null=True)
    before = StoredMapAttribute(null=True)
    after = StoredMapAttribute(null=True)

    runs_by_time = RunsByTime()
    latest_by_job = LatestByJob()

    @classmethod
    def from_raw_data(cls, data: dict[str, Any]) -> Item:
        """Read an item, refusing what this version of the package does not understand."""
        if data is None:
            raise ValueError("no item")
        known = {attribute.attr_name: name for name, attribute in cls.get_attributes().items()}
        for name, value in data.items():
            if name not in known:
                raise broken_item(cls, data, name, "is not known to this version of glue-watermarks")
            _check_readable(cls, data, name, getattr(cls, known[name]), value)
        return super().from_raw_data(data)


def _check_readable(model: type[Item], data: dict[str, Any], name: str, attribute: Attribute[Any], value: Any) -> None:
    if "NULL" in value:
        raise broken_item(model, data, name, "is null")
    try:
        attribute.deserialize(attribute.get_value(value))
    except (AttributeDeserializationError, TypeError, ValueError, ArithmeticError) as error:
        raise broken_item(model, data, name, f"cannot be read from {value!r}") from error


def broken_item(model: type[Item], data: dict[str, Any], attribute: str, problem: str) -> BrokenItemError:
    """Build the error for an item that cannot be understood, from its raw form."""
    job_id, item = (next(iter(data.get(key, {"S": "?"}).values())) for key in ("jobName", "runId"))
    return broken(model.Meta.table_name, job_id, item, attribute, problem)


def broken(table_name: str, job_id: str, item: str, attribute: str, problem: str) -> BrokenItemError:
    """Build the error for an item that cannot be understood."""
    return BrokenItemError(
        f"Item jobName={job_id!r}, runId={item!r} of table {table_name!r} cannot be used: its attribute "
        f"{attribute!r} {problem}. Nothing was read or changed. Mend the attribute in the console, or restore the "
        "item from a point-in-time recovery.",
        job_id=job_id,
        item=item,
        attribute=attribute,
        table_name=table_name,
    )


def item_model(table_name: str, session: AwsSession, region: str | None, endpoint_url: str | None) -> type[Item]:
    """Give the model bound to one table, whose requests are made with the session's credentials."""
    meta = type("Meta", (), {"table_name": table_name, "region": region, "host": endpoint_url})
    model: type[Item] = type("Item", (Item,), {"Meta": meta, "__module__": __name__})
    table = connection_of(model)
    schema = table.get_meta_table()
    table.connection = SessionConnection(session, region, endpoint_url)
    table.connection.add_meta_table(schema)
    return model


def connection_of(model: type[Item]) -> TableConnection:
    """Give the connection behind a model. pynamodb 6.1 has no public name for it."""
    return model._get_connection()  # noqa: SLF001
