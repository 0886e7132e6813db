"""Values that cannot be kept: refused by name and type, before any request."""

import enum
from collections import OrderedDict
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from scripts.helpers.watermarks import UnsupportedValueError, Watermarks
from scripts.helpers.watermarks.values.stored import MAX_DEPTH, MAX_INT_BITS, decode, encode
from tests.support.tables import EmulatedTable, requests_of


class Colour(str, enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 1


class Text(str):
    __slots__ = ()


class Day(date):
    pass


class Nowhere(tzinfo):
    """A zone without an offset: neither naive nor aware."""

    def utcoffset(self, _: datetime | None) -> timedelta | None:
        return None

    dst = utcoffset

    def tzname(self, _: datetime | None) -> str | None:
        return None


WHERE = [
    # id, how the value is put into the watermarks, the key path that the error has to name
    pytest.param(lambda value: {"it": value}, "watermarks['it']", id="at-the-top"),
    pytest.param(lambda value: {"it": [0, value]}, "watermarks['it'][1]", id="in-a-list"),
    pytest.param(lambda value: {"it": {"a/b": value}}, "watermarks['it']['a/b']", id="in-a-dict"),
    pytest.param(
        lambda value: {"fine": 1, "it": [{"a": [[0, {"b": value}]]}]},
        "watermarks['it'][0]['a'][0][1]['b']",
        id="deep-down",
    ),
]

VALUES = [
    pytest.param(float("nan"), "float", id="nan"),
    pytest.param(float("inf"), "float", id="infinity"),
    pytest.param(float("-inf"), "float", id="minus-infinity"),
    pytest.param(Decimal("NaN"), "decimal.Decimal", id="decimal-nan"),
    pytest.param(Decimal("sNaN"), "decimal.Decimal", id="decimal-signalling-nan"),
    pytest.param(Decimal("-Infinity"), "decimal.Decimal", id="decimal-infinity"),
    pytest.param({1, 2}, "set", id="set"),
    pytest.param(frozenset("a"), "frozenset", id="frozenset"),
    pytest.param((1, 2), "tuple", id="tuple"),
    pytest.param(bytearray(b"a"), "bytearray", id="bytearray"),
    pytest.param(1j, "complex", id="complex"),
    pytest.param(Fraction(1, 3), "fractions.Fraction", id="fraction"),
    pytest.param(time(15, 45), "datetime.time", id="time"),
    pytest.param(timedelta(days=1), "datetime.timedelta", id="timedelta"),
    pytest.param(object(), "object", id="object"),
    pytest.param(print, "builtin_function_or_method", id="function"),
    pytest.param(int, "type", id="type"),
    pytest.param(Colour.RED, f"{__name__}.Colour", id="enum-of-text"),
    pytest.param(Level.LOW, f"{__name__}.Level", id="enum-of-int"),
    pytest.param(Text("a"), f"{__name__}.Text", id="subclass-of-str"),
    pytest.param(Day(2023, 3, 16), f"{__name__}.Day", id="subclass-of-date"),
    pytest.param("\ud800", "str", id="lone-surrogate"),
    pytest.param(1 << MAX_INT_BITS, "int", id="integer-of-thousands-of-digits"),
    pytest.param(datetime(2023, 3, 16, tzinfo=Nowhere()), "datetime.datetime", id="zone-without-offset"),
    pytest.param(datetime.max.replace(tzinfo=timezone(-timedelta(hours=5))), "datetime.datetime", id="year-10000"),
    pytest.param({1: "a"}, "int", id="dict-with-a-number-as-name"),
    pytest.param({"": "a"}, "str", id="dict-with-an-empty-name"),
    pytest.param({"\udfff": "a"}, "str", id="dict-with-a-lone-surrogate-as-name"),
    pytest.param({"n" * 65_536: "a"}, "str", id="dict-with-an-endless-name"),
]


@pytest.mark.parametrize(("place", "path"), WHERE)
@pytest.mark.parametrize(("value", "type_name"), VALUES)
def test_encode__unsupported_value_is_named(
    value: object, type_name: str, place: Callable[[object], dict[str, object]], path: str
) -> None:
    with pytest.raises(UnsupportedValueError) as refusal:
        encode(place(value))

    assert refusal.value.key_path.startswith(path)
    assert refusal.value.value_type == type_name
    assert str(refusal.value).startswith(f"{refusal.value.key_path} ({type_name}) cannot be stored as a watermark: ")
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 400


@pytest.mark.parametrize("place", [pytest.param(where.values[0], id=where.id) for where in WHERE])
def test_create_watermark_item__refuses_it_too(place: Callable[[object], dict[str, object]]) -> None:
    with pytest.raises(UnsupportedValueError, match=r"\(set\) cannot be stored"):
        Watermarks.create_watermark_item("repairs", "jr_1", **place({1}))


@pytest.mark.parametrize(("value", "_type_name"), VALUES)
def test_add_watermark__unsupported_value_makes_no_request(
    on_moto: Watermarks, moto_table: EmulatedTable, job: str, value: object, _type_name: str
) -> None:
    item: Any = {"jobName": job, "runId": "jr_1", "watermarks": {"fine": 1, "it": [value]}}

    with requests_of(on_moto) as requests, pytest.raises(UnsupportedValueError, match=r"watermarks\['it'\]\[0\]"):
        on_moto.add_watermark(item)

    assert requests.names == []
    assert moto_table.items(job) == []


def nested(levels: int, wrap: Callable[[object], object]) -> object:
    value: object = 1.5
    for _ in range(levels):
        value = wrap(value)
    return value


WRAPS = pytest.mark.parametrize(
    "wrap",
    [
        pytest.param(lambda inner: [inner], id="lists"),
        pytest.param(lambda inner: {"a": inner}, id="dicts"),
    ],
)


@WRAPS
def test_add_watermark__nested_as_deep_as_dynamodb_allows(
    watermarks: Watermarks, job: str, wrap: Callable[[object], object]
) -> None:
    deepest = nested(MAX_DEPTH - 1, wrap)

    watermarks.add_watermark(watermarks.create_watermark_item(job, "jr_1", it=deepest))

    assert watermarks.get_watermark_values(job) == {"it": deepest}


@WRAPS
def test_encode__nested_one_level_deeper(wrap: Callable[[object], object]) -> None:
    with pytest.raises(UnsupportedValueError, match="nested deeper than the 31 levels"):
        encode({"it": nested(MAX_DEPTH, wrap)})


def test_add_watermark__one_level_deeper_is_refused_by_dynamodb_itself(local_table: EmulatedTable, job: str) -> None:
    wire: dict[str, Any] = {"N": "1"}
    for _ in range(MAX_DEPTH):
        wire = {"L": [wire]}

    with pytest.raises(local_table.client.exceptions.ClientError, match=r"[Nn]esting [Ll]evels"):
        local_table.put(job, "jr_1", watermarks={"M": {"it": wire}})


def test_encode__value_that_holds_itself() -> None:
    endless: list[object] = []
    endless.append(endless)

    with pytest.raises(UnsupportedValueError, match="nested deeper"):
        encode({"it": endless})


def test_encode__other_kinds_of_dict_come_back_as_dict() -> None:
    decoded = decode(*encode({"it": OrderedDict(a=1)}))

    assert decoded == {"it": {"a": 1}}
    assert type(decoded["it"]) is dict
