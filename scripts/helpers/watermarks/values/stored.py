"""Python value <-> stored value, with what type it was kept beside it.

A stored value is what a person reads in the console: text, a number, true or false, a list, a map. Where that alone
does not say what the Python value was (a datetime is text, a float is a number), its type is noted under the value's
JSON pointer (RFC 6901). Whatever would not come back exactly as it went in is refused here, before any request.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any, NoReturn, TypeAlias

from scripts.helpers.watermarks.errors import UnsupportedValueError

Stored: TypeAlias = "str | Decimal | bool | bytes | list[Stored] | dict[str, Stored] | None"
StoredMap: TypeAlias = dict[str, Stored]
Types: TypeAlias = dict[str, str]

# DynamoDB allows 32 levels, and the attribute that holds the map is the first of them (tried on DynamoDB Local).
MAX_DEPTH = 31
MAX_NAME_BYTES = 65_535
MAX_DIGITS = 38
# Python refuses to turn longer integers into text (CVE-2020-10735).
MAX_INT_BITS = 14_000
SUPPORTED = "str, int, float, Decimal, bool, None, bytes, date, datetime, and lists and dicts of them"


def encode(values: Mapping[str, object], *, root: str = "watermarks") -> tuple[StoredMap, Types]:
    """Turn named Python values into their stored form.

    Args:
        values: the values by name.
        root: how to call the whole of it in an error's key path.

    Returns:
        The stored map, and the types of those values that the stored form alone does not tell, by JSON pointer.

    Raises:
        UnsupportedValueError: a value cannot be stored, or would come back changed.

    Example:
        >>> encode({"rows_collected": 808, "day": date(2023, 3, 16)})
        ({'rows_collected': Decimal('808'), 'day': '2023-03-16'}, {'/day': 'date'})
    """
    encoder = _Encoder()
    return encoder.map(values, root, "", 1), encoder.types


def decode(stored: StoredMap, types: Mapping[str, str]) -> dict[str, object]:
    """Turn a stored map back into the Python values it was made of.

    Raises:
        ValueError: a value does not have the form that its noted type needs, or the type is not known.
    """
    return {name: _decode(value, _pointer("", name), types) for name, value in stored.items()}


def canonical_number(number: Decimal) -> Decimal:
    """Give the number as DynamoDB gives it back: no exponent, no zeros at the end, no minus before zero."""
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return Decimal(0) if text in ("-0", "") else Decimal(text)


class _Encoder:
    """Encodes one set of values and notes their types as it goes."""

    def __init__(self) -> None:
        self.types: Types = {}
        # Exact types only: a subclass (numpy.float64, pandas.Timestamp, an Enum) would come back as something else.
        self._by_type: dict[type, Callable[[Any, str, str], Stored]] = {
            str: self._text,
            int: self._int,
            float: self._float,
            Decimal: self._decimal,
            date: self._date,
            datetime: self._datetime,
        }

    def map(self, values: Mapping[str, object], path: str, pointer: str, depth: int) -> StoredMap:
        stored: StoredMap = {}
        for name, value in values.items():
            here = f"{path}[{name!r}]"
            if type(name) is not str or not name:
                _refuse(here, name, "a name must be text and not empty")
            _require_utf8(name, here)
            if len(name.encode()) > MAX_NAME_BYTES:
                _refuse(f"{path}[{name[:40]!r}…]", name, f"the name is longer than {MAX_NAME_BYTES:,} bytes")
            stored[name] = self.value(value, here, _pointer(pointer, name), depth)
        return stored

    def value(self, value: object, path: str, pointer: str, depth: int) -> Stored:
        if value is None or isinstance(value, bool) or type(value) is bytes:
            return value
        if type(value) is list or isinstance(value, dict):
            return self._container(value, path, pointer, depth)
        encoder = self._by_type.get(type(value))
        if encoder is None:
            _refuse(path, value, f"supported are {SUPPORTED}")
        return encoder(value, path, pointer)

    def _container(self, value: list[object] | dict[str, object], path: str, pointer: str, depth: int) -> Stored:
        if depth >= MAX_DEPTH:
            _refuse(path, value, f"it is nested deeper than the {MAX_DEPTH} levels that DynamoDB allows here")
        if isinstance(value, dict):
            return self.map(value, path, pointer, depth + 1)
        return [
            self.value(element, f"{path}[{index}]", f"{pointer}/{index}", depth + 1)
            for index, element in enumerate(value)
        ]

    def _text(self, value: str, path: str, _: str) -> Stored:
        _require_utf8(value, path)
        return value

    def _int(self, value: int, path: str, pointer: str) -> Stored:
        if value.bit_length() > MAX_INT_BITS:
            _refuse(path, value, "the integer has more than 4,200 digits")
        if abs(value) < 10**MAX_DIGITS:
            return Decimal(value)
        self.types[pointer] = "int"
        return str(value)

    def _float(self, value: float, path: str, pointer: str) -> Stored:
        if not math.isfinite(value):
            _refuse(path, value, f"{value} is not a number that can be compared")
        self.types[pointer] = "float"
        number = Decimal(repr(value))
        return canonical_number(number) if is_held(number) else repr(value)

    def _decimal(self, value: Decimal, path: str, pointer: str) -> Stored:
        if not value.is_finite():
            _refuse(path, value, f"{value} is not a number that can be compared")
        self.types[pointer] = "decimal"
        # `1.10` and `1E+2` are numbers that DynamoDB would give back as `1.1` and `100`.
        unchanged = is_held(value) and canonical_number(value).as_tuple() == value.as_tuple()
        return value if unchanged else str(value)

    def _date(self, value: date, _: str, pointer: str) -> Stored:
        self.types[pointer] = "date"
        return value.isoformat()

    def _datetime(self, value: datetime, path: str, pointer: str) -> Stored:
        self.types[pointer] = "datetime"
        if value.tzinfo is None:
            if value.fold:
                self.types[pointer] = "datetime fold=1"
            return value.isoformat()
        if value.utcoffset() is None:
            _refuse(path, value, "its tzinfo gives no offset, so it is neither naive nor aware")
        try:
            return value.astimezone(timezone.utc).isoformat()
        except OverflowError:
            _refuse(path, value, f"{value.isoformat()} is outside the years 1 to 9999 in UTC")


def is_held(number: Decimal) -> bool:
    """Say whether DynamoDB keeps the number's value: 38 digits, no extreme exponent, no minus before zero."""
    if number.is_zero():
        return not number.is_signed()
    if not -90 <= number.adjusted() < MAX_DIGITS:
        return False
    return len(canonical_number(number).as_tuple().digits) <= MAX_DIGITS


