"""`jobs`, `show`, `history`, `diff`: what people read of them, and how they end where there is nothing to see."""

import pytest

from scripts.helpers.watermarks import Watermarks
from tests.support.adding import add
from tests.support.runs import commit_run
from tests.support.tables import Clock, EmulatedTable, new_table
from tests.watermarks.cli.conftest import Command, long_id, run_command


def lines_of(text: str) -> dict[str, str]:
    """Each line by its first word."""
    return {line.split()[0]: line for line in text.splitlines() if line.strip()}


def test_jobs__each_with_its_state_and_marks(busy_table: EmulatedTable) -> None:
    place = ("--table", busy_table.name, "--endpoint-url", busy_table.endpoint_url)

    told = run_command("jobs", *place)

    assert told.code == 0
    lines = lines_of(told.out)
    assert list(lines) == ["JOB", "failing", "fine", "prepared", "running", "stalled"]
    assert {name: line.split()[1] for name, line in lines.items()} | {"JOB": ""} == {
        "JOB": "",
        "failing": "FAILED",
        "fine": "ok",
        "prepared": "no",
        "running": "RUNNING",
        "stalled": "STALLED",
    }
    assert "81,204" in lines["prepared"]
    assert "jr_1" in lines["fine"]


def test_jobs__of_an_empty_table(moto_endpoint: str) -> None:
    table = new_table(moto_endpoint)

    told = run_command("jobs", "--table", table.name, "--endpoint-url", table.endpoint_url)

    assert (told.code, told.out) == (0, f"Table {table.name} holds no job yet.\n")


@pytest.mark.parametrize("before", [True, False], ids=["before-the-command", "after-the-command"])
def test_common_options__stand_before_or_after_the_command(busy_table: EmulatedTable, before: bool) -> None:
    place = ["--table", busy_table.name, "--endpoint-url", busy_table.endpoint_url, "--region", "eu-west-2", "--json"]

    told = run_command(*place, "show", "fine") if before else run_command("show", "fine", *place)

    assert told.document["jobName"] == "fine"


def test_common_options__after_the_command_win(busy_table: EmulatedTable) -> None:
    told = run_command(
        "--table", "another", "show", "fine", "-t", busy_table.name, "--endpoint-url", busy_table.endpoint_url
    )

    assert told.code == 0


def test_common_options__win_over_the_environment(busy_table: EmulatedTable) -> None:
    place = ["--table", busy_table.name, "--endpoint-url", busy_table.endpoint_url]

    assert run_command(*place, "show", "fine", WATERMARKS_TABLE="another").code == 0
    assert run_command("show", "fine", *place, WATERMARKS_TABLE="another").code == 0
    assert "'another'" in run_command("show", "fine", *place[2:], WATERMARKS_TABLE="another").err


def test_show__where_a_job_stands(command: Command, loaded: str, moto_table: EmulatedTable, clock: Clock) -> None:
    moto_table.watermarks(clock=clock).rewind(loaded, long_id(2), reason="wrong exchange rate")

    told = command("show", loaded, "--utc")

    assert told.code == 0
    lines = lines_of(told.out)
    assert long_id(2) in lines["latest"]
    assert "2023-03-16 15:00:00" in lines["changed"]
    assert "3 committed; the next is 4" in lines["batches"]
    assert "××" not in lines["rows"]
    assert "×" in lines["rows"]
    assert lines["repairs"].split()[1:] == ["20", "integer", "id"]
    assert lines["rejected"].split()[1:] == ["2"]
    assert f"rewind to {long_id(2)} by " in told.out
    assert "(wrong exchange rate)" in told.out


def test_show__a_run_under_way_is_named(busy_table: EmulatedTable) -> None:
    told = run_command("show", "running", "-t", busy_table.name, "--endpoint-url", busy_table.endpoint_url)

    assert "run jr_9 since " in lines_of(told.out)["running"] or "run jr_9 since " in told.out


def test_show__a_job_that_is_not_there(command: Command) -> None:
    told = command("show", "nobody")

    assert (told.code, told.out) == (3, "")
    assert "Nothing was ever recorded of a job 'nobody'" in told.err


def test_history__newest_first_with_failures_and_changes(
    command: Command, loaded: str, moto_table: EmulatedTable, clock: Clock
) -> None:
    moto_table.watermarks(clock=clock).reset(loaded, reason="the target was lost")

    told = command("history", loaded)

    heading, _, *rows = told.out.splitlines()
    assert heading.split()[0] == loaded
    assert [row.split()[0] for row in rows] == ["reset", long_id(4), long_id(3), long_id(2), long_id(1)]
    assert "the target was lost" in rows[0]
    assert [row.split()[1] for row in rows[1:]] == ["ok", "FAILED", "ok", "ok"]
    assert "made up by a test" in rows[2]


def test_history__as_many_as_asked_for(command: Command, loaded: str) -> None:
    assert long_id(2) not in command("history", loaded, "--limit", "2").out
    assert long_id(1) in command("history", loaded, "--all").out
    failed = command("history", loaded, "--failed").out
    assert long_id(3) in failed
    assert long_id(4) not in failed


def test_history__a_change_before_the_first_run_is_there_too(command: Command, on_moto: Watermarks, job: str) -> None:
    on_moto.set_mark(job, "repairs", 5, "loaded by the old job")
    commit_run(on_moto, job, "jr_1", up_to=10)

    assert "loaded by the old job" in command("history", job).out
    assert "loaded by the old job" not in command("history", job, "-n", "1").out


