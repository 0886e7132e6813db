"""The README's Python blocks are run as they stand, and what it and the other pages name is there."""

import re
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.pages import ROOT, Block, block_under, blocks, linked_files, make_targets

PAGES = ["README.md", "CONTRIBUTING.md", *(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md"))]


@pytest.fixture
def glue_like(moto_endpoint: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watermarks:
    """The table, a source, and the arguments with which Glue would start a job."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", moto_endpoint)
    watermarks = Watermarks(table_name="glue-watermarks")
    watermarks.create_table()
    spark.sql("SELECT id, timestamp_seconds(id) AS last_modified FROM range(10)").write.parquet(f"{tmp_path}/source")
    tenancies = spark.sql("SELECT id, timestamp_seconds(id) AS last_modified FROM range(10)")
    derby = {"driver": "org.apache.derby.jdbc.EmbeddedDriver"}
    tenancies.write.jdbc("jdbc:derby:memory:housing;create=true", "tenancy", "overwrite", derby)
    arguments = {"JOB_NAME": tmp_path.name, "source": f"{tmp_path}/source", "target": f"{tmp_path}/target"}
    option = "--job-bookmark-option=job-bookmark-enable"
    monkeypatch.setattr(sys, "argv", ["job.py", option, *(f"--{name}={value}" for name, value in arguments.items())])
    return watermarks


@pytest.mark.parametrize("block", blocks("README.md"), ids=lambda block: block.heading)
@pytest.mark.usefixtures("glue_like")
def test_readme__python_block_runs(block: Block, tmp_path: Path) -> None:
    block.run(tmp_path)


def test_readme__job_in_ten_lines_loads_the_source(glue_like: Watermarks, spark: SparkSession, tmp_path: Path) -> None:
    block = block_under("README.md", "A job in ten lines")

    block.run(tmp_path)
    block.run(tmp_path)

    assert [run["batchId"] for run in glue_like.history(tmp_path.name)] == [2, 1]
    assert spark.read.parquet(f"{tmp_path}/target").groupBy("batch_id").count().collect() == [(1, 10)]


@pytest.mark.parametrize("page", PAGES)
def test_pages__name_only_make_targets_and_files_that_exist(page: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert all(re.search(rf"(?m)^{target}:", makefile) for target in make_targets(page))
    assert all(path.exists() for path in linked_files(page))
    assert page != "README.md" or (make_targets(page) and linked_files(page))
