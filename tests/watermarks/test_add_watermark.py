"""`add_watermark` and the looking up: what is recorded, what replaces what, what is kept."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from scripts.helpers.watermarks import WatermarkNotFoundError, Watermarks
from tests.support.adding import add
from tests.support.tables import NOON, Clock, EmulatedTable, run_id


def test_no_run_yet__is_normal(watermarks: Watermarks, job: str) -> None:
    assert watermarks.get_most_recent_run_id(job_id=job) is None
    assert watermarks.get_watermark(job_id=job) is None
    assert watermarks.get_watermark_values(job_id=job) is None
    assert list(watermarks.history(job)) == []


def test_get_watermark__has_exactly_three_keys(watermarks: Watermarks, job: str) -> None:
    add(watermarks, job, "jr_1", latest_data="2023-03-16 15:45:00", rows_collected=808)

    expected = {
        "jobName": job,
        "runId": "jr_1",
        "watermarks": {"latest_data": "2023-03-16 15:45:00", "rows_collected": 808},
    }
    assert watermarks.get_watermark(job_id=job) == expected
    assert watermarks.get_watermark(job_id=job, run_id="jr_1") == expected
    assert watermarks.get_watermark(job, "jr_1") == expected


def test_get_watermark_values__just_the_values(watermarks: Watermarks, job: str) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)
    add(watermarks, job, "jr_0", rows_collected=2)

    assert watermarks.get_watermark_values(job_id=job, run_id="jr_1") == {"rows_collected": 1}
    assert watermarks.get_watermark_values(job_id=job) == {"rows_collected": 2}
    with pytest.raises(KeyError, match="Recorded: 'rows_collected'"):
        watermarks.get_watermark_values(job_id=job)["rows"]  # type: ignore[index]


def test_get_watermark__every_earlier_run_is_still_there(watermarks: Watermarks, job: str) -> None:
    for number in range(4):
        add(watermarks, job, run_id(number), rows_collected=number)

    for number in range(4):
        values = watermarks.get_watermark_values(job_id=job, run_id=run_id(number))
        assert values == {"rows_collected": number}


def test_get_watermark__run_never_recorded(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)

    with pytest.raises(WatermarkNotFoundError) as failure:
        watermarks.get_watermark(job_id=job, run_id="jr_2")

    message = str(failure.value)
    assert message.startswith(f"Run 'jr_2' of job {job!r} was never recorded")
    assert repr(table.name) in message
    assert (failure.value.job_id, failure.value.run_id, failure.value.table_name) == (job, "jr_2", table.name)


def test_get_watermark__run_of_a_job_never_recorded(watermarks: Watermarks, job: str) -> None:
    with pytest.raises(WatermarkNotFoundError, match="was never recorded"):
        watermarks.get_watermark(job_id=job, run_id="jr_1")


def test_get_watermark__run_that_failed(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)
    table.put(
        job,
        "jr_2",
        status={"S": "FAILED"},
        version={"N": "2"},
        batchId={"N": "1"},
        recordedAt={"S": "2023-03-16T12:00:00.000000Z"},
        watermarks={"M": {}},
        error={"S": "AnalysisException: no such table"},
    )

    with pytest.raises(WatermarkNotFoundError, match=r"'jr_2' .* FAILED \(AnalysisException: no such table\)"):
        watermarks.get_watermark(job_id=job, run_id="jr_2")
    assert watermarks.get_most_recent_run_id(job_id=job) == "jr_1"


def test_add_watermark__same_run_again_replaces_its_values(
    watermarks: Watermarks, table: EmulatedTable, job: str
) -> None:
    add(watermarks, job, "jr_1", checkpoint=1, only_at_first=True)
    add(watermarks, job, "jr_1", checkpoint=2)

    assert watermarks.get_watermark_values(job_id=job, run_id="jr_1") == {"checkpoint": 2}
    assert watermarks.get_watermark_values(job_id=job) == {"checkpoint": 2}
    assert [run["runId"] for run in watermarks.history(job)] == ["jr_1"]
    assert table.item(job)["version"] == {"N": "2"}


def test_add_watermark__earlier_run_again_becomes_the_most_recent(watermarks: Watermarks, job: str) -> None:
    add(watermarks, job, "jr_1", checkpoint=1)
    add(watermarks, job, "jr_2", checkpoint=2)
    add(watermarks, job, "jr_1", checkpoint=3)

    assert watermarks.get_most_recent_run_id(job_id=job) == "jr_1"
    history = list(watermarks.history(job))
    assert [run["runId"] for run in history] == ["jr_1", "jr_2"]
    assert [run["version"] for run in history] == [3, 2]
    assert history[0]["previousRunId"] == "jr_2"


def test_add_watermark__item_may_be_changed_afterwards(watermarks: Watermarks, job: str) -> None:
    item: Any = watermarks.create_watermark_item(job, "jr_1", steps=[1])
    watermarks.add_watermark(item)

    item["watermarks"]["steps"].append(2)

    assert watermarks.get_watermark_values(job) == {"steps": [1]}


@pytest.mark.parametrize(
    "ticks",
    [
        pytest.param([0, 0, 0], id="stands-still"),
        pytest.param([0, -3600, -1], id="goes-backwards"),
        pytest.param([0, 5, -9], id="forth-and-back"),
    ],
)
def test_recorded_at__strictly_increasing_whatever_the_clock(table: EmulatedTable, job: str, ticks: list[int]) -> None:
    clock = Clock()
    watermarks = table.watermarks(clock=clock)
    for number, seconds in enumerate(ticks):
        clock.turn(seconds=seconds)
        add(watermarks, job, run_id(number), rows_collected=number)

    recorded = [run["recordedAt"] for run in watermarks.history(job)]
    assert recorded == sorted(set(recorded), reverse=True)
    assert recorded[-1] == NOON
    assert [run["runId"] for run in watermarks.history(job)] == [run_id(number) for number in (2, 1, 0)]
    assert watermarks.get_most_recent_run_id(job) == run_id(2)


def test_recorded_at__in_utc_whatever_zone_the_clock_has(table: EmulatedTable, job: str) -> None:
    here = timezone(timedelta(hours=-8))

    watermarks = table.watermarks(clock=lambda: datetime(2023, 3, 16, 4, tzinfo=here))
    add(watermarks, job, "jr_1")

    assert table.item(job, "jr_1")["recordedAt"] == {"S": "2023-03-16T12:00:00.000000Z"}


def test_retention__record_expires_and_state_does_not(table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = table.watermarks(clock=clock, retention=timedelta(days=400))

    add(watermarks, job, "jr_1", rows_collected=1)

    expected = int((NOON + timedelta(days=400)).timestamp())
    assert table.item(job, "jr_1")["expiresAt"] == {"N": str(expected)}
    assert next(watermarks.history(job))["expiresAt"] == expected
    assert "expiresAt" not in table.item(job)


def test_retention__forever_where_not_given(table: EmulatedTable, watermarks: Watermarks, job: str) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)

    assert "expiresAt" not in table.item(job, "jr_1")


def test_expired_record__of_the_latest_run_is_answered_from_the_state(
    watermarks: Watermarks, table: EmulatedTable, job: str
) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)
    add(watermarks, job, "jr_2", rows_collected=2)
    table.delete(job, "jr_1")
    table.delete(job, "jr_2")

    latest = watermarks.get_watermark(job_id=job, run_id="jr_2")
    assert latest == {"jobName": job, "runId": "jr_2", "watermarks": {"rows_collected": 2}}
    with pytest.raises(WatermarkNotFoundError, match="or its record has expired"):
        watermarks.get_watermark(job_id=job, run_id="jr_1")


def test_expired_record__does_not_stop_the_next_run(watermarks: Watermarks, table: EmulatedTable, job: str) -> None:
    add(watermarks, job, "jr_1", rows_collected=1)
    table.delete(job, "jr_1")

    add(watermarks, job, "jr_2", rows_collected=2)
    add(watermarks, job, "jr_2", rows_collected=3)

    assert watermarks.get_watermark_values(job) == {"rows_collected": 3}
    assert [run["previousRunId"] for run in watermarks.history(job)] == ["jr_1"]
