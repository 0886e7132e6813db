"""Shell completion of job names, run ids and sources. Whatever goes wrong, the shell just gets no proposals."""

from __future__ import annotations

from itertools import islice
from typing import Any

import typer

from scripts.helpers.watermarks.cli.options import COMMON, Asked

MOST_PROPOSALS = 100


def complete_job(context: typer.Context, incomplete: str) -> list[str]:
    """Propose jobs."""
    return _proposed(incomplete, lambda watermarks: watermarks.reads.job_ids(), context)


def complete_run(context: typer.Context, incomplete: str) -> list[str]:
    """Propose runs of the job that was named, newest first."""
    job = context.params.get("job")
    return _proposed(
        incomplete, lambda watermarks: (run["runId"] for run in watermarks.history(job, limit=None)), context
    )


def complete_source(context: typer.Context, incomplete: str) -> list[str]:
    """Propose sources of the job that was named."""
    job = context.params.get("job")
    return _proposed(incomplete, lambda watermarks: watermarks.job(job)["sources"], context)


def _proposed(incomplete: str, names: Any, context: typer.Context) -> list[str]:
    try:
        # While completing, typer does not call what keeps the options that stand before the command.
        own, before = (_asked(each.params if each else {}) for each in (context, context.parent))
        asked = own.over(before)
        found = (name for name in names(asked.watermarks()) if name.startswith(incomplete))
        return list(islice(found, MOST_PROPOSALS))
    except Exception:  # a traceback in the middle of somebody's command line helps nobody
        return []


def _asked(parameters: dict[str, Any]) -> Asked:
    return Asked(**{name: parameters.get(name) for name in COMMON})
