"""`job`, `changes`, `diff`, `find_run` and the details of `jobs`: what is seen of a job, and at what cost."""

from datetime import timedelta
from typing import Any

import pytest

from scripts.helpers.watermarks import (
    BrokenItemError,
    InvalidArgumentError,
    UnadoptedItemsError,
    WatermarkNotFoundError,
    Watermarks,
)
from scripts.helpers.watermarks.watermarks.comparing import compare
from tests.support.adding import add
from tests.support.runs import commit_run, fail_run
from tests.support.tables import NOON, Clock, EmulatedTable, new_table, requests_of


def test_job__all_that_is_known_of_it(table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock)
    commit_run(watermarks, job, "jr_1", up_to=10, rejected=3)

    with requests_of(watermarks) as requests:
        found = watermarks.job(job)

    assert requests.names == ["GetItem"]
    assert found == {
        "jobName": job,
        "status": "SUCCEEDED",
        "runId": "jr_1",
        "watermarks": {"repairs": 10, "rejected": 3},
        "version": 1,
        "lastBatchId": 1,
        "updatedAt": NOON,
        "sources": {"repairs": {"column": "id", "type": "integer", "mark": 10}},
        "attempts": 0,
    }


def test_job__that_was_never_recorded(on_moto: Watermarks, job: str) -> None:
    assert on_moto.job(job) is None


def test_job__with_older_items_only_is_not_taken_for_new(moto_table: EmulatedTable, job: str) -> None:
    moto_table.put(job, "jr_old", watermarks={"M": {}})

    with pytest.raises(UnadoptedItemsError):
        moto_table.watermarks().job(job)


def test_status__through_the_life_of_a_job(moto_table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = moto_table.watermarks(clock=clock)

    def status() -> str:
        found = watermarks.job(job)
        assert found is not None
        return str(found["status"])

    watermarks.set_mark(job, "repairs", 5)
    assert status() == "NO_RUN"
    run = watermarks.job_run(job, "jr_1", lease=timedelta(minutes=5)).begin()
    assert status() == "RUNNING"
    assert run._heartbeat is not None
    run._heartbeat.stop()
    clock.turn(minutes=5, seconds=1)
    assert status() == "STALLED"
    fail_run(watermarks, job, "jr_2")
    assert status() == "FAILED"
    commit_run(watermarks, job, "jr_3")
    assert status() == "SUCCEEDED"


def test_changes__newest_first_with_what_they_changed(table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock)
    commit_run(watermarks, job, "jr_1", up_to=10)
    watermarks.set_mark(job, "repairs", 20, "loaded by hand")
    clock.turn(minutes=1)
    watermarks.reset(job)

    newest, oldest = watermarks.changes(job)

    assert (newest["operation"], newest["reason"], newest["version"]) == ("reset", None, 3)
    assert newest["changedAt"] == NOON + timedelta(minutes=1)
    assert newest["after"] == {"runId": None, "sources": {}}
    assert (oldest["operation"], oldest["reason"]) == ("set", "loaded by hand")
    assert oldest["before"]["sources"]["repairs"]["mark"] == 10
    assert oldest["after"]["sources"]["repairs"]["mark"] == 20
    assert [change["operation"] for change in watermarks.changes(job, limit=1)] == ["reset"]


def test_changes__that_cannot_be_read_are_an_error(moto_table: EmulatedTable, job: str) -> None:
    watermarks = moto_table.watermarks()
    watermarks.set_mark(job, "repairs", 20)
    broken = {"M": {"sources": {"M": {"repairs": {"M": {"column": {"S": "id"}}}}}}}
    moto_table.edit(job, "#change/000000000001", after=broken)

    with pytest.raises(BrokenItemError, match=r"after\.sources\.repairs"):
        list(watermarks.changes(job))


@pytest.mark.parametrize("limit", [0, -1, "3", True])
def test_changes__limit_must_be_a_positive_number(on_moto: Watermarks, job: str, limit: int) -> None:
    with pytest.raises(InvalidArgumentError):
        on_moto.changes(job, limit=limit)


def test_jobs__with_details_reads_a_hundred_states_per_request(moto_endpoint: str) -> None:
    watermarks = new_table(moto_endpoint).watermarks()
    for number in range(101):
        add(watermarks, f"job-{number}", "jr_1", number=number)

    with requests_of(watermarks) as requests:
        found = list(watermarks.jobs(details=True))

    assert requests.names.count("BatchGetItem") == 2
    assert "GetItem" not in requests.names
    assert sorted(job["watermarks"]["number"] for job in found) == list(range(101))
    assert {job["status"] for job in found} == {"SUCCEEDED"}
    assert all(job == watermarks.job(job["jobName"]) for job in found[:3])


def test_jobs__with_details_of_one_that_cannot_be_read(moto_endpoint: str) -> None:
    table = new_table(moto_endpoint)
    watermarks = table.watermarks()
    for name in ("fine", "damaged", "fine-too"):
        add(watermarks, name, "jr_1", value=1)
    table.edit("damaged", version={"S": "three"})

    found = {job["jobName"]: job for job in watermarks.jobs(details=True)}

    assert {name: job["status"] for name, job in found.items()} == {
        "fine": "SUCCEEDED",
        "damaged": "BROKEN",
        "fine-too": "SUCCEEDED",
    }
    assert "'version'" in found["damaged"].pop("problem")
    assert set(found["damaged"]) == set(found["fine"])


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("jr_abc1", "jr_abc1"),
        ("jr_abc", "jr_abc1"),
        ("jr_abc…", "jr_abc1"),
        ("jr_abc…_attempt_1", "jr_abc1_attempt_1"),
        ("jr_abc1_a", "jr_abc1_attempt_1"),
        ("jr_b", "jr_b"),
        ("jr_b2", "jr_b2"),
    ],
)
def test_find_run__by_its_beginning(on_moto: Watermarks, job: str, given: str, found: str) -> None:
    for run in ("jr_abc1", "jr_abc1_attempt_1", "jr_b", "jr_b2"):
        add(on_moto, job, run, value=1)
    on_moto.set_mark(job, "repairs", 1)

    assert on_moto.find_run(job, given) == found


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ("jr_", InvalidArgumentError, "jr_abc1, jr_abd2"),
        ("jr_ab…9", WatermarkNotFoundError, "begins with, 'jr_ab…9'"),
        ("zz", WatermarkNotFoundError, "begins with, 'zz'"),
        ("", InvalidArgumentError, "must not be empty"),
        ("#latest", InvalidArgumentError, "#"),
    ],
    ids=["several", "no-such-end", "none", "empty", "own-item"],
)
def test_find_run__refused(on_moto: Watermarks, job: str, given: str, error: type[Exception], told: str) -> None:
    add(on_moto, job, "jr_abc1", value=1)
    add(on_moto, job, "jr_abd2", value=1)

    with pytest.raises(error, match=told):
        on_moto.find_run(job, given)


