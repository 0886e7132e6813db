"""Comparing two runs of a job, and telling which run is meant by a part of its id. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scripts.helpers.watermarks.errors import InvalidArgumentError

SHOWN_OF_A_RUN = ("runId", "status", "batchId", "version", "recordedAt")


def the_run_meant(given: str, candidates: Sequence[str]) -> str | None:
    """Give the run that a part of an id stands for; None if there is none, or no telling which.

    A run stands before its own retries and steps, whose ids continue its own.
    """
    shortest = min(candidates, key=len, default=None)
    if given in candidates:
        return given
    if shortest is not None and all(each.startswith(shortest) for each in candidates):
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
    runs = rows = 0
    for run in history:
        if (run.get("version") or 0) <= low:
            break
        if run["version"] <= high and run["status"] == "SUCCEEDED":
            runs += 1
            rows += sum(source.get("rows", 0) for source in run.get("sources", {}).values())
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
        "runs": runs,
        "rows": rows,
    }


def _marks(run: Mapping[str, Any]) -> dict[str, Any]:
    return {name: source.get("mark") for name, source in run.get("sources", {}).items()}


def _both(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    names = dict.fromkeys([*before, *after])
    return {name: {"before": before.get(name), "after": after.get(name)} for name in names}
