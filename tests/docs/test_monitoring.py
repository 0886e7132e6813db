"""The page about monitoring says what the code does: metrics, keys of the line, and queries that read it."""

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest

from scripts.helpers.watermarks import Watermarks
from scripts.helpers.watermarks.job_run.events import PREFIX, logger
from scripts.helpers.watermarks.metrics import RunFacts, SourceFacts
from scripts.helpers.watermarks.metrics.automatic import SET_BY_AWS
from scripts.helpers.watermarks.metrics.data import NAMESPACE, dimension_value, metric_data
from tests.support.runs import read_ids
from tests.support.tables import Clock, new_table

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
# As a job of scripts/jobs logs it, as Glue's own format does, and as an agent hands it on.
LOG_PREFIXES = (
    "",
    "2026-11-18 02:00:41,307 INFO ",
    "26/11/18 02:00:41 INFO ProcessLauncher: stderr: ",
    "[2026-11-18T02:00:41.307+0000] {load-repairs} ",
)
COMMANDS = {"fields", "filter", "parse", "display", "sort", "limit", "stats"}


def blocks(language: str) -> list[str]:
    return re.findall(rf"(?s)```{language}\n(.*?)```", PAGE)


def rows_of_table(first_column: str) -> list[list[str]]:
    """The rows of the table whose heading begins so, below the heading and its line."""
    table = PAGE[PAGE.index(f"| {first_column} |") :].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table]


def queries() -> list[str]:
    return [block for block in blocks("text") if "| parse" in block]


def parsed(query: str, message: str) -> dict[str, str]:
    """The fields that the parse commands of a query take from a message; a command that does not match takes none."""
    fields: dict[str, str] = {}
    for expression in re.findall(r"(?m)^\| parse @message /(.*)/$", query):
        found = re.search(expression.replace("(?<", "(?P<"), message)
        fields |= found.groupdict() if found else {}
    return fields


@pytest.fixture
def lines(moto_endpoint: str, caplog: pytest.LogCaptureFixture) -> list[str]:
    """What real runs log: a commit, one whose rows nobody counts, and a failure."""
    caplog.set_level(logging.INFO, logger=logger.name)
    clock = Clock()
    watermarks = new_table(moto_endpoint).watermarks(clock=clock)
    for run_id, rows in (("jr_1", 808), ("jr_2", None)):
        with watermarks.job_run("load-repairs", run_id) as run:
            read_ids(run, up_to=20, rows=rows)
            clock.turn(seconds=41.307)
    run = watermarks.job_run("load-repairs", "jr_3").begin()
    read_ids(run, up_to=30, rows=5)
    run.fail('the disk is "full", {really}","sources":{}')
    return [record.getMessage() for record in caplog.records if record.name == logger.name]


def test_metrics__are_those_of_the_code() -> None:
    everything = RunFacts("j", 1.0, False, False, 1, {"s": SourceFacts(1, 1, 1.0)})
    published = [
        [f"`{each['MetricName']}`", ", ".join(f"`{d['Name']}`" for d in each["Dimensions"]), each["Unit"]]
        for each in metric_data(everything)
    ]

    assert [row[:3] for row in rows_of_table("metric")] == published
    assert f"Namespace `{NAMESPACE}`" in PAGE
    of_job = [row for row in published if "Source" not in row[1]]
    assert f"up to {len(of_job)} metrics of its own" in PAGE
    assert f"each of its sources up to {len(published) - len(of_job)}" in PAGE


def test_permission__is_for_this_call_and_this_namespace_alone() -> None:
    (statement,) = (json.loads(block) for block in blocks("json"))

    assert statement["Action"] == "cloudwatch:PutMetricData"
    assert statement["Condition"] == {"StringEquals": {"cloudwatch:namespace": NAMESPACE}}


def test_names__are_made_acceptable_as_it_says() -> None:
    assert f"`café` is `{dimension_value('café')}`" in PAGE
    assert re.fullmatch(r"j+~[0-9a-f]{16}", dimension_value("j" * 2_000))


def test_automatic__names_every_sign() -> None:
    assert all(f"`{name}`" in PAGE for name in SET_BY_AWS)


def test_line__has_the_keys_of_the_table_in_their_order(lines: list[str]) -> None:
    keys = re.findall(r"`(\w+)`", " ".join(row[0] for row in rows_of_table("key")))
    failed = list(json.loads(lines[2].removeprefix(PREFIX)))
    committed = list(json.loads(lines[0].removeprefix(PREFIX)))

    assert failed == keys
    assert committed == [key for key in keys if key != "error"]


def test_line__the_example_looks_like_a_real_one(lines: list[str]) -> None:
    (example,) = (block for block in blocks("text") if block.startswith(PREFIX))
    shown, real = (json.loads(line.removeprefix(PREFIX)) for line in (example, lines[0]))

    assert list(shown) == list(real)
    assert shown["sources"]["repairs"].keys() == real["sources"]["repairs"].keys()
    assert f"`{logger.name}`" in PAGE


@pytest.mark.parametrize("prefix", LOG_PREFIXES, ids=["bare", "jobs", "spark", "agent"])
def test_queries__read_the_real_lines(lines: list[str], prefix: str) -> None:
    latest, per_day = queries()
    of_a_commit: dict[str, Any] = {
        "event": "committed",
        "job": "load-repairs",
        "run": "jr_1",
        "batch": "1",
        "seconds": "41.307",
        "rows": "808",
    }

    assert parsed(latest, prefix + lines[0]) == of_a_commit
    uncounted = {"run": "jr_2", "batch": "2"}
    assert parsed(latest, prefix + lines[1]) == {k: v for k, v in of_a_commit.items() if k != "rows"} | uncounted
    assert parsed(latest, prefix + lines[2]) == {
        "event": "failed",
        "job": "load-repairs",
        "run": "jr_3",
        "batch": "3",
        "seconds": "0.0",
        "rows": "0",
        "error": r"the disk is \"full\", {really}\",\"sources\":{}",
    }
    added_up = [int(parsed(per_day, prefix + line).get("rows", 0)) for line in lines]
    assert added_up == [808, 0, 0]


def test_queries__keep_to_the_commands_and_the_fields_there_are(lines: list[str]) -> None:
    for query in queries():
        commands = [line.removeprefix("| ").split()[0] for line in query.splitlines()]
        assert set(commands) <= COMMANDS
        assert f'filter @message like "{PREFIX}"' in query
        fields = set(parsed(query, lines[0])) | set(parsed(query, lines[2]))
        (used,) = re.findall(r"(?m)^\| (?:display|stats) (.*)$", query)
        names = set(re.findall(r"[\w@]+", re.sub(r"\bas \w+|\bsum|\bbin\(1d\)|\bby", "", used)))
        assert names <= fields | {"@timestamp"}


@pytest.mark.parametrize("block", blocks("python"), ids=["off", "words-only"])
def test_python_block__runs(block: str, moto_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", moto_endpoint)
    Watermarks("glue-watermarks").create_table()
    level = logger.level
    try:
        exec(compile(block, "docs/monitoring.md", "exec"), {})
    finally:
        logger.setLevel(level)


def test_links__lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", PAGE)

    assert links
    assert all((ROOT / "docs" / link).exists() for link in links if "://" not in link)
