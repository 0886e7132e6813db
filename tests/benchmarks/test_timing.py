"""Timing in turns: who is timed when, what is timed, and that a wrong result ends it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from benchmarks.core import timing
from benchmarks.core.checking import Fingerprint, WrongResultError, require_same
from benchmarks.core.timing import Contender


def quiet(_: object) -> None:
    pass


measure = partial(timing.measure, rest=quiet)


def contender(name: str, log: list[str], turn: Callable[[float], None] = lambda _: None, takes: float = 0) -> Contender:
    def step(what: str, seconds: float) -> Callable[[], None]:
        def done() -> None:
            log.append(f"{what} {name}")
            turn(seconds)

        return done

    # What prepares and what checks takes long, and must not be seen in the time.
    return Contender(name, step("work", takes), step("check", 100.0), step("prepare", 100.0))


class FakeClock:
    now = 0.0

    def __call__(self) -> float:
        return self.now

    def turn(self, seconds: float) -> None:
        self.now += seconds


def test_measure__in_turns_each_prepared_and_checked() -> None:
    log: list[str] = []

    measure("load", [contender(name, log) for name in "ABC"], rounds=8, warm_ups=0, tell=quiet)

    steps = [entry.split() for entry in log]
    assert [step for step, _ in steps] == ["prepare", "work", "check"] * 3 * 8
    rounds = ["".join(name for _, name in steps[start : start + 9 : 3]) for start in range(0, len(steps), 9)]
    assert all(sorted(each) == ["A", "B", "C"] for each in rounds)
    # Nobody is always the first, or always comes after the same one.
    assert {each[0] for each in rounds} == {"A", "B", "C"}
    assert len(set(rounds)) > 3


def test_measure__rests_after_what_prepares() -> None:
    log: list[str] = []

    timing.measure("load", [contender("A", log)], rounds=3, warm_ups=0, tell=quiet, rest=lambda _: log.append("rest"))

    assert log == ["prepare A", "rest", "work A", "check A"] * 3


def test_measure__times_the_work_alone_and_not_the_warm_ups() -> None:
    clock, log = FakeClock(), list[str]()
    contenders = [contender("A", log, clock.turn, 2.0), contender("B", log, clock.turn, 0.5)]

    measured = measure("load", contenders, rounds=3, warm_ups=2, tell=quiet, clock=clock)

    assert {each.name: each.samples for each in measured} == {"A": (2.0,) * 3, "B": (0.5,) * 3}
    assert log.count("work A") == 5


def test_measure__a_wrong_result_ends_it() -> None:
    def wrong() -> None:
        require_same("B", Fingerprint(10, 7), Fingerprint(10, 8))

    contenders = [contender("A", []), Contender("B", lambda: None, wrong)]

    with pytest.raises(WrongResultError, match=r"B gave .*checksum=8.*checksum=7.* was asked for"):
        measure("load", contenders, rounds=3, tell=quiet)


def test_measure__a_wrong_result_of_a_warm_up_ends_it_too() -> None:
    results = iter([8, 7, 7, 7])
    contenders = [Contender("A", lambda: None, lambda: require_same("A", 7, next(results)))]

    with pytest.raises(WrongResultError):
        measure("load", contenders, rounds=3, warm_ups=1, tell=quiet)


def test_measure__one_that_takes_long_takes_part_in_fewer_rounds() -> None:
    log: list[str] = []
    contenders = [contender("A", log), replace(contender("B", log), rounds=3)]

    ours, other = measure("load", contenders, rounds=5, warm_ups=2, tell=quiet)

    assert (len(ours.samples), len(other.samples)) == (5, 3)
    assert (log.count("work A"), log.count("work B")) == (7, 4)


@pytest.mark.parametrize("rounds", [(2, None), (5, 2)], ids=["of-all", "of-one"])
def test_measure__too_few_rounds_are_refused(rounds: tuple[int, int | None]) -> None:
    with pytest.raises(ValueError, match="2 rounds are too few"):
        measure("load", [replace(contender("A", []), rounds=rounds[1])], rounds=rounds[0], tell=quiet)


def test_require_same__says_nothing_of_what_is_right() -> None:
    require_same("A", Fingerprint(10, 7), Fingerprint(10, 7))
