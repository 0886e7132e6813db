"""What it costs to learn where a job stands, and to record: the same however long the job's history is."""

from collections.abc import Callable

import pytest

from scripts.helpers.watermarks import Watermarks
from tests.support.adding import add
from tests.support.tables import EmulatedTable, requests_of, run_id

READS: list[Callable[[Watermarks, str], object]] = [
    lambda watermarks, job: watermarks.get_most_recent_run_id(job_id=job),
    lambda watermarks, job: watermarks.get_watermark(job_id=job),
    lambda watermarks, job: watermarks.get_watermark_values(job_id=job),
]


@pytest.mark.parametrize("read", READS, ids=["get_most_recent_run_id", "get_watermark", "get_watermark_values"])
def test_read_latest__one_strongly_consistent_request(
    watermarks: Watermarks, job: str, read: Callable[[Watermarks, str], object]
) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)

    with requests_of(watermarks) as requests:
        read(watermarks, job)

    [(name, parameters)] = requests.parameters
    assert name == "GetItem"
    assert parameters["Key"] == {"jobName": {"S": job}, "runId": {"S": "#latest"}}
    assert parameters["ConsistentRead"] is True


def test_read_run__one_strongly_consistent_request(watermarks: Watermarks, job: str) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)

    with requests_of(watermarks) as requests:
        watermarks.get_watermark(job_id=job, run_id="jr_1")

    [(name, parameters)] = requests.parameters
    assert name == "GetItem"
    assert parameters["Key"] == {"jobName": {"S": job}, "runId": {"S": "jr_1"}}
    assert parameters["ConsistentRead"] is True


def test_add__one_read_and_one_transaction(watermarks: Watermarks, job: str) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)

    with requests_of(watermarks) as requests:
        add(watermarks, job, "jr_2", rows_collected=2)

    assert requests.names == ["GetItem", "TransactWriteItems"]
    assert requests.parameters[0][1]["ConsistentRead"] is True
    transaction = requests.parameters[1][1]
    written = [next(iter(action.items())) for action in transaction["TransactItems"]]
    assert [name for name, _ in written] == ["Put", "Update"]
    assert written[0][1]["Item"]["runId"] == {"S": "jr_2"}
    assert written[1][1]["Key"]["runId"] == {"S": "#latest"}
    assert transaction["ClientRequestToken"] == written[0][1]["Item"]["commitId"]["S"]


def test_add__the_very_first_also_looks_for_older_items(watermarks: Watermarks, job: str) -> None:
    with requests_of(watermarks) as requests:
        add(watermarks, job, "jr_1", rows_collected=1)

    assert requests.names == ["GetItem", "Query", "TransactWriteItems"]
    assert requests.parameters[1][1]["ConsistentRead"] is True


def test_making_one__makes_no_request(table: EmulatedTable, job: str) -> None:
    watermarks = table.watermarks()

    with requests_of(watermarks) as requests:
        watermarks.create_watermark_item(job, "jr_1", rows_collected=1)

    assert requests.names == []


def test_cost__the_same_after_10_and_after_10_000_runs(local_table: EmulatedTable, job: str) -> None:
    watermarks = local_table.watermarks()
    for number in range(10):
        add(watermarks, job, run_id(number), rows_collected=number)
    after_10 = consumed(watermarks, job, run_id(10))

    write_history(local_table, job, runs=10_000)
    after_10_000 = consumed(watermarks, job, run_id(11))

    assert local_table.count(job) > 10_000
    assert after_10_000 == after_10
    # One strongly consistent read of up to 4 KB is one unit.
    assert after_10["get_most_recent_run_id"] == [1.0]
    assert after_10["get_watermark"] == [1.0]


def consumed(watermarks: Watermarks, job: str, next_run: str) -> dict[str, list[float]]:
    """The capacity units that each request took, as DynamoDB tells them."""
    costs = {}
    for name, read in zip(("get_most_recent_run_id", "get_watermark", "get_watermark_values"), READS, strict=True):
        with requests_of(watermarks) as requests:
            read(watermarks, job)
        costs[name] = requests.consumed
    with requests_of(watermarks) as requests:
        add(watermarks, job, next_run, rows_collected=1)
    costs["add_watermark"] = requests.consumed
    with requests_of(watermarks) as requests:
        assert len(list(watermarks.history(job, limit=5))) == 5
    costs["history"] = requests.consumed
    return costs


def write_history(table: EmulatedTable, job: str, runs: int) -> None:
    """Earlier runs, in batches: 10,000 transactions would take minutes and prove no more."""
    record = {
        "jobName": {"S": job},
        "status": {"S": "SUCCEEDED"},
        "version": {"N": "1"},
        "recordedAt": {"S": "2020-01-01T00:00:00.000000Z"},
        "watermarks": {"M": {"rows_collected": {"N": "808"}}},
    }
    table.put_many([record | {"runId": {"S": f"jr_{number:032x}"}} for number in range(runs)])
