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
        (["zzz"], 3, "No run of job"),
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


@pytest.mark.parametrize("force", [False, True], ids=["refused", "forced"])
def test_run_under_way__is_named_and_overrun_only_by_force(
    command: Command, loaded: str, on_moto: Watermarks, force: bool
) -> None:
    run = on_moto.job_run(loaded, "jr_under_way").begin()
    try:
        told = command("rewind", loaded, long_id(1), "-y", *(["--force"] if force else []))
    finally:
        run.fail("over")

    assert told.code == (0 if force else 4)
    assert ("jr_under_way" in told.err) is not force
    assert (on_moto.get_most_recent_run_id(loaded) == long_id(1)) is force


def test_job_changed_meanwhile__is_not_changed_again(
    command: Command, loaded: str, on_moto: Watermarks, monkeypatch: pytest.MonkeyPatch
) -> None:
    def somebody_is_faster(*_: object) -> None:
        on_moto.set_mark(loaded, "repairs", 99)

    monkeypatch.setattr("scripts.helpers.watermarks.cli.changing._ask", somebody_is_faster)

    told = command("rewind", loaded, long_id(1))

    assert told.code == 6
    assert "has changed since you looked at it" in told.err
    assert on_moto.get_most_recent_run_id(loaded) == long_id(4)


def test_adopt__a_run_of_the_original_class(command: Command, job: str, moto_table: EmulatedTable) -> None:
    moto_table.put(job, "jr_old", watermarks={"M": {"latest_data": {"S": "2023-03-16"}}})
    assert command("show", job).code == 1

    assert command("adopt", job, "jr_old").code == 0

    assert command("show", job, "--json").document["watermarks"] == {"latest_data": "2023-03-16"}
