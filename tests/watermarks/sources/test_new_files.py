"""`new_files`: everything the first time, then only what is new or changed; late files too, and each once."""

import logging
from dataclasses import replace
from datetime import datetime, timedelta, timezone

import pytest

from scripts.helpers.watermarks import InvalidArgumentError, RunStateError
from scripts.helpers.watermarks.job_run import file_reading
from scripts.helpers.watermarks.values import digests
from scripts.helpers.watermarks.window import Window
from tests.support.frames import SPARK_VERSION, frame, numbers, session_zone
from tests.support.landing import HOUR, Landing, hook

UTC = timezone.utc
HORIZON = datetime(2023, 3, 16, 11, 44, 59, tzinfo=UTC)  # noon less the band, and the last second that was over then

needs_option = pytest.mark.skipif(SPARK_VERSION < (3, 4), reason="ignoreMissingFiles is an option since Spark 3.4")


def test_full_then_delta(landing: Landing) -> None:
    landing.put("a.json", 1, 2, ago=2 * HOUR)
    landing.put("b.json", 3)

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        assert numbers(landing.new(run)) == [1, 2, 3]
        assert run.batch_id == 1
        assert run.is_full_load("claims")
        assert run.window("claims") == Window(None, datetime(2023, 3, 16, 11, tzinfo=UTC), None)
    landing.clock.turn(hours=1)
    landing.put("c.json", 4, ago=600)
    with landing.watermarks.job_run(landing.job, "jr_2") as run:
        assert numbers(landing.new(run)) == [4]
        assert run.batch_id == 2
        assert not run.is_full_load("claims")
        assert run.window("claims") == Window(HORIZON, datetime(2023, 3, 16, 12, 50, tzinfo=UTC), None)

    assert landing.mark() == HORIZON + timedelta(hours=1)


def test_nothing_new__is_empty_and_the_mark_moves_on_with_the_clock(landing: Landing) -> None:
    landing.put("a.json", 1)
    landing.load()
    landing.clock.turn(minutes=5)

    assert landing.load() == []
    assert landing.mark() == HORIZON + timedelta(minutes=5)


def test_same_second__a_file_that_came_later_is_taken(landing: Landing) -> None:
    landing.put("a.json", 1, ago=60)
    assert landing.load() == [1]

    landing.put("b.json", 2, ago=60)

    assert [landing.load(), landing.load()] == [[2], []]


def test_late__behind_the_newest_within_the_band_is_read_once(landing: Landing) -> None:
    landing.put("newest.json", 1, ago=2)
    assert landing.load() == [1]
    landing.clock.turn(seconds=10)

    # An upload in parts: complete only now, with the time at which it began.
    landing.put("late.json", 2, ago=899)

    assert [landing.load(), landing.load()] == [[2], []]


def test_band__is_how_late_a_file_may_be(landing: Landing) -> None:
    landing.load(band=timedelta(minutes=1))

    landing.put("just.json", 1, ago=60)
    landing.put("too-late.json", 2, ago=62)

    assert landing.load(band=timedelta(minutes=1)) == [1]


@pytest.mark.parametrize("ago", [60, 30], ids=["same-second", "later"])
def test_overwritten__is_read_again(landing: Landing, ago: int) -> None:
    landing.put("a.json", 1, ago=60)
    landing.put("b.json", 2, ago=60)
    assert landing.load() == [1, 2]

    landing.put("a.json", 11, ago=ago)

    assert [landing.load(), landing.load()] == [[11], []]


def test_overwritten__long_after_the_horizon_has_passed_it(landing: Landing) -> None:
    landing.put("a.json", 1)
    landing.load()
    landing.clock.turn(hours=5)

    landing.put("a.json", 2, ago=3)

    assert landing.load() == [2]


def test_failed_run__leaves_everything_to_its_retry(landing: Landing) -> None:
    landing.put("a.json", 1, ago=60)
    landing.load(run_id="jr_1")
    before = landing.position()
    landing.put("b.json", 2, ago=30)

    assert landing.fail() == [2]
    assert landing.position() == before
    with landing.watermarks.job_run(landing.job, "jr_3") as run:
        assert numbers(landing.new(run)) == [2]
        assert run.batch_id == 2


def test_current_second__is_waited_for(landing: Landing) -> None:
    waited: list[float] = []
    table = landing.watermarks._table
    landing.clock.turn(seconds=0.25)

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        landing.clock.turn(seconds=seconds)
        landing.put("b.json", 2, ago=0.5)
        landing.put("c.json", 3, ago=0)

    table.backoff = replace(table.backoff, sleep=sleep)
    landing.put("a.json", 1, ago=0.1)

    assert landing.load() == [1, 2]
    assert waited == [0.75]
    landing.clock.turn(seconds=1)
    assert landing.load() == [3]


def test_max_files__bounds_a_run_oldest_first(landing: Landing) -> None:
    for n, ago in enumerate([500, 400, 400, 300, 200], start=1):
        landing.put(f"{n}.json", n, ago=ago)

    taken = [landing.load(max_files=2) for _ in range(4)]

    assert taken == [[1], [2, 3], [4, 5], []]


