"""Stored values <-> DynamoDB's own JSON (`{"S": "text"}`), and how large an item is as DynamoDB counts it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, TypeAlias

from scripts.helpers.watermarks.values import Stored, StoredMap

Wire: TypeAlias = dict[str, Any]
WireMap: TypeAlias = dict[str, Wire]

MAX_ITEM_BYTES = 400 * 1024


def to_wire(value: Stored) -> Wire:
    """Write one stored value as DynamoDB's JSON."""
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, Decimal):
        return {"N": format(value, "f")}
    if isinstance(value, bytes):
        return {"B": value}
    if isinstance(value, list):
        return {"L": [to_wire(element) for element in value]}
    return {"M": map_to_wire(value)}


def map_to_wire(values: Mapping[str, Stored]) -> WireMap:
    """Write a stored map as DynamoDB's JSON."""
    return {name: to_wire(value) for name, value in values.items()}


def from_wire(wire: Wire) -> Stored:
    """Read one value from DynamoDB's JSON. Sets, which only the platform's original class wrote, become lists."""
    ((kind, value),) = wire.items()
    if kind == "NULL":
        return None
    if kind == "N":
        return Decimal(value)
    if kind == "L":
        return [from_wire(element) for element in value]
    if kind == "M":
        return map_from_wire(value)
    if kind == "NS":
        return [Decimal(number) for number in sorted(value, key=Decimal)]
    if kind in ("SS", "BS"):
        return sorted(value)
    return value  # type: ignore[no-any-return]  # S, B and BOOL are themselves


def map_from_wire(wire: WireMap) -> StoredMap:
    """Read a map from DynamoDB's JSON."""
    return {name: from_wire(value) for name, value in wire.items()}


def item_bytes(item: WireMap) -> int:
    """Give the size of an item by DynamoDB's rules; numbers are counted a little too high rather than too low."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def _value_bytes(wire: Wire) -> int:
    ((kind, value),) = wire.items()
    if kind == "S":
        return len(value.encode())
    if kind == "B":
        return len(value)
    if kind == "N":
        return min(len(value) // 2 + 2, 21)
    if kind == "L":
        return 3 + sum(1 + _value_bytes(element) for element in value)
    if kind == "M":
        return 3 + sum(1 + len(name.encode()) + _value_bytes(each) for name, each in value.items())
    return 1
