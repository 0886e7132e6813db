"""`history` and `jobs`: newest first, read page by page, only as far as asked."""

from datetime import timedelta
from itertools import islice
from typing import Any

import pytest

from scripts.helpers.watermarks import InvalidArgumentError, Watermarks
from tests.support.adding import add
from tests.support.tables import NOON, Clock, EmulatedTable, new_table, requests_of, run_id

MANY = 230


@pytest.fixture(scope="module")
def busy_job(table: EmulatedTable) -> str:
    """A job with many runs, written as the package writes them but without its transactions, which take longer."""
    job = "busy-job"
    clock = Clock()
    add(table.watermarks(clock=clock), job, run_id(1), rows_collected=1)
    record = table.item(job, run_id(1))
    records = []
    for number in range(2, MANY + 1):
        moment = (NOON + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        changed = {"runId": {"S": run_id(number)}, "version": {"N": str(number)}, "recordedAt": {"S": moment}}
        records.append(record | changed)
    table.put_many(records)
    return job


def newest_first(count: int) -> list[str]:
    return [run_id(number) for number in range(MANY, MANY - count, -1)]


def test_history__all_that_is_stored_of_each_run(table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock)
    add(watermarks, job, "jr_2", rows_collected=1)
    clock.turn(seconds=1)
    add(watermarks, job, "jr_1", rows_collected=2)

    newest, oldest = watermarks.history(job)

    assert isinstance(newest.pop("commitId"), str)
    assert isinstance(oldest.pop("commitId"), str)
    assert newest == {
        "jobName": job,
        "runId": "jr_1",
        "watermarks": {"rows_collected": 2},
        "status": "SUCCEEDED",
        "version": 2,
        "batchId": 0,
        "previousRunId": "jr_2",
        "recordedAt": NOON + timedelta(seconds=1),
    }
    assert oldest == {
        "jobName": job,
        "runId": "jr_2",
        "watermarks": {"rows_collected": 1},
        "status": "SUCCEEDED",
        "version": 1,
        "batchId": 0,
        "recordedAt": NOON,
    }


@pytest.mark.parametrize(
    ("limit", "pages"),
    [
        pytest.param({}, [20], id="20-unless-told"),
        pytest.param({"limit": 1}, [1], id="one"),
        pytest.param({"limit": 100}, [100], id="one-page"),
        pytest.param({"limit": 130}, [100, 30], id="two-pages"),
        pytest.param({"limit": None}, [100, 100, 30], id="all"),
        pytest.param({"limit": 1_000}, [100, 100, 30], id="more-than-there-are"),
    ],
)
def test_history__newest_first_up_to_the_limit(
    watermarks: Watermarks, busy_job: str, limit: dict[str, Any], pages: list[int]
) -> None:
    with requests_of(watermarks) as requests:
        runs = [run["runId"] for run in watermarks.history(busy_job, **limit)]

    assert runs == newest_first(sum(pages))
    assert set(requests.names) == {"Query"}
    assert len(pages) <= len(requests.names) <= len(pages) + 1
    assert {parameters["IndexName"] for _, parameters in requests.parameters} == {"runs-by-time"}


def test_history__reads_only_as_far_as_asked(watermarks: Watermarks, busy_job: str) -> None:
    with requests_of(watermarks) as requests:
        history = watermarks.history(busy_job, limit=None)
        assert requests.names == []

        assert [run["runId"] for run in islice(history, 100)] == newest_first(100)
        assert requests.names == ["Query"]

        assert next(history)["runId"] == newest_first(101)[-1]
        assert requests.names == ["Query", "Query"]


def test_history__of_this_job_alone(watermarks: Watermarks, job: str) -> None:
    add(watermarks, job, "jr_1")
    add(watermarks, f"{job}-2", "jr_2")

    assert [run["runId"] for run in watermarks.history(job)] == ["jr_1"]


@pytest.mark.parametrize("limit", [0, -1, 2.0, "20", True], ids=repr)
def test_history__limit_that_means_nothing(on_moto: Watermarks, limit: int) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^limit .* must be a positive number, or None for all runs\.$"):
        on_moto.history("repairs", limit=limit)


def test_jobs__the_latest_of_every_job(dynamodb_endpoint: str, clock: Clock) -> None:
    table = new_table(dynamodb_endpoint)
    watermarks = table.watermarks(clock=clock)
    assert list(watermarks.jobs()) == []

    add(watermarks, "repairs", "jr_2", rows_collected=1)
    add(watermarks, "repairs", "jr_1", rows_collected=2, latest_data=NOON)
    add(watermarks, "stock", "jr_9", rows_collected=3)

    with requests_of(watermarks) as requests:
        jobs = sorted(watermarks.jobs(), key=lambda job: str(job["jobName"]))
    assert jobs == [
        {
            "jobName": "repairs",
            "runId": "jr_1",
            "watermarks": {"rows_collected": 2, "latest_data": NOON},
            "version": 2,
            "lastBatchId": 0,
            "updatedAt": NOON + timedelta(microseconds=1),
        },
        {
            "jobName": "stock",
            "runId": "jr_9",
            "watermarks": {"rows_collected": 3},
            "version": 1,
            "lastBatchId": 0,
            "updatedAt": NOON,
        },
    ]
    [(name, parameters)] = requests.parameters
    assert (name, parameters["IndexName"]) == ("Scan", "latest-by-job")


def test_jobs__more_than_a_page(moto_endpoint: str) -> None:
    table = new_table(moto_endpoint)
    watermarks = table.watermarks()
    add(watermarks, "job-0", "jr_1", rows_collected=1)
    state = table.item("job-0")
    names = [{"S": f"job-{number}"} for number in range(1, 125)]
    table.put_many([state | {"jobName": name, "stateOf": name} for name in names])

    with requests_of(watermarks) as requests:
        jobs = watermarks.jobs()
        assert requests.names == []
        listed = {job["jobName"] for job in jobs}

    assert listed == {f"job-{number}" for number in range(125)}
    assert requests.names == ["Scan", "Scan"]
