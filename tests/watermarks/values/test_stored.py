"""Python values to their stored form and back, without a table."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scripts.helpers.watermarks.values import Stored, canonical_number, decode, encode
from tests.support.strategies import exact, named_values

LONDON = ZoneInfo("Europe/London")
BERLIN = timezone(timedelta(hours=1))
DIGITS_38 = 10**38 - 1
DIGITS_39 = 10**38

CASES = [
    # id, value, as stored, type noted beside it
    ("text", "2023-03-16 15:45:00", "2023-03-16 15:45:00", None),
    ("empty-text", "", "", None),
    ("text-that-looks-like-a-number", "808", "808", None),
    ("true", True, True, None),
    ("false", False, False, None),
    ("none", None, None, None),
    ("bytes", b"\x00\xff", b"\x00\xff", None),
    ("empty-bytes", b"", b"", None),
    ("int", 808, Decimal(808), None),
    ("int-zero", 0, Decimal(0), None),
    ("int-beyond-2**64", 2**64 + 1, Decimal(2**64 + 1), None),
    ("int-of-38-digits", DIGITS_38, Decimal(DIGITS_38), None),
    ("int-of-39-digits", DIGITS_39, str(DIGITS_39), "int"),
    ("negative-int-of-39-digits", -DIGITS_39, str(-DIGITS_39), "int"),
    ("float", 1.1, Decimal("1.1"), "float"),
    ("whole-float", 3.0, Decimal("3"), "float"),
    ("float-minus-zero", -0.0, "-0.0", "float"),
    ("float-1e22", 1e22, Decimal(10**22), "float"),
    ("float-1e300", 1e300, "1e+300", "float"),
    ("float-5e-324", 5e-324, "5e-324", "float"),
    ("decimal", Decimal("12.34"), Decimal("12.34"), "decimal"),
    ("whole-decimal", Decimal("12"), Decimal("12"), "decimal"),
    ("decimal-with-zero-at-its-end", Decimal("1.10"), "1.10", "decimal"),
    ("decimal-with-exponent", Decimal("1E+2"), "1E+2", "decimal"),
    ("decimal-minus-zero", Decimal("-0"), "-0", "decimal"),
    ("decimal-of-38-digits", Decimal(f"0.{'7' * 38}"), Decimal(f"0.{'7' * 38}"), "decimal"),
    ("decimal-of-39-digits", Decimal(f"0.{'7' * 39}"), f"0.{'7' * 39}", "decimal"),
    ("huge-decimal", Decimal("1E+999999"), "1E+999999", "decimal"),
    ("date", date(2023, 3, 16), "2023-03-16", "date"),
    ("naive-datetime", datetime(2023, 3, 16, 15, 45), "2023-03-16T15:45:00", "datetime"),
    ("microseconds", datetime(2023, 3, 16, 15, 45, 0, 1), "2023-03-16T15:45:00.000001", "datetime"),
    ("folded-datetime", datetime(2023, 10, 29, 1, 30, fold=1), "2023-10-29T01:30:00", "datetime fold=1"),
    ("year-1", datetime.min, "0001-01-01T00:00:00", "datetime"),
    ("datetime-in-utc", datetime(2023, 3, 16, tzinfo=timezone.utc), "2023-03-16T00:00:00+00:00", "datetime"),
    ("datetime-elsewhere", datetime(2023, 3, 16, tzinfo=BERLIN), "2023-03-15T23:00:00+00:00", "datetime"),
    (
        "second-half-past-one-in-London",
        datetime(2023, 10, 29, 1, 30, fold=1, tzinfo=LONDON),
        "2023-10-29T01:30:00+00:00",
        "datetime",
    ),
]


@pytest.mark.parametrize(("value", "stored", "noted"), [pytest.param(*case, id=name) for name, *case in CASES])
def test_encode__stored_form_and_type_note(value: object, stored: Stored, noted: str | None) -> None:
    form, types = encode({"it": value})

    assert exact(form) == exact({"it": stored})
    assert types == ({} if noted is None else {"/it": noted})
    assert exact(decode(form, types)) == exact({"it": value})


def test_encode__aware_datetime_comes_back_in_utc() -> None:
    decoded = decode(*encode({"it": datetime(2023, 3, 16, tzinfo=BERLIN)}))["it"]

    assert decoded == datetime(2023, 3, 15, 23, tzinfo=timezone.utc)
    assert isinstance(decoded, datetime)
    assert decoded.tzinfo == timezone.utc


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        pytest.param([0, [1.5]], "/it/1/0", id="in-lists"),
        pytest.param({"deep": {"er": 1.5}}, "/it/deep/er", id="in-dicts"),
        pytest.param({"a/b": 1.5}, "/it/a~1b", id="under-a-slash"),
        pytest.param({"a~b": 1.5}, "/it/a~0b", id="under-a-tilde"),
        pytest.param({"~1": 1.5}, "/it/~01", id="under-what-looks-escaped"),
        pytest.param({"S": {"N": 1.5}}, "/it/S/N", id="under-names-of-types"),
    ],
)
def test_encode__notes_the_type_under_its_json_pointer(value: object, pointer: str) -> None:
    assert encode({"it": value})[1] == {pointer: "float"}


def test_encode__names_that_would_collide_without_escaping() -> None:
    values = {"a/b": 1, "a": {"b": 1.0, "c/d": Decimal(1)}, "a/c": {"d": date(2023, 3, 16)}, "a~1b": b"1"}

    assert exact(decode(*encode(values))) == exact(values)


@given(values=named_values())
@example(values={"a": {"~1": 1.5, "/": Decimal("1.5"), "~01": 1, "~0": {"1": "1.5"}}})
@example(values={"list": [1.0, [Decimal(1), [1, [True, [None]]]]], "S": {"S": {"N": {"NULL": "NULL"}}}})
def test_encode__comes_back_exactly(values: dict[str, object]) -> None:
    assert exact(decode(*encode(values))) == exact(values)


@given(values=named_values())
def test_encode__leaves_its_argument_alone(values: dict[str, object]) -> None:
    before = exact(values)

    stored, _ = encode(values)
    stored["added"] = "later"

    assert exact(values) == before


@given(number=st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**50), max_value=10**50))
@example(number=Decimal("0E+5"))
@example(number=Decimal("-0.00"))
@example(number=Decimal("1E+10"))
def test_canonical_number__same_value_in_one_form(number: Decimal) -> None:
    canonical = canonical_number(number)

    assert canonical == number
    assert canonical.as_tuple() == canonical_number(canonical).as_tuple()
    _, digits, exponent = canonical.as_tuple()
    assert isinstance(exponent, int)
    assert exponent <= 0
    assert exponent == 0 or digits[-1] != 0
    assert not (canonical.is_zero() and canonical.is_signed())


@pytest.mark.parametrize(
    ("stored", "value"),
    [
        pytest.param(Decimal("808"), 808, id="whole"),
        pytest.param(Decimal("8E+2"), 800, id="whole-with-exponent"),
        pytest.param(Decimal("1.50"), Decimal("1.5"), id="with-fraction"),
    ],
)
def test_decode__number_without_a_note(stored: Decimal, value: object) -> None:
    assert exact(decode({"it": stored}, {})) == exact({"it": value})


@pytest.mark.parametrize(
    ("stored", "noted", "problem"),
    [
        pytest.param("soon", "datetime", "'soon' is not of type datetime", id="not-a-datetime"),
        pytest.param(Decimal(5), "datetime", "is not of type datetime", id="a-number-as-datetime"),
        pytest.param("2023-02-30", "date", "'2023-02-30' is not of type date", id="not-a-day"),
        pytest.param("eight", "int", "'eight' is not of type int", id="not-an-int"),
        pytest.param(Decimal("1.5"), "int", "is not of type int", id="a-fraction-as-int"),
        pytest.param(None, "int", "None is not of type int", id="null-as-int"),
        pytest.param("eight", "decimal", "'eight' is not of type decimal", id="not-a-decimal"),
        pytest.param("NaN", "decimal", "'NaN' is not of type decimal", id="nan-as-decimal"),
        pytest.param("eight", "float", "'eight' is not of type float", id="not-a-float"),
        pytest.param("inf", "float", "'inf' is not of type float", id="infinity-as-float"),
        pytest.param(True, "float", "True is not of type float", id="true-as-float"),
        pytest.param("x", "duration", "unknown type 'duration'", id="unknown-type"),
    ],
)
def test_decode__value_that_is_not_of_its_noted_type(stored: Stored, noted: str, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^/it: .*{problem}"):
        decode({"it": stored}, {"/it": noted})
