"""The glue-watermarks table in DynamoDB. Nothing outside this folder talks to it."""

from pynamodb.expressions.condition import Condition

from scripts.helpers.watermarks.table import conditions
from scripts.helpers.watermarks.table.changes import (
    Plan,
    already_running,
    change_job,
    refuse_unadopted,
    refuse_while_running,
)
from scripts.helpers.watermarks.table.checking import refuse_broken_sources
from scripts.helpers.watermarks.table.items import Change, FileDigests, JobState, Lease, RunRecord, Status, Values
from scripts.helpers.watermarks.table.reads import Backoff
from scripts.helpers.watermarks.table.store import (
    LeaseRefusedError,
    RecordExistsError,
    StateChangedError,
    WatermarkTable,
)

__all__ = [
    "Backoff",
    "Change",
    "Condition",
    "FileDigests",
    "JobState",
    "Lease",
    "LeaseRefusedError",
    "Plan",
    "RecordExistsError",
    "RunRecord",
    "StateChangedError",
    "Status",
    "Values",
    "WatermarkTable",
    "already_running",
    "change_job",
    "conditions",
    "refuse_broken_sources",
    "refuse_unadopted",
    "refuse_while_running",
]