def test_history__of_a_job_without_failures(command: Command, on_moto: Watermarks, job: str) -> None:
    add(on_moto, job, "jr_1", value=1)

    told = command("history", job, "--failed")

    assert (told.code, told.out) == (0, f"{job}: no run of it failed.\n")


def test_history__of_failures_has_all_of_their_errors(command: Command, on_moto: Watermarks, job: str) -> None:
    error = "java.lang.IllegalStateException: " + "something long " * 20
    on_moto.job_run(job, "jr_1").begin().fail(error)

    narrow = command("history", job, "--failed", COLUMNS="60").out

    assert "".join(error.split()) in "".join(line[-26:] for line in narrow.splitlines()).replace(" ", "")
    assert "IllegalStateException" in command("show", job).out


def test_history__of_older_items_only_says_how_to_adopt(command: Command, moto_table: EmulatedTable, job: str) -> None:
    moto_table.put(job, "jr_old", watermarks={"M": {}})

    told = command("history", job)

    assert told.code == 1
    assert f"watermarks adopt {job} RUN" in told.err


def test_history__of_a_job_that_is_not_there(command: Command) -> None:
    told = command("history", "nobody")

    assert (told.code, told.out) == (3, "")
    assert "'nobody'" in told.err


def test_diff__marks_values_and_rows(command: Command, loaded: str) -> None:
    told = command("diff", loaded, long_id(1), long_id(4))

    assert told.code == 0
    lines = lines_of(told.out)
    assert lines["repairs"].split() == ["repairs", "10", "30"]
    assert lines["rejected"].split() == ["rejected", "1", "2"]
    assert "2 runs after the first, which counted 2 rows" in lines["committed"]


def test_diff__the_wrong_way_round(command: Command, loaded: str) -> None:
    told = command("diff", loaded, long_id(4), long_id(1))

    assert told.code == 2
    assert "Swap them" in told.err


def test_table_that_is_not_there(command: Command) -> None:
    told = command("jobs", "--table", "no-such-table")

    assert (told.code, told.out) == (3, "")
    assert "there is no table 'no-such-table'" in told.err


def test_profile_that_is_not_there(command: Command) -> None:
    told = command("jobs", "--profile", "nobody")

    assert (told.code, told.out) == (2, "")
    assert "There is no AWS profile 'nobody'" in told.err


def test_broken_item__is_told_and_not_a_traceback(command: Command, loaded: str, moto_table: EmulatedTable) -> None:
    moto_table.edit(loaded, sources={"M": {"repairs": {"M": {}}}})

    told = command("show", loaded)

    assert (told.code, told.out) == (1, "")
    assert "sources.repairs" in told.err


def test_names_that_look_like_markup__are_shown_as_they_are(command: Command, on_moto: Watermarks, job: str) -> None:
    name = f"[red]{job}[/red]"
    add(on_moto, name, "[bold]", note="[link=x]")

    told = command("show", name)

    assert name in told.out
    assert "[bold]" in told.out
    assert "[link=x]" in told.out


def test_run_ids_that_look_like_markup__are_headings_as_they_are(
    command: Command, on_moto: Watermarks, job: str
) -> None:
    add(on_moto, job, "[bold]", value=1)
    add(on_moto, job, ":smile:", value=2)

    told = command("diff", job, "[bold]", ":smile:")

    assert lines_of(told.out)["VALUE"].split() == ["VALUE", "[bold]", ":smile:"]


def test_jobs__one_that_cannot_be_read_does_not_hide_the_others(moto_endpoint: str) -> None:
    table = new_table(moto_endpoint)
    for name in ("damaged", "fine"):
        add(table.watermarks(), name, "jr_1", value=1)
    table.edit("damaged", sources=None)

    told = run_command("jobs", "--table", table.name, "--endpoint-url", table.endpoint_url)

    assert told.code == 1
    lines = lines_of(told.out)
    assert (lines["damaged"].split()[1], lines["fine"].split()[1]) == ("BROKEN", "ok")
    assert "watermarks doctor" in lines["The"]


HOSTILE = "\x1b]0;pwned\x07\x1b[2J\r\u202egnp"


def test_text_that_a_terminal_would_obey__is_only_shown(moto_endpoint: str) -> None:
    table = new_table(moto_endpoint)
    watermarks, name = table.watermarks(), f"job{HOSTILE}"
    add(watermarks, name, f"jr_{HOSTILE}", note=HOSTILE)
    watermarks.set_mark(name, HOSTILE, 5, HOSTILE)
    watermarks.job_run(name, "jr_2").begin().fail(HOSTILE)
    place = ("--table", table.name, "--endpoint-url", table.endpoint_url)

    for arguments in (["jobs"], ["show", name], ["history", name], ["reset", name, "--dry-run"]):
        told = run_command(*arguments, *place)
        assert not set("\x1b\x07\r\u202e") & set(told.out), arguments
        assert "␛]0;pwned␇␛[2J␍�gnp" in told.out
    refused = run_command("reset", name, HOSTILE * 2, *place)
    assert refused.code == 2
    assert not set("\x1b\x07\r\u202e") & set(refused.err)
    assert run_command("show", name, "--json", *place).document["watermarks"]["note"] == HOSTILE
