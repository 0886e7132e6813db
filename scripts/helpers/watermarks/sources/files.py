"""Listing the files of a source, and reading just some of them, through Spark's own public readers.

`binaryFile` lists files with their times without opening them, on any file system that Spark reaches; `modifiedAfter`
drops old ones while listing, so that no task is ever scheduled for them.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime, timezone
from functools import reduce
from itertools import groupby

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from scripts.helpers.watermarks.sources.paths import (
    are_apart,
    base_of,
    escaped,
    has_partitions,
    is_hidden,
    spark_spelling,
)
from scripts.helpers.watermarks.values.choice import CHOOSING, choice_of
from scripts.helpers.watermarks.window import ListedFile, Listing

logger = logging.getLogger(__name__)

# Up to this many paths Spark looks at on the driver; for more it starts a job with a task for each.
FEW = 32
LISTING_TASKS = "64"
# Spark would make a task of every 32 files, however small. A task asks for each of its files, one after the other, so
# there should be as many tasks as a large cluster has cores.
NAMING_TASKS = 512
PARALLELISM = "spark.sql.sources.parallelPartitionDiscovery.parallelism"
# Those of Spark itself, which list a folder when the frame is made, and no file that `modifiedBefore` leaves out.
FOLDER_FORMATS = frozenset({"avro", "csv", "json", "orc", "parquet", "text"})
UTC_NAMES = frozenset({"UTC", "Etc/UTC", "GMT", "Z", "+00:00"})
# The reader's options that say which files there are, and not how to read them.
LISTING_OPTIONS = frozenset({*CHOOSING, "basepath"})


def list_files(
    spark: SparkSession,
    paths: Sequence[str],
    options: Mapping[str, str],
    after: int | None = None,
    before: int | None = None,
) -> Listing:
    """List the files of the paths that were modified after the beginning of one second and before another's.

    Spark chooses them by the times that the folder shows, and tells those of the files themselves. Some object stores
    are not of one mind about them.
    """
    try:
        return _list_together(spark, paths, options, after, before)
    except Exception as error:
        if len(paths) == 1 and not is_missing(error):
            raise
    if len(paths) == 1:
        logger.warning("%s does not exist: on S3 a folder is there only while it has files", paths[0])
        return Listing(frozenset(), complete=False)
    # Spark refuses them all where one does not exist, or where several have partition folders.
    found = [list_files(spark, [path], options, after, before) for path in paths]
    return Listing(
        frozenset().union(*(each.files for each in found)),
        complete=all(each.complete for each in found),
        hidden=sum(each.hidden for each in found),
    )


def _list_together(
    spark: SparkSession, paths: Sequence[str], options: Mapping[str, str], after: int | None, before: int | None
) -> Listing:
    reader = spark.read.format("binaryFile").options(timeZone="UTC", ignoreMissingFiles="true")
    for name, value in options.items():
        if name.lower() in LISTING_OPTIONS:
            reader = reader.option(name, value)
    if after is not None:
        reader = reader.option("modifiedAfter", _moment(after))
    if before is not None:
        reader = reader.option("modifiedBefore", _moment(before))
    names = reader.load(list(paths)).selectExpr("path", "unix_micros(modificationTime)", "length")
    found = names.coalesce(NAMING_TASKS).collect()
    listed = (ListedFile(modified, path, length) for path, modified, length in found)
    shown = frozenset(file for file in listed if not is_hidden(file.path, paths))
    return Listing(shown, hidden=len(found) - len(shown))


def _moment(second: int) -> str:
    """Give a second as the reader's options take it, where its zone is UTC."""
    return datetime.fromtimestamp(second, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")


def reads_in_utc(spark: SparkSession, options: Mapping[str, str]) -> bool:
    """Say whether a reader's times are in UTC.

    In other zones, Spark (up to 4.0 at least) compares the moment of `modifiedBefore` with the files' wall-clock times.
    Its zone cannot be chosen: it is also the one in which times in the files are read.
    """
    chosen = {name.lower(): value for name, value in options.items()}.get("timezone")
    return (chosen or spark.conf.get("spark.sql.session.timeZone") or "") in UTC_NAMES


def is_missing(error: Exception) -> bool:
    """Say whether Spark complains about a path that does not exist."""
    return "Path does not exist" in str(error)


def read_files(
    spark: SparkSession,
    files: Sequence[ListedFile],
    paths: Sequence[str],
    *,
    file_format: str,
    schema: StructType | str | None,
    options: Mapping[str, str],
) -> DataFrame:
    """Read exactly these files, with the columns that their partition folders stand for.

    A file that was deleted since it was listed has nothing to read.
    """
    wanted = sorted(file.path for file in files)
    options = {**options, "ignoreMissingFiles": "true"}
    with _few_listing_tasks(spark) if len(wanted) > FEW else nullcontext():
        frames = [
            _load(spark, [escaped(path) for path in below], file_format, schema, {**options, **base})
            for base, below in _by_base(wanted, paths, options)
        ]
    return _union(frames)


def read_folders(
    spark: SparkSession,
    paths: Sequence[str],
    *,
    file_format: str,
    schema: StructType | str | None,
    options: Mapping[str, str],
    before: int | None,
) -> DataFrame | None:
    """Read every file of the paths, or those modified before a second, as Spark lists them now; None if it cannot.

    For thousands of files this is far quicker than to have Spark look at each of their paths.
    """
    # Over Spark Connect a frame of folders finds in every action what is there by then.
    if not are_apart(paths) or "connect" in type(spark).__module__ or file_format.lower() not in FOLDER_FORMATS:
        return None
    options = {**options, "ignoreMissingFiles": "true"}
    if before is not None:
        options["modifiedBefore"] = _moment(before)
    try:
        return _load(spark, paths, file_format, schema, options)
    except Exception:
        # One of several paths does not exist, or several have partition folders. Else reading the files tells.
        return None


def read_nothing(
    spark: SparkSession,
    paths: Sequence[str],
    *,
    file_format: str,
    schema: StructType | str,
    options: Mapping[str, str],
) -> DataFrame:
    """Give an empty frame with the columns that files of these paths would have, partition columns among them."""
    try:
        return _load(spark, paths, file_format, schema, options).limit(0)
    except Exception as error:
        if len(paths) == 1 and not is_missing(error):
            raise
    if len(paths) == 1:
        return spark.createDataFrame([], schema)
    each = [read_nothing(spark, [path], file_format=file_format, schema=schema, options=options) for path in paths]
    return _union(each)


def _load(
    spark: SparkSession,
    paths: Sequence[str],
    file_format: str,
    schema: StructType | str | None,
    options: Mapping[str, str],
) -> DataFrame:
    reader = spark.read.format(file_format).options(**options)
    frame = (reader if schema is None else reader.schema(schema)).load(list(paths))
    if "connect" in type(spark).__module__:
        # There no path is looked at before somebody asks.
        _ = frame.schema
    return frame


def _union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)


@contextmanager
def _few_listing_tasks(spark: SparkSession) -> Iterator[None]:
    """Let Spark look at many paths in a few tasks instead of one for each, while a frame is made."""
    before = spark.conf.get(PARALLELISM, None)
    spark.conf.set(PARALLELISM, LISTING_TASKS)
    try:
        yield
    finally:
        if before is None:
            spark.conf.unset(PARALLELISM)
        else:
            spark.conf.set(PARALLELISM, before)


def _by_base(
    wanted: Sequence[str], paths: Sequence[str], options: Mapping[str, str]
) -> Iterator[tuple[dict[str, str], list[str]]]:
    """Group files by the given path they are below, from which on folders like `day=1` are partition columns."""
    chosen = "recursiveFileLookup" in choice_of(options) or "basepath" in {name.lower() for name in options}
    if chosen or not any(has_partitions(path, paths) for path in wanted):
        yield {}, list(wanted)
        return
    for base, below in groupby(wanted, key=lambda path: spark_spelling(path, base_of(path, paths))):
        yield {"basePath": base}, list(below)
