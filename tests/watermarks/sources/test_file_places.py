"""Where files are and what they are called: several paths, patterns, partition folders, names, hidden files."""

import shutil
from datetime import timedelta
from typing import Any

import pytest

from scripts.helpers.watermarks import InvalidArgumentError, WatermarkMismatchError
from scripts.helpers.watermarks.job_run import file_reading
from scripts.helpers.watermarks.values import digests
from tests.support.frames import numbers
from tests.support.landing import HOUR, Landing, hook

NAMES = [
    "a b.json",
    "a%20b.json",
    "100%.json",
    "a=b.json",
    "ü€日本.json",
    "a,b.json",
    "{a,b}.json",
    "[ab].json",
    "a*.json",
    "a?.json",
    "a\\b.json",
    "a#b+c&d;e'f\"g.json",
    "-a.json",
]


@pytest.mark.parametrize("folder", ["in", "in put %20 [1] {a,b}"], ids=["plain-folder", "odd-folder"])
def test_names__with_anything_in_them(landing: Landing, folder: str) -> None:
    path = landing.path + "/" + "".join(f"\\{each}" if each in "[]{}" else each for each in folder)
    for n, name in enumerate(NAMES):
        landing.put(f"{folder}/{name}", n, ago=60)
    # What the patterns among the names would match, and no run may read instead.
    landing.put(f"{folder}/ab.json", 100, ago=60)
    landing.put(f"{folder}/b.json", 101, ago=60)

    assert landing.load(path, max_files=1) == [*range(len(NAMES)), 100, 101]
    assert landing.load(path) == []
    for n, name in enumerate(NAMES):
        landing.put(f"{folder}/{name}", 200 + n, ago=30)
    assert landing.load(path) == [200 + n for n in range(len(NAMES))]


def test_names__many_of_them_in_the_first_load(landing: Landing) -> None:
    for n in range(40):
        landing.put(f"{n} %2a ü.json", n)

    assert landing.load() == [*range(40)]
    assert landing.load() == []


def test_first_load__of_many_files_takes_only_those_that_were_listed(landing: Landing) -> None:
    for n in range(40):
        landing.put(f"{n}.json", n)
    landing.put("_SUCCESS", 100)

    with hook(file_reading, "plan_files", lambda: landing.put("meanwhile.json", 50, ago=60)):
        assert landing.load(f"{landing.path}/*") == [*range(40)]

    assert landing.load(f"{landing.path}/*") == [50]


def test_partitions__are_kept_and_typed_as_spark_does(landing: Landing) -> None:
    landing.put("day=2023-03-15/hour=7/a.json", 1)
    landing.put("day=2023-03-16/hour=08/b.json", 2)
    as_spark = landing.spark.read.schema("n INT").json(landing.path)

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        first = landing.new(run)
        assert first.schema == as_spark.schema
        assert sorted(first.collect()) == sorted(as_spark.collect())
    landing.put("day=2023-03-16/hour=08/c.json", 3, ago=60)
    with landing.watermarks.job_run(landing.job, "jr_2") as run:
        second = landing.new(run)
        assert second.schema == as_spark.schema
        assert [(row.n, str(row.day), row.hour) for row in second.collect()] == [(3, "2023-03-16", 8)]
    with landing.watermarks.job_run(landing.job, "jr_3") as run:
        nothing = landing.new(run)
        assert nothing.schema == as_spark.schema
        assert nothing.collect() == []


def test_partitions__of_a_type_that_was_given(landing: Landing) -> None:
    landing.put("region=07/a.json", 1)

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        new = landing.new(run, schema="n INT, region STRING")
        assert [tuple(row) for row in new.collect()] == [(1, "07")]


def test_partitions__with_escaped_values(landing: Landing) -> None:
    landing.put("region=a%3Ab c/a.json", 1)

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        assert [row["region"] for row in landing.new(run).collect()] == ["a:b c"]


