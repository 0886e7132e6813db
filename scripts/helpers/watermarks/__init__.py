"""Incremental loads for Spark on AWS Glue: watermarks in DynamoDB, full-then-delta in one block."""

from scripts.helpers.watermarks.errors import (
    BrokenItemError,
    ConflictError,
    FutureValuesError,
    InvalidArgumentError,
    InvalidItemError,
    JobAlreadyRunningError,
    NotPicklableError,
    NullValuesError,
    RunStateError,
    RunSupersededError,
    TableAccessError,
    TableError,
    TableNotFoundError,
    TableUnavailableError,
    UnadoptedItemsError,
    UnknownNameError,
    UnsupportedColumnError,
    UnsupportedValueError,
    WatermarkError,
    WatermarkMismatchError,
    WatermarkNotFoundError,
)
from scripts.helpers.watermarks.job_run import Batch, JdbcTable, JobRun
from scripts.helpers.watermarks.operations import Changed
from scripts.helpers.watermarks.table.views import WatermarkItem
from scripts.helpers.watermarks.values import WatermarkValues
from scripts.helpers.watermarks.watermarks import Watermarks
from scripts.helpers.watermarks.window import Window

__all__ = [
    "Batch",
    "BrokenItemError",
    "Changed",
    "ConflictError",
    "FutureValuesError",
    "InvalidArgumentError",
    "InvalidItemError",
    "JdbcTable",
    "JobAlreadyRunningError",
    "JobRun",
    "NotPicklableError",
    "NullValuesError",
    "RunStateError",
    "RunSupersededError",
    "TableAccessError",
    "TableError",
    "TableNotFoundError",
    "TableUnavailableError",
    "UnadoptedItemsError",
    "UnknownNameError",
    "UnsupportedColumnError",
    "UnsupportedValueError",
    "WatermarkError",
    "WatermarkItem",
    "WatermarkMismatchError",
    "WatermarkNotFoundError",
    "WatermarkValues",
    "Watermarks",
    "Window",
]
