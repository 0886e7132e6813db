"""The README's Python blocks are run as they stand, and what it names is there."""

import re
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def in_folder(block: str, folder: Path) -> str:
    """Let a block write below the folder instead of /tmp."""
    return block.replace('"/tmp/', f'"{folder}/').replace('f"/tmp/', f'f"{folder}/')


def python_blocks() -> list[tuple[str, str]]:
    """Give each block with the heading it stands under."""
    found, heading = [], ""
    for part in re.split(r"(?m)^(?=## |```python\n)", README):
        if part.startswith("## "):
            heading = part.splitlines()[0].removeprefix("## ")
        elif part.startswith("```python\n"):
            found.append((heading, part.removeprefix("```python\n").split("```")[0]))
    return found


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


@pytest.mark.parametrize(("heading", "block"), python_blocks(), ids=[heading for heading, _ in python_blocks()])
@pytest.mark.usefixtures("glue_like")
def test_readme__python_block_runs(heading: str, block: str, tmp_path: Path) -> None:
    exec(compile(in_folder(block, tmp_path), f"README.md, {heading}", "exec"), {})


def test_readme__job_in_ten_lines_loads_the_source(glue_like: Watermarks, spark: SparkSession, tmp_path: Path) -> None:
    block = dict(python_blocks())["A job in ten lines"]

    exec(compile(block, "README.md", "exec"), {})
    exec(compile(block, "README.md", "exec"), {})

    assert [run["batchId"] for run in glue_like.history(tmp_path.name)] == [2, 1]
    assert spark.read.parquet(f"{tmp_path}/target").groupBy("batch_id").count().collect() == [(1, 10)]


def test_readme__names_only_make_targets_and_files_that_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"`make ([a-z-]+)`|\$ make ([a-z-]+)", README))
    links = re.findall(r"\]\(([^)#]+)\)", README)

    assert all(re.search(rf"(?m)^{target}:", makefile) for pair in targets for target in pair if target)
    assert links
    assert all((ROOT / link).exists() for link in links if "://" not in link)
