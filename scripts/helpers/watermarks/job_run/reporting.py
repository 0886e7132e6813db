"""Reporting what happened to a run, once it has happened: a line of JSON in the log, and metrics. It never raises."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from scripts.helpers.watermarks.job_run import telling
from scripts.helpers.watermarks.job_run.events import log_event
from scripts.helpers.watermarks.job_run.outcome import Read
from scripts.helpers.watermarks.job_run.settings import RunSettings
from scripts.helpers.watermarks.metrics import Publisher, RunFacts, is_on_aws
from scripts.helpers.watermarks.table import RunRecord, WatermarkTable

logger = logging.getLogger(__name__)

# CloudWatch keeps values by the minute: steps that follow each other faster are told together.
STEPS_ARE_TOLD_EVERY = timedelta(minutes=1)


class Reporter:
    """Reports of one run that holds its job. What a paused or disabled run does is nobody's business."""

    def __init__(self, table: WatermarkTable, settings: RunSettings) -> None:
        """Keep where to publish and under which names."""
        self._table = table
        self._settings = settings
        self._publisher: Publisher | None = None
        self._untold: RunFacts | None = None
        self._told_at: datetime | None = None
        self._is_refused = False

    def step(self, record: RunRecord, reads: Mapping[str, Read]) -> None:
        """Report a committed step of a backfill: its line now, its metrics within about a minute.

        Once publishing has failed, the steps are told with the end of the run: each try may take seconds.
        """
        with self.harmless():
            log_event("step", self._settings.run_id, record, reads)
            self._add(telling.of_step(record, reads))
            last = self._told_at or record.started_at
            is_due = not last or not record.recorded_at or record.recorded_at - last >= STEPS_ARE_TOLD_EVERY
            if is_due and not self._is_refused:
                self._told_at = record.recorded_at
                self._publish()

    def committed(self, record: RunRecord, reads: Mapping[str, Read], *, in_steps: bool) -> None:
        """Report a run that was committed."""
        with self.harmless():
            log_event("committed", self._settings.run_id, record, reads, told_by_steps=in_steps)
            tell = telling.of_end_of_steps if in_steps else telling.of_commit
            self._add(tell(record, reads))
            self._publish()

    def failed(self, record: RunRecord, reads: Mapping[str, Read]) -> None:
        """Report a run that failed; a record without a version is one that could not be written."""
        with self.harmless():
            log_event("failed", self._settings.run_id, record, reads)
            self._add(telling.of_failure(record))
            self._publish()

    @contextmanager
    def harmless(self) -> Iterator[None]:
        """Let nothing that goes wrong within the block reach the job, whose work is done and written by now."""
        try:
            yield
        except Exception:
            logger.warning("%s: what happened to this run was not reported", self._settings.job_id, exc_info=True)

    def _add(self, facts: RunFacts) -> None:
        self._untold = facts if self._untold is None else self._untold.then(facts)

    def _publish(self) -> None:
        """Publish what was not told yet. It is told once: what was lost on the way may have arrived all the same."""
        facts, self._untold = self._untold, None
        if facts is None or not self._publishes():
            return
        if self._publisher is None:
            self._publisher = Publisher(self._table.session, self._table.place.region)
        self._is_refused = not self._publisher.publish(facts)

    def _publishes(self) -> bool:
        asked = self._settings.metrics
        return is_on_aws(self._table.endpoint_url, self._settings.run_id) if asked is None else asked
