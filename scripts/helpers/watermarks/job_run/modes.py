"""Glue's three bookmark options, and which state a run starts from under each. Nothing here writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from scripts.helpers.watermarks.errors import InvalidArgumentError, WatermarkNotFoundError
from scripts.helpers.watermarks.table import RunRecord, WatermarkTable, refuse_broken_sources
from scripts.helpers.watermarks.values import StoredMap
from scripts.helpers.watermarks.values.ids import require_recorded_id

BookmarkOption: TypeAlias = Literal["job-bookmark-enable", "job-bookmark-pause", "job-bookmark-disable"]

ENABLE: BookmarkOption = "job-bookmark-enable"
PAUSE: BookmarkOption = "job-bookmark-pause"
DISABLE: BookmarkOption = "job-bookmark-disable"
OPTIONS: tuple[str, ...] = get_args(BookmarkOption)


@dataclass(frozen=True)
class Span:
    """The sources as they stood after one run and after a later one: what lies between is to be read."""

    after: StoredMap
    up_to: StoredMap


def check_options(option: object, bookmark_from: object, bookmark_to: object) -> None:
    """Refuse options that Glue would refuse, naming those it knows."""
    if option not in OPTIONS:
        raise InvalidArgumentError(
            f"bookmark_option {option!r} must be one of {', '.join(OPTIONS)}.", argument="bookmark_option", value=option
        )
    given = [run_id for run_id in (bookmark_from, bookmark_to) if run_id is not None]
    if given and option != PAUSE:
        raise InvalidArgumentError(
            f"bookmark_from and bookmark_to only go with bookmark_option={PAUSE!r}, not with {option!r}.",
            argument="bookmark_from",
            value=bookmark_from,
        )
    if len(given) == 1:
        raise InvalidArgumentError(
            f"bookmark_from {bookmark_from!r} and bookmark_to {bookmark_to!r}: give both run ids, or neither.",
            argument="bookmark_from",
            value=bookmark_from,
        )


def find_span(table: WatermarkTable, job_id: str, bookmark_from: str, bookmark_to: str) -> Span:
    """Look up the two runs that bound what a paused run reads.

    Raises:
        WatermarkNotFoundError: one of them was never recorded, or its record has expired.
        InvalidArgumentError: the first is later than the second.
    """
    first = _success(table, job_id, require_recorded_id(bookmark_from, "bookmark_from"), "bookmark_from")
    last = _success(table, job_id, require_recorded_id(bookmark_to, "bookmark_to"), "bookmark_to")
    first_version = 0 if first is None else first.version or 0
    last_version = 0 if last is None else last.version or 0
    if first_version > last_version:
        raise InvalidArgumentError(
            f"bookmark_from {bookmark_from!r} was recorded after bookmark_to {bookmark_to!r}. Swap them.",
            argument="bookmark_from",
            value=bookmark_from,
        )
    return Span({} if first is None else first.sources, {} if last is None else last.sources)


def _success(table: WatermarkTable, job_id: str, run_id: str, argument: str) -> RunRecord | None:
    """Give the run's record, or, if it failed, that of the last success before it; None if there was none."""
    record = table.record(job_id, run_id)
    if record is not None and record.status == "FAILED":
        if record.previous_run_id is None:
            return None
        run_id = record.previous_run_id
        record = table.record(job_id, run_id)
    if record is None:
        raise WatermarkNotFoundError(
            f"{argument}: run {run_id!r} of job {job_id!r} was never recorded, or its record has expired "
            f"(table {table.place.table_name!r}). See Watermarks.history({job_id!r}) for the runs there are.",
            job_id=job_id,
            run_id=run_id,
            table_name=table.place.table_name,
        )
    refuse_broken_sources(table, record)
    return record
