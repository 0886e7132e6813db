"""Where the time of one contender goes: the median of each of its steps, in words, for those who ask why."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Phases:
    """The steps of a piece of work, each timed as often as it was done."""

    clock: Callable[[], float] = time.perf_counter
    taken: dict[str, list[float]] = field(default_factory=dict)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time a step."""
        start = self.clock()
        yield
        self.taken.setdefault(name, []).append(self.clock() - start)

    def forget(self) -> None:
        """Drop what was timed so far: that was to warm up."""
        self.taken.clear()

    def median(self, name: str) -> float:
        """Give the median of a step, in seconds."""
        return statistics.median(self.taken[name])

    def words(self) -> str:
        """Give the steps in the order in which they came, with their medians."""
        return ", ".join(f"{name} {self.median(name) * 1e3:.0f} ms" for name in self.taken)
