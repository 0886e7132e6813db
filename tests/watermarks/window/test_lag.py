"""From where rows are read again to catch the late ones: as far below the mark as asked, to the last digit."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from scripts.helpers.watermarks import InvalidArgumentError
from scripts.helpers.watermarks.values.marks import DAY, SECOND
from scripts.helpers.watermarks.window.rows import lagged


@pytest.mark.parametrize(
    ("kind", "low", "lag", "start"),
    [
        pytest.param("integer", 10, 3, 7, id="id"),
        pytest.param("integer", -(2**63), 1, -(2**63) - 1, id="below-every-id"),
        pytest.param("decimal", Decimal("1.5"), 3, Decimal("-1.5"), id="decimal"),
        pytest.param(
            "decimal", Decimal("9" * 28 + ".9999999999"), 1, Decimal("9" * 27 + "8.9999999999"), id="38-digits"
        ),
        pytest.param("timestamp", 10 * SECOND, timedelta(seconds=3), 7 * SECOND, id="timestamp"),
        pytest.param("timestamp_ntz", DAY, timedelta(days=1), 0, id="timestamp_ntz"),
        pytest.param("date", 10, timedelta(days=3), 7, id="date"),
        pytest.param("date", 10, timedelta(hours=25), 8, id="part-of-a-day-is-a-day"),
        pytest.param("integer", 10, 0, None, id="no-lag"),
        pytest.param("integer", 10, None, None, id="not-given"),
        pytest.param("integer", None, 3, None, id="no-mark-yet"),
    ],
)
def test_lagged(kind: Any, low: Any, lag: Any, start: Any) -> None:
    assert lagged(kind, low, lag) == start


@pytest.mark.parametrize(
    ("kind", "lag", "told"),
    [
        pytest.param("integer", timedelta(1), "must be a whole number", id="time-for-an-id"),
        pytest.param("integer", -1, "not negative", id="negative"),
        pytest.param("integer", True, "must be a whole number", id="true"),
        pytest.param("timestamp", 60, "must be a timedelta", id="number-for-a-time"),
        pytest.param("timestamp", timedelta(-1), "not negative", id="negative-time"),
        pytest.param("string", 1, "must be left out", id="text"),
    ],
)
def test_lagged__refused(kind: Any, lag: Any, told: str) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        lagged(kind, None, lag)
