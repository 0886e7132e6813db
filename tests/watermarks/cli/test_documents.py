"""`--json`: one document on standard output with a documented shape, errors as one on standard error."""

from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest

from scripts.helpers.watermarks import Watermarks
from tests.support.adding import add
from tests.support.tables import EmulatedTable
from tests.watermarks.cli.conftest import Command, long_id, run_command

STATE = {"jobName", "status", "runId", "watermarks", "version", "lastBatchId", "updatedAt", "sources", "attempts"}
CHANGE = {"jobName", "version", "operation", "changedBy", "changedAt", "reason", "before", "after"}
CHANGED = CHANGE | {"batchIds", "warning", "takenFrom", "dryRun"}
RUN = {
    "jobName",
    "runId",
    "watermarks",
    "status",
    "version",
    "batchId",
    "startedAt",
    "recordedAt",
    "sources",
    "attempt",
}


def test_jobs(busy_table: EmulatedTable) -> None:
    told = run_command("jobs", "--json", "-t", busy_table.name, "--endpoint-url", busy_table.endpoint_url)

    assert set(told.document) == {"table", "jobs"}
    assert told.document["table"] == busy_table.name
    by_name = {job["jobName"]: job for job in told.document["jobs"]}
    assert {name: job["status"] for name, job in by_name.items()} == {
        "failing": "FAILED",
        "fine": "SUCCEEDED",
        "prepared": "NO_RUN",
        "running": "RUNNING",
        "stalled": "STALLED",
    }
    assert set(by_name["fine"]) == STATE
    assert set(by_name["running"]) == STATE | {"lease"}
    assert set(by_name["running"]["lease"]) == {"runId", "since", "until"}


def test_show(command: Command, loaded: str) -> None:
    document = command("show", loaded, "--json").document

    assert set(document) == STATE | {"changes", "console"}
    assert document["sources"] == {"repairs": {"column": "id", "type": "integer", "mark": 30}}
    assert document["updatedAt"] == "2023-03-16T14:00:00+00:00"
    assert document["watermarks"] == {"repairs": 30, "rejected": 2}
    assert document["console"] == {}


def test_history(command: Command, loaded: str, on_moto: Watermarks) -> None:
    on_moto.reset(loaded, "repairs")

    document = command("history", loaded, "--json").document

    assert set(document) == {"jobName", "runs", "changes"}
    assert [run["runId"] for run in document["runs"]] == [long_id(4), long_id(3), long_id(2), long_id(1)]
    assert all(set(run) >= RUN for run in document["runs"])
    assert document["runs"][1]["error"] == "made up by a test"
    assert [set(change) for change in document["changes"]] == [CHANGE]
    assert document["changes"][0]["after"] == {"runId": long_id(4), "sources": {}}


def test_history__of_a_job_that_is_not_there(command: Command) -> None:
    told = command("history", "nobody", "--json")

    assert (told.code, told.out) == (3, "")
    assert told.error["type"] == "NotFound"


def test_history__none_failed_is_an_empty_list(command: Command, on_moto: Watermarks, job: str) -> None:
    add(on_moto, job, "jr_1", value=1)

    told = command("history", job, "--failed", "--json")

    assert (told.code, told.document) == (0, {"jobName": job, "runs": [], "changes": []})


def test_documents__are_ascii(command: Command, on_moto: Watermarks, job: str) -> None:
    add(on_moto, job, "jr_1", value="–…✓")

    assert command("show", job, "--json").out.isascii()


def test_diff(command: Command, loaded: str) -> None:
    document = command("diff", loaded, long_id(1), long_id(4), "--json").document

    assert set(document) == {"jobName", "from", "to", "sources", "watermarks", "runs", "rows"}
    assert document["sources"] == {"repairs": {"before": 10, "after": 30}}
    assert document["watermarks"]["rejected"] == {"before": 1, "after": 2}


@pytest.mark.parametrize("dry_run", [True, False], ids=["dry-run", "done"])
@pytest.mark.parametrize(
    ("arguments", "batches"),
    [(["rewind", long_id(2)], [3]), (["reset"], [1, 2, 3]), (["set", "repairs", "5"], []), (["forget"], [])],
    ids=["rewind", "reset", "set", "forget"],
)
def test_changes(command: Command, loaded: str, arguments: list[str], batches: list[int], dry_run: bool) -> None:
    name, *own = arguments

    told = command(name, loaded, *own, "--json", "--dry-run" if dry_run else "--yes")

    assert told.code == 0
    assert set(told.document) == CHANGED
    assert told.document["operation"] == name
    assert told.document["batchIds"] == batches
    assert told.document["dryRun"] is dry_run
    assert told.document["before"]["sources"]["repairs"]["mark"] == 30


def test_changes__nobody_is_asked(command: Command, loaded: str) -> None:
    told = command("reset", loaded, "--json")

    assert (told.code, told.out) == (2, "")
    assert "--yes" in told.error["message"]


def test_errors__are_documents_too(command: Command) -> None:
    told = command("rewind", "nobody", "jr_1", "--json", "--yes")

    assert (told.code, told.out) == (3, "")
    assert set(told.error) == {"type", "message", "exitCode"}
    assert (told.error["type"], told.error["exitCode"]) == ("WatermarkNotFoundError", 3)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (datetime(2023, 3, 16, 15, 45), "2023-03-16T15:45:00"),
        (datetime(2023, 3, 16, 15, 45, 0, 1, timezone.utc), "2023-03-16T15:45:00.000001+00:00"),
        (date(2023, 3, 16), "2023-03-16"),
        (Decimal("0.1"), "0.1"),
        (b"\x00\xff", "AP8="),
        (10**30, 10**30),
        ("–…\u2028", "–…\u2028"),
        ({"a": [None, True, 1.5]}, {"a": [None, True, 1.5]}),
    ],
    ids=["naive", "aware", "date", "decimal", "bytes", "large-int", "text", "nested"],
)
def test_values__have_one_form_each(command: Command, on_moto: Watermarks, job: str, value: Any, shown: Any) -> None:
    add(on_moto, job, "jr_1", value=value)

    assert command("show", job, "--json").document["watermarks"] == {"value": shown}