def test_diff__between_two_runs(table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock)
    commit_run(watermarks, job, "jr_1", up_to=10, same=1, changed=1, gone=1)
    commit_run(watermarks, job, "jr_2", up_to=20)
    fail_run(watermarks, job, "jr_failed", up_to=25)
    commit_run(watermarks, job, "jr_3", up_to=30, same=1, changed=2, new=1)
    commit_run(watermarks, job, "jr_4", up_to=40)

    found = watermarks.diff(job, "jr_1", "jr_3")

    assert (found["from"]["runId"], found["from"]["batchId"]) == ("jr_1", 1)
    assert (found["to"]["runId"], found["to"]["batchId"]) == ("jr_3", 3)
    assert found["sources"] == {"repairs": {"before": 10, "after": 30}}
    assert found["watermarks"] == {
        "repairs": {"before": 10, "after": 30},
        "changed": {"before": 1, "after": 2},
        "gone": {"before": 1, "after": None},
        "new": {"before": None, "after": 1},
    }
    assert (found["runs"], found["rows"]) == (2, 2)


def test_diff__counts_the_rows_of_a_backfill_once() -> None:
    def run(version: int, run_id: str, rows: int, status: str = "SUCCEEDED") -> dict[str, Any]:
        source = {"mark": version, "rows": rows}
        return {
            "jobName": "j",
            "runId": run_id,
            "version": version,
            "status": status,
            "watermarks": {},
            "sources": {"repairs": source},
        }

    history = [
        run(8, "jr_c#step/000000000006", 7),
        run(7, "jr_b#step/000000000005", 5),
        run(6, "jr_b", 99, "FAILED"),
        run(5, "jr_b#step/000000000004", 4),
        run(4, "jr_a", 30),
        run(3, "jr_a#step/000000000003", 20),
        run(2, "jr_a#step/000000000002", 10),
        run(1, "jr_0", 1_000),
    ]

    found = compare(history[-1], history[0], history)

    assert (found["runs"], found["rows"]) == (3, 30 + 4 + 5 + 7)


def test_status__a_success_by_hand_or_a_reset_ends_a_failure(on_moto: Watermarks, job: str) -> None:
    def status() -> str:
        found = on_moto.job(job)
        assert found is not None
        return str(found["status"])

    fail_run(on_moto, job, "jr_1")
    assert status() == "FAILED"
    add(on_moto, job, "jr_2", value=1)
    assert status() == "SUCCEEDED"
    fail_run(on_moto, job, "jr_3")
    on_moto.reset(job)
    assert status() == "NO_RUN"


def test_diff__of_a_run_with_itself(on_moto: Watermarks, job: str) -> None:
    commit_run(on_moto, job, "jr_1", up_to=10)

    found = on_moto.diff(job, "jr_1", "jr_1")

    assert (found["watermarks"], found["runs"], found["rows"]) == ({}, 0, 0)


def test_diff__refused(on_moto: Watermarks, job: str) -> None:
    commit_run(on_moto, job, "jr_1", up_to=10)
    commit_run(on_moto, job, "jr_2", up_to=20)

    with pytest.raises(InvalidArgumentError, match="Swap them"):
        on_moto.diff(job, "jr_2", "jr_1")
    with pytest.raises(WatermarkNotFoundError, match="'jr_9'"):
        on_moto.diff(job, "jr_1", "jr_9")


@pytest.mark.parametrize(
    ("region", "host"),
    [
        ("eu-west-2", "eu-west-2.console.aws.amazon.com"),
        ("cn-north-1", "console.amazonaws.cn"),
        ("us-gov-west-1", "console.amazonaws-us-gov.com"),
    ],
)
def test_console_addresses__of_a_job_on_aws(region: str, host: str) -> None:
    found = Watermarks("glue-watermarks", region_name=region).console_addresses("load repairs/&#1")

    assert set(found) == {"watermarks", "glue"}
    assert found["watermarks"] == (
        f"https://{host}/dynamodbv2/home?region={region}#edit-item?itemMode=2&pk=load%20repairs%2F%26%231&sk=%23latest"
        "&route=ROUTE_ITEM_EXPLORER&table=glue-watermarks"
    )
    assert found["glue"] == (
        f"https://{host}/gluestudio/home?region={region}#/editor/job/load%20repairs%2F%26%231/runs"
    )


def test_console_addresses__none_of_an_emulator(on_moto: Watermarks, job: str) -> None:
    assert on_moto.console_addresses(job) == {}
