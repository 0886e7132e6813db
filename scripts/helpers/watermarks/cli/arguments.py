"""The arguments and options that several commands have."""

from __future__ import annotations

from collections.abc import Callable

import click

from scripts.helpers.watermarks.cli.commands import Decorated, argument
from scripts.helpers.watermarks.cli.completing import complete_job, complete_run, complete_source

job_argument = argument("job", "the job's name", shell_complete=complete_job)
source_argument = argument("source", "the source's transformation_ctx", shell_complete=complete_source)


def run_argument(name: str = "run") -> Callable[[Decorated], Decorated]:
    """Give a command a run of its job; a command that has two of them names each."""
    return argument(name, "a run id, or enough of its beginning", metavar="RUN", shell_complete=complete_run)


def limit_option(default: int, told: str) -> Callable[[Decorated], Decorated]:
    """Give a command a limit to how many runs it shows."""
    return click.option(
        "--limit", "-n", metavar="N", type=click.IntRange(min=1), default=default, show_default=True, help=told
    )