def test_partitions__below_several_paths(landing: Landing) -> None:
    paths = [f"{landing.path}/eu", f"{landing.path}/us"]
    landing.put("eu/day=1/a.json", 1)
    landing.put("us/day=2/b.json", 2)

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        assert sorted(tuple(row) for row in landing.new(run, paths).collect()) == [(1, 1), (2, 2)]
    with landing.watermarks.job_run(landing.job, "jr_2") as run:
        assert landing.new(run, paths).columns == ["n", "day"]


def test_partitions__below_several_paths_with_many_files(landing: Landing) -> None:
    for n in range(40):
        landing.put(f"{'eu' if n % 2 else 'us'}/day={n % 3}/{n}.json", n)

    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        new = landing.new(run, [f"{landing.path}/eu", f"{landing.path}/us"])
        assert sorted(tuple(row) for row in new.collect()) == [(n, n % 3) for n in range(40)]


def test_several_paths__and_patterns(landing: Landing) -> None:
    paths = [f"{landing.path}/x", f"{landing.path}/y/2023-*/*.json"]
    landing.put("x/a.json", 1)
    landing.put("y/2023-03/b.json", 2)
    landing.put("y/2022-12/c.json", 3)
    landing.put("y/2023-03/d.csv", 4)

    assert landing.load(paths) == [1, 2]
    landing.put("y/2023-04/e.json", 5, ago=60)
    assert landing.load(paths[::-1]) == [5]


@pytest.mark.parametrize("files", [1, 40], ids=["few", "many"])
def test_several_paths__that_overlap_give_each_file_once(landing: Landing, files: int) -> None:
    for n in range(files):
        landing.put(f"x/{n}.json", n)

    assert landing.load([f"{landing.path}/x", f"{landing.path}/*"]) == [*range(files)]


def test_missing__one_of_several_paths_keeps_back_none_of_the_others(landing: Landing) -> None:
    paths = [f"{landing.path}/x", f"{landing.path}/y", f"{landing.path}/z/*.json"]
    for n in range(40):
        landing.put(f"x/{n}.json", n)

    assert landing.load(paths) == [*range(40)]
    landing.clock.turn(hours=1)
    # A disk that was not mounted: what is on it has been there for long.
    landing.put("y/a.json", 50, ago=30 * 24 * HOUR)
    with landing.watermarks.job_run(landing.job, "jr_2") as run:
        assert numbers(landing.new(run, paths)) == [50]
        assert not run.is_full_load("claims")
    assert (landing.mark(), landing.digests()) == (None, 41)
    landing.put("z/b.json", 60, ago=60)
    assert landing.load(paths) == [60]
    assert landing.load(paths) == []
    assert landing.digests() == 1


def test_missing__one_of_several_paths_since_its_only_file_was_deleted(landing: Landing) -> None:
    paths = [f"{landing.path}/x", f"{landing.path}/y"]
    landing.put("x/a.json", 1, ago=60)
    landing.put("y/b.json", 2, ago=60)

    with hook(file_reading, "plan_files", lambda: shutil.rmtree(landing.folder / "y")):
        assert landing.load(paths) == [1]


