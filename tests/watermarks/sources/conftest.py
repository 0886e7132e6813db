"""Fixtures for tests with real frames: moto, and a clock that stands at noon."""

import pytest

from scripts.helpers.watermarks import Watermarks
from tests.support.tables import Clock, EmulatedTable


@pytest.fixture
def watermarks(moto_table: EmulatedTable, clock: Clock) -> Watermarks:
    """The object under test, at noon of 16 March 2023 unless the test turns its clock."""
    return moto_table.watermarks(clock=clock)
