"""Fixtures for the proofs: everything on DynamoDB Local, which decides where moto is only a model."""

import uuid

import pytest

from scripts.helpers.watermarks import Watermarks
from tests.support.processes import STRESS
from tests.support.tables import Clock, EmulatedTable, new_table

# Not even collected elsewhere: skipped, they would look like something that the machine lacks.
collect_ignore = [] if STRESS else ["test_random_kills.py"]


@pytest.fixture(scope="module")
def local_table(dynamodb_local: str) -> EmulatedTable:
    """A table in DynamoDB Local; each file has its own."""
    return new_table(dynamodb_local)


@pytest.fixture
def watermarks(local_table: EmulatedTable) -> Watermarks:
    """The object under test."""
    return local_table.watermarks()


@pytest.fixture
def job() -> str:
    """A job that no other test uses."""
    return f"job-{uuid.uuid4().hex[:12]}"


@pytest.fixture
def clock() -> Clock:
    return Clock()
