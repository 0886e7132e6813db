"""Which column carries the mark: how it is found, what is refused, and that it stays the same one."""

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import UnsupportedColumnError, WatermarkMismatchError, Watermarks
from tests.support.frames import SPARK_VERSION, frame, load, mark, needs_ntz
from tests.support.tables import EmulatedTable


@pytest.mark.parametrize(
    ("columns", "column"),
    [
        pytest.param(["value AS Last_Modified"], "last_modified", id="other-case"),
        pytest.param(["struct(value AS at, n AS other) AS meta"], "meta.at", id="nested"),
        pytest.param(["struct(struct(value AS at) AS update) AS meta"], "meta.update.at", id="nested-deeper"),
        pytest.param(["struct(value AS updated_at) AS Meta"], "meta.Updated_At", id="nested-in-other-case"),
        pytest.param(["value AS `last.modified`"], "last.modified", id="dot-in-the-name"),
        pytest.param(["value AS `last``modified`"], "last`modified", id="backtick-in-the-name"),
        pytest.param(["struct(value AS `at``sign`) AS `me-ta`"], "me-ta.at`sign", id="nested-and-quoted"),
        pytest.param(["value AS `select`"], "select", id="sql-word"),
        pytest.param(["value AS mark", "n AS highest"], "mark", id="name-that-new_rows-uses-itself"),
        pytest.param(["value AS `größe in m²`"], "größe in m²", id="beyond-ascii"),
        pytest.param(["value AS `meta.at`", "struct(n AS at) AS meta"], "meta.at", id="plain-name-before-nested"),
    ],
)
def test_column__is_found(
    spark: SparkSession, watermarks: Watermarks, job: str, columns: list[str], column: str
) -> None:
    source = frame(spark, "bigint", ["7", "8", "9"]).selectExpr("n", *columns)

    assert load(watermarks, job, source.where("n <= 2"), column) == [1, 2]
    assert load(watermarks, job, source, column) == [3]
    assert mark(watermarks, job) == 9


def test_column__of_which_the_struct_is_null_has_no_value(
    spark: SparkSession, watermarks: Watermarks, job: str
) -> None:
    source = frame(spark, "bigint", ["7", "8", "9"]).selectExpr(
        "n", "if(n = 2, NULL, named_struct('at', value)) AS meta"
    )

    assert load(watermarks, job, source, "meta.at") == [1, 2, 3]
    assert load(watermarks, job, source, "meta.at") == []


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        pytest.param("CAST(n AS DOUBLE)", "double", id="double"),
        pytest.param("CAST(n AS FLOAT)", "float", id="float"),
        pytest.param("n > 1", "boolean", id="boolean"),
        pytest.param("CAST('n' AS BINARY)", "binary", id="binary"),
        pytest.param("array(n)", "array<int>", id="array"),
        pytest.param("map(n, n)", "map<int,int>", id="map"),
        pytest.param("named_struct('at', n)", "struct<at:int>", id="struct"),
        pytest.param("INTERVAL '1' DAY", "interval day", id="interval"),
        pytest.param("NULL", "void", id="void"),
    ],
)
def test_column__of_a_type_that_cannot_carry_a_mark(
    spark: SparkSession, watermarks: Watermarks, job: str, expression: str, told: str
) -> None:
    source = spark.sql(f"SELECT n, {expression} AS value FROM VALUES (1), (2) AS t(n)")

    with pytest.raises(UnsupportedColumnError) as refused:
        load(watermarks, job, source)

    assert str(refused.value) == (
        f"Column 'value' is of type {told}, which cannot carry a mark. Supported are: timestamp, timestamp_ntz "
        "(Spark 3.4 and later), date, tinyint, smallint, int, bigint, decimal, string."
    )
    assert refused.value.column == "value"


@pytest.mark.parametrize("column", ["lastmodified", "meta.updated", "meta.at.x", "n.x", "meta.", "`value`", ""])
def test_column__that_is_not_there(spark: SparkSession, watermarks: Watermarks, job: str, column: str) -> None:
    source = frame(spark, "date", ["2023-03-01"]).selectExpr("n", "value", "named_struct('at', value) AS meta")

    with pytest.raises(UnsupportedColumnError) as refused:
        load(watermarks, job, source, column)

    assert str(refused.value) == (
        f"There is no column {column!r}. The frame has: n (int), value (date), meta (struct<at:date>)."
    )


def test_column__that_is_there_twice(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "int", ["1"]).selectExpr("n", "value", "value AS Value", "value AS VALUE")

    with pytest.raises(UnsupportedColumnError, match=r"3 columns called 'valuE'\. Give the one to follow a name"):
        load(watermarks, job, source, "valuE")


def test_column__refused_before_anything_moved(
    spark: SparkSession, watermarks: Watermarks, moto_table: EmulatedTable, job: str
) -> None:
    load(watermarks, job, frame(spark, "int", ["1"]))

    with pytest.raises(UnsupportedColumnError):
        load(watermarks, job, frame(spark, "double", ["1"]))

    assert mark(watermarks, job) == 1
    assert "lease" not in moto_table.item(job)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("timestamp", "date", id="timestamp-became-date"),
        pytest.param("timestamp", "string", id="timestamp-became-string"),
        pytest.param("int", "decimal(10,0)", id="int-became-decimal"),
        pytest.param("timestamp", "timestamp_ntz", id="timestamp-lost-its-zone", marks=needs_ntz),
    ],
)
def test_mismatch__of_types(spark: SparkSession, watermarks: Watermarks, job: str, before: str, after: str) -> None:
    text = "1" if before == "int" else "2023-03-01"
    load(watermarks, job, frame(spark, before, [text]))

    with pytest.raises(WatermarkMismatchError) as refused:
        load(watermarks, job, frame(spark, after, [text, text]))

    assert (refused.value.job_id, refused.value.transformation_ctx) == (job, "repairs")
    assert f"reset({job!r}, transformation_ctx='repairs')" in str(refused.value)


def test_mismatch__of_columns(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "int", ["7"])
    load(watermarks, job, source, "value")

    with pytest.raises(
        WatermarkMismatchError,
        match=r"has the mark 7 of column 'value' \(integer\), and is now read by column 'n' \(integer\)",
    ):
        load(watermarks, job, source, "n")
    assert mark(watermarks, job) == 7


def test_mismatch__is_known_of_a_source_without_values_too(
    spark: SparkSession, watermarks: Watermarks, job: str
) -> None:
    load(watermarks, job, frame(spark, "int", []))

    with pytest.raises(WatermarkMismatchError):
        load(watermarks, job, frame(spark, "string", ["1"]))


def test_mismatch__is_of_one_source_only(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    load(watermarks, job, frame(spark, "int", ["7"]))

    with watermarks.job_run(job, "jr_2") as run:
        run.new_rows(frame(spark, "string", ["a"]), "value", transformation_ctx="letters")

    assert watermarks.get_watermark_values(job) == {"repairs": 7, "letters": "a"}


@pytest.mark.skipif(SPARK_VERSION < (4, 0), reason="collations came with Spark 4")
def test_column__with_a_collation(spark: SparkSession, watermarks: Watermarks, job: str) -> None:
    source = frame(spark, "string", ["A", "b", "C"]).selectExpr("n", "value COLLATE UTF8_LCASE AS value")

    assert load(watermarks, job, source.where("n <= 2")) == [1, 2]
    assert load(watermarks, job, source) == [3]
    assert load(watermarks, job, source) == []
