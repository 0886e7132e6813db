"""Fixtures for tests with real frames: moto, and a clock that stands at noon."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.landing import Landing
from tests.support.tables import Clock, EmulatedTable


@pytest.fixture
def watermarks(moto_table: EmulatedTable, clock: Clock) -> Watermarks:
    """The object under test, at noon of 16 March 2023 unless the test turns its clock."""
    return moto_table.watermarks(clock=clock)


@pytest.fixture
def landing(spark: SparkSession, watermarks: Watermarks, job: str, clock: Clock, tmp_path: Path) -> Landing:
    """A folder in which files land, at noon of 16 March 2023 unless the test turns its clock."""
    folder = tmp_path / "landing"
    folder.mkdir()
    return Landing(spark, watermarks, job, clock, folder)
