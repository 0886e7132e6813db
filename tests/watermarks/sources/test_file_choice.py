"""Options that say which files a source has: kept with its position, since older files would be skipped with others."""

from datetime import datetime, timezone
from typing import Any

import pytest

from scripts.helpers.watermarks import WatermarkMismatchError
from tests.support.frames import numbers
from tests.support.landing import Landing
from tests.support.runs import DISABLE, PAUSE

ELEVEN = datetime(2023, 3, 16, 11, tzinfo=timezone.utc)
DEEP = {"recursiveFileLookup": True}
JSON = {"pathGlobFilter": "*.json"}


def forget_options(landing: Landing, run_id: str) -> None:
    """Let state and record be as they were stored before options were kept."""
    table = landing.watermarks._table
    for item_id in ("#latest", run_id):
        item: Any = table.item.get(landing.job, item_id)
        del item.sources["claims"]["options"]
        item.save()


def replay(landing: Landing, first: str, last: str, options: dict[str, Any]) -> list[int]:
    span = {"bookmark_option": PAUSE, "bookmark_from": first, "bookmark_to": last}
    with landing.watermarks.job_run(landing.job, "jr_replay", **span) as run:
        return numbers(landing.new(run, options=options))


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ({}, DEEP, r"files read with neither .* and is now read with recursiveFileLookup='true'\."),
        (DEEP, {}, r"files read with recursiveFileLookup='true', and is now read with neither "),
        (JSON, None, r"files read with pathGlobFilter='\*\.json', and is now read with neither "),
        (JSON, {"pathGlobFilter": "*.*"}, r"pathGlobFilter='\*\.json', and is now read with pathGlobFilter='\*\.\*'"),
        (JSON, {**JSON, **DEEP}, r"and is now read with pathGlobFilter='\*\.json', recursiveFileLookup='true'\."),
    ],
    ids=["deeper", "flatter", "unfiltered", "other-filter", "one-more"],
)
def test_options__that_changed_are_refused(landing: Landing, before: Any, after: Any, told: str) -> None:
    landing.put("a.json", 1)
    assert landing.load(options=before) == [1]
    landing.put("deep/b.json", 2)
    landing.put("c.txt", 3)
    position = landing.position()

    with pytest.raises(WatermarkMismatchError, match=told) as refused:
        landing.load(options=after)

    assert "Go back to the old options, use a new transformation_ctx, or " in str(refused.value)
    assert f"reset({landing.job!r}, transformation_ctx='claims')" in str(refused.value)
    assert (refused.value.job_id, refused.value.transformation_ctx) == (landing.job, "claims")
    assert landing.position() == position


def test_options__that_changed_each_remedy_helps(landing: Landing) -> None:
    landing.put("a.json", 1)
    landing.put("deep/b.json", 2)
    assert landing.load() == [1]
    with pytest.raises(WatermarkMismatchError):
        landing.load(options=DEEP)

    assert landing.load() == []
    assert landing.load(options=DEEP, transformation_ctx="deep") == [1, 2]
    landing.watermarks.reset(landing.job, "claims")
    assert landing.load(options=DEEP) == [1, 2]
    assert landing.load(options=DEEP) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"recursiveFileLookup": True}, {"RECURSIVEFILELOOKUP": "TRUE"}),
        ({"recursiveFileLookup": "false"}, None),
        (None, {"recursivefilelookup": False, "pathGlobFilter": None}),
        ({"multiLine": False}, {"multiLine": True, "pathGlobFilter": "*"}),
    ],
    ids=["spelling", "false-then-none", "none-then-false", "others"],
)
def test_options__that_choose_the_same_files_are_the_same(landing: Landing, before: Any, after: Any) -> None:
    landing.put("a.json", 1)
    assert landing.load(options=before) == [1]
    landing.put("b.json", 2, ago=60)

    assert landing.load(options=after) == [2]


@pytest.mark.parametrize("options", [DEEP, JSON, {}], ids=["deep", "filtered", "none"])
def test_position__without_options_takes_those_of_the_next_run(landing: Landing, options: dict[str, Any]) -> None:
    landing.put("a.json", 1)
    assert landing.load(options=options, run_id="jr_1") == [1]
    forget_options(landing, "jr_1")
    landing.put("b.json", 2, ago=60)

    # Neither a look nor a failure remembers anything.
    assert landing.fail(options=DEEP | JSON) == [2]
    assert landing.load(options=options, run_id="jr_2") == [2]

    with pytest.raises(WatermarkMismatchError):
        landing.load(options={"pathGlobFilter": "*.txt"})
    assert landing.load(options=options) == []


def test_position__set_before_the_first_run_takes_the_options_of_that(landing: Landing) -> None:
    landing.watermarks.set_mark(landing.job, "claims", ELEVEN)
    landing.put("deep/a.json", 1, ago=60)

    assert landing.load(options=DEEP) == [1]
    assert landing.position()["options"] == {"recursiveFileLookup": "true"}


def test_set_mark__leaves_the_options(landing: Landing) -> None:
    landing.put("deep/a.json", 1, ago=60)
    landing.load(options=DEEP)

    landing.watermarks.set_mark(landing.job, "claims", ELEVEN)

    with pytest.raises(WatermarkMismatchError):
        landing.load()
    assert landing.load(options=DEEP) == [1]


def load_twice(landing: Landing) -> None:
    landing.put("deep/a.json", 1, ago=60)
    assert landing.load(options=DEEP, run_id="jr_1") == [1]
    landing.put("deep/b.json", 2, ago=60)
    assert landing.load(options=DEEP, run_id="jr_2") == [2]


def test_replay__needs_the_options_of_its_runs(landing: Landing) -> None:
    load_twice(landing)

    assert replay(landing, "jr_1", "jr_2", DEEP) == [2]
    with pytest.raises(WatermarkMismatchError):
        replay(landing, "jr_1", "jr_2", {})


def test_replay__from_a_run_that_kept_no_options(landing: Landing) -> None:
    load_twice(landing)
    forget_options(landing, "jr_1")

    assert replay(landing, "jr_1", "jr_2", DEEP) == [2]


def test_rewind__brings_the_options_of_its_run_back(landing: Landing) -> None:
    load_twice(landing)
    landing.watermarks.reset(landing.job, "claims")
    landing.put("c.json", 3, ago=60)
    assert landing.load(run_id="jr_3") == [3]

    landing.watermarks.rewind(landing.job, "jr_1")

    with pytest.raises(WatermarkMismatchError):
        landing.load()
    assert landing.load(options=DEEP) == [2, 3]


def test_disabled__asks_for_no_options(landing: Landing) -> None:
    load_twice(landing)
    landing.put("c.json", 3, ago=60)

    assert landing.look(bookmark_option=DISABLE) == [3]


@pytest.mark.parametrize("given", [False, "FALSE"], ids=str)
def test_partitions__are_kept_where_the_lookup_is_not_recursive(landing: Landing, given: Any) -> None:
    landing.put("day=1/a.json", 1)

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        new = landing.new(run, options={"recursiveFileLookup": given})
        assert [tuple(row) for row in new.collect()] == [(1, 1)]
