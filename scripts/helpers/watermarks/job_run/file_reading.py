"""Reading one source of files for a run: list, choose what is new, and hand out a frame of just those files."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from scripts.helpers.watermarks.errors import InvalidArgumentError, WatermarkMismatchError
from scripts.helpers.watermarks.job_run.outcome import FilesRead, count_of
from scripts.helpers.watermarks.values import digests, marks
from scripts.helpers.watermarks.values.choice import Choice, choice_of, told_choice
from scripts.helpers.watermarks.values.marks import SECOND
from scripts.helpers.watermarks.values.positions import FilesPosition, Position, RowsPosition
from scripts.helpers.watermarks.window import FilePlan, ListedFile, Listing, covered_between, plan_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

logger = logging.getLogger(__name__)

OWN_OPTIONS = frozenset({"modifiedafter", "modifiedbefore"})
# By so many seconds the time that a folder shows of a file may differ from the file's own.
TIMES_DIFFER_BY = 2


@dataclass(frozen=True)
class FileOptions:
    """What a caller of `new_files` asks for: the paths in one spelling, and as Spark is to be asked for them."""

    paths: tuple[str, ...]
    spelled: tuple[str, ...]
    file_format: str
    schema: StructType | str | None
    options: Mapping[str, str]
    band: timedelta
    max_files: int | None

    @property
    def choice(self) -> Choice:
        """The options that say which files there are, and not how to read them."""
        return choice_of(self.options)


@dataclass(frozen=True)
class Known:
    """Where a source of files stands: up to which second everything is done, and which later files are."""

    horizon: int | None = None
    digests: frozenset[bytes] = frozenset()


def file_options(
    path: str | Sequence[str],
    file_format: str,
    schema: StructType | str | None,
    options: Mapping[str, object] | None,
    band: timedelta,
    max_files: int | None,
) -> FileOptions:
    """Refuse what does not make sense, before anything is listed."""
    from scripts.helpers.watermarks.sources.paths import normal_paths

    given = {name: _option_text(value) for name, value in (options or {}).items() if value is not None}
    for name in given:
        if name.lower() in OWN_OPTIONS:
            _refuse("options", name, "is set by new_files itself, from where the source stands")
    if not isinstance(band, timedelta) or band < timedelta(0):
        _refuse("band", band, "must be a timedelta that is not negative")
    if max_files is not None and (type(max_files) is not int or max_files < 1):
        _refuse("max_files", max_files, "must be a positive number, or None")
    if not isinstance(file_format, str) or not file_format:
        _refuse("format", file_format, "must name a format that Spark reads, such as 'json'")
    spellings = normal_paths(path)
    return FileOptions(tuple(spellings), tuple(spellings.values()), file_format, schema, given, band, max_files)


def known_files(
    known: Position | None, paths: tuple[str, ...], choice: Choice, job_id: str, source: str, *, replayed: bool = False
) -> FilesPosition | None:
    """Give the known position of a source of files, refusing one of other files: the older ones would be skipped.

    One that does not tell its options is taken for one of those now given, which this run then remembers: a job that
    has given them all along must not be refused.
    """
    if known is None:
        return None
    if isinstance(known, FilesPosition) and set(known.paths) == set(paths):
        if known.choice is None or known.choice == choice:
            return known
        was, now = f"files read with {told_choice(known.choice)}", f"with {told_choice(choice)}"
        raise _mismatch(was, now, "options", job_id, source, replayed=replayed)
    if isinstance(known, RowsPosition) and known.column is None and known.kind == "timestamp":
        # An operator set it before the source was read for the first time, not knowing that it would be one of files.
        return FilesPosition(paths, None, None).moved_to(known.python_mark())
    was = f"files of {', '.join(known.paths)}" if isinstance(known, FilesPosition) else f"rows by {known.column!r}"
    raise _mismatch(was, f"from {', '.join(paths)}", "path", job_id, source, replayed=replayed)


def _mismatch(was: str, now: str, back_to: str, job_id: str, source: str, *, replayed: bool) -> WatermarkMismatchError:
    remedy = (
        f"Go back to the old {back_to}, use a new transformation_ctx, or load just this source again from the start: "
        f"reset({job_id!r}, transformation_ctx={source!r})."
    )
    if replayed:
        remedy = f"Give this run the {back_to} that the runs had which it reads again; both ends must have the same."
    return WatermarkMismatchError(
        f"Source {source!r} of job {job_id!r} has a position among {was}, and is now read {now}. {remedy}",
        job_id=job_id,
        transformation_ctx=source,
    )


def read_new_files(
    spark: SparkSession,
    source: str,
    known: Known,
    options: FileOptions,
    *,
    clock: Callable[[], datetime],
    sleep: Callable[[float], None],
) -> tuple[DataFrame, FilesRead]:
    """Read the files that were not read yet."""
    listed_at, listing = _list_complete_seconds(spark, known.horizon, options, clock, sleep)
    plan = plan_files(
        listing,
        horizon=known.horizon,
        known=known.digests,
        listed_at=listed_at,
        band=options.band,
        max_files=options.max_files,
    )
    if len(plan.digests) > digests.MOST:
        raise InvalidArgumentError(
            f"Source {source!r} has {len(plan.digests):,} files {_which_are_remembered(listing, options)}, and at most "
            f"{digests.MOST:,} can be remembered. Lower band to the time within which a file really becomes visible, "
            "or use max_files. Nothing was read.",
            argument="band",
            value=options.band,
        )
    read = FilesRead(options.paths, known.horizon, plan, went_on=bool(known.digests), choice=options.choice)
    frame = _frame(spark, known, listing, plan, options, source)
    _log(source, read, plan)
    return frame, read


def read_files_between(
    spark: SparkSession, source: str, first: Known, last: Known, options: FileOptions
) -> tuple[DataFrame, FilesRead]:
    """Read the files that were done after one run and not yet after an earlier one."""
    listing = _list(spark, first.horizon, options)
    taken = covered_between(listing.files, after=(first.horizon, first.digests), up_to=(last.horizon, last.digests))
    plan = FilePlan(taken, 0, last.horizon, last.digests)
    read = FilesRead(options.paths, first.horizon, plan)
    _log(source, read, plan)
    return _frame(spark, first, listing, plan, options, source), read


def read_all_files(spark: SparkSession, source: str, options: FileOptions) -> tuple[DataFrame, FilesRead]:
    """Read every file, as Spark itself would."""
    logger.info("%s: every file, since bookmarks are disabled", source)
    reader = spark.read.format(options.file_format).options(**options.options)
    reader = reader if options.schema is None else reader.schema(options.schema)
    return reader.load(list(options.spelled)), FilesRead(options.paths, None, FilePlan((), 0, None, frozenset()))


def _list_complete_seconds(
    spark: SparkSession,
    horizon: int | None,
    options: FileOptions,
    clock: Callable[[], datetime],
    sleep: Callable[[float], None],
) -> tuple[datetime, Listing]:
    """List the files, and wait for the current second to end if one of them was modified while they were listed.

    Until then the file could be written again without a trace: the same second, and perhaps the same length.
    """
    listed_at = clock()
    listing = _list(spark, horizon, options)
    now = clock().timestamp()
    if not any(int(listed_at.timestamp()) <= file.second <= int(now) for file in listing.files):
        return listed_at, listing
    sleep(1 - now % 1)
    again = _list(spark, horizon, options)
    over, under_way = int(now), int(clock().timestamp())
    complete = frozenset(file for file in again.files if not over < file.second <= under_way)
    return listed_at, replace(again, files=complete)


def _list(spark: SparkSession, after: int | None, options: FileOptions, before: int | None = None) -> Listing:
    from scripts.helpers.watermarks.sources.files import list_files

    return list_files(spark, options.spelled, options.options, after, before)


def _frame(
    spark: SparkSession, known: Known, listing: Listing, plan: FilePlan, options: FileOptions, source: str
) -> DataFrame:
    """Read what a run takes: whole folders if nothing of them was read before and that is the same, else the files."""
    folders = _folders(spark, listing, plan, options) if known == Known() else None
    return _files(spark, plan.taken, options, source) if folders is None else folders


def _folders(spark: SparkSession, listing: Listing, plan: FilePlan, options: FileOptions) -> DataFrame | None:
    """Read whole folders, where that is to read just the files that are to be taken; None where it may not be.

    Spark lists the folders once more for it. Where the files after the horizon are the same before and after that, they
    were the same in between; and up to the horizon, no file appears any more.
    """
    from scripts.helpers.watermarks.sources.files import FEW, read_folders, reads_in_utc

    if plan.horizon is None or listing.hidden or len(plan.taken) <= FEW:
        return None
    last, in_utc = plan.taken[-1].second, reads_in_utc(spark, options.options)
    # Nothing but these is there up to the horizon, nor will be.
    settled = in_utc and not plan.left and last + TIMES_DIFFER_BY <= plan.horizon
    before = plan.horizon + 1 if settled else last + 1 if in_utc else None
    if len(plan.taken) < len(listing.within(None, before)):
        return None
    frame = read_folders(
        spark,
        options.spelled,
        file_format=options.file_format,
        schema=options.schema,
        options=options.options,
        before=before,
    )
    if frame is None or settled:
        return frame
    since = min(plan.horizon, last - TIMES_DIFFER_BY)
    again = _list(spark, since, options, before)
    same = again.within(since, before) == listing.within(since, before)
    return frame if same and again.complete and not again.hidden else None


def _files(spark: SparkSession, files: Sequence[ListedFile], options: FileOptions, source: str) -> DataFrame:
    from scripts.helpers.watermarks.sources.files import is_missing, read_files, read_nothing

    if files:
        try:
            return read_files(
                spark,
                files,
                options.spelled,
                file_format=options.file_format,
                schema=options.schema,
                options=options.options,
            )
        except Exception as error:
            if not is_missing(error):
                raise
            there = {file.path for file in _list(spark, None, options).files}
            remaining = [file for file in files if file.path in there]
            if len(remaining) == len(files):
                raise
        logger.warning("%s: %s gone since the listing", source, count_of(len(files) - len(remaining), "file"))
        return _files(spark, remaining, options, source)
    if options.schema is None:
        raise InvalidArgumentError(
            f"Source {source!r} has no new files, so there is nothing to infer its columns from. Give schema=, and an "
            "empty frame with these columns is returned.",
            argument="schema",
            value=None,
        )
    return read_nothing(
        spark, options.spelled, file_format=options.file_format, schema=options.schema, options=options.options
    )


def _which_are_remembered(listing: Listing, options: FileOptions) -> str:
    within = f"within band={options.band}"
    return within if listing.complete else f"{within} or read while one of {', '.join(options.paths)} does not exist"


def _log(source: str, read: FilesRead, plan: FilePlan) -> None:
    since = "the beginning" if read.low is None else marks.describe("timestamp", read.low * SECOND)
    if not plan.taken:
        logger.info("%s: no new files since %s", source, since)
        return
    until = marks.describe("timestamp", plan.taken[-1].second * SECOND)
    left = f" ({plan.left:,} more are left for the next run)" if plan.left else ""
    logger.info("%s: %s, modified %s → %s%s", source, count_of(len(plan.taken), "new file"), since, until, left)


def _option_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refuse(argument: str, value: object, problem: str) -> None:
    raise InvalidArgumentError(f"{argument} {value!r} {problem}.", argument=argument, value=value)
