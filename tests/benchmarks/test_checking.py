"""Checks of what a contender wrote: rows and their contents count, order, types and added columns do not."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from benchmarks.core.checking import Fingerprint, WrongResultError, fingerprint, parquet_check

COLUMNS = {"n": "bigint", "text": "string"}
ROWS = [(1, "a"), (2, "b"), (3, None)]


@pytest.mark.parametrize(
    ("rows", "same"),
    [
        pytest.param(ROWS, True, id="the-same"),
        pytest.param(ROWS[::-1], True, id="other-order"),
        pytest.param(ROWS[:2], False, id="one-missing"),
        pytest.param([*ROWS, ROWS[0]], False, id="one-twice"),
        pytest.param([(1, "b"), (2, "a"), (3, None)], False, id="values-swapped"),
        pytest.param([(1, "a"), (2, "b"), (3, "")], False, id="null-and-empty"),
    ],
)
def test_fingerprint__tells_rows_apart(spark: SparkSession, rows: list[tuple[int, str | None]], same: bool) -> None:
    expected = fingerprint(spark.createDataFrame(ROWS, "n BIGINT, text STRING"), COLUMNS)

    found = fingerprint(
        spark.createDataFrame(rows, "n INT, text STRING").selectExpr("text", "n", "'x' AS more"), COLUMNS
    )

    assert (found == expected) is same


def test_parquet_check__of_files_anywhere_below_the_target(spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.createDataFrame(ROWS, "n BIGINT, text STRING")
    frame.write.parquet(str(tmp_path / "below" / "batch_id=1"))
    right = fingerprint(frame, COLUMNS)

    parquet_check(spark, "A", lambda: str(tmp_path), COLUMNS, right)()
    with pytest.raises(WrongResultError, match=r"A gave Fingerprint\(rows=3.*rows=4"):
        parquet_check(spark, "A", lambda: str(tmp_path), COLUMNS, Fingerprint(4, right.checksum))()


def test_parquet_check__nothing_written_is_no_rows(spark: SparkSession, tmp_path: Path) -> None:
    parquet_check(spark, "A", lambda: str(tmp_path), COLUMNS, Fingerprint(0, 0))()
    with pytest.raises(WrongResultError):
        parquet_check(spark, "A", lambda: str(tmp_path), COLUMNS, Fingerprint(1, 0))()
