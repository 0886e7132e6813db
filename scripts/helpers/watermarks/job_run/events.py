"""One line of JSON per commit and per failure, for machines; docs/monitoring.md describes it and how to query it.

The lines in words stay beside it, for people. It has a logger of its own, so that either can be switched off.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from decimal import Decimal
from typing import Literal, TypeAlias

from scripts.helpers.watermarks.job_run.outcome import Read
from scripts.helpers.watermarks.job_run.telling import files_of, rows_of, seconds_of
from scripts.helpers.watermarks.table import RunRecord
from scripts.helpers.watermarks.values import Stored

# Part of the documented format, so not `__name__`.
logger = logging.getLogger("scripts.helpers.watermarks.events")

PREFIX = "glue-watermarks-event"
Event: TypeAlias = Literal["committed", "step", "failed"]


def log_event(
    event: Event, run_id: str, record: RunRecord, reads: Mapping[str, Read], *, told_by_steps: bool = False
) -> None:
    """Log what happened, if anybody listens."""
    if logger.isEnabledFor(logging.INFO):
        logger.info("%s %s", PREFIX, event_line(event, run_id, record, reads, told_by_steps=told_by_steps))


def event_line(
    event: Event, run_id: str, record: RunRecord, reads: Mapping[str, Read], *, told_by_steps: bool = False
) -> str:
    """Give the JSON of a line: the keys always in this order, so that a regular expression can read it.

    `rows` and `files` are what this very commit brought in, so that they can be added up over all lines: none for a
    failure, and none for the end of a run whose steps were told one by one.
    """
    brought_in = event != "failed" and not told_by_steps
    line: dict[str, object] = {
        "event": event,
        "job": record.job_id,
        "run": run_id,
        "batch": None if told_by_steps else record.batch_id,
        "version": record.version,
        "seconds": round(seconds_of(record), 3),
        "rows": rows_of(reads.values()) if brought_in else 0,
        "files": files_of(reads.values()) if brought_in else 0,
    }
    if event == "failed":
        line["error"] = record.error
    line["sources"] = {
        name: {key: _plain(key, value) for key, value in read.window().items()} for name, read in reads.items()
    }
    # ASCII only, hence on one line whatever the names are, and readable whatever the handler's encoding is.
    return json.dumps(line, separators=(",", ":"), ensure_ascii=True)


def _plain(key: str, value: Stored) -> Stored | float:
    """Give a stored value as JSON has it: whole numbers as numbers; a mark with decimals as text, to the last digit."""
    if not isinstance(value, Decimal):
        return value
    if value == value.to_integral_value():
        return int(value)
    return str(value) if key in ("low", "high") else float(value)
