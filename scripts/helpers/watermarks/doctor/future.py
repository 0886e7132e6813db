"""Marks that lie in the future: nothing up to them will be loaded, and no run says so. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from scripts.helpers.watermarks.doctor.findings import Finding
from scripts.helpers.watermarks.values import marks
from scripts.helpers.watermarks.values.marks import DAY, MarkType, MarkValue

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# A job's clock may be ahead of this machine's, and what is in the future by less is soon over.
CLOCKS_DIFFER_BY = timedelta(minutes=1)
# A time without a zone is in the future only if it is so where clocks are furthest ahead, on Kiritimati.
FURTHEST_AHEAD = timedelta(hours=14)


def future_marks(job: Mapping[str, Any], now: datetime) -> Iterator[Finding]:
    """Warn of each source of a job, as `Watermarks.job` gives it, whose mark is later than now."""
    job_id = job["jobName"]
    for source, stands in job["sources"].items():
        kind: MarkType = "timestamp" if "paths" in stands else stands["type"]
        if kind not in ("timestamp", "timestamp_ntz", "date") or stands["mark"] is None:
            continue
        mark = _value(kind, stands["mark"])
        if not marks.is_above(mark, _present(kind, now)):
            continue
        zone = " UTC" if kind == "timestamp" else ""
        job_word, source_word = shlex.quote(job_id), shlex.quote(source)
        yield Finding(
            "mark",
            "warning",
            f"source {source!r} of job {job_id!r} has the mark {marks.describe(kind, mark)}{zone}, which lies in the "
            "future: all that comes until then is skipped",
            f"Say where it really stands, `watermarks set {job_word} {source_word} VALUE`, or go back to a run before "
            f"it came there, `watermarks rewind {job_word} RUN`; `watermarks history {job_word}` has the runs.",
        )


def _value(kind: MarkType, mark: object) -> MarkValue:
    # Beyond the years that Python's datetime has, a mark is text.
    return marks.from_stored(kind, mark) if isinstance(mark, str) else marks.from_python(kind, mark)


def _present(kind: MarkType, now: datetime) -> int:
    """Give the latest mark of a type that is not in the future."""
    latest = now + (CLOCKS_DIFFER_BY if kind == "timestamp" else FURTHEST_AHEAD)
    micros = (latest - EPOCH) // timedelta(microseconds=1)
    return micros // DAY if kind == "date" else micros
