"""`rewind`, `reset`, `set`, `forget`, `adopt`: what they show, what they ask, and what they leave."""

import pytest

from scripts.helpers.watermarks import Watermarks
from tests.support.tables import EmulatedTable
from tests.watermarks.cli.conftest import Command, long_id


def test_rewind__done_with_yes(command: Command, loaded: str, on_moto: Watermarks) -> None:
    told = command("rewind", loaded, long_id(1), "--reason", "wrong exchange rate", "--yes")

    assert told.code == 0
    assert "batch_id 2–3" in told.out
    assert "Done" in told.out
    assert on_moto.get_most_recent_run_id(loaded) == long_id(1)
    (change,) = on_moto.changes(loaded)
    assert (change["operation"], change["reason"]) == ("rewind", "wrong exchange rate")


def test_rewind__the_beginning_of_a_run_id_is_enough(command: Command, loaded: str, on_moto: Watermarks) -> None:
    assert command("rewind", loaded, long_id(2)[:9], "-y").code == 0

    assert on_moto.get_most_recent_run_id(loaded) == long_id(2)


def test_rewind__before_a_time(command: Command, loaded: str, on_moto: Watermarks) -> None:
    assert command("rewind", loaded, "--before", "2023-03-16T12:30Z", "-y").code == 0

    assert on_moto.get_most_recent_run_id(loaded) == long_id(1)


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([], 2, "exactly one of them"),
        (["jr_x", "--before", "2023-03-16T12:30Z"], 2, "exactly one of them"),
        (["--before", "2023-03-16T12:30"], 2, "time zone"),
        (["--before", "yesterday"], 2, "not an ISO-8601"),
        (["--before", "2020-01-01T00:00Z"], 3, "no successful run on record before"),
        (["zzz"], 3, "the oldest run that can be used is"),
        (["jr_"], 2, "Several runs"),
        ([long_id(3)], 3, "FAILED"),
    ],
    ids=["neither", "both", "no-zone", "no-time", "too-early", "unknown", "ambiguous", "failed"],
)
def test_rewind__refused(
    command: Command, loaded: str, moto_table: EmulatedTable, arguments: list[str], code: int, told: str
) -> None:
    before = moto_table.items(loaded)

    ended = command("rewind", loaded, *arguments, "--yes")

    assert ended.code == code
    assert told in ended.err
    assert moto_table.items(loaded) == before


CHANGES = {
    "rewind": ["rewind", "JOB", long_id(1)],
    "reset": ["reset", "JOB"],
    "reset-one": ["reset", "JOB", "repairs"],
    "set": ["set", "JOB", "repairs", "12"],
    "forget": ["forget", "JOB"],
}


@pytest.mark.parametrize("arguments", CHANGES.values(), ids=CHANGES)
def test_dry_run__shows_and_changes_nothing(
    command: Command, loaded: str, moto_table: EmulatedTable, arguments: list[str]
) -> None:
    before = moto_table.items(loaded)

    told = command(*(loaded if each == "JOB" else each for each in arguments), "--dry-run")

    assert told.code == 0
    assert "NOW" in told.out
    assert "AFTERWARDS" in told.out
    assert "30" in told.out
    assert "Done" not in told.out
    assert moto_table.items(loaded) == before


@pytest.mark.parametrize("arguments", CHANGES.values(), ids=CHANGES)
def test_nobody_to_ask__nothing_is_changed(
    command: Command, loaded: str, moto_table: EmulatedTable, arguments: list[str]
) -> None:
    before = moto_table.items(loaded)

    told = command(*(loaded if each == "JOB" else each for each in arguments))

    assert told.code == 2
    assert "--yes" in told.err
    assert moto_table.items(loaded) == before


def test_reset__of_one_source_says_what_stays(command: Command, loaded: str, on_moto: Watermarks) -> None:
    on_moto.set_mark(loaded, "payments", 7)

    told = command("reset", loaded, "repairs", "-y")

    assert told.code == 0
    assert "Drop what is not of payments in batch_id 1–3" in told.out
    job = on_moto.job(loaded)
    assert job is not None
    assert list(job["sources"]) == ["payments"]


def test_reset__of_a_source_that_is_not_there(command: Command, loaded: str) -> None:
    told = command("reset", loaded, "tenancies", "-y")

    assert told.code == 2
    assert "It has: 'repairs'" in told.err


