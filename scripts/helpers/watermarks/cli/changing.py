"""The commands that change a job: each shows what it will do, asks, and does it only if the job is still as shown."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

import click

from scripts.helpers.watermarks.cli import exits
from scripts.helpers.watermarks.cli.arguments import job_argument, run_argument, source_argument
from scripts.helpers.watermarks.cli.commands import argument, command
from scripts.helpers.watermarks.cli.completing import complete_run, complete_source
from scripts.helpers.watermarks.cli.documents import print_document
from scripts.helpers.watermarks.cli.options import Asked
from scripts.helpers.watermarks.cli.words import harmless

if TYPE_CHECKING:
    from scripts.helpers.watermarks import Watermarks
    from scripts.helpers.watermarks.operations import Changed
    from scripts.helpers.watermarks.values.marks import MarkType

reason_option = click.option("--reason", "-m", metavar="TEXT", help="why, for those who look at it later")
force_option = click.option(
    "--force", is_flag=True, help="take the job away from a run under way, which then cannot commit"
)
yes_option = click.option("--yes", "-y", is_flag=True, help="do it without asking, for scripts")
dry_run_option = click.option("--dry-run", is_flag=True, help="show what would change, and change nothing")


@command()
@job_argument
@argument("run", "the run to go back to", required=False, shell_complete=complete_run)
@click.option("--before", metavar="TIME", help="instead of RUN: the last success before, as 2026-11-17T08:00Z")
@reason_option
@force_option
@yes_option
@dry_run_option
def rewind(
    asked: Asked,
    job: str,
    run: str | None,
    before: str | None,
    reason: str | None,
    force: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Let a job stand again where it stood after a run: the next run loads everything since.

    Says which batches of the target hold what will be loaded again. Drop them before the next run.

    \b
    Examples:
      watermarks rewind load-repairs jr_3f --reason "wrong exchange rate"
      watermarks rewind load-repairs --before 2026-11-17T08:00Z --dry-run
    """
    if (run is None) == (before is None):
        raise exits.stop(asked, "Give a RUN or --before TIME, exactly one of them.", exits.MISUSED)
    watermarks = asked.watermarks()
    if before is None:
        to_run = _full_id(watermarks, job, str(run))
    else:
        # Looked up once, by an index that may lag: what is shown is then what is done.
        found = watermarks.rewind(job, before=_moment(asked, before), dry_run=True, force=force)
        to_run = str(found.after["latestRunId"])

    def change(**caution: Any) -> Changed:
        return watermarks.rewind(job, to_run, reason, **caution)

    _change(asked, change, force=force, yes=yes, dry_run=dry_run)


@command()
@job_argument
@argument("source", "only this source", required=False, shell_complete=complete_source)
@reason_option
@force_option
@yes_option
@dry_run_option
def reset(
    asked: Asked, job: str, source: str | None, reason: str | None, force: bool, yes: bool, dry_run: bool
) -> None:
    """Let the next run of a job be a full load, of every source or of one.

    \b
    Examples:
      watermarks reset load-repairs --reason "the target was lost"
      watermarks reset load-repairs tenancies
    """
    watermarks = asked.watermarks()

    def change(**caution: Any) -> Changed:
        return watermarks.reset(job, source, reason, **caution)

    _change(asked, change, force=force, yes=yes, dry_run=dry_run)


