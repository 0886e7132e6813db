"""Publishing to CloudWatch: one short request, in a thread of its own, that can neither fail a job nor hold it up."""

from __future__ import annotations

import logging
import threading
from typing import Any

from scripts.helpers.watermarks.metrics.data import NAMESPACE, metric_data, requests
from scripts.helpers.watermarks.metrics.facts import RunFacts
from scripts.helpers.watermarks.table.session import AwsSession

logger = logging.getLogger(__name__)

# What no timeout of the client covers: names that do not resolve, answers that trickle in, a lock that is never freed.
LONGEST_WAIT = 5.0
CONNECT_TIMEOUT = 1.0
READ_TIMEOUT = 2.0
ATTEMPTS = 2
NOT_ALLOWED = frozenset({"AccessDenied", "AccessDeniedException", "UnauthorizedOperation"})


class Publisher:
    """Publishes the metrics of one run, with the session and in the region that its table is reached with."""

    def __init__(self, session: AwsSession, region: str | None) -> None:
        """Keep what a client needs; it is made when the first metrics are published."""
        self._session = session
        self._region = region
        self._client: Any = None

    def publish(self, facts: RunFacts) -> bool:
        """Publish what is known of a run, and say whether that worked; where it did not, one warning tells why.

        It never raises, and comes back after five seconds at most.
        """
        told: list[str] = []
        try:
            thread = threading.Thread(target=self._try, args=(facts, told), name="watermarks-metrics", daemon=True)
            thread.start()
            thread.join(LONGEST_WAIT)
        except RuntimeError as error:
            # Python starts no thread any more while it shuts down.
            told.append(_in_words(error))
        problem = told[0] if told else f"no answer within {LONGEST_WAIT:g} seconds"
        if not problem:
            return True
        logger.warning("%s: the metrics of this run were not published: %s", facts.job_id, problem)
        return False

    def _try(self, facts: RunFacts, told: list[str]) -> None:
        """Publish, and tell what went wrong, or nothing. It does not log: nobody may listen any more when it ends."""
        try:
            for data in requests(metric_data(facts)):
                self._made_client().put_metric_data(Namespace=NAMESPACE, MetricData=data)
        except Exception as error:
            told.append(_in_words(error))
        else:
            told.append("")

    def _made_client(self) -> Any:
        if self._client is None:
            from botocore.config import Config

            config = Config(
                connect_timeout=CONNECT_TIMEOUT,
                read_timeout=READ_TIMEOUT,
                retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
                user_agent_extra="glue-watermarks",
            )
            self._client = self._session.client("cloudwatch", region_name=self._region, config=config)
        return self._client


def _in_words(error: Exception) -> str:
    message = " ".join(str(error).split()).rstrip(". ")
    response = getattr(error, "response", None)
    if isinstance(response, dict) and response.get("Error", {}).get("Code") in NOT_ALLOWED:
        return (
            f"{message}. Allow cloudwatch:PutMetricData in the namespace {NAMESPACE} for this role, or say "
            "metrics=False"
        )
    return f"{type(error).__name__}: {message}"
