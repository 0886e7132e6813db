"""The command that looks for what usually goes wrong: doctor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from scripts.helpers.watermarks.cli import exits
from scripts.helpers.watermarks.cli.commands import argument, command
from scripts.helpers.watermarks.cli.completing import complete_job
from scripts.helpers.watermarks.cli.documents import print_document
from scripts.helpers.watermarks.cli.options import Asked
from scripts.helpers.watermarks.cli.words import harmless

if TYPE_CHECKING:
    from scripts.helpers.watermarks.doctor import Finding

SIGNS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "bold red"), "unknown": ("?", "dim")}


@command()
@argument(
    "job",
    "look only at this job; needed with the policy of a job, which sees no other",
    required=False,
    shell_complete=complete_job,
)
def doctor(asked: Asked, job: str | None) -> None:
    """Look for what usually goes wrong, and say how to mend it. Nothing is changed.

    Credentials and region, the table and its indexes, expiry and recovery, permissions (tried with requests whose
    condition cannot hold), this machine's clock, leases that ran out, marks in the future, items that cannot be read.

    \b
    Examples:
      watermarks doctor
      watermarks doctor load-repairs --profile production
    """
    from scripts.helpers.watermarks.doctor import examine

    findings = examine(asked.watermarks(), job_id=job)
    wrong = any(finding.verdict == "problem" for finding in findings)
    if asked.json:
        print_document({"healthy": not wrong, "findings": [finding.view() for finding in findings]})
    else:
        _show(asked, findings)
    if wrong:
        raise click.exceptions.Exit(exits.FAILED)


def _show(asked: Asked, findings: Sequence[Finding]) -> None:
    from rich.text import Text

    from scripts.helpers.watermarks.cli.tables import Cell, Column, print_table

    rows: list[list[Cell]] = []
    for finding in findings:
        sign, style = SIGNS[finding.verdict]
        told = Text(harmless(finding.told))
        if finding.remedy:
            told.append(harmless(f"\n→ {finding.remedy}"), style="bold")
        rows.append([Text(sign, style=style), finding.check, told])
    print_table(asked.console(), [Column(""), Column("CHECK"), Column("FOUND", gives=True)], rows)
