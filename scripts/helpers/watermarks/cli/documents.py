"""What `--json` prints: one document, always an object, with the names that the table has."""

from __future__ import annotations

import base64
import json
from datetime import date, datetime, time
from decimal import Decimal


def print_document(document: dict[str, object]) -> None:
    """Print a document with a line for each member; in ASCII, which every pipe takes."""
    print(json.dumps(document, default=plain, indent=2))


def plain(value: object) -> object:
    """Give what JSON has no form for: times as ISO-8601, exact decimals as text, bytes as base64."""
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"{value!r} has no form in JSON")
