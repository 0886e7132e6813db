"""Writing the table: every change is one conditional request or one transaction. What it means is decided elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError
from pynamodb.constants import PAY_PER_REQUEST_BILLING_MODE
from pynamodb.exceptions import TransactWriteError
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action
from pynamodb.transactions import TransactWrite

from scripts.helpers.watermarks.errors import BrokenItemError, UnsupportedValueError, WatermarkError
from scripts.helpers.watermarks.table import conditions
from scripts.helpers.watermarks.table.client import (
    botocore_cause,
    cancellation_codes,
    error_code,
    errors_in_words,
    in_words,
    is_left_to_us,
)
from scripts.helpers.watermarks.table.items import Change, FileDigests, JobState, Lease, RunRecord, state_wire
from scripts.helpers.watermarks.table.model import LATEST, LEASE_UNTIL, Item, instant_text
from scripts.helpers.watermarks.table.parsing import read_state
from scripts.helpers.watermarks.table.reads import TableReads
from scripts.helpers.watermarks.table.wire import MAX_ITEM_BYTES, WireMap, item_bytes, map_to_wire

# Room that a state keeps for the lease and the counters that are added to it later.
STATE_RESERVE = 2_048
# For what botocore does not retry: a transaction that was cancelled because of a conflict or throttling.
TRANSACTION_ATTEMPTS = 8
# Attributes that a state may lack: an update has to remove them where it does not set them.
OPTIONAL_STATE = (
    "stateOf",
    "latestRunId",
    "commitId",
    "updatedAt",
    "watermarkTypes",
    "lease",
    "attempts",
    "recentRuns",
)


class StateChangedError(WatermarkError):
    """The condition on the state did not hold: somebody else changed or took the job."""


class RecordExistsError(WatermarkError):
    """The condition on the run's record did not hold: it already records a success."""


class LeaseRefusedError(WatermarkError):
    """Somebody else holds the job; the state shows who."""

    def __init__(self, state: JobState | None) -> None:
        """Keep the state that was in the way, where it could still be read."""
        super().__init__("Another run holds the job.")
        self.state = state


