"""Paths as people write them: one source however it is spelled, hidden files, and where partition columns begin."""

from pathlib import Path
from typing import Any

import pytest

from scripts.helpers.watermarks import InvalidArgumentError
from scripts.helpers.watermarks.sources.paths import (
    are_apart,
    base_of,
    escaped,
    has_partitions,
    is_hidden,
    normal_paths,
    spark_spelling,
)


@pytest.mark.parametrize(
    ("spellings", "normal"),
    [
        pytest.param(
            ["/data/claims", "/data/claims/", "/data//claims", "//data/claims///"], "/data/claims", id="plain"
        ),
        pytest.param(
            ["file:/data/claims", "file:///data/claims", "file:///data/claims/", "FILE:/data//claims"],
            "file:/data/claims",
            id="file",
        ),
        pytest.param(
            ["s3://b/claims", "s3a://b/claims", "s3n://b/claims/", "S3A://b//claims"], "s3://b/claims", id="s3"
        ),
        pytest.param(["s3://b", "s3a://b/"], "s3://b/", id="bucket"),
        pytest.param(["hdfs://host:8020/claims/"], "hdfs://host:8020/claims", id="authority"),
        pytest.param(["hdfs:/claims", "hdfs:///claims/"], "hdfs:/claims", id="no-authority"),
        pytest.param(["/data/*/{a,b}/[0-9]?.json"], "/data/*/{a,b}/[0-9]?.json", id="pattern"),
        pytest.param(["/data/a b%20c=d"], "/data/a b%20c=d", id="nothing-is-decoded"),
        pytest.param(["/"], "/", id="root"),
    ],
)
def test_normal__is_the_same_however_it_is_spelled(spellings: list[str], normal: str) -> None:
    assert [list(normal_paths(each)) for each in spellings] == [[normal]] * len(spellings)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("/data/claims", "file:/data/claims", id="plain-and-file"),
        pytest.param("s3://b/claims", "s3://B/claims", id="buckets"),
        pytest.param("s3://b/claims", "s3://b/Claims", id="upper-case"),
        pytest.param("gs://b/claims", "s3://b/claims", id="schemes"),
        pytest.param("/data/claims", "/data/claims*", id="pattern"),
    ],
)
def test_normal__other_places_stay_others(one: str, other: str) -> None:
    assert list(normal_paths(one)) != list(normal_paths(other))


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        pytest.param("s3a://b/claims/", "s3a://b/claims", id="s3a"),
        pytest.param("s3://b/claims", "s3://b/claims", id="s3"),
        pytest.param("file:///data/claims", "file:/data/claims", id="file"),
        pytest.param("/data//claims/", "/data/claims", id="plain"),
    ],
)
def test_normal__spark_is_asked_with_the_scheme_that_was_given(path: str, asked: str) -> None:
    """Outside EMR and Glue, Spark knows s3a only."""
    assert list(normal_paths(path).values()) == [asked]


def test_normal__several_paths_and_the_same_one_twice() -> None:
    assert list(normal_paths(["/b/", "/a", "/b"])) == ["/b", "/a"]


@pytest.mark.parametrize(
    "path", ["data/claims", "./claims", "~/claims", "", " /claims", None, 7, Path("/claims"), ["/a", "b"], ["/a", None]]
)
def test_normal__what_is_not_absolute_is_refused(path: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="must be absolute") as refused:
        normal_paths(path)

    assert refused.value.argument == "path"


def test_normal__no_path_at_all_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="at least one place"):
        normal_paths([])


