"""Many files of a source that was never read before are read by their folders: quicker, and still just those listed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest

from scripts.helpers.watermarks.job_run import file_reading
from scripts.helpers.watermarks.sources import files
from scripts.helpers.watermarks.window import Listing
from tests.support.frames import settings
from tests.support.landing import HOUR, Landing, hook
from tests.support.runs import PAUSE

# Over Spark Connect each file is named.
pytestmark = pytest.mark.classic

MANY = 40


@pytest.fixture
def full(landing: Landing) -> Landing:
    """A folder of many files, the last of them so fresh that another may still come before it."""
    for n in range(MANY - 1):
        landing.put(f"{n}.json", n)
    landing.put(f"{MANY - 1}.json", MANY - 1, ago=30)
    return landing


@contextmanager
def by_folders(*, times: int = 1) -> Iterator[None]:
    """Require that so many frames of the block are of folders, and the others of files."""
    given: list[bool] = []
    original = file_reading._folders

    def watched(*args: Any) -> Any:
        frame = original(*args)
        given.append(frame is not None)
        return frame

    with patch.object(file_reading, "_folders", watched):
        yield
    assert sum(given) == times


def test_first_load__takes_every_file_by_its_folder_and_once(full: Landing) -> None:
    with by_folders():
        assert full.load() == [*range(MANY)]
        assert full.load() == []


def test_first_load__leaves_what_came_after_the_listing_and_is_newer(full: Landing) -> None:
    with by_folders(), hook(file_reading, "plan_files", lambda: full.put("meanwhile.json", 50, ago=10)):
        assert full.load() == [*range(MANY)]

    assert full.load() == [50]


@pytest.mark.parametrize("moment", [(file_reading, "plan_files"), (files, "read_folders")], ids=["before", "after"])
def test_first_load__leaves_what_came_around_the_second_listing_and_is_older(
    full: Landing, moment: tuple[Any, str]
) -> None:
    # Files are named one by one then: the folder might have the late one too.
    with by_folders(times=0), hook(*moment, lambda: full.put("late.json", 50, ago=60)):
        assert full.load() == [*range(MANY)]

    assert full.load() == [50]


def test_first_load__needs_no_second_look_where_all_files_are_old(full: Landing) -> None:
    full.age(full.folder / f"{MANY - 1}.json", HOUR)

    with by_folders(), patch.object(file_reading, "_list", wraps=file_reading._list) as listing:
        assert full.load() == [*range(MANY)]

    assert listing.call_count == 1


def test_first_load__of_a_file_that_is_overwritten_meanwhile_takes_it_once(full: Landing) -> None:
    with by_folders(), hook(file_reading, "plan_files", lambda: full.put("0.json", 50, ago=10)):
        assert full.load() == [*range(1, MANY)]

    assert full.load() == [50]


def test_first_load__of_a_file_that_is_deleted_meanwhile(full: Landing) -> None:
    with by_folders(), hook(file_reading, "plan_files", lambda: (full.folder / "0.json").unlink(missing_ok=True)):
        assert full.load() == [*range(1, MANY)]

    assert full.load() == []


def test_pattern__that_matches_what_nobody_wrote_as_data_is_read_by_file(full: Landing) -> None:
    full.put("_temporary/50.json", 50)

    with by_folders(times=0):
        assert full.load(f"{full.path}/*") == [*range(MANY)]


def test_pattern__that_matches_only_data(full: Landing) -> None:
    with by_folders():
        assert full.load(f"{full.path}/*.json") == [*range(MANY)]


def test_pattern__that_matches_hidden_files_meanwhile_is_read_by_file(full: Landing) -> None:
    with by_folders(times=0), hook(files, "read_folders", lambda: full.put("_temporary/50.json", 50, ago=60)):
        assert full.load(f"{full.path}/*") == [*range(MANY)]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_first_load__in_another_zone(full: Landing, zone: str) -> None:
    with settings(full.spark, {"spark.sql.session.timeZone": zone}), by_folders():
        assert full.load() == [*range(MANY)]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_first_load__in_another_zone_leaves_what_came_after_the_listing(full: Landing, zone: str) -> None:
    late = hook(file_reading, "plan_files", lambda: full.put("meanwhile.json", 50, ago=10))
    with settings(full.spark, {"spark.sql.session.timeZone": zone}), by_folders(times=0), late:
        assert full.load() == [*range(MANY)]
        assert full.load() == [50]


def test_first_load__with_a_zone_of_its_own(full: Landing) -> None:
    with by_folders():
        assert full.load(options={"TimeZone": "Asia/Tokyo"}) == [*range(MANY)]


def test_first_load__of_a_file_whose_time_the_folder_shows_as_later(full: Landing) -> None:
    original = file_reading._list

    def as_the_folder_shows_it(*args: Any) -> Listing:
        listing = original(*args)
        newest = max(listing.files)
        # Only a bound is held against what the folder shows.
        return replace(listing, files=listing.files - {newest}) if args[3:] else listing

    with by_folders(times=0), patch.object(file_reading, "_list", as_the_folder_shows_it):
        assert full.load() == [*range(MANY)]


def test_first_load__in_a_format_that_may_list_folders_when_it_likes(full: Landing) -> None:
    with by_folders(times=0):
        assert full.load(format="org.apache.spark.sql.json") == [*range(MANY)]


def test_max_files__takes_the_oldest_by_their_folder(full: Landing) -> None:
    with by_folders():
        assert full.load(max_files=MANY - 1) == [*range(MANY - 1)]
        assert full.load() == [MANY - 1]


def test_replay__of_the_load_of_a_source_that_the_first_run_did_not_read(full: Landing) -> None:
    with full.watermarks.job_run(full.job, "jr_1"):
        pass
    full.load(run_id="jr_2")
    full.put("later.json", 50, ago=5)
    assert full.load(run_id="jr_3") == [50]

    with by_folders():
        assert full.look(bookmark_option=PAUSE, bookmark_from="jr_1", bookmark_to="jr_2") == [*range(MANY)]


def test_replay__leaves_what_came_later_and_lies_before_the_last_file(full: Landing) -> None:
    with full.watermarks.job_run(full.job, "jr_1"):
        pass
    full.load(run_id="jr_2")
    full.put("late.json", 50, ago=60)
    assert full.load(run_id="jr_3") == [50]

    with by_folders(times=0):
        assert full.look(bookmark_option=PAUSE, bookmark_from="jr_1", bookmark_to="jr_2") == [*range(MANY)]
