"""What a run tells when it ends, as facts for metrics: made from its record and from what it read. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta, timezone

from scripts.helpers.watermarks.job_run.outcome import FilesRead, Read, SourceRead
from scripts.helpers.watermarks.metrics import RunFacts, SourceFacts
from scripts.helpers.watermarks.table import RunRecord
from scripts.helpers.watermarks.values.marks import DAY, SECOND

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def of_commit(record: RunRecord, reads: Mapping[str, Read]) -> RunFacts:
    """Give the facts of a run that was committed."""
    return RunFacts(
        record.job_id,
        seconds=seconds_of(record),
        failed=False,
        empty=loaded_nothing(reads.values()),
        rows=rows_of(reads.values()),
        sources=_sources(record, reads),
    )


def of_step(record: RunRecord, reads: Mapping[str, Read]) -> RunFacts:
    """Give the facts of one committed step of a backfill; its run goes on."""
    return RunFacts(record.job_id, rows=rows_of(reads.values()), sources=_sources(record, reads))


def of_end_of_steps(record: RunRecord, reads: Mapping[str, Read]) -> RunFacts:
    """Give the facts of a run whose steps were told one by one: their rows are not told again."""
    empty = not any(rows_of([read]) for read in reads.values())
    ages = {name: SourceFacts(mark_age=mark_age(read, _end(record))) for name, read in reads.items()}
    return RunFacts(
        record.job_id,
        seconds=seconds_of(record),
        failed=False,
        empty=empty,
        rows=0 if empty else None,
        sources=ages,
    )


def of_failure(record: RunRecord) -> RunFacts:
    """Give the facts of a run that failed: nothing was loaded."""
    return RunFacts(record.job_id, seconds=seconds_of(record), failed=True)


def seconds_of(record: RunRecord) -> float:
    """Give how long a run took; not less than nothing, whatever happened to the machine's clock."""
    began = record.started_at or _end(record)
    return max(0.0, (_end(record) - began).total_seconds())


def rows_of(reads: Collection[Read]) -> int | None:
    """Give how many rows were loaded, of the sources that count them; None if none does."""
    counted = [read.rows for read in reads if read.rows is not None]
    return sum(counted) if counted else None


def files_of(reads: Collection[Read]) -> int | None:
    """Give how many files were loaded; None if no source is one of files."""
    counted = [len(read.plan.taken) for read in reads if isinstance(read, FilesRead)]
    return sum(counted) if counted else None


def loaded_nothing(reads: Collection[Read]) -> bool | None:
    """Say whether nothing was loaded; None if nobody knows, as for a run that read no source.

    The rows of a database are not counted, so there the mark has to tell: one that moved had rows below it.
    """
    loaded = [_loaded(read) for read in reads]
    if any(loaded):
        return False
    return None if None in loaded or not loaded else True


def mark_age(read: Read, now: datetime) -> float | None:
    """Give how many seconds ago the time was up to which a source is loaded; None if its mark is no time.

    - A timestamp is a moment, and the age is now minus the mark.
    - A timestamp without zone is one of the session's zone, by how far that was ahead of UTC when the source was read.
      A mark from before clocks changed is told an hour too old or too new.
    - A date is loaded up to its end, so the age counts from there, in the session's zone too.
    - Files are loaded up to their horizon. It follows the clock at the distance of the band also while no file comes,
      so the age tells how far loading is behind the clock, and not how old the newest file is: it is about the band,
      and more while `max_files` leaves files for later or a path is missing.

    A mark in the future is as new as can be: its age is nothing.
    """
    loaded_up_to = _moment(read)
    if loaded_up_to is None:
        return None
    micros = (now - EPOCH) // timedelta(microseconds=1) - loaded_up_to
    return max(0.0, micros / SECOND)


def _moment(read: Read) -> int | None:
    """Give the moment up to which a source is loaded, in microseconds since 1970 in UTC."""
    if isinstance(read, FilesRead):
        return None if read.plan.horizon is None else read.plan.horizon * SECOND
    mark = read.after.mark
    if type(mark) is not int:
        return None
    if read.after.kind == "date":
        return (mark + 1) * DAY - read.utc_offset
    return mark - read.utc_offset if read.after.kind in ("timestamp", "timestamp_ntz") else None


def _loaded(read: Read) -> bool | None:
    if isinstance(read, FilesRead):
        return bool(read.plan.taken)
    if read.rows is not None:
        return read.rows > 0
    return True if read.high != read.low else None


def _sources(record: RunRecord, reads: Mapping[str, Read]) -> dict[str, SourceFacts]:
    return {
        name: SourceFacts(
            rows=read.rows,
            late_rows=read.late if isinstance(read, SourceRead) else None,
            mark_age=mark_age(read, _end(record)),
        )
        for name, read in reads.items()
    }


def _end(record: RunRecord) -> datetime:
    return record.recorded_at or EPOCH
