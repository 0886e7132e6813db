"""Verdicts of a bench: medians, ratios, and whether a goal is met."""

import json

import pytest

from benchmarks.core.results import Bench, Case, Goal, Measured, from_json, to_json

FAST, SLOW = Measured("fast", (1.0, 9.0, 2.0)), Measured("slow", (4.0, 4.0, 5.0))


def verdict(ours: Measured, goal: Goal, *others: Measured) -> tuple[str | None, float, bool]:
    (found,) = Case("work", "s", (ours, *others), (goal,)).verdicts()
    return found.against, found.reached, found.met


def test_median__is_the_middle_and_not_the_mean() -> None:
    assert FAST.median == 2.0


def test_measured__without_a_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="fast was not measured"):
        Measured("fast", ())


def test_ratio__is_ours_by_theirs() -> None:
    assert Case("work", "s", (FAST, SLOW)).ratio_to("slow") == 0.5


def test_ratio__to_nothing_is_none() -> None:
    assert Case("work", "units", (FAST, Measured("free", (0.0,)))).ratio_to("free") is None


@pytest.mark.parametrize(
    ("at_most", "met"),
    [pytest.param(0.5, True, id="reached"), pytest.param(0.49, False, id="missed")],
)
def test_verdict__by_ratio(at_most: float, met: bool) -> None:
    assert verdict(FAST, Goal("faster", at_most, ("slow",)), SLOW) == ("slow", 0.5, met)


def test_verdict__by_ratio_is_against_the_best_of_the_others() -> None:
    others = (SLOW, Measured("best", (1.0, 1.0, 1.0)), Measured("not asked", (0.1,)))

    assert verdict(FAST, Goal("faster", 1.0, ("slow", "best")), *others) == ("best", 2.0, False)


@pytest.mark.parametrize(
    ("at_most", "met"),
    [pytest.param(2.0, True, id="reached"), pytest.param(1.9, False, id="missed")],
)
def test_verdict__by_difference(at_most: float, met: bool) -> None:
    assert verdict(SLOW, Goal("not more", at_most, ("fast",), "difference"), FAST) == ("fast", 2.0, met)


@pytest.mark.parametrize(
    ("at_most", "met"),
    [pytest.param(2.0, True, id="reached"), pytest.param(1.0, False, id="missed")],
)
def test_verdict__by_value(at_most: float, met: bool) -> None:
    assert verdict(FAST, Goal("few", at_most, measure="value")) == (None, 2.0, met)


def test_verdict__against_nobody_of_that_name() -> None:
    with pytest.raises(KeyError, match="nobody is called 'absent'"):
        verdict(FAST, Goal("faster", 1.0, ("absent",)))


def test_json__comes_back_as_it_was() -> None:
    goals = (Goal("faster", 1.0, ("slow",)), Goal("few", 2.0, measure="value"))
    bench = Bench("rows", "Rows", "about", (Case("work", "s", (FAST, SLOW), goals),), ("note",), True, {"cores": "2"})

    assert from_json(json.loads(json.dumps(to_json(bench)))) == bench
