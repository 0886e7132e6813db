"""DynamoDB keeps at most 400 KB in an item: what is over it is refused before anything is written."""

import re
import uuid
from collections.abc import Callable

import pytest

from scripts.helpers.watermarks import UnsupportedValueError, Watermarks
from scripts.helpers.watermarks.table import JobState, Lease, RunRecord, Values
from scripts.helpers.watermarks.table.conditions import nobody_changed_it_since
from scripts.helpers.watermarks.table.wire import MAX_ITEM_BYTES
from tests.support.adding import add
from tests.support.tables import NOON, EmulatedTable, requests_of

TOO_MANY = 420 * 1024
# Where there would be many thousands of values, most of the item is text: a wrong count of the rest still shows.
FILLERS: dict[str, Callable[[int], object]] = {
    "text": lambda size: "x" * size,
    "text-beyond-ascii": lambda size: "é" * (size // 2),
    "bytes": lambda size: b"x" * size,
    "list-of-numbers": lambda size: ["x" * (size * 7 // 8), *[-12_345] * (size // 48)],
    "list-of-long-numbers": lambda size: ["x" * (size // 2), *[10**37 + 1] * (size // 44)],
    "list-of-floats": lambda size: ["x" * (size * 7 // 8), *[-1.5] * (size // 128)],
    "dict-of-none": lambda size: {"text": "x" * (size * 7 // 8)} | _nothings(size // 64),
}


def _nothings(count: int) -> dict[str, object]:
    return {f"{number:06}": None for number in range(count)}


def refused_size(watermarks: Watermarks, job: str, value: object) -> int | None:
    """Add the value; give the size that was named where it was refused for it."""
    try:
        add(watermarks, job, "jr_1", it=value)
    except UnsupportedValueError as refusal:
        [size] = re.findall(r"would have ([\d,]+) bytes", str(refusal))
        return int(size.replace(",", ""))
    return None


@pytest.mark.parametrize("filler", FILLERS.values(), ids=FILLERS)
def test_largest_item_we_accept__is_accepted_by_dynamodb(
    on_local: Watermarks, local_table: EmulatedTable, job: str, filler: Callable[[int], object]
) -> None:
    sizes = [TOO_MANY]
    # Shrink by what it is too large, until we accept it.
    while (too_large := refused_size(on_local, job, filler(sizes[-1]))) is not None:
        assert local_table.items(job) == []
        sizes.append(sizes[-1] - max(1, (too_large - MAX_ITEM_BYTES) * sizes[-1] // too_large))

    assert len(sizes) > 1
    assert on_local.get_watermark_values(job) == {"it": filler(sizes[-1])}


def test_over_the_limit_by_one_byte__of_the_state(on_local: Watermarks, local_table: EmulatedTable, job: str) -> None:
    watermarks, table = on_local, local_table
    too_large = refused_size(watermarks, job, "x" * TOO_MANY)
    assert too_large is not None
    longest = TOO_MANY - (too_large - MAX_ITEM_BYTES)

    with pytest.raises(UnsupportedValueError) as refusal:
        add(watermarks, job, "jr_1", it="x" * (longest + 1))

    assert str(refusal.value) == (
        "The watermarks are too large: the state of the job would have 409,601 bytes, and DynamoDB keeps at most "
        "409,600 in an item. Record fewer or shorter values. Nothing was written."
    )
    assert (refusal.value.key_path, refusal.value.value_type) == ("watermarks", "dict")
    assert table.items(job) == []

    add(watermarks, job, "jr_1", it="x" * longest)
    assert table.count(job) == 2


def test_over_the_limit__together_with_the_marks_of_sources(
    on_local: Watermarks, local_table: EmulatedTable, job: str
) -> None:
    watermarks, table = on_local, local_table
    add(watermarks, job, "jr_1", rows_collected=1)
    table.edit(job, sources={"M": {"repairs": {"M": {"mark": {"S": "x" * 300_000}}}}})
    before = table.item(job)["version"]

    with pytest.raises(UnsupportedValueError, match="the state of the job would have 4"):
        add(watermarks, job, "jr_2", it="x" * 110_000)

    assert table.item(job)["version"] == before
    assert table.count(job) == 2
    add(watermarks, job, "jr_2", it="x" * 90_000)


def test_over_the_limit__of_the_record_alone(on_moto: Watermarks, moto_table: EmulatedTable, job: str) -> None:
    record = RunRecord(job, "jr_1", Values(), status="FAILED", version=1, error="x" * MAX_ITEM_BYTES)

    with requests_of(on_moto) as requests, pytest.raises(UnsupportedValueError, match="'jr_1' would have"):
        on_moto._table.write(
            JobState(job, version=1), record, state_condition=nobody_changed_it_since(None), token="t", action="fail"
        )

    assert requests.names == []
    assert moto_table.items(job) == []


def test_state__has_room_left_for_the_longest_lease(on_local: Watermarks, job: str) -> None:
    too_large = refused_size(on_local, job, "x" * TOO_MANY)
    assert too_large is not None
    add(on_local, job, "jr_1", it="x" * (TOO_MANY - (too_large - MAX_ITEM_BYTES)))

    on_local._table.take(job, Lease(str(uuid.uuid4()), "😀" * 250, NOON, NOON))