def _decode(stored: Stored, pointer: str, types: Mapping[str, str]) -> object:
    if isinstance(stored, dict):
        return {name: _decode(value, _pointer(pointer, name), types) for name, value in stored.items()}
    if isinstance(stored, list):
        return [_decode(value, f"{pointer}/{index}", types) for index, value in enumerate(stored)]
    noted = types.get(pointer)
    if noted is None:
        return _plain_number(stored) if isinstance(stored, Decimal) else stored
    try:
        return _DECODERS[noted](stored)
    except KeyError:
        raise ValueError(f"{pointer}: unknown type {noted!r}") from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ValueError(f"{pointer}: {stored!r} is not of type {noted}") from error


def _plain_number(number: Decimal) -> int | Decimal:
    canonical = canonical_number(number)
    return int(canonical) if canonical.as_tuple().exponent == 0 else canonical


def _decimal(stored: Stored) -> Decimal:
    if isinstance(stored, Decimal):
        return canonical_number(stored)
    if isinstance(stored, str) and (number := Decimal(stored)).is_finite():
        return number
    raise TypeError


def _float(stored: Stored) -> float:
    if isinstance(stored, (Decimal, str)) and math.isfinite(number := float(stored)):
        return number
    raise TypeError


def _int(stored: Stored) -> int:
    if isinstance(stored, str) or (isinstance(stored, Decimal) and stored == int(stored)):
        return int(stored)
    raise TypeError


_DECODERS: Mapping[str, Callable[[Any], object]] = {
    "int": _int,
    "float": _float,
    "decimal": _decimal,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "datetime fold=1": lambda stored: datetime.fromisoformat(stored).replace(fold=1),
}


def _pointer(parent: str, name: object) -> str:
    return f"{parent}/{str(name).replace('~', '~0').replace('/', '~1')}"


def _require_utf8(text: str, path: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        _refuse(path, text, "the text holds a lone surrogate, which is not valid Unicode")


def _type_name(value: object) -> str:
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _refuse(path: str, value: object, reason: str) -> NoReturn:
    raise UnsupportedValueError(
        f"{path} ({_type_name(value)}) cannot be stored as a watermark: {reason}.",
        key_path=path,
        value_type=_type_name(value),
    )
