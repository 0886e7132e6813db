"""The raw items: what a person finds in the AWS console, letter by letter."""

from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

from scripts.helpers.watermarks.values import StoredMap
from tests.support.adding import add
from tests.support.tables import Clock, EmulatedTable, Wire

AT_NOON = {"S": "2023-03-16T12:00:00.000000Z"}
AT_ONE = {"S": "2023-03-16T13:00:00.000000Z"}


def test_raw_items__after_two_runs(table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock, retention=timedelta(days=1))
    add(watermarks, job, "jr_2", latest_data="2023-03-16 12:00:00", rows_collected=808)
    clock.turn(hours=1)
    add(watermarks, job, "jr_1", latest_data=datetime(2023, 3, 16, 13), rows_collected=0)

    state, second, first = table.items(job)

    assert _without_commit(first) == {
        "jobName": {"S": job},
        "runId": {"S": "jr_2"},
        "status": {"S": "SUCCEEDED"},
        "version": {"N": "1"},
        "batchId": {"N": "0"},
        "recordedAt": AT_NOON,
        "watermarks": {"M": {"latest_data": {"S": "2023-03-16 12:00:00"}, "rows_collected": {"N": "808"}}},
        "expiresAt": {"N": "1679054400"},
    }
    assert _without_commit(second) == {
        "jobName": {"S": job},
        "runId": {"S": "jr_1"},
        "status": {"S": "SUCCEEDED"},
        "version": {"N": "2"},
        "batchId": {"N": "0"},
        "previousRunId": {"S": "jr_2"},
        "recordedAt": AT_ONE,
        "watermarks": {"M": {"latest_data": {"S": "2023-03-16T13:00:00"}, "rows_collected": {"N": "0"}}},
        "watermarkTypes": {"M": {"/latest_data": {"S": "datetime"}}},
        "expiresAt": {"N": "1679058000"},
    }
    assert _without_commit(state) == {
        "jobName": {"S": job},
        "runId": {"S": "#latest"},
        "stateOf": {"S": job},
        "latestRunId": {"S": "jr_1"},
        "version": {"N": "2"},
        "lastBatchId": {"N": "0"},
        "updatedAt": AT_ONE,
        "watermarks": {"M": {"latest_data": {"S": "2023-03-16T13:00:00"}, "rows_collected": {"N": "0"}}},
        "watermarkTypes": {"M": {"/latest_data": {"S": "datetime"}}},
        "sources": {"M": {}},
    }
    assert state["commitId"] == second["commitId"] != first["commitId"]
    assert UUID(state["commitId"]["S"]).version == 4


def test_raw_values__are_what_a_person_wants_to_read(table: EmulatedTable, job: str) -> None:
    add(
        table.watermarks(),
        job,
        "jr_1",
        text="2023-03-16 15:45:00",
        int=808,
        float=0.1,
        whole_float=3.0,
        decimal=Decimal("12.34"),
        money=Decimal("1.10"),
        true=True,
        none=None,
        bytes=b"\x01",
        date=date(2023, 3, 16),
        naive=datetime(2023, 3, 16, 15, 45),
        aware=datetime(2023, 3, 16, 15, 45, tzinfo=timezone.utc),
        list=[1, date(2023, 3, 17)],
        dict={"a": {"b": 1.5}},
    )

    item = table.item(job, "jr_1")

    assert item["watermarks"]["M"] == {
        "text": {"S": "2023-03-16 15:45:00"},
        "int": {"N": "808"},
        "float": {"N": "0.1"},
        "whole_float": {"N": "3"},
        "decimal": {"N": "12.34"},
        "money": {"S": "1.10"},
        "true": {"BOOL": True},
        "none": {"NULL": True},
        "bytes": {"B": b"\x01"},
        "date": {"S": "2023-03-16"},
        "naive": {"S": "2023-03-16T15:45:00"},
        "aware": {"S": "2023-03-16T15:45:00+00:00"},
        "list": {"L": [{"N": "1"}, {"S": "2023-03-17"}]},
        "dict": {"M": {"a": {"M": {"b": {"N": "1.5"}}}}},
    }
    assert _texts(item["watermarkTypes"]["M"]) == {
        "/float": "float",
        "/whole_float": "float",
        "/decimal": "decimal",
        "/money": "decimal",
        "/date": "date",
        "/naive": "datetime",
        "/aware": "datetime",
        "/list/1": "date",
        "/dict/a/b": "float",
    }
    assert table.item(job)["watermarks"] == item["watermarks"]
    assert table.item(job)["watermarkTypes"] == item["watermarkTypes"]


def test_raw_items__no_types_where_the_values_say_it_themselves(table: EmulatedTable, job: str) -> None:
    watermarks = table.watermarks()
    add(watermarks, job, "jr_1", day=date(2023, 3, 16))
    add(watermarks, job, "jr_2", day="2023-03-16", rows=808, done=True)

    assert "watermarkTypes" not in table.item(job, "jr_2")
    assert "watermarkTypes" not in table.item(job)


def _without_commit(item: Wire) -> Wire:
    return {name: value for name, value in item.items() if name != "commitId"}


def _texts(wire: Wire) -> StoredMap:
    return {name: value["S"] for name, value in wire.items()}
