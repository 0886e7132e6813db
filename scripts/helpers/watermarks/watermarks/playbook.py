"""The playbook's `Watermarks` class: record a watermark in one run, look it up in the next."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, NoReturn

from scripts.helpers.watermarks.errors import NotPicklableError
from scripts.helpers.watermarks.operations import Operations
from scripts.helpers.watermarks.table import WatermarkTable
from scripts.helpers.watermarks.table.recording import adopt_older_run, record_by_hand
from scripts.helpers.watermarks.table.views import (
    WatermarkItem,
    item_view,
    latest_view,
    make_item,
    parse_item,
)
from scripts.helpers.watermarks.values.ids import (
    require_job_id,
    require_metrics,
    require_recorded_id,
    require_retention,
    require_run_id,
    require_table_name,
)
from scripts.helpers.watermarks.watermarks.looking import Looking

if TYPE_CHECKING:
    import boto3

    from scripts.helpers.watermarks.job_run import JobRun
    from scripts.helpers.watermarks.job_run.modes import BookmarkOption


def utc_now() -> datetime:
    """Give the present moment, aware, in UTC."""
    return datetime.now(timezone.utc)


class Watermarks(Looking, Operations):
    """Watermarks of Glue jobs, kept in one DynamoDB table.

    Example:
        >>> watermarks = Watermarks(table_name="glue-watermarks")
        >>> item = watermarks.create_watermark_item(job_id="repairs", run_id="jr_1", latest_data="2023-03-16 15:45:00")
        >>> watermarks.add_watermark(item)
        >>> watermarks.get_watermark(job_id="repairs")["watermarks"]["latest_data"]
        '2023-03-16 15:45:00'
    """

    def __init__(
        self,
        table_name: str,
        *,
        region_name: str | None = None,
        endpoint_url: str | None = None,
        boto3_session: boto3.Session | None = None,
        retention: timedelta | None = None,
        metrics: bool | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        """Name the table; the first request is made when it is needed.

        Args:
            table_name: the table, usually `glue-watermarks`.
            region_name: the table's region; otherwise the session's, or AWS_REGION, or the profile's.
            endpoint_url: where DynamoDB answers; otherwise AWS_ENDPOINT_URL_DYNAMODB, or AWS itself.
            boto3_session: whose credentials to use, for instance of an assumed role.
            retention: how long the record of a run is kept; forever where not given. The state of a job never expires.
            metrics: whether runs publish CloudWatch metrics; on AWS and nowhere else where not given.
            clock: tells the time, for tests.

        Raises:
            InvalidArgumentError: the table name, the retention or `metrics` cannot be used.
        """
        require_table_name(table_name)
        require_retention(retention)
        require_metrics(metrics)
        self.table_name = table_name
        self.retention = retention
        self.metrics = metrics
        self._clock = clock
        self._table = WatermarkTable(
            table_name, region_name=region_name, endpoint_url=endpoint_url, boto3_session=boto3_session
        )

    @staticmethod
    def create_watermark_item(job_id: str, run_id: str, **watermarks: object) -> WatermarkItem:
        """Make the item of a run, ready for `add_watermark`.

        Args:
            job_id: the job's name (`JOB_NAME`).
            run_id: the run (`JOB_RUN_ID`).
            **watermarks: the values to record, by name.

        Returns:
            A dict with the keys `jobName`, `runId` and `watermarks`.

        Raises:
            InvalidArgumentError: an id or a name cannot be used.
            UnsupportedValueError: a value cannot be kept.

        Example:
            >>> Watermarks.create_watermark_item(job_id="repairs", run_id="jr_1", rows_collected=808)
            {'jobName': 'repairs', 'runId': 'jr_1', 'watermarks': {'rows_collected': 808}}
        """
        return make_item(job_id, run_id, watermarks)

    def add_watermark(self, watermark_item: WatermarkItem) -> None:
        """Record a run's watermark and make it the job's latest, in one atomic step.

        Adding the same run again replaces that run's values and makes it the latest once more.

        Args:
            watermark_item: what `create_watermark_item` gave.

        Raises:
            InvalidItemError: the item has not the three keys, or more.
            UnsupportedValueError: a value cannot be kept, or the item is over 400 KB.
            JobAlreadyRunningError: a `JobRun` holds the job.
            UnadoptedItemsError: the job's older items were not adopted yet.
            TableError: the table does not exist, or cannot be reached or written.

        Example:
            >>> watermarks.add_watermark(watermarks.create_watermark_item("repairs", "jr_1", rows_collected=808))
        """
        job_id, run_id, values = parse_item(watermark_item)
        record_by_hand(self._table, job_id, run_id, values, clock=self._clock, retention=self.retention)

    def adopt(self, job_id: str, run_id: str) -> None:
        """Go on from a run that the platform's original class recorded: make it the job's latest.

        Args:
            job_id: the job, which has no state yet.
            run_id: the run to go on from.

        Raises:
            WatermarkNotFoundError: no such run is recorded.
            InvalidArgumentError: the job already has a latest run.
        """
        older = self._table.record(require_job_id(job_id), require_run_id(run_id))
        if older is None:
            raise self._not_found(job_id, run_id, "was never recorded")
        adopt_older_run(self._table, older, clock=self._clock, retention=self.retention)

    def get_most_recent_run_id(self, job_id: str) -> str | None:
        """Give the most recently recorded successful run of a job, whatever its id is; None before the first.

        Example:
            >>> watermarks.get_most_recent_run_id(job_id="repairs")
            'jr_1'
        """
        state = self._state(job_id)
        return None if state is None else state.latest_run_id

    def get_watermark(self, job_id: str, run_id: str | None = None) -> WatermarkItem | None:
        """Give what a run recorded.

        Args:
            job_id: the job.
            run_id: the run; the most recent one where not given.

        Returns:
            A dict with the keys `jobName`, `runId` and `watermarks`; None if no run is recorded yet and no run id
            was given.

        Raises:
            WatermarkNotFoundError: the run was never recorded, or it failed.

        Example:
            >>> watermarks.get_watermark(job_id="repairs", run_id="jr_1")["watermarks"]["latest_data"]
            '2023-03-16 15:45:00'
        """
        if run_id is None:
            return latest_view(self._state(job_id))
        record = self._table.record(require_job_id(job_id), require_recorded_id(run_id))
        if record is None:
            # The record of the latest run may have expired; its values are also in the state.
            state = self._table.state(job_id)
            if state is None or state.latest_run_id != run_id:
                raise self._not_found(job_id, run_id, "was never recorded, or its record has expired")
            return latest_view(state)
        if record.status == "FAILED":
            raise self._not_found(job_id, run_id, f"FAILED ({record.error}) and so left no watermark")
        return item_view(job_id, run_id, record.watermarks)

    def get_watermark_values(self, job_id: str, run_id: str | None = None) -> dict[str, Any] | None:
        """Give just the values that a run recorded; None if no run is recorded yet and no run id was given.

        Example:
            >>> watermarks.get_watermark_values(job_id="repairs")
            {'latest_data': '2023-03-16 15:45:00'}
        """
        watermark = self.get_watermark(job_id, run_id)
        return None if watermark is None else watermark["watermarks"]

    def job_run(
        self,
        job_id: str,
        run_id: str,
        bookmark_option: BookmarkOption = "job-bookmark-enable",
        bookmark_from: str | None = None,
        bookmark_to: str | None = None,
        lease: timedelta = timedelta(minutes=5),
        wait: timedelta | None = None,
        metrics: bool | None = None,
    ) -> JobRun:
        """Make a run of a job: use it in a `with` block, or call its `begin` and `commit`.

        Args:
            job_id: the job's name (`JOB_NAME`).
            run_id: the run (`JOB_RUN_ID`).
            bookmark_option: Glue's own: `job-bookmark-enable` loads what is new and moves the marks;
                `job-bookmark-pause` loads what is new and moves nothing; `job-bookmark-disable` loads everything.
            bookmark_from: with pause and `bookmark_to`: load what came after this run …
            bookmark_to: … up to and including this one.
            lease: for how long the job is held without a sign of life. It is renewed while the run works.
            wait: how long to wait for another run of the job to end; not at all where not given.
            metrics: whether this run publishes CloudWatch metrics; as the `Watermarks` object says where not given.

        Returns:
            The run, not yet begun.

        Raises:
            InvalidArgumentError: an option is unknown or does not go with the others.

        Example:
            >>> with watermarks.job_run(job_id="repairs", run_id="jr_2") as run:
            ...     new = run.new_rows(df, column="last_modified", transformation_ctx="repairs")
        """
        # Who only looks something up, as the command does, need not wait for this to be imported.
        from scripts.helpers.watermarks.job_run import JobRun
        from scripts.helpers.watermarks.job_run.settings import RunSettings

        settings = RunSettings(
            job_id=job_id,
            run_id=run_id,
            option=bookmark_option,
            bookmark_from=bookmark_from,
            bookmark_to=bookmark_to,
            lease=lease,
            wait=wait,
            retention=self.retention,
            clock=self._clock,
            metrics=self.metrics if metrics is None else metrics,
        )
        return JobRun(self._table, settings)

    def create_table(self) -> None:
        """Create the table, for emulators and tests: on AWS, Terraform in `infra/` does it, with protection on."""
        self._table.create_table()

    def __getstate__(self) -> NoReturn:
        """Refuse to be pickled: a connection in a Spark closure would be opened by every task."""
        raise NotPicklableError(
            "Watermarks cannot be pickled, so it cannot be used inside a Spark function (a UDF, foreach, "
            "mapPartitions). Read what you need from it on the driver and pass on the plain values."
        )
