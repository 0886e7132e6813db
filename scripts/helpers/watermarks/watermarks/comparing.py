"""Comparing two runs of a job, and telling which run is meant by a part of its id. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scripts.helpers.watermarks.errors import InvalidArgumentError

# What Glue appends to the id of a retry, and the package to that of a step.
_CONTINUED = re.compile(r"(_attempt_\d+)?(#step/\d{12})?")
SHOWN_OF_A_RUN = ("runId", "status", "batchId", "version", "recordedAt")


def the_run_meant(given: str, candidates: Sequence[str]) -> str | None:
    """Give the run that a part of an id stands for; None if there is none, or no telling which.

    A run stands before its own retries and steps, whose ids continue its own.
    """
    shortest = min(candidates, key=len, default=None)
    if given in candidates:
        return given
    if shortest is not None and all(_CONTINUED.fullmatch(each.removeprefix(shortest)) for each in candidates):
        return shortest
    return None


def compare(
    first: Mapping[str, Any], second: Mapping[str, Any], history: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    """Give what changed between two runs.

    Args:
        first: a run, as `history` shows it.
        second: a later one.
        history: the runs of the job, newest first, read only as far back as the first of the two.

    Raises:
        InvalidArgumentError: the first run is later than the second.
    """
    low, high = first.get("version") or 0, second.get("version") or 0
    if low > high:
        raise InvalidArgumentError(
            f"Run {first['runId']!r} was recorded after run {second['runId']!r}. Swap them.",
            argument="first",
            value=first["runId"],
        )
    rows: dict[str, int] = {}
    whole: set[str] = set()
    for run in history:
        if (run.get("version") or 0) <= low:
            break
        run_id, _, step = run["runId"].partition("#step/")
        if run["version"] > high or run["status"] != "SUCCEEDED" or run_id in whole:
            continue
        rows[run_id] = rows.get(run_id, 0) + sum(each.get("rows", 0) for each in run.get("sources", {}).values())
        if not step:
            # What a backfill records of itself at its end is the sum of its steps.
            whole.add(run_id)
    return {
        "jobName": first["jobName"],
        "from": {name: first.get(name) for name in SHOWN_OF_A_RUN},
        "to": {name: second.get(name) for name in SHOWN_OF_A_RUN},
        "sources": _both(_marks(first), _marks(second)),
        "watermarks": {
            name: sides
            for name, sides in _both(first["watermarks"], second["watermarks"]).items()
            if sides["before"] != sides["after"]
        },
        "runs": len(rows),
        "rows": sum(rows.values()),
    }


def _marks(run: Mapping[str, Any]) -> dict[str, Any]:
    return {name: source.get("mark") for name, source in run.get("sources", {}).items()}


def _both(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    names = dict.fromkeys([*before, *after])
    return {name: {"before": before.get(name), "after": after.get(name)} for name in names}
