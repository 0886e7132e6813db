"""Which files a run takes, and what is remembered of them."""

from datetime import timedelta

import pytest

from scripts.helpers.watermarks.window import FilePlan, ListedFile, Listing, covered_between, plan_files
from tests.support.tables import NOON

NOW = int(NOON.timestamp())
BAND = timedelta(minutes=15)
DONE = NOW - 15 * 60 - 1  # the last second that was over at noon less the band


def file(name: str, ago: float, length: int = 10) -> ListedFile:
    """A file that was modified so many seconds before noon."""
    return ListedFile(int((NOW - ago) * 1_000_000), f"s3://landing/{name}", length)


def plan(
    *files: ListedFile,
    after: FilePlan | None = None,
    at: float = 0,
    band: timedelta = BAND,
    most: int | None = None,
    complete: bool = True,
) -> FilePlan:
    """What a run takes, so many seconds after noon, which goes on from where another one ended."""
    return plan_files(
        Listing(frozenset(files), complete),
        horizon=after.horizon if after else None,
        known=after.digests if after else frozenset(),
        listed_at=NOON + timedelta(seconds=at),
        band=band,
        max_files=most,
    )


def digests(*files: ListedFile) -> frozenset[bytes]:
    return frozenset(each.digest for each in files)


def test_first_run__takes_everything_oldest_first() -> None:
    old, older, new = file("a", 5_000), file("b", 9_000), file("c", 60)

    found = plan(old, older, new)

    assert found == FilePlan((older, old, new), 0, DONE, digests(new))


def test_nothing_there__is_done_up_to_the_band_all_the_same() -> None:
    assert plan() == FilePlan((), 0, DONE, frozenset())


def test_second_run__takes_only_what_is_new() -> None:
    old, new = file("a", 5_000), file("b", 60)

    found = plan(old, new, file("c", -30), after=plan(old, new), at=60)

    assert found.taken == (file("c", -30),)
    assert found.horizon == DONE + 60
    assert found.digests == digests(new, file("c", -30))


def test_nothing_new__moves_only_the_horizon() -> None:
    known = file("a", 60)

    found = plan(known, after=plan(known), at=30)

    assert found == FilePlan((), 0, DONE + 30, digests(known))


def test_same_second__one_that_came_later_is_taken_and_the_others_are_not() -> None:
    first, second = file("a", 60), file("b", 60)

    assert plan(first, second, after=plan(first), at=1).taken == (second,)


@pytest.mark.parametrize("ago", [1, 60, 899, 900], ids=lambda ago: f"{ago}-seconds-ago")
def test_late__behind_the_newest_within_the_band_is_taken_once(ago: int) -> None:
    newest, late = file("newest", 0.5), file("late", ago)
    first = plan(newest)

    second = plan(newest, late, after=first, at=0.9)
    third = plan(newest, late, after=second, at=1.8)

    assert (second.taken, third.taken) == ((late,), ())


def test_late__by_more_than_the_band_is_not_looked_at() -> None:
    assert plan(file("late", 902), after=plan(), at=5).taken == ()


@pytest.mark.parametrize("later", [0, 0.3, 0.999], ids=lambda later: f"listed-{later}-into-the-second")
@pytest.mark.parametrize("band", [0, 0.5, 1, 90], ids=lambda band: f"band-of-{band}")
def test_late__by_exactly_the_band_is_taken_although_times_are_cut_to_seconds(band: float, later: float) -> None:
    # It was modified just after noon less the band, and becomes visible just after the listing began.
    modified = NOW + later + 0.0005 - band
    late = ListedFile(int(modified) * 1_000_000, "s3://landing/late", 10)
    span = timedelta(seconds=band)

    assert plan(late, after=plan(at=later, band=span), at=later + 1, band=span).taken == (late,)


@pytest.mark.parametrize(
    "version",
    [file("a", 30), file("a", 60, length=11), file("a", 59.999)],
    ids=["later", "other-length", "a-millisecond-later"],
)
def test_overwritten__is_taken_again(version: ListedFile) -> None:
    assert plan(version, after=plan(file("a", 60))).taken == (version,)


def test_overwritten__its_old_digest_is_forgotten() -> None:
    new = file("a", 30)

    assert plan(new, after=plan(file("a", 60))).digests == digests(new)


