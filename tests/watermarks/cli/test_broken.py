"""`show` and `history` where an item cannot be read: they show the others, say which it is, and end with 1."""

import json
import shlex
from typing import Any

import pytest

from tests.support.tables import Clock, EmulatedTable
from tests.watermarks.cli.conftest import Command, long_id


@pytest.fixture
def damaged(loaded: str, moto_table: EmulatedTable, clock: Clock) -> str:
    """A job with four runs and two changes, of which the second run and the first change cannot be read."""
    watermarks = moto_table.watermarks(clock=clock)
    watermarks.set_mark(loaded, "repairs", 40, "damaged")
    watermarks.set_mark(loaded, "repairs", 50, "fine")
    moto_table.edit(loaded, long_id(2), status={"S": "PERHAPS"})
    moto_table.edit(loaded, "#change/000000000005", changedBy=None)
    return loaded


def commands_to_look(told: str) -> list[list[str]]:
    said = "To look at it: "
    return [shlex.split(line.removeprefix(said)) for line in told.splitlines() if line.startswith(said)]


def key_of(look: list[str]) -> Any:
    return json.loads(look[look.index("--key") + 1])


@pytest.mark.parametrize("name", ["show", "history"])
def test_broken__is_named_with_its_problem_and_a_command_to_look_at_it(
    command: Command, damaged: str, moto_table: EmulatedTable, name: str
) -> None:
    told = command(name, damaged)

    assert (told.code, told.err) == (1, "")
    assert f"runId='{long_id(2)}'" in told.out
    assert "its attribute 'status' is 'PERHAPS', not SUCCEEDED or FAILED" in told.out
    assert "its attribute 'changedBy' is missing" in told.out
    looks = commands_to_look(told.out)
    assert [look[:5] for look in looks] == [["aws", "dynamodb", "get-item", "--table-name", moto_table.name]] * 2
    found = [moto_table.client.get_item(TableName=moto_table.name, Key=key_of(look))["Item"] for look in looks]
    assert [item["runId"]["S"] for item in found] == [long_id(2), "#change/000000000005"]


def test_show__all_that_can_be_read(command: Command, damaged: str) -> None:
    told = command("show", damaged).out

    assert long_id(4) in told
    assert "repairs" in told
    assert "set by " in told
    assert "(fine)" in told
    assert "(damaged)" not in told
    assert "×" in told


def test_history__the_broken_ones_are_in_their_places(command: Command, damaged: str) -> None:
    _, _, *rows = command("history", damaged).out.split("\n\n")[0].splitlines()

    assert [row.split()[0] for row in rows] == ["set", "change", *map(long_id, (4, 3, 2, 1))]
    assert [row.split()[1] for row in rows[1:]] == ["BROKEN", "ok", "FAILED", "BROKEN", "ok"]
    assert "cannot be read: see below" in rows[4]


@pytest.mark.parametrize(
    ("options", "runs"),
    [(["-n", "3"], [4, 3, 2]), (["--failed"], [3, 2]), (["--all"], [4, 3, 2, 1])],
    ids=["the-last-is-broken", "only-failed", "all"],
)
def test_history__with_options(command: Command, damaged: str, options: list[str], runs: list[int]) -> None:
    told = command("history", damaged, "--json", *options)

    assert told.code == 1
    assert [run["runId"] for run in told.document["runs"]] == list(map(long_id, runs))


def test_history__of_runs_that_can_be_read_ends_well(command: Command, loaded: str, moto_table: EmulatedTable) -> None:
    moto_table.edit(loaded, long_id(1), status={"S": "PERHAPS"})

    assert command("history", loaded, "-n", "3").code == 0
    assert command("history", loaded, "-n", "4").code == 1


def test_history__of_a_job_of_which_no_run_can_be_read(
    command: Command, loaded: str, moto_table: EmulatedTable
) -> None:
    for number in (1, 2, 3, 4):
        moto_table.edit(loaded, long_id(number), status={"S": "PERHAPS"})

    told = command("history", loaded, "-n", "4")

    assert told.code == 1
    assert told.out.count("cannot be read: see below") == 4
    assert command("show", loaded).code == 1


def test_documents__hold_what_cannot_be_read_with_its_problem(command: Command, damaged: str) -> None:
    history, show = command("history", damaged, "--json"), command("show", damaged, "--json")

    assert (history.code, show.code) == (1, 1)
    broken = history.document["runs"][2]
    assert (broken["runId"], broken["status"]) == (long_id(2), "BROKEN")
    assert "PERHAPS" in broken["problem"]
    for document in (history.document, show.document):
        assert [change["operation"] for change in document["changes"]] == ["set", "BROKEN"]
        assert "changedBy" in document["changes"][1]["problem"]
