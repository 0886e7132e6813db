"""The commands that only look: jobs, show, history, diff."""

from __future__ import annotations

from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any

import click

from scripts.helpers.watermarks.cli import exits
from scripts.helpers.watermarks.cli.arguments import job_argument, limit_option, run_argument
from scripts.helpers.watermarks.cli.commands import command
from scripts.helpers.watermarks.cli.documents import print_document
from scripts.helpers.watermarks.cli.options import Asked
from scripts.helpers.watermarks.cli.words import harmless

if TYPE_CHECKING:
    from scripts.helpers.watermarks import Watermarks

RUNS_IN_SHOW = 20
CHANGES_IN_SHOW = 5


@command()
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
    else:
        from scripts.helpers.watermarks.cli.pages import show_jobs

        show_jobs(asked, watermarks.table_name, harmless(found))
    if any(job["status"] == "BROKEN" for job in found):
        raise click.exceptions.Exit(exits.FAILED)


@command()
@job_argument
def show(asked: Asked, job: str) -> None:
    """Show where a job stands: its sources, values, last runs, what operators changed, and where to see it on AWS.

    \b
    Examples:
      watermarks show load-repairs
      watermarks show load-repairs --json | jq -r '.sources.repairs.mark'
    """
    watermarks = asked.watermarks()
    state = watermarks.job(job)
    if state is None:
        raise _unknown(asked, watermarks, job)
    changes = list(watermarks.changes(job, limit=CHANGES_IN_SHOW, with_broken=True))
    addresses = watermarks.console_addresses(job)
    if asked.json:
        print_document({**state, "changes": changes, "console": addresses})
        _fail_if_broken(asked, watermarks, changes)
        return
    from scripts.helpers.watermarks.cli.pages import show_job

    runs = list(watermarks.history(job, limit=RUNS_IN_SHOW, with_broken=True))
    show_job(asked, *map(harmless, (state, runs, changes, addresses)))
    _fail_if_broken(asked, watermarks, [*runs, *changes])


@command()
@job_argument
@limit_option(20, "how many runs at most")
@click.option("--all", "every", is_flag=True, help="every run on record")
@click.option("--failed", is_flag=True, help="only the runs that failed")
def history(asked: Asked, job: str, limit: int, every: bool, failed: bool) -> None:
    """List the runs of a job, newest first, and what operators changed in between.

    \b
    Examples:
      watermarks history load-repairs
      watermarks history load-repairs --failed -n 5
      watermarks history load-repairs --all --json | jq -r '.runs[] | [.recordedAt, .status, .batchId] | @tsv'
    """
    watermarks = asked.watermarks()
    found = watermarks.history(job, limit=None if every or failed else limit, with_broken=True)
    if failed:
        # One that cannot be read may have failed as well.
        found = (run for run in found if run["status"] in ("FAILED", "BROKEN"))
    runs = list(found if every else islice(found, limit))
    # Of the runs that are shown, and no older ones unless these are all there are.
    known = [run["version"] for run in runs if run["status"] != "BROKEN"]
    oldest = known[-1] if known and len(runs) == limit and not every else 0
    all_changes = watermarks.changes(job, None, with_broken=True)
    changes = [] if failed else list(takewhile(lambda change: change["version"] >= oldest, all_changes))
    if not runs and not changes and watermarks.job(job) is None:
        raise _unknown(asked, watermarks, job)
    if asked.json:
        print_document({"jobName": job, "runs": runs, "changes": changes})
    else:
        from scripts.helpers.watermarks.cli.pages import show_history

        show_history(asked, *map(harmless, (job, runs, changes)), only_failed=failed)
    _fail_if_broken(asked, watermarks, [*runs, *changes])


@command()
@job_argument
@run_argument("first")
@run_argument("second")
def diff(asked: Asked, job: str, first: str, second: str) -> None:
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


def _fail_if_broken(asked: Asked, watermarks: Watermarks, entries: list[dict[str, Any]]) -> None:
    """End with an error if some of what was shown cannot be read, and say so."""
    broken = [entry for entry in entries if "problem" in entry]
    if not broken:
        return
    if not asked.json:
        from scripts.helpers.watermarks.cli.pages import show_broken

        show_broken(asked, watermarks.table_name, harmless(broken))
    raise click.exceptions.Exit(exits.FAILED)


def _unknown(asked: Asked, watermarks: Watermarks, job: str) -> click.exceptions.Exit:
    told = f"Nothing was ever recorded of a job {job!r} in table {watermarks.table_name!r}."
    return exits.stop(asked, told, exits.NOT_FOUND)