def test_set__is_read_by_the_type_of_the_mark(command: Command, loaded: str, on_moto: Watermarks) -> None:
    assert command("set", loaded, "repairs", "81204", "-y").code == 0

    job = on_moto.job(loaded)
    assert job is not None
    assert job["sources"]["repairs"]["mark"] == 81_204
    assert on_moto.get_watermark_values(loaded) == {"repairs": 81_204, "rejected": 2}


@pytest.mark.parametrize(
    ("kind", "value", "mark"),
    [
        ("timestamp", "2023-03-16T15:45:00Z", "2023-03-16T15:45:00+00:00"),
        ("date", "2023-03-16", "2023-03-16"),
        ("integer", "-5", -5),
        ("decimal", "1.50", "1.5"),
        ("string", "0042", "0042"),
    ],
)
def test_set__before_the_first_run_with_a_type(command: Command, job: str, kind: str, value: str, mark: object) -> None:
    assert command("set", job, "repairs", "--type", kind, "--yes", "--", value).code == 0

    assert command("show", job, "--json").document["sources"]["repairs"]["mark"] == mark


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["tenancies", "5"], "--type"),
        (["repairs", "tomorrow"], "expected an integer"),
        (["repairs", "5", "--type", "date"], "must be integer"),
        (["tenancies", "5", "--type", "float"], "must be timestamp or"),
    ],
    ids=["unknown-source", "not-of-the-type", "another-type", "no-type"],
)
def test_set__refused(
    command: Command, loaded: str, moto_table: EmulatedTable, arguments: list[str], told: str
) -> None:
    before = moto_table.items(loaded)

    ended = command("set", loaded, *arguments, "-y")

    assert ended.code == 2
    assert told in ended.err
    assert moto_table.items(loaded) == before


def test_forget__the_job_is_no_longer_listed(command: Command, loaded: str) -> None:
    assert command("forget", loaded, "-y").code == 0

    assert loaded not in [job["jobName"] for job in command("jobs", "--json").document["jobs"]]


def test_set__back_is_warned_of(command: Command, loaded: str) -> None:
    back = command("set", loaded, "repairs", "5", "--dry-run").out
    forth = command("set", loaded, "repairs", "50", "--dry-run").out

    assert "goes back from 30 to 5" in back
    assert "Beware" not in forth


def test_set__a_negative_mark_is_no_option(command: Command, loaded: str) -> None:
    assert command("set", loaded, "repairs", "-5", "-y").code == 0

    assert command("show", loaded, "--json").document["sources"]["repairs"]["mark"] == -5
    assert command("set", loaded, "repairs", "5", "--reson", "x", "-y").code == 2


def test_set__of_the_name_of_a_recorded_value(command: Command, loaded: str) -> None:
    told = command("set", loaded, "rejected", "5", "--type", "integer", "-y")

    assert told.code == 2
    assert "is the name of a value" in told.err


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["reset", "JOB", "-y"], "take the job away from it with --force"),
        (["show", "OLD"], "watermarks adopt"),
        (["rewind", "JOB", "jr_nobody", "-y"], "the oldest run that can be used"),
        (["jobs", "--table", "nope"], "--table, --region or --endpoint-url"),
    ],
    ids=["force", "adopt", "rewind", "table"],
)
def test_remedies__are_options_and_commands(
    command: Command, loaded: str, moto_table: EmulatedTable, arguments: list[str], remedy: str
) -> None:
    old = f"{loaded}-old"
    moto_table.put(old, "jr_old", watermarks={"M": {}})
    run = moto_table.watermarks().job_run(loaded, "jr_under_way").begin()

    told = command(*({"JOB": loaded, "OLD": old}.get(each, each) for each in arguments))
    run.fail("over")

    assert remedy in told.err
    assert "=True" not in told.err
    assert "job_id=" not in told.err


def test_adopt__a_run_of_the_original_class(command: Command, job: str, moto_table: EmulatedTable) -> None:
    moto_table.put(job, "jr_old", watermarks={"M": {"latest_data": {"S": "2023-03-16"}}})
    assert command("show", job).code == 1
    before = moto_table.items(job)

    assert "2023-03-16" in command("adopt", job, "jr_o", "--dry-run").out
    assert command("adopt", job, "jr_old").code == 2
    assert moto_table.items(job) == before
    told = command("adopt", job, "jr_old", "--yes", "--json")

    assert told.document == {
        "jobName": job,
        "runId": "jr_old",
        "watermarks": {"latest_data": "2023-03-16"},
        "dryRun": False,
    }
    assert command("show", job, "--json").document["watermarks"] == {"latest_data": "2023-03-16"}
