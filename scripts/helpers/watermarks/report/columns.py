"""A job's story as columns, small enough for ten thousand runs: one list per fact, not one object per run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any, TypeAlias

from scripts.helpers.watermarks.report.series import (
    MAX_SAFE_INTEGER,
    Kind,
    Number,
    Role,
    as_drawable,
    column,
    kind_of_source,
    number_text,
)
from scripts.helpers.watermarks.report.story import JobStory

Json: TypeAlias = dict[str, Any]
View: TypeAlias = Mapping[str, Any]
SeriesKey: TypeAlias = "tuple[Role, str, Kind]"

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)
_LONGEST_TEXT = 2_000


def job_columns(story: JobStory) -> Json:
    """Give all that the page shows of a job.

    Events are its runs and its operators' changes, oldest first. Each series has one point more than there are events:
    where the job stands now.
    """
    events = sorted([*story.runs, *story.changes], key=_order)
    return {
        "name": story.job_id,
        "complete": story.complete,
        "state": None if story.state is None else _state(story.state),
        "events": _events(events),
        "series": _series(events, story.state),
    }


def _order(event: View) -> tuple[datetime, int]:
    return _when(event) or _EPOCH, event.get("version") or 0


def _when(event: View) -> datetime | None:
    found: datetime | None = event.get("recordedAt") or event.get("changedAt")
    return found


def _state(state: View) -> Json:
    lease = state.get("lease")
    return {
        "status": state.get("status"),
        "runId": state.get("runId"),
        "batch": state.get("lastBatchId"),
        "version": state.get("version"),
        "updated": millis(state.get("updatedAt")),
        "attempts": state.get("attempts") or 0,
        "lease": lease and {"runId": lease["runId"], "since": millis(lease["since"]), "until": millis(lease["until"])},
    }


def _events(events: Sequence[View]) -> Json:
    return {
        "at": differences([millis(_when(each)) for each in events]),
        "what": [each.get("operation") or each.get("status") or "SUCCEEDED" for each in events],
        # Of a change: the run that the job stands at since.
        "id": [each["after"].get("runId") if "operation" in each else each["runId"] for each in events],
        "batch": differences([each.get("batchId") for each in events]),
        "took": differences(_durations(events)),
        "rows": differences([_count(each, "rows") for each in events]),
        "files": differences([_count(each, "files") for each in events]),
        "by": _sparse(each.get("changedBy") for each in events),
        "note": _sparse(each.get("reason") or each.get("error") for each in events),
        "values": _sparse(map(_other_values, events)),
    }


def _durations(events: Sequence[View]) -> list[int | None]:
    """Give how long each run took. A backfill's steps all started with their run: each took from the one before."""
    last_of_run: dict[str, datetime] = {}
    took: list[int | None] = []
    for each in events:
        started, ended = each.get("startedAt"), each.get("recordedAt")
        run_id = str(each.get("runId")).partition("#")[0]
        if started is None or ended is None:
            took.append(None)
            continue
        took.append(max(0, (ended - max(started, last_of_run.get(run_id, started))) // _MILLISECOND))
        last_of_run[run_id] = ended
    return took


def _count(event: View, name: str) -> int | None:
    counts = [source[name] for source in (event.get("sources") or {}).values() if source.get(name) is not None]
    return int(sum(counts)) if counts else None


def _series(events: Sequence[View], state: View | None) -> list[Json]:
    moments = [*events, state or {}]
    sources = {name for each in moments for name in _sources_after(each)}
    points: dict[SeriesKey, list[object]] = {}
    about: dict[SeriesKey, str] = {}
    for index, moment in enumerate(moments):
        for key, value, told in [*_marks(moment), *_values(moment, sources, is_now=index == len(events))]:
            points.setdefault(key, [None] * len(moments))[index] = value
            about[key] = told
    return [_series_json(key, points[key], about[key]) for key in sorted(points, key=_series_order)]


def _series_order(key: SeriesKey) -> tuple[str, str, str]:
    return key  # "source" comes before "value"


def _series_json(key: SeriesKey, values: list[object], about: str) -> Json:
    role, name, kind = key
    drawn = column(kind, values)
    optional = {"about": about, "text": drawn.text, "base": drawn.base, "labels": drawn.labels}
    shown = {fact: value for fact, value in optional.items() if value}
    return {"role": role, "name": name, "kind": kind, "y": differences(drawn.y)} | shown


def _sources_after(moment: View) -> Mapping[str, View]:
    sources: Mapping[str, View] | None = (moment["after"] if "operation" in moment else moment).get("sources")
    return sources or {}


def _marks(moment: View) -> Iterable[tuple[SeriesKey, object, str]]:
    for name, source in _sources_after(moment).items():
        kind = kind_of_source(source)
        if kind is not None:
            told = ", ".join(source["paths"]) if "paths" in source else source.get("column") or ""
            yield ("source", name, kind), source.get("mark"), _shortened(told)


def _values(moment: View, sources: set[str], *, is_now: bool) -> Iterable[tuple[SeriesKey, object, str]]:
    if is_now or moment.get("status") == "FAILED":
        return
    for name, value in (moment.get("watermarks") or {}).items():
        drawable = None if name in sources else as_drawable(value)
        if drawable is not None:
            yield ("value", name, drawable[0]), drawable[1], ""


def _other_values(moment: View) -> str | None:
    """Give those recorded values as text that are neither a mark nor a series."""
    values = (moment.get("watermarks") or {}).items()
    sources = _sources_after(moment)
    others = [(name, each) for name, each in values if name not in sources and as_drawable(each) is None]
    return _shortened(", ".join(f"{name}: {_value_text(value)}" for name, value in others)) or None


def _value_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Decimal):
        return number_text(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    return repr(value)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"


def millis(moment: datetime | None) -> int | None:
    """Give a time as JavaScript counts it: milliseconds since 1970."""
    return None if moment is None else (moment - _EPOCH) // _MILLISECOND


def _sparse(texts: Iterable[str | None]) -> dict[int, str]:
    return {index: text for index, text in enumerate(texts) if text}


def differences(numbers: Sequence[Number | None]) -> Json | list[Number | None]:
    """Give integers as differences from the one before, which are short where they themselves are long.

    None stays None. Whatever JavaScript could not add up again exactly stays as it is.

    Example:
        >>> differences([1700000000000, None, 1700000060000])
        {'differences': [1700000000000, None, 60000]}
    """
    if not all(each is None or (isinstance(each, int) and abs(each) <= MAX_SAFE_INTEGER // 2) for each in numbers):
        return list(numbers)
    if all(each is None for each in numbers):
        return {"none": len(numbers)}
    last: Number = 0
    found: list[Number | None] = []
    for each in numbers:
        found.append(None if each is None else each - last)
        last = last if each is None else each
    return {"differences": found}
