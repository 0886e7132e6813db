"""The commands that only look: jobs, show, history, diff."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

import typer

from scripts.helpers.watermarks.cli import exits
from scripts.helpers.watermarks.cli.completing import complete_job, complete_run
from scripts.helpers.watermarks.cli.documents import print_document
from scripts.helpers.watermarks.cli.options import Asked
from scripts.helpers.watermarks.cli.words import harmless

Job = Annotated[str, typer.Argument(metavar="JOB", help="the job's name", autocompletion=complete_job)]
Run = Annotated[
    str, typer.Argument(metavar="RUN", help="a run id, or enough of its beginning", autocompletion=complete_run)
]
Limit = Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, help="how many runs at most")]

RUNS_IN_SHOW = 20
CHANGES_IN_SHOW = 5


def jobs(asked: Asked) -> None:
    """List every job: how it is, where its sources stand, and how old that is.

    \b
    Examples:
      watermarks jobs
      watermarks jobs --json | jq -r '.jobs[] | select(.status == "FAILED") | .jobName'
    """
    watermarks = asked.watermarks()
    found = sorted(watermarks.jobs(details=True), key=lambda job: str(job["jobName"]))
    if asked.json:
        print_document({"table": watermarks.table_name, "jobs": found})
        return
    from scripts.helpers.watermarks.cli.pages import show_jobs

    show_jobs(asked, watermarks.table_name, harmless(found))


def show(asked: Asked, job: Job) -> None:
    """Show where a job stands: its sources, values, last runs, what operators changed, and where to see it on AWS.

    \b
    Examples:
      watermarks show load-repairs
      watermarks show load-repairs --json | jq -r '.sources.repairs.mark'
    """
    watermarks = asked.watermarks()
    state = watermarks.job(job)
    if state is None:
        raise exits.stop(
            asked, f"Nothing was ever recorded of a job {job!r} in table {watermarks.table_name!r}.", exits.NOT_FOUND
        )
    runs = list(watermarks.history(job, limit=RUNS_IN_SHOW))
    changes = list(watermarks.changes(job, limit=CHANGES_IN_SHOW))
    addresses = watermarks.console_addresses(job)
    if asked.json:
        print_document({**state, "changes": changes, "console": addresses})
        return
    from scripts.helpers.watermarks.cli.pages import show_job

    show_job(asked, *map(harmless, (state, runs, changes, addresses)))


def history(
    asked: Asked,
    job: Job,
    limit: Limit = 20,
    every: Annotated[bool, typer.Option("--all", help="every run on record")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="only the runs that failed")] = False,
) -> None:
    """List the runs of a job, newest first, and what operators changed in between.

    \b
    Examples:
      watermarks history load-repairs
      watermarks history load-repairs --failed -n 5
      watermarks history load-repairs --all --json | jq '[.runs[].sources.repairs.rows] | add'
    """
    watermarks = asked.watermarks()
    found = watermarks.history(job, limit=None if every or failed else limit)
    if failed:
        found = (run for run in found if run["status"] == "FAILED")
    runs = list(found if every else islice(found, limit))
    changes = [] if failed else list(watermarks.changes(job, limit=None))
    if runs and not every:
        # Those of the runs that are shown, and no older ones.
        changes = [change for change in changes if change["version"] >= runs[-1]["version"]]
    if asked.json:
        print_document({"jobName": job, "runs": runs, "changes": changes})
        return
    from scripts.helpers.watermarks.cli.pages import show_history

    if not runs and not changes:
        none = "No run of it failed." if failed else "Nothing is on record of it."
        raise exits.stop(asked, f"Job {job!r}, table {watermarks.table_name!r}: {none}", exits.NOT_FOUND)
    show_history(asked, *map(harmless, (job, runs, changes)))


def diff(asked: Asked, job: Job, first: Run, second: Run) -> None:
    """Compare two runs of a job: how far each source came, which values changed, how much was loaded.

    \b
    Examples:
      watermarks diff load-repairs jr_3f jr_91
    """
    watermarks = asked.watermarks()
    found = watermarks.diff(job, watermarks.find_run(job, first), watermarks.find_run(job, second))
    if asked.json:
        print_document(found)
        return
    from scripts.helpers.watermarks.cli.pages import show_diff

    show_diff(asked, harmless(found))