@pytest.mark.parametrize(
    ("file", "given", "hidden"),
    [
        pytest.param("file:/in/a.json", "/in", False, id="plain"),
        pytest.param("file:/in/_SUCCESS", "/in", True, id="success"),
        pytest.param("file:/in/.a.json.crc", "/in", True, id="checksum"),
        pytest.param("file:/in/_temporary/0/a.json", "/in", True, id="temporary"),
        pytest.param("file:/in/.staging/a.json", "/in", True, id="below-a-dot"),
        pytest.param("file:/in/_day=1/a.json", "/in", False, id="partition-with-underscore"),
        pytest.param("file:/in/._day=1/a.json", "/in", True, id="partition-with-dot"),
        pytest.param("file:/_x/.y/a.json", "/_x/.y", False, id="above-the-path"),
        pytest.param("file:/in/_SUCCESS", "/in/*", True, id="matched-by-a-pattern"),
        pytest.param("file:/in/_temporary/0/a.json", "/in/*", True, id="folder-matched-by-a-pattern"),
        pytest.param("file:/in/_temporary/0/a.json", "/in/*/*", True, id="two-folders-matched"),
        pytest.param("file:/in/.x/a.json", "/in/*/*.json", True, id="file-below-a-folder-matched"),
        pytest.param("file:/in/_x/a.json", "/in/_*", False, id="asked-for-by-a-pattern"),
        pytest.param("file:/in/_x.json", "/in/_x.json", False, id="asked-for-by-name"),
        pytest.param("s3a://b/in/_SUCCESS", "s3://b/in", True, id="s3"),
    ],
)
def test_hidden(file: str, given: str, hidden: bool) -> None:
    assert is_hidden(file, [given]) is hidden


@pytest.mark.parametrize(
    ("file", "given", "base"),
    [
        pytest.param("s3a://b/in/day=1/a.json", ["s3://b/in/"], "s3a://b/in", id="folder"),
        pytest.param("file:/in/eu/day=1/a.json", ["/in/*"], "file:/in/eu", id="pattern"),
        pytest.param("file:/in/day=1/a.json", ["/in/day=*"], "file:/in/day=1", id="partition-as-pattern"),
        pytest.param("file:/in/day=1/a.json", ["/in/day=1/a.json"], "file:/in/day=1", id="the-file-itself"),
        pytest.param("file:/in/day=1/a.json", ["/in/*/*.json"], "file:/in/day=1", id="pattern-of-files"),
        pytest.param("file:/in/x/day=1/a.json", ["/in", "/in/x"], "file:/in/x", id="the-nearest-of-several"),
        pytest.param("file:/other/y/day=1/a.json", ["/in/x", "/other/y"], "file:/other/y", id="one-of-several"),
        pytest.param("s3://b/day=1/a.json", ["s3://b"], "s3://b/", id="bucket"),
        pytest.param("file:/in/day=1/a.json", ["/elsewhere"], "file:/in/day=1", id="none"),
    ],
)
def test_base__is_the_folder_that_was_given(file: str, given: list[str], base: str) -> None:
    assert spark_spelling(file, base_of(file, given)) == base


@pytest.mark.parametrize(
    ("file", "partitions"),
    [
        pytest.param("file:/in/day=1/a.json", True, id="folder"),
        pytest.param("file:/in/x/day=1/a.json", True, id="deeper"),
        pytest.param("file:/in/a=b.json", False, id="only-the-file"),
        pytest.param("file:/in/x/a.json", False, id="other-folder"),
        pytest.param("file:/k=v/in/a.json", False, id="above-the-path"),
    ],
)
def test_partitions__are_folders_between_the_path_and_the_file(file: str, partitions: bool) -> None:
    assert has_partitions(file, ["/in", "/k=v/in"]) is partitions


@pytest.mark.parametrize(
    ("given", "apart"),
    [
        pytest.param(["/a"], True, id="one"),
        pytest.param(["/a/*"], True, id="one-pattern"),
        pytest.param(["/a", "/b"], True, id="two"),
        pytest.param(["/a", "/ab"], True, id="same-beginning"),
        pytest.param(["/a/b", "/a"], False, id="one-in-the-other"),
        pytest.param(["/a", "/c", "/a/b"], False, id="one-in-the-other-of-three"),
        pytest.param(["/a", "/*"], False, id="pattern"),
        pytest.param(["s3://a/x", "s3://b/x"], True, id="buckets"),
    ],
)
def test_apart__no_file_is_below_two_of_them(given: list[str], apart: bool) -> None:
    assert are_apart(given) is apart


def test_escaped__nothing_is_a_pattern_any_more() -> None:
    assert escaped(r"/a b/{x,y}[0]*?\z") == r"/a b/\{x,y\}\[0\]\*\?\\z"
