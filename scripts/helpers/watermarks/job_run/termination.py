"""SIGTERM, which stops a Glue job: record the run as failed and free the job, then go on as if nobody had listened.

A commit is not interrupted: it happens entirely, and the signal is delivered after it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeAlias

Handler: TypeAlias = "Callable[[int, FrameType | None], object] | int | None"


class Termination:
    """Listens to SIGTERM while a run is open, if the run was begun in the main thread."""

    def __init__(self, on_terminate: Callable[[], None]) -> None:
        """Keep what to do when the process is told to end."""
        self._on_terminate = on_terminate
        self._previous: Handler = None
        self._installed = False
        self._is_over = False
        self._deferring = False
        self._pending = False

    def listen(self) -> None:
        """Start listening. A process that ignores SIGTERM, or handles it outside Python, is left alone."""
        if threading.current_thread() is not threading.main_thread():
            return
        previous = signal.getsignal(signal.SIGTERM)
        if previous in (None, signal.SIG_IGN):
            return
        self._previous = previous
        signal.signal(signal.SIGTERM, self._handle)
        self._installed = True

    def stop_listening(self) -> None:
        """Put the handler back that was there before, unless somebody else put theirs on top meanwhile."""
        self._is_over = True
        if not self._installed or threading.current_thread() is not threading.main_thread():
            return
        if signal.getsignal(signal.SIGTERM) == self._handle:
            signal.signal(signal.SIGTERM, self._before_those_that_are_over())
            self._installed = False

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Let a SIGTERM wait until the block is done."""
        self._deferring = True
        try:
            yield
        finally:
            self._deferring = False
            if self._pending:
                self._pending = False
                self._handle(signal.SIGTERM, None)

    def _before_those_that_are_over(self) -> Handler:
        """Give the handler to go back to: runs that began before this one and ended before it listen no more."""
        previous = self._previous
        while isinstance(of := getattr(previous, "__self__", None), Termination) and of._is_over:  # noqa: SLF001
            previous = of._previous  # noqa: SLF001
        return previous

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self._deferring:
            self._pending = True
            return
        self._on_terminate()
        self.stop_listening()
        if callable(self._previous):
            self._previous(number, frame)
        else:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
