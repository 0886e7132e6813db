"""Incremental loads for Spark on AWS Glue: watermarks in DynamoDB, full-then-delta in one block.

The names are imported when they are first used: `watermarks --help` needs neither boto3 nor pynamodb, which take
longer to import than everything else together.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scripts.helpers.watermarks.errors import (
        BrokenItemError,
        ConflictError,
        FutureValuesError,
        InvalidArgumentError,
        InvalidItemError,
        JobAlreadyRunningError,
        MissingExtraError,
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
    "MissingExtraError",
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

# Every other name is an error's.
_MODULES = {
    "Batch": "job_run",
    "Changed": "operations",
    "JdbcTable": "job_run",
    "JobRun": "job_run",
    "WatermarkItem": "table.views",
    "WatermarkValues": "values",
    "Watermarks": "watermarks",
    "Window": "window",
}


if not TYPE_CHECKING:  # or a type checker would believe in every name

    def __getattr__(name: str) -> object:
        """Import a public name when it is first asked for."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_MODULES.get(name, 'errors')}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """Name what there is, imported or not."""
    return sorted({*globals(), *__all__})
