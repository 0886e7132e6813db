"""Keeping hold of a job while its run works.

The lease is a promise with an end: until then no other run may take the job. It is renewed every third of its length
by a daemon thread. A run that cannot renew it stops itself a margin before the end, because from the end on another
run may load the same window.

Clocks: the end is written by the holder's clock and judged by the taker's. If the taker's clock is ahead by more than
the margin (a sixth of the lease, 50 seconds for the usual five minutes), it may take the job while the holder still
believes to hold it; both would then work at once, and only the one whose token is in the table can commit. Machines on
AWS keep time to a few milliseconds; on others, choose a lease whose sixth is longer than the worst difference. The
holder measures its own time with the monotonic clock, counted from before the request was sent, so that a slow answer
or a changed system time shortens its lease and never lengthens it; the wall clock is looked at as well, because the
monotonic one stands still while a machine is suspended.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from scripts.helpers.watermarks.errors import WatermarkError
from scripts.helpers.watermarks.table import Lease, WatermarkTable

logger = logging.getLogger(__name__)

RENEWALS_PER_LEASE = 3
MARGIN = 1 / 6
LONGEST_STOP = 30.0
# A wait is measured by the monotonic clock, too: after a machine slept, it would go on for as long as before.
LONGEST_LOOK_AWAY = 1.0


class Heartbeat:
    """Renews a lease until it is told to stop, or has to give up."""

    def __init__(
        self,
        table: WatermarkTable,
        job_id: str,
        lease: Lease,
        length: timedelta,
        *,
        taken_at: float,
        clock: Callable[[], datetime],
        on_lost: Callable[[], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Prepare to keep the lease.

        Args:
            table: where the lease is.
            job_id: the job that is held.
            lease: the lease as taken.
            length: for how long it is taken and renewed.
            taken_at: the monotonic time just before the request that took it.
            clock: the wall clock.
            on_lost: what to do when the lease is lost, once, from the thread that noticed.
            monotonic: a clock that never goes back.
        """
        self._table = table
        self._job_id = job_id
        self._lease = lease
        self._length = length
        self._clock = clock
        self._monotonic = monotonic
        self._on_lost = on_lost
        self._margin = length * MARGIN
        self._ends_at = taken_at + (length - self._margin).total_seconds()
        self._reason: str | None = None
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Start renewing. A second thread watches the time, since a renewal may hang in the network."""
        for work in (self._keep_renewing, self._watch_the_end):
            thread = threading.Thread(target=work, name=f"watermarks-{self._job_id}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Stop renewing, and wait for a renewal that is under way, so that it cannot cross the commit."""
        self._stopped.set()
        for thread in self._threads:
            if thread is not threading.current_thread():
                # Not for ever: a signal handler may be stopping us while its thread holds what a renewal waits for.
                thread.join(LONGEST_STOP)

    def why_lost(self) -> str | None:
        """Say why the lease is lost; None while it is held."""
        if self._reason is None and self._is_over():
            self._lose("it could not be renewed in time")
        return self._reason

    def renew(self) -> bool:
        """Renew once; false if that failed for now. A lease that somebody else took is lost."""
        sent_at = self._monotonic()
        lease = replace(self._lease, until=self._clock() + self._length)
        try:
            held = self._table.renew(self._job_id, lease)
        except WatermarkError as error:
            logger.warning("%s: the lease could not be renewed for now: %s", self._job_id, error)
            return False
        if not held:
            self._lose("another run took the job over, or an operator changed it")
            return False
        with self._lock:
            self._lease = lease
            self._ends_at = sent_at + (self._length - self._margin).total_seconds()
        return True

    def _keep_renewing(self) -> None:
        usual = self._length.total_seconds() / RENEWALS_PER_LEASE
        pause = usual
        while not self._stopped.wait(pause) and self.why_lost() is None:
            pause = usual if self.renew() else usual / 10

    def _watch_the_end(self) -> None:
        while self.why_lost() is None:
            with self._lock:
                left = self._ends_at - self._monotonic()
            if self._stopped.wait(min(max(left, 0.01), LONGEST_LOOK_AWAY)):
                return

    def _is_over(self) -> bool:
        with self._lock:
            return self._monotonic() >= self._ends_at or self._clock() >= self._lease.until - self._margin

    def _lose(self, reason: str) -> None:
        with self._lock:
            if self._reason is not None or self._stopped.is_set():
                return
            self._reason = reason
        logger.error("%s: run %s lost its lease: %s", self._job_id, self._lease.run_id, reason)
        self._stopped.set()
        self._on_lost()