def test_missing__too_many_files_to_remember_meanwhile(landing: Landing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(digests, "MOST", 1)
    landing.put("x/a.json", 1)
    landing.put("x/b.json", 2)

    with pytest.raises(InvalidArgumentError, match=r"2 files .* or read while one of .*/x, .*/y does not exist"):
        landing.load([f"{landing.path}/x", f"{landing.path}/y"])


def test_subfolders__are_read_as_spark_reads_them(landing: Landing) -> None:
    landing.put("a.json", 1)
    landing.put("deep/er/b.json", 2)

    assert landing.load() == [1]
    with landing.watermarks.job_run(landing.job, "jr_2") as run:
        recursive = landing.new(run, transformation_ctx="deep", options={"recursiveFileLookup": True})
        assert numbers(recursive) == [1, 2]


def test_filter__of_names(landing: Landing) -> None:
    landing.put("a.json", 1)
    landing.put("a.txt", 2)

    assert landing.load(options={"pathGlobFilter": "*.json"}) == [1]


@pytest.mark.parametrize("pattern", ["", "/*", "/*/*"], ids=["folder", "pattern", "deep-pattern"])
@pytest.mark.parametrize("recursive", [False, True], ids=["flat", "recursive"])
def test_hidden__is_never_read(landing: Landing, pattern: str, recursive: bool) -> None:
    for n, name in enumerate(["", "_SUCCESS", ".a.json.crc", "_temporary/0/a.json", ".tmp/a.json", "b.json._COPYING_"]):
        landing.put(f"in/{name}" if name else "in/a.json", n)
        landing.put(f"in/below/{name}" if name else "in/below/a.json", n)

    found = landing.load(f"{landing.path}/in{pattern}", options={"recursiveFileLookup": recursive})

    assert set(found) == {0}


def test_missing__path_gives_nothing_and_moves_nothing(landing: Landing, caplog: pytest.LogCaptureFixture) -> None:
    path = f"{landing.path}/later"

    assert landing.load(path) == []
    assert landing.mark() is None
    assert f"{path} does not exist: on S3 a folder is there only while it has files" in caplog.messages
    # A disk that was not mounted: what is on it has been there for long.
    landing.put("later/a.json", 1, ago=30 * 24 * HOUR)
    assert landing.load(path) == [1]


def test_missing__path_that_comes_back_is_not_read_again(landing: Landing) -> None:
    landing.put("in/a.json", 1, ago=60)
    landing.put("in/b.json", 2)
    path = f"{landing.path}/in"
    assert landing.load(path) == [1, 2]
    before = landing.position()

    (landing.folder / "in").rename(landing.folder / "away")
    assert landing.load(path) == []
    assert {**landing.position(), "digests": None} == {**before, "digests": None}
    (landing.folder / "away").rename(landing.folder / "in")

    assert landing.load(path) == []


def test_missing__path_without_a_schema_is_an_error_that_asks_for_one(landing: Landing) -> None:
    with pytest.raises(InvalidArgumentError, match=r"no new files.*Give schema="):
        landing.load(f"{landing.path}/later", schema=None)


def test_spelling__of_the_same_path_is_the_same_source(landing: Landing) -> None:
    landing.put("a.json", 1, ago=60)
    file = f"file:{landing.path}"

    assert landing.load(file) == [1]
    assert landing.load(f"file://{landing.path}/") == []
    assert landing.load(file.replace("/landing", "//landing//")) == []


@pytest.mark.parametrize("path", ["file:{}", "{}/*", "{}/x"], ids=["scheme", "pattern", "folder"])
def test_spelling__of_another_path_is_refused(landing: Landing, path: str) -> None:
    landing.put("a.json", 1, ago=60)
    landing.load()

    with pytest.raises(WatermarkMismatchError, match=r"among files of .*, and is now read from .*reset\(") as refused:
        landing.load(path.format(landing.path))

    assert refused.value.transformation_ctx == "claims"


def test_spelling__spark_is_asked_with_the_scheme_that_was_given(landing: Landing) -> None:
    """Spark without a cloud's libraries knows s3a by the name of a class that it lacks, and s3 not at all."""
    with pytest.raises(Exception, match="S3AFileSystem not found"):
        landing.load("s3a://landing/claims")


@pytest.mark.parametrize(
    ("argument", "value", "problem"),
    [
        ("path", "landing/claims", "must be absolute"),
        ("path", [], "at least one place"),
        ("format", "", "must name a format"),
        ("format", None, "must name a format"),
        ("band", timedelta(seconds=-1), "must be a timedelta that is not negative"),
        ("band", 900, "must be a timedelta that is not negative"),
        ("max_files", 0, "must be a positive number"),
        ("max_files", True, "must be a positive number"),
        ("max_files", 1.5, "must be a positive number"),
        ("options", {"modifiedAfter": "2023-03-16T00:00:00"}, "is set by new_files itself"),
        ("options", {"MODIFIEDBEFORE": "2023-03-16T00:00:00"}, "is set by new_files itself"),
    ],
)
def test_arguments__that_cannot_be(landing: Landing, argument: str, value: Any, problem: str) -> None:
    with pytest.raises(InvalidArgumentError, match=problem) as refused:
        landing.load(**{argument: value})

    assert refused.value.argument == argument