class WatermarkTable(TableReads):
    """One DynamoDB table, reached with one boto3 session."""

    def create_table(self) -> None:
        """Create the table with the schema that infra/modules/table has; leave one that exists as it is."""
        if self.exists():
            return
        with errors_in_words(self.place, "create the table"):
            self.item.create_table(billing_mode=PAY_PER_REQUEST_BILLING_MODE, wait=True)
            self._connection.update_time_to_live(self.place.table_name, "expiresAt")

    def write(
        self,
        after: JobState,
        record: RunRecord | Change,
        *,
        state_condition: Condition,
        record_condition: Condition | None = None,
        token: str,
        action: str,
        digests: Sequence[FileDigests] = (),
        expiries: Mapping[str, int | None] | None = None,
        keep_lease: bool = False,
    ) -> None:
        """Write a job's new state and a run's record together, or neither.

        Args:
            after: the state.
            record: what is kept of the change: a run's record or an operator's.
            state_condition: under which the state may change.
            record_condition: under which the record may be written.
            token: makes the request the same however often it is sent.
            action: what is being done, to name in an error.
            digests: of files, written along.
            expiries: when items of digests expire from now on; never where None.
            keep_lease: whether the run goes on: its heartbeat writes the lease, and nobody else may meanwhile.

        Raises:
            StateChangedError: the condition on the state did not hold.
            RecordExistsError: the condition on the record did not hold.
        """
        wire = state_wire(after)
        item = record.to_item(self.item)
        digest_items = [each.to_item(self.item) for each in digests]
        keys: WireMap = {"jobName": {"S": after.job_id}, "runId": {"S": LATEST}}
        self._check_size(item_bytes(wire | keys) + STATE_RESERVE, "the state of the job")
        self._check_size(item_bytes(item.serialize()), f"the item {record.item_id!r}")
        actions: list[Action] = [Path([name]).set(value) for name, value in wire.items()]
        removed = set(OPTIONAL_STATE) - set(wire) - ({"lease"} if keep_lease else set())
        actions += [Path([name]).remove() for name in sorted(removed)]

        def fill(transaction: TransactWrite) -> None:
            transaction.save(item, condition=record_condition)
            for each in digest_items:
                transaction.save(each)
            for item_id, expires_at in (expiries or {}).items():
                changed = Item.expires_at.remove() if expires_at is None else Item.expires_at.set(expires_at)
                transaction.update(self.item(after.job_id, item_id), actions=[changed], condition=Item.version.exists())
            transaction.update(self.item(after.job_id, LATEST), actions=actions, condition=state_condition)

        self._transact(fill, token, action)

    def take(self, job_id: str, lease: Lease) -> JobState:
        """Take the job for a run and read its state, in one request.

        Returns:
            The state as it was before, with the lease that was taken over, if any; a new one for a new job.

        Raises:
            LeaseRefusedError: another run holds the job.
        """
        actions = [
            Path(["version"]).set(Path(["version"]) | 0),
            Path(["lastBatchId"]).set(Path(["lastBatchId"]) | 0),
            Path(["sources"]).set(Path(["sources"]) | {"M": {}}),
            Path(["stateOf"]).set(Path(["stateOf"]) | job_id),
            Path(["attempts"]).set((Path(["attempts"]) | 0) + 1),
            Path(["lease"]).set({"M": map_to_wire(lease.to_stored())}),
        ]
        request = self._connection.get_operation_kwargs(
            self.place.table_name,
            job_id,
            LATEST,
            actions=actions,
            condition=conditions.may_be_taken_by(lease.run_id, lease.since),
            return_values="ALL_OLD",
            return_values_on_condition_failure="ALL_OLD",
        )
        try:
            answer = self._update(request)
        except ClientError as error:
            if error_code(error) != "ConditionalCheckFailedException":
                raise in_words(error, self.place, "take the job") from error
            return self._take_refused(job_id, lease, error)
        except BotoCoreError as error:
            raise in_words(error, self.place, "take the job") from error
        old = answer.get("Attributes")
        try:
            # A job that was forgotten is listed again from here on.
            return replace(read_state(self.item.from_raw_data(old)), listed=True) if old else JobState(job_id)
        except BrokenItemError:
            self.release(job_id, lease.token)
            raise

    def renew(self, job_id: str, lease: Lease) -> bool:
        """Prolong a lease; false if it is no longer held."""
        request = self._connection.get_operation_kwargs(
            self.place.table_name,
            job_id,
            LATEST,
            actions=[LEASE_UNTIL.set(instant_text(lease.until))],
            condition=conditions.still_held_by(lease.token),
        )
        return self._update_if(request, "renew the lease")

    def release(self, job_id: str, token: str) -> bool:
        """Give a job back without recording anything; false if it was no longer held."""
        request = self._connection.get_operation_kwargs(
            self.place.table_name,
            job_id,
            LATEST,
            actions=[Path(["lease"]).remove()],
            condition=conditions.still_held_by(token),
        )
        return self._update_if(request, "release the job")

    def _take_refused(self, job_id: str, lease: Lease, error: ClientError) -> JobState:
        # DynamoDB Local of 2020 does not return the item with the error; pynamodb 6.1 keeps it only in the cause.
        raw = getattr(error.__cause__, "response", {}).get("Item")
        state = read_state(self.item.from_raw_data(raw)) if raw else self.state(job_id)
        if state is not None and state.lease is not None and state.lease.token == lease.token:
            # Our own request, applied although its answer was lost, and sent again by botocore.
            return replace(state, lease=None, attempts=state.attempts - 1)
        raise LeaseRefusedError(state) from error

    def _update_if(self, request: dict[str, object], action: str) -> bool:
        try:
            self._update(request)
        except Exception as error:
            if error_code(botocore_cause(error)) == "ConditionalCheckFailedException":
                return False
            raise in_words(error, self.place, action) from error
        return True

    def _update(self, request: dict[str, object]) -> dict[str, Any]:
        """Send an update, and again where botocore does not: a transaction is at the item, the answer broke off."""
        for tries in range(1, TRANSACTION_ATTEMPTS):
            try:
                return self._connection.dispatch("UpdateItem", request)
            except (BotoCoreError, ClientError) as error:
                if not is_left_to_us(error):
                    raise
                self.backoff.wait(tries)
        return self._connection.dispatch("UpdateItem", request)

    def _transact(self, fill: Callable[[TransactWrite], None], token: str, action: str) -> None:
        for tries in range(1, TRANSACTION_ATTEMPTS + 1):
            try:
                with TransactWrite(connection=self._connection, client_request_token=token) as transaction:
                    fill(transaction)
                return
            except TransactWriteError as error:
                reasons = cancellation_codes(error)
                if "ConditionalCheckFailed" in reasons[1:]:
                    raise StateChangedError("The job was changed or taken meanwhile.") from error
                if "ConditionalCheckFailed" in reasons:
                    raise RecordExistsError("The run is already on record.") from error
                if error_code(botocore_cause(error)) == "IdempotentParameterMismatchException":
                    raise StateChangedError("An earlier request with the same token was carried out.") from error
                if not is_left_to_us(botocore_cause(error)) or tries == TRANSACTION_ATTEMPTS:
                    raise in_words(error, self.place, action) from error
                self.backoff.wait(tries)

    def _check_size(self, size: int, what: str) -> None:
        if size > MAX_ITEM_BYTES:
            raise UnsupportedValueError(
                f"The watermarks are too large: {what} would have {size:,} bytes, and DynamoDB keeps at most "
                f"{MAX_ITEM_BYTES:,} in an item. Record fewer or shorter values. Nothing was written.",
                key_path="watermarks",
                value_type="dict",
            )
