"""Reading the table. What decides is read by key and strongly consistent; indexes, which lag, only list."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from pynamodb.connection import Connection
from pynamodb.exceptions import TableDoesNotExist

from scripts.helpers.watermarks.errors import BrokenItemError
from scripts.helpers.watermarks.table.addresses import is_aws_dynamodb
from scripts.helpers.watermarks.table.client import Place, errors_in_words, resolve_region
from scripts.helpers.watermarks.table.console import console_addresses
from scripts.helpers.watermarks.table.identity import caller_identity
from scripts.helpers.watermarks.table.items import Change, JobState, RunRecord
from scripts.helpers.watermarks.table.model import CHANGE, LATEST, Item, connection_of, item_model
from scripts.helpers.watermarks.table.parsing import read_change, read_listed_state, read_record, read_state
from scripts.helpers.watermarks.table.session import AwsSession, EnvironmentSession

if TYPE_CHECKING:
    import boto3

PAGE = 100

T = TypeVar("T")


@dataclass(frozen=True)
class Backoff:
    """How to wait between two tries. Tests give a sleep that does not."""

    sleep: Callable[[float], None] = time.sleep
    base: float = 0.05
    most: float = 2.0

    def wait(self, tries: int) -> None:
        """Wait before the next try: exponentially longer, with full jitter."""
        self.sleep(random.uniform(0, min(self.most, self.base * 2**tries)))


class TableReads:
    """One DynamoDB table, reached with one boto3 session: what can be asked of it."""

    def __init__(
        self,
        table_name: str,
        *,
        region_name: str | None = None,
        endpoint_url: str | None = None,
        boto3_session: boto3.Session | None = None,
        backoff: Backoff | None = None,
    ) -> None:
        """Prepare the model; no request is made yet."""
        with errors_in_words(Place(table_name, region_name, endpoint_url), "open an AWS session"):
            session: AwsSession = boto3_session or EnvironmentSession()
            region = resolve_region(region_name, boto3_session, session)
        self.place = Place(table_name, region, endpoint_url)
        self.item = item_model(table_name, session, region, endpoint_url)
        self.backoff = backoff or Backoff()
        self.session = session
        self._caller: str | None = None

    @property
    def endpoint_url(self) -> str:
        """Where the requests really go, whether it was given, is in the environment or is AWS's own."""
        return str(self.client.meta.endpoint_url)

    def caller(self) -> str:
        """Name who is asking; AWS is asked once."""
        if self._caller is None:
            self._caller = caller_identity(self.session, self.client)
        return self._caller

    def console_addresses(self, job_id: str) -> dict[str, str]:
        """Give the addresses of a job in the AWS console; none for an emulator."""
        with errors_in_words(self.place, "open an AWS session"):
            return console_addresses(self.place, job_id, emulated=not is_aws_dynamodb(self.endpoint_url))

    def exists(self, table_name: str | None = None) -> bool:
        """Say whether the table exists, or another one in the same place."""
        with errors_in_words(self.place, "look for the table"):
            try:
                self._connection.describe_table(table_name or self.place.table_name)
            except TableDoesNotExist:
                return False
            return True

    def state(self, job_id: str) -> JobState | None:
        """Read where a job stands: one strongly consistent request."""
        item = self._get(job_id, LATEST, "read the state of a job")
        return None if item is None else read_state(item)

    def record(self, job_id: str, run_id: str) -> RunRecord | None:
        """Read the record of a run: one strongly consistent request."""
        item = self._get(job_id, run_id, "read a run")
        return None if item is None else read_record(item)

    def commit_id(self, job_id: str, item_id: str) -> str | None:
        """Read whose write an item is, by the token it carries."""
        item = self._get(job_id, item_id, "read an item")
        return None if item is None else item.commit_id

    def run_ids(self, job_id: str, prefix: str, limit: int) -> tuple[str, ...]:
        """Read the ids of a job's runs that begin with some text."""
        with errors_in_words(self.place, "look for a run"):
            found = self.item.query(
                job_id,
                self.item.run_id.startswith(prefix),
                consistent_read=True,
                attributes_to_get=["jobName", "runId"],
                page_size=PAGE,
            )
            return tuple(islice((item.run_id for item in found if not item.run_id.startswith("#")), limit))

    def digests(self, job_id: str, item_id: str) -> bytes | None:
        """Read the digests that a source's position points to."""
        item = self._get(job_id, item_id, "read the digests of files")
        return None if item is None else item.digests

    def changes(self, job_id: str, since: int = 0, limit: int | None = None) -> Iterator[Change]:
        """Read what operators changed of a job after a version, newest first."""
        return map(whole, self.changes_with_broken(job_id, since, limit))

    def changes_with_broken(
        self, job_id: str, since: int = 0, limit: int | None = None
    ) -> Iterator[Change | BrokenItemError]:
        """Read the changes of a job; in the place of one that cannot be read is the error that says why."""
        with errors_in_words(self.place, "read the changes of a job"):
            found = self.item.query(
                job_id,
                self.item.run_id.between(f"{CHANGE}{since + 1:012d}", f"{CHANGE}~"),
                scan_index_forward=False,
                consistent_read=True,
                limit=limit,
            )
            yield from _each(found, read_change)

    def history(
        self, job_id: str, limit: int | None, *, before: datetime | None = None, oldest_first: bool = False
    ) -> Iterator[RunRecord]:
        """Read the runs of a job, newest first, page by page as they are asked for."""
        return map(whole, self.history_with_broken(job_id, limit, before=before, oldest_first=oldest_first))

    def history_with_broken(
        self, job_id: str, limit: int | None, *, before: datetime | None = None, oldest_first: bool = False
    ) -> Iterator[RunRecord | BrokenItemError]:
        """Read the runs of a job; in the place of one that cannot be read is the error that says why."""
        with errors_in_words(self.place, "read the history of a job"):
            runs = self.item.runs_by_time.query(
                job_id,
                None if before is None else self.item.recorded_at < before,
                scan_index_forward=oldest_first,
                limit=limit,
                page_size=min(limit or PAGE, PAGE),
            )
            yield from _each(runs, read_record)

    def states(self) -> Iterator[JobState]:
        """Read the state of every job, without any history."""
        with errors_in_words(self.place, "list the jobs"):
            for item in self.item.latest_by_job.scan(page_size=PAGE):
                yield read_listed_state(item)

    def job_ids(self) -> Iterator[str]:
        """Read the name of every job: nothing else of it, so that a damaged one does not hide the others."""
        with errors_in_words(self.place, "list the jobs"):
            for item in self.item.latest_by_job.scan(attributes_to_get=["jobName", "runId"], page_size=PAGE):
                yield item.job_name

    def states_of(self, job_ids: Iterable[str]) -> Iterator[JobState]:
        """Read where jobs stand, up to a hundred in a request, in no particular order."""
        with errors_in_words(self.place, "read the states of jobs"):
            for item in self.item.batch_get([(job_id, LATEST) for job_id in job_ids], consistent_read=True):
                yield read_state(item)

    def older_run_ids(self, job_id: str, limit: int) -> tuple[str, ...]:
        """Find runs that the platform's original class recorded: they have no version."""
        with errors_in_words(self.place, "look for older items of a job"):
            found = self.item.query(
                job_id,
                filter_condition=self.item.version.does_not_exist(),
                consistent_read=True,
                attributes_to_get=["jobName", "runId"],
                page_size=PAGE,
            )
            return tuple(islice((item.run_id for item in found), limit))

    def _get(self, job_id: str, run_id: str, action: str) -> Item | None:
        with errors_in_words(self.place, action):
            try:
                return self.item.get(job_id, run_id, consistent_read=True)
            except self.item.DoesNotExist:
                return None

    @property
    def client(self) -> Any:
        """The boto3 client that makes the requests."""
        return self._connection.client

    @property
    def _connection(self) -> Connection:
        return connection_of(self.item).connection


def _each(items: Iterator[Item], read: Callable[[Item], T]) -> Iterator[T | BrokenItemError]:
    """Read items one by one, also after one that cannot be read.

    pynamodb 6.1 has gone past an item by the time it makes a model of it, so the next call gives the one after it.
    """
    while True:
        found: T | BrokenItemError
        try:
            item = next(items, None)
            if item is None:
                return
            found = read(item)
        except BrokenItemError as error:
            found = error
        yield found


def whole(found: T | BrokenItemError) -> T:
    """Give what was read, refusing what could not be."""
    if isinstance(found, BrokenItemError):
        raise found
    return found