def test_max_files__what_is_left_is_told(landing: Landing, caplog: pytest.LogCaptureFixture) -> None:
    landing.put("a.json", 1, ago=2 * HOUR)
    landing.put("b.json", 2)
    caplog.set_level(logging.INFO, logger="scripts.helpers.watermarks.job_run.file_reading")

    landing.load(max_files=1)

    assert caplog.messages == [
        "claims: 1 new file, modified the beginning → 2023-03-16 10:00:00 (1 more are left for the next run)"
    ]
    (run,) = landing.watermarks.history(landing.job)
    assert (run["sources"]["claims"]["files"], run["sources"]["claims"]["left"]) == (1, 1)


def test_log__one_line_per_source_and_per_commit(landing: Landing, caplog: pytest.LogCaptureFixture) -> None:
    landing.put("a.json", 1)
    landing.put("b.json", 2)
    caplog.set_level(logging.INFO, logger="scripts.helpers.watermarks.job_run")

    landing.load(run_id="jr_1")
    landing.load(run_id="jr_2")

    assert caplog.messages == [
        "claims: 2 new files, modified the beginning → 2023-03-16 11:00:00",
        f"{landing.job}: run jr_1 committed as batch 1, 2 files",
        "claims: no new files since 2023-03-16 11:44:59",
        f"{landing.job}: run jr_2 committed as batch 2, 0 files",
    ]


def test_rows_and_files__in_one_run(landing: Landing) -> None:
    landing.put("a.json", 1)
    repairs = frame(landing.spark, "int", ["7", "8"])

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        assert numbers(landing.new(run)) == [1]
        assert numbers(run.new_rows(repairs, "value", transformation_ctx="repairs")) == [1, 2]

    assert landing.watermarks.get_watermark_values(landing.job) == {"claims": HORIZON, "repairs": 8}
    assert landing.load() == []
    assert landing.watermarks.get_watermark_values(landing.job) == {"claims": HORIZON, "repairs": 8}


def test_several_sources__each_with_its_position(landing: Landing) -> None:
    landing.put("x/a.json", 1, ago=60)
    landing.put("y/b.json", 2, ago=60)

    for expected in ([1], [2]), ([], []):
        with landing.watermarks.job_run(landing.job, f"jr_{len(expected[0])}") as run:
            x, y = (landing.new(run, f"{landing.path}/{each}", transformation_ctx=each) for each in "xy")
            assert (numbers(x), numbers(y)) == expected


def test_same_source_twice__is_refused(landing: Landing) -> None:
    landing.put("a.json", 1)

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        landing.new(run)
        with pytest.raises(RunStateError, match="has read source 'claims' already"):
            landing.new(run)


def test_deleted__between_listing_and_reading(landing: Landing, caplog: pytest.LogCaptureFixture) -> None:
    gone, _ = landing.put("a.json", 1, ago=60), landing.put("b [1].json", 2, ago=60)

    with hook(file_reading, "plan_files", gone.unlink):
        assert landing.load() == [2]

    assert "claims: 1 file gone since the listing" in caplog.messages
    assert landing.load() == []


def test_deleted__all_of_them(landing: Landing) -> None:
    gone = landing.put("a.json", 1, ago=60)

    with hook(file_reading, "plan_files", gone.unlink):
        assert landing.load() == []


def test_deleted__all_of_them_and_no_schema(landing: Landing) -> None:
    gone = landing.put("a.json", 1, ago=60)

    with hook(file_reading, "plan_files", gone.unlink), pytest.raises(InvalidArgumentError, match="Give schema="):
        landing.load(schema=None)


@needs_option
@pytest.mark.classic
def test_deleted__before_the_frame_is_used(landing: Landing) -> None:
    """Over Spark Connect a frame looks for its files in every action, and fails there."""
    gone, _ = landing.put("a.json", 1, ago=60), landing.put("b.json", 2, ago=60)

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        new = landing.new(run)
        gone.unlink()
        assert numbers(new) == [2]


@needs_option
def test_deleted__while_files_are_listed(landing: Landing) -> None:
    gone, _ = landing.put("a.json", 1, ago=60), landing.put("b.json", 2, ago=60)
    reader = type(landing.spark.read)

    with hook(reader, "load", lambda: gone.unlink(missing_ok=True)):
        assert landing.load() == [2]


def test_too_many_files__is_refused_before_anything_is_read(landing: Landing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "MOST", 1)
    landing.put("a.json", 1)
    landing.put("b.json", 2, ago=60)
    assert landing.load() == [1, 2]
    landing.put("c.json", 3, ago=60)

    with monkeypatch.context() as patched, pytest.raises(InvalidArgumentError, match="Lower band"):
        patched.setattr(file_reading, "_frame", lambda *_, **__: pytest.fail("files were read"))
        landing.load()

    assert landing.load(band=timedelta(seconds=30)) == [3]


def test_frame__does_not_grow_while_the_job_runs(landing: Landing) -> None:
    landing.put("a.json", 1, ago=60)

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        new = landing.new(run)
        landing.put("b.json", 2, ago=60)
        assert numbers(new) == [1]

    assert landing.load() == [2]


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata"])
def test_session_zone__makes_no_difference(landing: Landing, zone: str) -> None:
    landing.put("a.json", 1, ago=2)
    with session_zone(landing.spark, zone):
        assert landing.load() == [1]
        landing.put("b.json", 2, ago=899)
        landing.put("too-late.json", 3, ago=902)
        assert landing.load() == [2]
        assert landing.mark() == HORIZON
