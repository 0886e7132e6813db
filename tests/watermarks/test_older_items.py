"""A table with items of the platform's original class: never a silent first run, and one call to go on."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from scripts.helpers.watermarks import (
    InvalidArgumentError,
    JobAlreadyRunningError,
    UnadoptedItemsError,
    WatermarkNotFoundError,
    Watermarks,
)
from scripts.helpers.watermarks.table import Lease
from tests.support.adding import add
from tests.support.tables import NOON, Clock, EmulatedTable, Wire

USES: list[Callable[[Watermarks, str], object]] = [
    lambda watermarks, job: watermarks.get_most_recent_run_id(job_id=job),
    lambda watermarks, job: watermarks.get_watermark(job_id=job),
    lambda watermarks, job: watermarks.get_watermark_values(job_id=job),
    lambda watermarks, job: add(watermarks, job, "jr_new", rows_collected=1),
]


def put_older(table: EmulatedTable, job: str, *runs: str, **more: Wire) -> None:
    """Items as the original class puts them: three keys, no state."""
    for run in runs:
        table.put(job, run, watermarks={"M": {"latest_data": {"S": f"of {run}"}, "rows": {"N": "808"}, **more}})


@pytest.mark.parametrize("use", USES, ids=["get_most_recent_run_id", "get_watermark", "get_watermark_values", "add"])
def test_older_items__refused_with_the_remedy(
    watermarks: Watermarks, table: EmulatedTable, job: str, use: Callable[[Watermarks, str], object]
) -> None:
    put_older(table, job, "jr_b", "jr_a")
    before = table.items(job)

    with pytest.raises(UnadoptedItemsError) as refusal:
        use(watermarks, job)

    message = str(refusal.value)
    assert f"Watermarks({table.name!r}).adopt(job_id={job!r}, run_id=…)" in message
    assert "'jr_a', 'jr_b'" in message
    assert "\n" not in message
    assert (refusal.value.job_id, refusal.value.table_name) == (job, table.name)
    assert refusal.value.run_ids == ("jr_a", "jr_b")
    assert table.items(job) == before


def test_older_items__a_few_are_named_where_there_are_many(
    watermarks: Watermarks, table: EmulatedTable, job: str
) -> None:
    table.put_many(
        [{"jobName": {"S": job}, "runId": {"S": f"jr_{number:03}"}, "watermarks": {"M": {}}} for number in range(150)]
    )

    with pytest.raises(UnadoptedItemsError) as refusal:
        watermarks.get_most_recent_run_id(job)

    assert refusal.value.run_ids == ("jr_000", "jr_001", "jr_002", "jr_003", "jr_004")


def test_older_items__of_another_job_do_not_matter(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    put_older(table, f"{job}-older", "jr_a")

    add(watermarks, job, "jr_1", rows_collected=1)

    assert watermarks.get_most_recent_run_id(job) == "jr_1"


def test_older_items__also_refused_once_a_run_took_the_job_and_left(
    watermarks: Watermarks, table: EmulatedTable, job: str
) -> None:
    put_older(table, job, "jr_a")
    watermarks._table.take(job, Lease("token", "jr_new", NOON, NOON))

    with pytest.raises(UnadoptedItemsError):
        watermarks.get_most_recent_run_id(job)


def test_older_item__read_by_its_run_id(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    put_older(table, job, "jr_a", "jr_b")

    assert watermarks.get_watermark(job_id=job, run_id="jr_a") == {
        "jobName": job,
        "runId": "jr_a",
        "watermarks": {"latest_data": "of jr_a", "rows": 808},
    }
    with pytest.raises(WatermarkNotFoundError):
        watermarks.get_watermark(job_id=job, run_id="jr_c")


def test_older_item__values_of_every_kind_it_could_write(
    watermarks: Watermarks, table: EmulatedTable, job: str
) -> None:
    kinds: Wire = {
        "words": {"SS": ["b", "a"]},
        "numbers": {"NS": ["10", "9", "1.5"]},
        "blobs": {"BS": [b"b", b"a"]},
        "fraction": {"N": "1.50"},
        "none": {"NULL": True},
        "map": {"M": {"list": {"L": [{"N": "1"}, {"BOOL": False}]}}},
    }
    put_older(table, job, "jr_a", **kinds)

    assert watermarks.get_watermark_values(job_id=job, run_id="jr_a") == {
        "latest_data": "of jr_a",
        "rows": 808,
        "words": ["a", "b"],
        "numbers": [Decimal("1.5"), 9, 10],
        "blobs": [b"a", b"b"],
        "fraction": Decimal("1.5"),
        "none": None,
        "map": {"list": [1, False]},
    }


def test_adopt__goes_on_from_the_run_named(table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock)
    put_older(table, job, "jr_a", "jr_b", "jr_c")

    watermarks.adopt(job_id=job, run_id="jr_b")

    assert watermarks.get_most_recent_run_id(job) == "jr_b"
    assert watermarks.get_watermark_values(job) == {"latest_data": "of jr_b", "rows": 808}
    assert watermarks.get_watermark_values(job, "jr_b") == {"latest_data": "of jr_b", "rows": 808}
    assert [(run["runId"], run["version"]) for run in watermarks.history(job)] == [("jr_b", 1)]

    add(watermarks, job, "jr_0", rows=1)

    assert watermarks.get_most_recent_run_id(job) == "jr_0"
    assert [run["runId"] for run in watermarks.history(job)] == ["jr_0", "jr_b"]
    assert watermarks.get_watermark_values(job, "jr_a") == {"latest_data": "of jr_a", "rows": 808}


def test_adopt__run_with_sets_can_be_read_and_followed(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    put_older(table, job, "jr_a", words={"SS": ["b", "a"]})

    watermarks.adopt(job, "jr_a")

    assert watermarks.get_watermark_values(job) == {"latest_data": "of jr_a", "rows": 808, "words": ["a", "b"]}


def test_adopt__run_that_is_not_there(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    put_older(table, job, "jr_a")
    before = table.items(job)

    with pytest.raises(WatermarkNotFoundError, match=r"Run 'jr_b' .* was never recorded"):
        watermarks.adopt(job, "jr_b")
    assert table.items(job) == before


def test_adopt__job_that_already_has_a_state(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)
    put_older(table, job, "jr_a")
    before = table.items(job)

    with pytest.raises(InvalidArgumentError, match=r"already has a state \(latest run 'jr_1'\)"):
        watermarks.adopt(job, "jr_a")
    assert table.items(job) == before


def test_adopt__job_that_a_run_holds(table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock)
    put_older(table, job, "jr_a")
    watermarks._table.take(job, Lease("token", "jr_new", NOON, NOON))

    with pytest.raises(JobAlreadyRunningError):
        watermarks.adopt(job, "jr_a")

    clock.turn(seconds=1)
    watermarks.adopt(job, "jr_a")
    assert watermarks.get_most_recent_run_id(job) == "jr_a"
