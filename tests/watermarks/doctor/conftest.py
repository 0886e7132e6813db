"""A table as Terraform would make it, and findings by what was looked at."""

import pytest

from scripts.helpers.watermarks.doctor import Finding
from tests.support.tables import EmulatedTable, new_table


@pytest.fixture
def table(moto_endpoint: str) -> EmulatedTable:
    """A table of each test's own, as Terraform would make it."""
    made = new_table(moto_endpoint)
    made.client.update_continuous_backups(
        TableName=made.name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
    )
    made.client.update_table(TableName=made.name, DeletionProtectionEnabled=True)
    return made


def by_check(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.check: finding for finding in findings}


def not_ok(findings: list[Finding]) -> dict[str, Finding]:
    return by_check([finding for finding in findings if finding.verdict != "ok"])
