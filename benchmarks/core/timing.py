"""Timing contenders side by side: in turns, so that whatever slows the machine down hits all of them alike.

Only the work is timed. What prepares it and what checks its result is not, and a wrong result ends the bench: its time
would mean nothing.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchmarks.core.results import Measured

LEAST_ROUNDS = 3
# After what prepares a round, servers and Java still tidy up for a while, at the cost of whoever comes next.
SETTLES = 0.3
WORTH_A_LINE = 0.1


def nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True)
class Contender:
    """Somebody who does the work.

    Attributes:
        name: who.
        work: what is timed.
        check: looks at what was written, and raises `WrongResultError`.
        prepare: puts everything back to where it was before, for the next round.
        note: what a reader of the number must know.
        rounds: in how many rounds it takes part, where its work takes so long that fewer must do.
    """

    name: str
    work: Callable[[], object]
    check: Callable[[], None]
    prepare: Callable[[], None] = nothing
    note: str = ""
    rounds: int | None = None


def measure(
    work: str,
    contenders: Sequence[Contender],
    *,
    rounds: int,
    warm_ups: int = 1,
    tell: Callable[[str], None],
    clock: Callable[[], float] = time.perf_counter,
    rest: Callable[[float], None] = time.sleep,
) -> tuple[Measured, ...]:
    """Time the contenders in turns, in every round in another order, so that nobody always comes after the same one.

    Args:
        work: what they do, for those who watch.
        contenders: who does it.
        rounds: how often each is timed.
        warm_ups: how many rounds come before, checked but not timed.
        tell: says how far it is.
        clock: tells the time, in seconds.
        rest: waits so many seconds before each is timed.

    Returns:
        The samples of each, in seconds.

    Raises:
        ValueError: so few rounds have no median worth the name.
        WrongResultError: a contender did not do the work.
    """
    fewest = min([rounds, *(each.rounds for each in contenders if each.rounds is not None)])
    if fewest < LEAST_ROUNDS:
        raise ValueError(f"{work}: {fewest} rounds are too few, at least {LEAST_ROUNDS} make a median.")
    samples: dict[str, list[float]] = {each.name: [] for each in contenders}
    for number in range(-warm_ups, rounds):
        for each in _in_order(contenders, number):
            if each.rounds is not None and not -1 <= number < each.rounds:
                continue
            took = _once(each, clock, rest)
            if number >= 0:
                samples[each.name].append(took)
            turn = f"round {number + 1} of {rounds}" if number >= 0 else "warming up"
            # Who watches wants to know what takes long, and that it goes on.
            if took >= WORTH_A_LINE or number == rounds - 1:
                tell(f"{work}, {turn}: {each.name} {took:.3f} s")
    return tuple(Measured(each.name, tuple(samples[each.name]), each.note) for each in contenders)


def _in_order(contenders: Sequence[Contender], number: int) -> list[Contender]:
    """Give the order of a round: each time another begins, and once all have begun, the others go the other way."""
    times_all_began, first = divmod(number, len(contenders))
    turned = [*contenders[first:], *contenders[:first]]
    return turned[::-1] if times_all_began % 2 else turned


def _once(contender: Contender, clock: Callable[[], float], rest: Callable[[float], None]) -> float:
    contender.prepare()
    gc.collect()
    rest(SETTLES)
    start = clock()
    contender.work()
    took = clock() - start
    contender.check()
    return took
