"""Every exception of the package, under one base.

A message names what failed, gives the value seen, then the remedy. The same facts are attributes, for code that
wants to react to them. Nothing here does any work.
"""

from __future__ import annotations

from datetime import datetime


class WatermarkError(Exception):
    """Base of every error raised by this package."""

    def __init__(self, message: str, **facts: object) -> None:
        """Keep the message, and every fact as an attribute of the same name."""
        super().__init__(message)
        self.__dict__.update(facts)

    def __str__(self) -> str:
        """Give the message as written, also where a base class (KeyError) would quote it."""
        return str(self.args[0]) if self.args else ""


class InvalidArgumentError(WatermarkError, ValueError):
    """An argument cannot be used: an empty id, an unknown option, a value of the wrong type."""

    argument: str
    value: object


class InvalidItemError(InvalidArgumentError):
    """An item given to `add_watermark` does not have the shape that `create_watermark_item` gives."""


class UnsupportedValueError(WatermarkError, ValueError):
    """A value cannot be kept in the table, or would not come back as it went in."""

    key_path: str
    value_type: str


class UnknownNameError(WatermarkError, KeyError):
    """A watermark was asked for under a name that the run did not record."""

    name: str
    recorded: tuple[str, ...]


class WatermarkNotFoundError(WatermarkError, LookupError):
    """A run was never recorded, or it failed, so that it has no watermark."""

    job_id: str
    run_id: str
    table_name: str


class UnadoptedItemsError(WatermarkError):
    """The job has items of the platform's original class but no state: nobody knows which is the latest."""

    job_id: str
    run_ids: tuple[str, ...]
    table_name: str


class BrokenItemError(WatermarkError):
    """An item of the table cannot be understood. It is never treated as if it were not there."""

    job_id: str
    item: str
    attribute: str
    table_name: str


class NotPicklableError(WatermarkError, TypeError):
    """An object that holds a connection or a lease was about to be shipped to another process."""


class MissingExtraError(WatermarkError, ImportError):
    """What was asked for needs a library that comes with one of the package's extras."""

    extra: str


class TableError(WatermarkError):
    """A request to the table failed."""

    table_name: str
    region: str | None


class TableNotFoundError(TableError):
    """The table does not exist in this region."""


class TableAccessError(TableError):
    """No credentials, no region, or no permission for this request; `code` is AWS's word for it, where it said one."""

    code: str


class TableUnavailableError(TableError):
    """DynamoDB could not be reached, or kept throttling or failing, until the retries were used up."""


class ConflictError(TableError):
    """Others kept changing the same job until the retries were used up."""

    job_id: str


class JobAlreadyRunningError(WatermarkError):
    """Another run holds the job."""

    job_id: str
    run_id: str
    holder: str
    since: datetime
    until: datetime


class RunSupersededError(WatermarkError):
    """The run no longer holds its job, so it cannot commit."""

    job_id: str
    run_id: str


class RunStateError(WatermarkError, RuntimeError):
    """A run was used in the wrong order: read before `begin`, after `commit`, or one source twice."""

    job_id: str
    run_id: str


class UnsupportedColumnError(WatermarkError, TypeError):
    """A column has a type that cannot carry a mark, or is not there at all."""

    column: str


class WatermarkMismatchError(WatermarkError):
    """The mark of a source was taken on another column or type, or among other files, than is now read."""

    job_id: str
    transformation_ctx: str


class NullValuesError(WatermarkError, ValueError):
    """The column holds nulls and `nulls="error"` was asked for."""

    column: str
    count: int


class FutureValuesError(WatermarkError, ValueError):
    """The column holds values later than now and `future="error"` was asked for."""

    column: str
    count: int