def test_digests__are_kept_only_after_the_horizon() -> None:
    files = [file(str(ago), ago) for ago in (899, 900, 901, 902)]

    first = plan(*files)
    second = plan(*files, after=first, at=1)

    assert first.digests == digests(file("899", 899), file("900", 900))
    assert second.digests == digests(file("899", 899))


def test_horizon__never_goes_back() -> None:
    first = plan(file("a", 60))

    assert plan(file("a", 60), after=first, at=-100).horizon == first.horizon
    assert plan(file("a", 60), after=first, band=2 * BAND).horizon == first.horizon


def test_horizon__is_not_pushed_by_a_file_of_the_future() -> None:
    future = file("a", -86_400)

    first = plan(future)

    assert first == FilePlan((future,), 0, DONE, digests(future))
    assert plan(future, after=first, at=3_600).taken == ()


@pytest.mark.parametrize(
    ("most", "taken"),
    [(1, "ab"), (2, "ab"), (3, "abc"), (4, "abc"), (5, "abcde"), (6, "abcde"), (None, "abcde")],
)
def test_max_files__oldest_first_and_whole_seconds(most: int | None, taken: str) -> None:
    files = [file(name, ago) for name, ago in zip("abcde", [70, 70, 60, 50, 50], strict=True)]

    found = plan(*reversed(files), most=most)

    assert "".join(each.path[-1] for each in found.taken) == taken
    assert found.left == 5 - len(taken)


def test_max_files__the_horizon_stays_before_what_is_left() -> None:
    files = [file(name, ago) for name, ago in zip("abc", [5_000, 4_000, 3_000], strict=True)]

    first = plan(*files, most=1)
    second = plan(*files, after=first, most=1)
    third = plan(*files, after=second, most=1)

    assert [each.horizon for each in (first, second, third)] == [NOW - 5_000, NOW - 4_000, DONE]
    assert [each.taken for each in (first, second, third)] == [(files[0],), (files[1],), (files[2],)]


def test_max_files__within_the_band_the_horizon_does_not_follow_what_was_taken() -> None:
    first = plan(file("a", 60), file("b", 30), most=1)

    late = file("late", 600)
    second = plan(file("a", 60), file("b", 30), late, after=first, most=2)

    assert first.horizon == DONE
    assert second.taken == (late, file("b", 30))


def test_missing_path__what_is_there_is_taken_but_the_horizon_stays() -> None:
    files = [file(name, ago) for name, ago in zip("abc", [5_000, 4_000, 60], strict=True)]

    first = plan(*files[:2], complete=False)
    second = plan(*files, after=first, at=60, most=1, complete=False)

    assert first == FilePlan((files[0], files[1]), 0, None, digests(*files[:2]))
    assert second == FilePlan((files[2],), 0, None, digests(*files))


def test_missing_path__that_comes_back_is_not_taken_again() -> None:
    away, other = file("away", 60), file("other", 4_000)
    first = plan(away)

    while_away = plan(other, after=first, at=7_200, complete=False)
    back = plan(away, other, file("old", 50), after=while_away, at=7_260)

    assert while_away == FilePlan((), 0, first.horizon, first.digests)
    assert back.taken == (file("old", 50),)
    assert (back.horizon, back.digests) == (DONE + 7_260, frozenset())


def test_covered_between__two_runs_is_what_the_later_took() -> None:
    files = [file(name, ago) for name, ago in zip("abc", [5_000, 60, 800], strict=True)]
    first = plan(*files[:2])
    second = plan(*files, after=first, at=50)

    def between(after: FilePlan | None, up_to: FilePlan) -> set[ListedFile]:
        from_where = (after.horizon, after.digests) if after else (None, frozenset[bytes]())
        return set(covered_between(files, after=from_where, up_to=(up_to.horizon, up_to.digests)))

    assert between(None, first) == {*first.taken} == {*files[:2]}
    assert between(first, second) == {*second.taken} == {files[2]}
    assert between(second, second) == set()
    assert between(None, second) == {*files}


def test_covered_between__leaves_out_what_was_overwritten_since() -> None:
    first = plan(file("a", 60))

    assert covered_between([file("a", -5)], after=(None, frozenset()), up_to=(first.horizon, first.digests)) == ()


def test_covered_between__oldest_first() -> None:
    files = [file("a", 5_000), file("b", 9_000)]
    first = plan(*files)

    assert covered_between(files, after=(None, frozenset()), up_to=(first.horizon, first.digests)) == first.taken