@command(ignore_unknown_options=True)  # a negative mark is no option
@job_argument
@source_argument
@argument("value", "the position, read by the type of the mark")
@click.option(
    "--type",
    "kind",
    metavar="TYPE",
    help="for a source never read: timestamp, timestamp_ntz, date, integer, decimal or string",
)
@reason_option
@force_option
@yes_option
@dry_run_option
def set_mark(
    asked: Asked,
    job: str,
    source: str,
    value: str,
    kind: str | None,
    reason: str | None,
    force: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Let a source stand at a position without running: all up to and including it counts as loaded.

    \b
    Examples:
      watermarks set payments payments 81204 --type integer --reason "loaded by the old job"
      watermarks set load-repairs repairs 2026-11-17T08:00:00Z
    """
    watermarks = asked.watermarks()
    state = watermarks.job(job)
    if kind is None and source not in (state["sources"] if state else {}):
        raise exits.stop(
            asked,
            f"Job {job!r} has no source {source!r} yet, so its mark has no type: say which with --type, as in "
            "--type timestamp, or check the spelling.",
            exits.MISUSED,
        )

    def change(**caution: Any) -> Changed:
        mark_type = cast("MarkType | None", kind)
        return watermarks.set_mark(job, source, value, reason, mark_type=mark_type, **caution)

    _change(asked, change, force=force, yes=yes, dry_run=dry_run)


@command()
@job_argument
@reason_option
@force_option
@yes_option
@dry_run_option
def forget(asked: Asked, job: str, reason: str | None, force: bool, yes: bool, dry_run: bool) -> None:
    """Let the marks and values of a deleted job go, and its place among the jobs; its history stays.

    \b
    Examples:
      watermarks forget load-old-repairs --reason "the job was deleted"
    """
    watermarks = asked.watermarks()

    def change(**caution: Any) -> Changed:
        return watermarks.forget(job, reason, **caution)

    _change(asked, change, force=force, yes=yes, dry_run=dry_run)


@command()
@job_argument
@run_argument()
@yes_option
@dry_run_option
def adopt(asked: Asked, job: str, run: str, yes: bool, dry_run: bool) -> None:
    """Go on from a run that the platform's original class recorded: make it the job's latest, once.

    \b
    Examples:
      watermarks adopt load-repairs jr_3f
    """
    watermarks = asked.watermarks()
    adopted = watermarks.find_run(job, run)
    values = watermarks.get_watermark_values(job, adopted) or {}
    if not asked.json:
        from scripts.helpers.watermarks.cli.plans import show_adoption

        show_adoption(asked, *map(harmless, (job, adopted, values)))
    if not dry_run:
        if not yes:
            _ask(asked, f"adopt {job}")
        watermarks.adopt(job, adopted)
    if asked.json:
        print_document({"jobName": job, "runId": adopted, "watermarks": values, "dryRun": dry_run})
    elif not dry_run:
        asked.console().print(f"Done: {harmless(job)} goes on from there.")


def _change(asked: Asked, change: Callable[..., Changed], *, force: bool, yes: bool, dry_run: bool) -> None:
    """Show the change, ask, and make it if the job is still as it was when it was shown."""
    planned = change(dry_run=True, force=force)
    if not asked.json:
        from scripts.helpers.watermarks.cli.plans import show_plan

        show_plan(asked, harmless(planned.view()))
    if dry_run:
        if asked.json:
            print_document({**planned.view(), "dryRun": True})
        return
    if not yes:
        _ask(asked, f"{planned.operation} {planned.job_id}")
    # By force only from the run that was shown: one that began since then is not overrun.
    done = change(expected_version=planned.version - 1, force=planned.taken_from is not None)
    if asked.json:
        print_document({**done.view(), "dryRun": False})
        return
    asked.console().print(f"Done: {harmless(done.job_id)} is at version {done.version} now.")


def _ask(asked: Asked, what: str) -> None:
    if asked.json or not sys.stdin.isatty():
        raise exits.stop(asked, "Nobody is there to be asked: use --yes to do it, or --dry-run to look.", exits.MISUSED)
    try:
        agreed = click.confirm(f"{harmless(what)}?", default=False)
    except click.Abort:  # Ctrl-C or the end of the input
        click.echo(err=True)
        agreed = False
    if not agreed:
        raise exits.stop(asked, "Nothing was changed.", exits.DECLINED)


def _full_id(watermarks: Watermarks, job: str, run: str) -> str:
    """Give the full id of a run; as it was given where there is none, since `rewind` knows more to say about that."""
    from scripts.helpers.watermarks.errors import WatermarkNotFoundError

    try:
        return watermarks.find_run(job, run)
    except WatermarkNotFoundError:
        return run


def _moment(asked: Asked, text: str) -> datetime:
    from scripts.helpers.watermarks.values.marks import from_python, to_python

    try:
        return cast(datetime, to_python("timestamp", from_python("timestamp", text)))
    except ValueError as error:
        raise exits.stop(asked, f"--before: {error}. Write it as 2026-11-17T08:00Z.", exits.MISUSED) from None
