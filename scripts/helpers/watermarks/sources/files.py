"""Listing the files of a source, and reading just some of them, through Spark's own public readers.

`binaryFile` lists files with their times without opening them, on any file system that Spark reaches; `modifiedAfter`
drops old ones while listing, so that no task is ever scheduled for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from functools import reduce
from itertools import groupby
from urllib.parse import unquote

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from scripts.helpers.watermarks.sources.paths import (
    base_of,
    escaped,
    has_partitions,
    is_hidden,
    spark_spelling,
    split_path,
)
from scripts.helpers.watermarks.window import ListedFile

# Up to this many paths Spark looks at on the driver; for more it starts a job with a task for each.
FEW = 32
LISTING_TASKS = "64"
PARALLELISM = "spark.sql.sources.parallelPartitionDiscovery.parallelism"
# The reader's options that say which files there are, and not how to read them.
LISTING_OPTIONS = frozenset({"recursivefilelookup", "pathglobfilter", "basepath"})


def list_files(
    spark: SparkSession, paths: Sequence[str], options: Mapping[str, str], after: int | None
) -> list[ListedFile]:
    """List the files of the paths that were modified after the beginning of a second; all of them where it is None."""
    reader = spark.read.format("binaryFile").option("timeZone", "UTC")
    for name, value in options.items():
        if name.lower() in LISTING_OPTIONS:
            reader = reader.option(name, value)
    if after is not None:
        moment = datetime.fromtimestamp(after, timezone.utc)
        reader = reader.option("modifiedAfter", moment.strftime("%Y-%m-%dT%H:%M:%S"))
    found = reader.load(list(paths)).selectExpr("path", "unix_micros(modificationTime)", "length").collect()
    return [ListedFile(modified, path, length) for path, modified, length in found if not is_hidden(path, paths)]


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
    first_load: bool,
) -> DataFrame:
    """Read exactly these files, with the columns that their partition folders stand for.

    A file that was deleted since it was listed has nothing to read.
    """
    wanted = sorted(file.path for file in files)
    options = {**options, "ignoreMissingFiles": "true"}
    if first_load and len(wanted) > FEW:
        # Every file there is: listing the folders once more is quicker than looking at thousands of paths one by one.
        together = _load(spark, paths, file_format, schema, options)
        if {_place(unquote(path)) for path in together.inputFiles()} == {_place(path) for path in wanted}:
            return together
    with _few_listing_tasks(spark):
        frames = [
            _load(spark, [escaped(path) for path in below], file_format, schema, {**options, **base})
            for base, below in _by_base(wanted, paths, options)
        ]
    return reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), frames)


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
        if not is_missing(error):
            raise
    return spark.createDataFrame([], schema)


def _load(
    spark: SparkSession,
    paths: Sequence[str],
    file_format: str,
    schema: StructType | str | None,
    options: Mapping[str, str],
) -> DataFrame:
    reader = spark.read.format(file_format).options(**options)
    return (reader if schema is None else reader.schema(schema)).load(list(paths))


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
    chosen = {name.lower() for name in options} & {"recursivefilelookup", "basepath"}
    if chosen or not any(has_partitions(path, paths) for path in wanted):
        yield {}, list(wanted)
        return
    for base, below in groupby(wanted, key=lambda path: spark_spelling(path, base_of(path, paths))):
        yield {"basePath": base}, list(below)


def _place(path: str) -> tuple[str, ...]:
    where, parts = split_path(path)
    return where, *parts
