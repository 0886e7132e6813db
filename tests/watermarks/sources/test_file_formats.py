"""Formats of files: what `new_files` gives is what Spark's own reader gives, of just the new files."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame

from scripts.helpers.watermarks import InvalidArgumentError
from tests.support.frames import SPARK_VERSION, numbers
from tests.support.landing import HOUR, Landing

COLUMNAR = pytest.mark.parametrize("file_format", ["parquet", "orc"])


def write(landing: Landing, file_format: str, *rows: int, ago: float = HOUR, **options: Any) -> None:
    """Have Spark write rows of `n` and `name` as one more file, with what else it leaves in a folder."""
    before = set(landing.folder.iterdir())
    values = ", ".join(f"({n}, 'row {n}')" for n in rows)
    df = landing.spark.sql(f"SELECT * FROM VALUES {values} AS t(n, name)").coalesce(1)
    df.write.mode("append").format(file_format).options(**options).save(landing.path)
    for file in set(landing.folder.iterdir()) - before:
        landing.age(file, ago)


def load(landing: Landing, run_id: str, file_format: str, **options: Any) -> DataFrame:
    run = landing.watermarks.job_run(landing.job, run_id).begin()
    new: DataFrame = landing.new(run, format=file_format, **options)
    run.commit()
    return new


@pytest.mark.parametrize(
    ("file_format", "options"),
    [
        pytest.param("json", {}, id="json"),
        pytest.param("csv", {"header": True}, id="csv"),
        pytest.param("parquet", {}, id="parquet"),
        pytest.param("orc", {}, id="orc"),
        pytest.param(
            "xml",
            {"rowTag": "row"},
            id="xml",
            marks=pytest.mark.skipif(SPARK_VERSION < (4, 0), reason="Spark reads XML since version 4"),
        ),
        pytest.param("avro", {}, id="avro"),
    ],
)
@pytest.mark.parametrize("schema", [None, "n INT, name STRING"], ids=["inferred", "given"])
def test_format__full_then_delta(
    landing: Landing, file_format: str, options: dict[str, Any], schema: str | None
) -> None:
    if file_format == "avro":
        needs_avro(landing)
    inferred = {"inferSchema": True} if file_format == "csv" and schema is None else {}
    write(landing, file_format, 1, 2, **options)
    first = load(landing, "jr_1", file_format, schema=schema, options={**options, **inferred})
    write(landing, file_format, 3, ago=60, **options)
    second = load(landing, "jr_2", file_format, schema=schema, options={**options, **inferred})

    assert sorted((row["n"], row["name"]) for row in first.collect()) == [(1, "row 1"), (2, "row 2")]
    assert [(row["n"], row["name"]) for row in second.collect()] == [(3, "row 3")]
    reader = landing.spark.read.format(file_format).options(**options, **inferred)
    assert second.schema == (reader if schema is None else reader.schema(schema)).load(landing.path).schema


def needs_avro(landing: Landing) -> None:
    try:
        landing.spark.read.format("avro").load(landing.path).collect()
    except Exception as error:
        if "Failed to find data source: avro" in str(error) or "DATA_SOURCE" in str(error):
            pytest.skip("Spark's Avro package is not here; Glue brings it")


def test_text__full_then_delta(landing: Landing) -> None:
    landing.write("a.log", "one\ntwo\n")
    first = load(landing, "jr_1", "text", schema=None)
    landing.write("b.log", "three\n", ago=60)
    second = load(landing, "jr_2", "text", schema=None)

    assert [row.value for row in first.collect()] == ["one", "two"]
    assert [row.value for row in second.collect()] == ["three"]


def test_csv__the_header_of_every_file_is_left_out(landing: Landing) -> None:
    for n in range(1, 4):
        landing.write(f"{n}.csv", f"n;name\n{n};'a;b'\n")

    options = {"header": True, "sep": ";", "quote": "'", "nullValue": None}
    rows = load(landing, "jr_1", "csv", schema="n INT, name STRING", options=options).collect()

    assert sorted(tuple(row) for row in rows) == [(1, "a;b"), (2, "a;b"), (3, "a;b")]


def test_options__none_is_as_if_it_was_not_given(landing: Landing) -> None:
    landing.write("a.csv", "1,None\n")

    rows = load(landing, "jr_1", "csv", schema="n INT, name STRING", options={"nullValue": None}).collect()

    assert [tuple(row) for row in rows] == [(1, "None")]


def test_json__columns_that_only_some_files_have(landing: Landing) -> None:
    landing.write("a.json", '{"n": 1, "x": 1}')
    landing.write("b.json", '{"n": 2, "y": true}')

    rows = load(landing, "jr_1", "json", schema=None).orderBy("n").collect()

    assert [row.asDict() for row in rows] == [{"n": 1, "x": 1, "y": None}, {"n": 2, "x": None, "y": True}]


@pytest.mark.parametrize("schema", ["n INT, s STRUCT<a: STRING, b: ARRAY<INT>>", "n DECIMAL(12, 2), `a b` TIMESTAMP"])
@pytest.mark.parametrize("folder", ["there", "not-there"])
@pytest.mark.parametrize("file_format", ["json", "parquet"])
def test_nothing_new__has_the_schema_that_was_given(
    landing: Landing, schema: str, folder: str, file_format: str
) -> None:
    path = landing.path if folder == "there" else f"{landing.path}/missing"
    with landing.watermarks.job_run(landing.job, "jr_1") as run:
        nothing = landing.new(run, path, schema=schema, format=file_format)

        assert nothing.schema == landing.spark.createDataFrame([], schema).schema
        assert nothing.collect() == []


def test_nothing_new__without_a_schema_is_an_error_that_asks_for_one(landing: Landing) -> None:
    landing.put("a.json", 1)
    landing.load(schema=None)
    before = landing.position()

    with pytest.raises(InvalidArgumentError, match=r"'claims' has no new files.*Give schema=") as refused:
        landing.load(schema=None)

    assert refused.value.argument == "schema"
    assert landing.position() == before
    assert landing.load() == []


@COLUMNAR
def test_nothing_new__can_be_written_as_a_batch_like_any_other(
    landing: Landing, tmp_path: Path, file_format: str
) -> None:
    for batch in (1, 2):
        nothing = load(landing, f"jr_{batch}", "json", schema="n INT, name STRING")
        nothing.write.mode("overwrite").format(file_format).save(f"{tmp_path}/out/batch_id={batch}")

    out = landing.spark.read.format(file_format).load(f"{tmp_path}/out")
    assert (out.columns, out.count()) == (["n", "name", "batch_id"], 0)


def test_broken_file__fails_the_run_and_is_read_by_the_next(landing: Landing) -> None:
    landing.write("a.json", "{no json", ago=60)
    with pytest.raises(Exception, match=r"(?i)malformed"):
        landing.load(options={"mode": "FAILFAST"})

    landing.put("a.json", 1, ago=60)

    assert landing.load(options={"mode": "FAILFAST"}) == [1]


@pytest.mark.parametrize("file_format", ["nonsense", "com.example.None"])
def test_format__that_there_is_not(landing: Landing, file_format: str) -> None:
    landing.put("a.json", 1)

    with pytest.raises(Exception, match=r"(?i)find (the )?data source"):
        landing.load(format=file_format)

    assert landing.load() == [1]


@COLUMNAR
def test_columnar__only_the_new_files_are_read(landing: Landing, file_format: str) -> None:
    write(landing, file_format, 1)
    load(landing, "jr_1", file_format)
    landing.clock.turn(hours=1)
    write(landing, file_format, 2, ago=60)
    assert numbers(load(landing, "jr_2", file_format).where("n > 0")) == [2]
