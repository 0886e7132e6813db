"""The command that writes a page to look at: report."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scripts.helpers.watermarks.cli import exits
from scripts.helpers.watermarks.cli.arguments import limit_option
from scripts.helpers.watermarks.cli.commands import argument, command
from scripts.helpers.watermarks.cli.completing import complete_job
from scripts.helpers.watermarks.cli.documents import print_document
from scripts.helpers.watermarks.cli.options import Asked

if TYPE_CHECKING:
    from scripts.helpers.watermarks import Watermarks
    from scripts.helpers.watermarks.report import JobStory

MOST_RUNS = 10_000


@command()
@argument("jobs", "only these jobs", metavar="[JOB]...", nargs=-1, shell_complete=complete_job)
@click.option(
    "--output",
    "-o",
    metavar="FILE",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    show_default=True,
    help="the page to write; - for standard output",
)
@limit_option(MOST_RUNS, "the latest N runs of each job")
def report(asked: Asked, jobs: Sequence[str], output: Path, limit: int) -> None:
    """Write a page with charts and the history of jobs, which opens offline in any browser.

    \b
    Examples:
      watermarks report
      watermarks report load-repairs --output repairs.html
    """
    from scripts.helpers.watermarks.report import require_plotly, write_report

    require_plotly()
    watermarks = asked.watermarks()
    names = list(dict.fromkeys(jobs or sorted(watermarks.reads.job_ids())))
    stories = [story for name in names if (story := _story(asked, watermarks, name, limit, named=bool(jobs)))]
    to_stdout = str(output) == "-"
    try:
        target = sys.stdout if to_stdout else output
        write_report(target, stories, table_name=watermarks.table_name, generated_at=watermarks.now())
    except OSError as error:
        raise exits.stop(asked, f"{output} cannot be written: {error}.", exits.FAILED) from None
    if to_stdout:
        return
    if asked.json:
        print_document({"output": str(output), "jobs": [story.job_id for story in stories]})
        return
    asked.console().print(f"Wrote {output}: {len(stories):,} jobs.")


def _story(asked: Asked, watermarks: Watermarks, job: str, limit: int, *, named: bool) -> JobStory | None:
    """Read the story of a job. One that cannot be read is left out, and said so, unless it was asked for by name."""
    from scripts.helpers.watermarks.errors import BrokenItemError
    from scripts.helpers.watermarks.report import JobStory

    try:
        return JobStory.of(watermarks, job, limit)
    except BrokenItemError as error:
        if named:
            raise
        exits.tell(asked, type(error).__name__, f"{job!r} is left out: {error}", exits.FAILED)
        return None
