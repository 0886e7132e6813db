"""A file of a second that is not over may be written once more without a trace: the run waits for the end of it."""

from collections.abc import Sequence
from unittest.mock import patch

import pytest

from scripts.helpers.watermarks.job_run.file_reading import Known
from scripts.helpers.watermarks.window import FilePlan, Listing
from tests.support.arrivals import Bucket, Version, plan_of_a_run
from tests.support.tables import NOON

BAND = 60.0


def version(number: int, name: str, at: float, length: int = 10) -> Version:
    return Version(number, name, at, at, length)


def runs(versions: Sequence[Version], *, at: float, listing: float = 0.0) -> tuple[list[int], list[float], list[int]]:
    """What a run takes and how long it waits, and what one takes that comes long after it."""
    bucket = Bucket(versions, now=at, listing=listing)
    plan = plan_of_a_run(bucket, Known(), band=BAND)
    first, waited = numbers(bucket, plan), list(bucket.waited)
    bucket.now = 30.0
    return first, waited, numbers(bucket, plan_of_a_run(bucket, Known(plan.horizon, plan.digests), band=BAND))


def numbers(bucket: Bucket, plan: FilePlan) -> list[int]:
    return sorted(bucket.version(file).number for file in plan.taken)


def test_second_that_is_over__is_not_waited_for() -> None:
    assert runs([version(1, "a", 0.999)], at=1.0) == ([1], [], [])


def test_current_second__is_waited_for_and_listed_again() -> None:
    versions = [version(1, "a", 5.1), version(2, "b", 5.8)]

    assert runs(versions, at=5.25) == ([1, 2], [0.75], [])


@pytest.mark.parametrize("length", [10, 11], ids=["same-length", "other-length"])
def test_current_second__a_file_that_is_written_once_more(length: int) -> None:
    versions = [version(1, "a", 5.1), version(2, "a", 5.8, length)]

    assert runs(versions, at=5.25) == ([2], [0.75], [])


def test_next_second__is_left_to_the_next_run() -> None:
    # The listing after the wait lasts from 6.0 to 6.5, and what is modified in that second may be modified again.
    versions = [version(1, "a", 5.1), version(2, "b", 6.0), version(3, "b", 6.95)]

    assert runs(versions, at=5.1, listing=0.5) == ([1], [0.4], [3])


def test_long_listing__also_files_of_later_seconds_are_waited_for() -> None:
    # It lasts from 5.2 to 7.5, shows `a` as it is at some moment of it, and `a` is written once more soon after.
    versions = [version(1, "a", 5.15), version(2, "a", 7.05), version(3, "a", 7.6)]
    bucket = Bucket(versions, now=5.2, listing=2.3)

    with patch.object(bucket.chance, "uniform", lambda _, end: end):
        plan = plan_of_a_run(bucket, Known(), band=BAND)

    assert (numbers(bucket, plan), bucket.waited) == ([3], [0.5])
    # What became visible after the listing began, a minute late, has not been looked for: the next run will.
    assert plan.horizon == NOON.timestamp() + 5 - BAND - 1


def test_current_second__nothing_in_it_is_not_waited_for() -> None:
    assert runs([version(1, "a", 2.0)], at=5.5) == ([1], [], [])


def test_future__is_taken_as_it_is_and_once() -> None:
    assert runs([Version(1, "a", 20.5, 1.0, 10)], at=5.5) == ([1], [], [])


def test_folder_that_vanishes_while_waiting__leaves_the_source_where_it_stands() -> None:
    bucket = Bucket([version(1, "a", 5.1)], now=5.2)
    known = Known(7, frozenset({b"12345678"}))
    listings = [bucket.list(None), Listing(frozenset(), complete=False)]

    with patch.object(bucket, "list", lambda _: listings.pop(0)):
        plan = plan_of_a_run(bucket, known, band=BAND)

    assert plan == FilePlan((), 0, 7, known.digests)
