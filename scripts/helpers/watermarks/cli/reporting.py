"""The command that writes a page to look at: report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scripts.helpers.watermarks.cli.completing import complete_job
from scripts.helpers.watermarks.cli.options import Asked


def report(
    asked: Asked,
    jobs: Annotated[
        list[str] | None,
        typer.Argument(metavar="JOB...", help="only these jobs", autocompletion=complete_job, show_default=False),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="the page to write")] = Path(
        "report.html"
    ),
) -> None:
    """Write a page with charts and the history of jobs, which opens offline in any browser.

    \b
    Examples:
      watermarks report
      watermarks report load-repairs --output repairs.html
    """
    raise NotImplementedError(asked, jobs, output)
