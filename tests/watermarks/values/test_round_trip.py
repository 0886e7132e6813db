"""Values through a real table: what `get_watermark` gives is exactly what `add_watermark` took."""

from datetime import date, datetime, timezone
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings

from scripts.helpers.watermarks import Watermarks
from tests.support.strategies import TRICKY_NAMES, exact, named_values

JOB = "round-trip"

CASES = [
    pytest.param(Decimal("1.10"), id="decimal-with-zero-at-its-end"),
    pytest.param(Decimal("-0"), id="decimal-minus-zero"),
    pytest.param(Decimal("0E-3"), id="decimal-zero-with-places"),
    pytest.param(Decimal("1E+2"), id="decimal-with-exponent"),
    pytest.param(Decimal("1234567890.0123456789012345678901234567"), id="decimal-of-38-digits"),
    pytest.param(Decimal("1234567890.01234567890123456789012345678"), id="decimal-of-39-digits"),
    pytest.param(Decimal("1E-130"), id="decimal-of-the-smallest-exponent"),
    pytest.param(Decimal("1E-90"), id="decimal-of-the-smallest-exponent-kept-as-number"),
    pytest.param(Decimal("9" * 37 + "E-127"), id="long-and-small-decimal"),
    pytest.param(Decimal("1E-131"), id="decimal-below-the-smallest-exponent"),
    pytest.param(Decimal("1E-6176"), id="decimal-far-below"),
    pytest.param(-0.0, id="float-minus-zero"),
    pytest.param(0.1 + 0.2, id="float-with-17-digits"),
    pytest.param(1e300, id="float-1e300"),
    pytest.param(5e-324, id="float-5e-324"),
    pytest.param(1e37, id="float-1e37"),
    pytest.param(1e38, id="float-1e38"),
    pytest.param(1.7976931348623157e308, id="greatest-float"),
    pytest.param(2**63, id="int-2**63"),
    pytest.param(-(2**64) - 1, id="int-beyond-2**64"),
    pytest.param(10**38 - 1, id="int-of-38-digits"),
    pytest.param(10**38, id="int-of-39-digits"),
    pytest.param(-(10**400), id="int-of-400-digits"),
    pytest.param(datetime(2023, 3, 16, 15, 45, 0, 1), id="naive-datetime"),
    pytest.param(datetime(2023, 10, 29, 1, 30, fold=1), id="folded-datetime"),
    pytest.param(datetime(2023, 3, 16, tzinfo=timezone.utc), id="aware-datetime"),
    pytest.param(datetime.min, id="first-datetime"),
    pytest.param(datetime.max, id="last-datetime"),
    pytest.param(date.min, id="first-date"),
    pytest.param(True, id="true"),
    pytest.param(None, id="none"),
    pytest.param(bytes(range(256)), id="bytes"),
    pytest.param("2023-03-16", id="text-that-looks-like-a-date"),
    pytest.param("𝄞 → é\x00\n", id="text-beyond-ascii"),
    pytest.param([], id="empty-list"),
    pytest.param({}, id="empty-dict"),
    pytest.param([1, 1.0, Decimal(1), True, "1", None, [1.0]], id="list-of-ones"),
    pytest.param(dict.fromkeys(TRICKY_NAMES, 1.0), id="names-that-mean-something-to-dynamodb"),
    pytest.param({"S": "text"}, id="dict-that-looks-like-dynamodb-text"),
    pytest.param({"N": "1"}, id="dict-that-looks-like-a-dynamodb-number"),
    pytest.param({"M": {"S": {"N": {"NULL": True}}}}, id="dict-that-looks-like-a-dynamodb-map"),
]


def round_trip(watermarks: Watermarks, job: str, **values: object) -> None:
    watermarks.add_watermark(watermarks.create_watermark_item(job, "jr_1", **values))

    from_record = watermarks.get_watermark(job, run_id="jr_1")
    from_state = watermarks.get_watermark(job)

    assert from_record is not None
    assert from_state is not None
    assert exact(from_record["watermarks"]) == exact(values)
    assert exact(from_state["watermarks"]) == exact(values)


@pytest.mark.parametrize("value", CASES)
def test_value__through_a_table(watermarks: Watermarks, job: str, value: object) -> None:
    round_trip(watermarks, job, it=value)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("", id="empty-text"),
        pytest.param(b"", id="empty-bytes"),
        pytest.param({"a": "", "b": [b"", ""]}, id="nested-empty-text"),
    ],
)
def test_empty_value__through_a_table_that_takes_it(on_moto: Watermarks, job: str, value: object) -> None:
    round_trip(on_moto, job, it=value)


@pytest.mark.parametrize(
    "name",
    ["S", "N", "M", "a/b", "a~b", "a.b", "a b", ":0", "a#b", "ü", "version", "status", "lease", "n" * 255],
    ids=lambda name: name[:8],
)
def test_name__through_a_table(watermarks: Watermarks, job: str, name: str) -> None:
    round_trip(watermarks, job, **{name: 1.5})


def test_no_values_at_all__through_a_table(watermarks: Watermarks, job: str) -> None:
    round_trip(watermarks, job)


def test_next_values__leave_no_type_note_behind(watermarks: Watermarks, job: str) -> None:
    round_trip(watermarks, job, it=date(2023, 3, 16))
    round_trip(watermarks, job, it="2023-03-16")
    round_trip(watermarks, job, it=1.0)
    round_trip(watermarks, job, it=1)


def test_item_read__can_be_added_again(watermarks: Watermarks, job: str) -> None:
    round_trip(watermarks, job, it=Decimal("1.10"), day=date(2023, 3, 16))

    item = watermarks.get_watermark(job)
    assert item is not None
    watermarks.add_watermark(item)

    assert watermarks.get_watermark(job) == item


@given(values=named_values())
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
def test_any_values__through_moto(on_moto: Watermarks, values: dict[str, object]) -> None:
    round_trip(on_moto, JOB, **values)


@given(values=named_values(empty=False))
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_any_values__through_dynamodb_local(on_local: Watermarks, values: dict[str, object]) -> None:
    round_trip(on_local, JOB, **values)
