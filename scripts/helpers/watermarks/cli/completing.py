"""What a shell proposes for jobs, runs and sources. Whatever goes wrong, it just gets no proposals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from scripts.helpers.watermarks import Watermarks

MOST_PROPOSALS = 100


def complete_job(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Propose jobs."""
    return _proposed(context, incomplete, lambda watermarks: watermarks.reads.job_ids())


def complete_run(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Propose runs of the job that was named, newest first."""
    job = context.params["job"]

    def runs(watermarks: Watermarks) -> Iterable[str]:
        return (str(run["runId"]) for run in watermarks.history(job, limit=None, with_broken=True))

    return _proposed(context, incomplete, runs)


def complete_source(context: click.Context, _: click.Parameter, incomplete: str) -> list[str]:
    """Propose sources of the job that was named."""
    job = context.params["job"]

    def sources(watermarks: Watermarks) -> Iterable[str]:
        state = watermarks.job(job)
        return list(state["sources"]) if state else []

    return _proposed(context, incomplete, sources)


def _proposed(context: click.Context, incomplete: str, names: Callable[[Watermarks], Iterable[str]]) -> list[str]:
    try:
        found = (name for name in names(context.obj.watermarks()) if name.startswith(incomplete))
        return list(islice(found, MOST_PROPOSALS))
    except Exception:  # a traceback in the middle of somebody's command line helps nobody
        return []
