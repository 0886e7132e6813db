"""What a bench found, as data: samples, the goals they are held against, and the verdict. No timing, no writing."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

Unit: TypeAlias = Literal["s", "ms", "MB", "requests", "units"]
# A goal bounds how many times the other's value ours is, by how much it is more, or what it is.
Measure: TypeAlias = Literal["ratio", "difference", "value"]


@dataclass(frozen=True)
class Measured:
    """The samples of one contender.

    Attributes:
        name: who.
        samples: one for each round, in the case's unit.
        note: what a reader of the number must know.
    """

    name: str
    samples: tuple[float, ...]
    note: str = ""

    def __post_init__(self) -> None:
        if not self.samples:
            raise ValueError(f"{self.name} was not measured.")

    @property
    def median(self) -> float:
        """The middle of the samples."""
        return statistics.median(self.samples)


@dataclass(frozen=True)
class Goal:
    """What the first contender of a case is to reach.

    Attributes:
        words: the goal as a person says it.
        at_most: the bound.
        than: the others it is compared with; where they are several, the one with the lowest median.
        measure: whether the bound is for the ratio to it, for the difference, or for the value alone.
    """

    words: str
    at_most: float
    than: tuple[str, ...] = ()
    measure: Measure = "ratio"


@dataclass(frozen=True)
class Verdict:
    """A goal, the one that it was held against, what was reached, and whether that will do."""

    goal: Goal
    against: str | None
    reached: float
    met: bool


@dataclass(frozen=True)
class Case:
    """One piece of work, done by several contenders. The first of them is the one that has goals.

    Attributes:
        work: what was done.
        unit: of all samples.
        contenders: who did it, the one with goals first.
        goals: what that one is to reach.
    """

    work: str
    unit: Unit
    contenders: tuple[Measured, ...]
    goals: tuple[Goal, ...] = ()

    @property
    def ours(self) -> Measured:
        """The contender that has goals."""
        return self.contenders[0]

    def of(self, name: str) -> Measured:
        """Find a contender by its name."""
        for each in self.contenders:
            if each.name == name:
                return each
        raise KeyError(f"{self.work}: nobody is called {name!r}; there are {[each.name for each in self.contenders]}")

    def ratio_to(self, other: str) -> float | None:
        """Say how many times the other's median ours is; None where the other's is nothing."""
        median = self.of(other).median
        return self.ours.median / median if median else None

    def verdicts(self) -> tuple[Verdict, ...]:
        """Hold what was measured against the goals."""
        return tuple(self._verdict(goal) for goal in self.goals)

    def _verdict(self, goal: Goal) -> Verdict:
        ours = self.ours.median
        if goal.measure == "value":
            return Verdict(goal, None, ours, ours <= goal.at_most)
        best = min((self.of(name) for name in goal.than), key=lambda each: each.median)
        if goal.measure == "difference":
            more = ours - best.median
            return Verdict(goal, best.name, more, more <= goal.at_most)
        # Not as a quotient: the best may be nothing at all.
        met = ours <= goal.at_most * best.median
        return Verdict(goal, best.name, self.ratio_to(best.name) or 0.0, met)


@dataclass(frozen=True)
class Bench:
    """What one bench found.

    Attributes:
        name: as on the command line.
        title: of its part of the page.
        about: what is compared, in a sentence or two.
        cases: what was measured.
        notes: what explains the numbers: profiles, limits, wrong answers.
        quick: whether these are the small sizes, which only show that the bench works.
        facts: when and on what it ran.
    """

    name: str
    title: str
    about: str
    cases: tuple[Case, ...]
    notes: tuple[str, ...] = ()
    quick: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)


def to_json(bench: Bench) -> dict[str, Any]:
    """Give a bench as plain data."""
    return asdict(bench)


def from_json(data: Mapping[str, Any]) -> Bench:
    """Read a bench that was kept as plain data."""
    cases = tuple(
        Case(
            case["work"],
            case["unit"],
            tuple(Measured(each["name"], tuple(each["samples"]), each["note"]) for each in case["contenders"]),
            tuple(Goal(**{**goal, "than": tuple(goal["than"])}) for goal in case["goals"]),
        )
        for case in data["cases"]
    )
    return Bench(
        data["name"], data["title"], data["about"], cases, tuple(data["notes"]), data["quick"], dict(data["facts"])
    )
