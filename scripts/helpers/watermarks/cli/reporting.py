"""The command that writes a page to look at: report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scripts.helpers.watermarks.cli import exits
from scripts.helpers.watermarks.cli.completing import complete_job
from scripts.helpers.watermarks.cli.documents import print_document
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
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=1, help="the latest N runs of each job [all]")
    ] = None,
) -> None:
    """Write a page with charts and the history of jobs, which opens offline in any browser.

    \b
    Examples:
      watermarks report
      watermarks report load-repairs --output repairs.html
    """
    from scripts.helpers.watermarks.report import JobStory, write_report

    watermarks = asked.watermarks()
    names = jobs or sorted(job["jobName"] for job in watermarks.jobs())
    stories = [JobStory.of(watermarks, name, limit) for name in dict.fromkeys(names)]
    try:
        write_report(output, stories, table_name=watermarks.table_name, generated_at=watermarks.now())
    except OSError as error:
        raise exits.stop(asked, f"{output} cannot be written: {error}.", exits.FAILED) from None
    if asked.json:
        print_document({"output": str(output), "jobs": list(dict.fromkeys(names))})
        return
    asked.console().print(f"Wrote {output}: {len(stories):,} jobs.", markup=False)
