"""How requests reach DynamoDB: the boto3 session's client behind pynamodb, its retries, and its errors in words."""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ChecksumError,
    ClientError,
    HTTPClientError,
    InvalidEndpointConfigurationError,
    NoRegionError,
)
from botocore.exceptions import (
    ConnectionError as BotoConnectionError,
)
from pynamodb.connection import Connection
from pynamodb.exceptions import PynamoDBException, TableDoesNotExist

from scripts.helpers.watermarks.errors import (
    TableAccessError,
    TableError,
    TableNotFoundError,
    TableUnavailableError,
    UnsupportedValueError,
)
from scripts.helpers.watermarks.table.session import AwsSession

# Standard mode retries throttling, 5xx, timeouts and broken connections with jittered back-off. The time-outs are
# short because the items are small: a hanging socket must not eat up a lease.
CONFIG = Config(
    retries={"mode": "standard", "total_max_attempts": 6},
    connect_timeout=5,
    read_timeout=10,
    parameter_validation=False,
    user_agent_extra="glue-watermarks",
)

CREDENTIAL_CODES = frozenset(
    {
        "ExpiredTokenException",
        "ExpiredToken",
        "IncompleteSignature",
        "IncompleteSignatureException",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "MissingAuthenticationTokenException",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)

if TYPE_CHECKING:
    import boto3
TRANSIENT_CODES = frozenset(
    {
        "InternalServerError",
        "InternalFailure",
        "LimitExceededException",
        "ProvisionedThroughputExceeded",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestTimeout",
        "RequestTimeoutException",
        "ServiceUnavailable",
        "ServiceUnavailableException",
        "Throttling",
        "ThrottlingError",
        "ThrottlingException",
        "TransactionConflict",
        "TransactionConflictException",
        "TransactionInProgressException",
        "500",
        "502",
        "503",
        "504",
    }
)


class SessionConnection(Connection):
    """pynamodb's connection with a client of a boto3 session, so that its credentials refresh as the session's do."""

    def __init__(self, session: AwsSession, region: str | None, endpoint_url: str | None) -> None:
        """Keep what the client needs; it is made when the first request is."""
        super().__init__(region=region, host=endpoint_url)
        self._boto3_session = session
        self._made_client: Any = None
        self._making_client = threading.Lock()

    @property
    def client(self) -> Any:
        """Give the client, the same for every thread: making one is not thread-safe, using one is."""
        with self._making_client:
            if self._made_client is None:
                self._made_client = self._make_client()
            return self._made_client

    def _make_client(self) -> Any:
        try:
            client = self._boto3_session.client(
                "dynamodb", region_name=self.region, endpoint_url=self.host, config=CONFIG
            )
            client.meta.events.register("after-call.dynamodb", refuse_broken_answer)
            return client
        except BotoCoreError:
            raise
        except ValueError as error:
            # botocore's only word for an endpoint without "http://" is a plain ValueError.
            raise InvalidEndpointConfigurationError(msg=str(error)) from error


def refuse_broken_answer(http_response: Any, **_: object) -> None:
    """Refuse an answer that broke off on the way.

    botocore 1.44 reads it as an empty one, which would mean "no such item", hence a full load: it does not compare
    the length, and its standard retries let a wrong checksum pass on the last try.
    """
    body, headers = http_response.content, http_response.headers
    for name, actual in (("x-amz-crc32", zlib.crc32(body)), ("Content-Length", len(body))):
        expected = headers.get(name)
        if expected is not None and int(expected) != actual:
            raise ChecksumError(checksum_type=name, expected_checksum=expected, actual_checksum=str(actual))


def resolve_region(region_name: str | None, given: boto3.Session | None, session: AwsSession) -> str | None:
    """Find the region: the argument, the given session's, AWS_REGION (which boto3 does not read), the profile's."""
    asked = region_name or (given.region_name if given is not None else None)
    return asked or os.environ.get("AWS_REGION") or session.region_name


@dataclass(frozen=True)
class Place:
    """Which table in which region: what an error has to name."""

    table_name: str
    region: str | None
    endpoint_url: str | None

    def __str__(self) -> str:
        """Name the table, the region and, where it is not AWS's own, the endpoint."""
        at = f" at {self.endpoint_url}" if self.endpoint_url else ""
        return f"table {self.table_name!r} in region {self.region or 'unknown'!r}{at}"


@contextmanager
def errors_in_words(place: Place, action: str) -> Iterator[None]:
    """Let no pynamodb or botocore exception out bare: each becomes a `TableError` that says what to do."""
    try:
        yield
    except (PynamoDBException, BotoCoreError, ClientError) as error:
        raise in_words(error, place, action) from error


def in_words(error: Exception, place: Place, action: str) -> TableError | UnsupportedValueError:
    """Turn an exception of pynamodb or botocore into one that says what to do."""
    cause = botocore_cause(error)
    code, message = error_code(cause), " ".join(_message(cause).split())
    facts = {"table_name": place.table_name, "region": place.region}
    if code in ("ResourceNotFoundException", "ValidationException") and "index" in message.lower():
        return TableError(
            f"Cannot {action}: {place} lacks an index that this needs ({message}). Add it with `terraform -chdir=infra "
            "apply`; docs/migrating.md says how for a table that is older than this package.",
            **facts,
        )
    if code == "ResourceNotFoundException" or isinstance(error, TableDoesNotExist):
        return TableNotFoundError(
            f"Cannot {action}: there is no {place}. Create it with `terraform -chdir=infra apply`, or give the right "
            "table_name, region_name or endpoint_url.",
            **facts,
        )
    if code == "AccessDeniedException":
        return TableAccessError(
            f"Not allowed to {action} on {place}: {message}. Attach the `job`, `reader` or `operator` policy of "
            "infra/modules/table to this role.",
            **facts,
            code=code,
        )
    if code in CREDENTIAL_CODES:
        return TableAccessError(
            f"AWS refused the credentials for {place} ({code}): {message}. Renew them, or choose others with "
            "AWS_PROFILE or boto3_session.",
            **facts,
            code=code,
        )
    if isinstance(cause, NoRegionError):
        return TableAccessError(
            f"No AWS region for table {place.table_name!r}. Set AWS_REGION or give region_name.", **facts, code=code
        )
    if code == "ValidationException" and "size" in message.lower() and "item" in message.lower():
        return UnsupportedValueError(
            f"Cannot {action}: the item is over DynamoDB's limit of 400 KB. Record fewer or shorter values.",
            key_path="watermarks",
            value_type="dict",
        )
    if is_transient(cause):
        return TableUnavailableError(
            f"Cannot {action}: {place} did not answer or kept refusing ({code or type(cause).__name__}: {message}). "
            "It was retried; try again later, and check the network, the endpoint and the table's throttling metrics.",
            **facts,
        )
    if isinstance(cause, BotoCoreError) and not isinstance(cause, ClientError):
        return TableAccessError(
            f"Cannot {action} on {place}: {message}. Check credentials, profile, region and endpoint.",
            **facts,
            code=code,
        )
    return TableError(f"Cannot {action} on {place}: {code or type(cause).__name__}: {message}", **facts)


def botocore_cause(error: Exception) -> Exception:
    """Give botocore's exception behind a pynamodb one."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, Exception) else error


def error_code(error: Exception) -> str:
    """Give the error code of a botocore ClientError, or nothing."""
    return str(error.response.get("Error", {}).get("Code", "")) if isinstance(error, ClientError) else ""


def cancellation_codes(error: Exception) -> list[str | None]:
    """Give why each item of a transaction was refused; None for an item that was not; nothing for other errors."""
    reasons = getattr(botocore_cause(error), "cancellation_reasons", ())
    return [reason.code if reason else None for reason in reasons]


def is_transient(error: Exception) -> bool:
    """Say whether the same request may succeed later."""
    if isinstance(error, ClientError):
        return not TRANSIENT_CODES.isdisjoint([error_code(error), *cancellation_codes(error)])
    return isinstance(error, (BotoConnectionError, ChecksumError, HTTPClientError))


def is_left_to_us(error: Exception) -> bool:
    """Say whether the same request may succeed later and botocore has not tried that already.

    What it has tried six times is not tried again: a dead network must not hold a run for longer than its lease.
    """
    if isinstance(error, ClientError):
        return error_code(error) in ("TransactionConflictException", "TransactionInProgressException") or (
            bool(cancellation_codes(error)) and is_transient(error)
        )
    return isinstance(error, ChecksumError)


def _message(error: Exception) -> str:
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Message", "")).rstrip(". ")
    return str(error).rstrip(". ")
