"""A progress bar for steps, on a terminal and where rich is installed; log lines say the same everywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def progress(steps: Sequence[T], title: str) -> Iterator[T]:
    """Go through the steps, showing how far it is."""
    if steps and sys.stderr.isatty():
        try:
            from rich.console import Console
            from rich.progress import track
        except ImportError:
            pass
        else:
            yield from track(steps, description=title, console=Console(stderr=True))
            return
    yield from steps
