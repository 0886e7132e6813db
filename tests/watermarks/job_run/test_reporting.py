"""The metrics of real runs: when they are published, what they count, and what they cannot do to a run."""

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError
from botocore.httpsession import URLLib3Session

from scripts.helpers.watermarks import InvalidArgumentError, Watermarks
from scripts.helpers.watermarks.job_run import telling
from scripts.helpers.watermarks.job_run.outcome import FilesRead, SourceRead
from scripts.helpers.watermarks.metrics import publishing
from scripts.helpers.watermarks.metrics.automatic import SET_BY_AWS
from scripts.helpers.watermarks.values.positions import RowsPosition
from scripts.helpers.watermarks.window import FilePlan, ListedFile
from tests.support.cloudwatch import Call, calls_to_cloudwatch, elapsed, endpoint, hangs, kept_by_moto
from tests.support.runs import DISABLE, PAUSE, commit_run, fail_run, read_ids
from tests.support.tables import NOON, Clock, EmulatedTable, answer, breakdown, client_of, faults_on

AWS = "https://dynamodb.eu-west-2.amazonaws.com"


@pytest.fixture
def watermarks(moto_table: EmulatedTable, cloudwatch: str, clock: Clock) -> Watermarks:
    assert cloudwatch
    return moto_table.watermarks(metrics=True, clock=clock)


@pytest.fixture
def calls(job: str) -> Iterator[list[Call]]:
    with calls_to_cloudwatch(job) as seen:
        yield seen


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


def test_commit__one_call_with_what_is_known(
    watermarks: Watermarks, job: str, clock: Clock, calls: list[Call], cloudwatch: str
) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=20, rows=12)
        mark = int((NOON - timedelta(seconds=45)).timestamp()) * 1_000_000
        run._reads["trades"] = SourceRead(RowsPosition("at", "timestamp", mark), None, mark, 3, late=1)
        clock.turn(seconds=15)

    told = {
        "FailedRuns": 0.0,
        "RunSeconds": 15.0,
        "EmptyRuns": 0.0,
        "RowsLoaded": 15.0,
        "RowsLoaded of repairs": 12.0,
        "RowsLoaded of trades": 3.0,
        "LateRows of trades": 1.0,
        "MarkAgeSeconds of trades": 60.0,
    }
    assert calls == [told]
    assert {name: total for name, (_, total, _) in kept_by_moto(cloudwatch, job).items()} == told


def test_commit__by_hand_tells_too(watermarks: Watermarks, job: str, calls: list[Call]) -> None:
    run = watermarks.job_run(job, "jr_1").begin()
    run.commit()

    assert calls == [{"FailedRuns": 0.0, "RunSeconds": 0.0}]


def test_commit__of_an_empty_run(watermarks: Watermarks, job: str, calls: list[Call]) -> None:
    with watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=None, rows=0)

    assert calls[0]["EmptyRuns"] == 1.0
    assert calls[0]["RowsLoaded"] == calls[0]["RowsLoaded of repairs"] == 0.0


def test_commit__of_files(watermarks: Watermarks, job: str, calls: list[Call]) -> None:
    noon = int(NOON.timestamp())
    with watermarks.job_run(job, "jr_1") as run:
        plan = FilePlan((ListedFile(noon * 1_000_000, "s3://landing/a", 1),), 0, noon - 901, frozenset())
        run._reads["photos"] = FilesRead(("s3://landing",), None, plan)

    assert calls == [{"FailedRuns": 0.0, "RunSeconds": 0.0, "EmptyRuns": 0.0, "MarkAgeSeconds of photos": 901.0}]


def test_failure__and_the_commit_of_its_retry(
    watermarks: Watermarks, job: str, clock: Clock, calls: list[Call]
) -> None:
    run = watermarks.job_run(job, "jr_1").begin()
    read_ids(run, up_to=20)
    clock.turn(seconds=7)
    run.fail("made up by a test")
    commit_run(watermarks, job, "jr_1_attempt_1", up_to=20)

    assert calls[0] == {"FailedRuns": 1.0, "RunSeconds": 7.0}
    assert calls[1]["FailedRuns"] == 0.0
    assert calls[1]["RowsLoaded"] == 1.0


def test_failure__that_cannot_be_recorded_is_told_all_the_same(
    watermarks: Watermarks, job: str, calls: list[Call]
) -> None:
    with faults_on(watermarks, answer(400, "AccessDeniedException"), operation="TransactWriteItems"):
        fail_run(watermarks, job, "jr_1")

    assert calls == [{"FailedRuns": 1.0, "RunSeconds": 0.0}]


def test_failure__to_commit_is_told_once(watermarks: Watermarks, job: str, calls: list[Call]) -> None:
    with (
        pytest.raises(Exception, match="Not allowed to commit"),
        faults_on(watermarks, answer(400, "AccessDeniedException"), operation="TransactWriteItems"),
        watermarks.job_run(job, "jr_1") as run,
    ):
        read_ids(run, up_to=20)

    assert calls == [{"FailedRuns": 1.0, "RunSeconds": 0.0}]


@pytest.mark.usefixtures("waits")
def test_failure__of_a_run_that_was_committed_after_all_is_none(
    watermarks: Watermarks, job: str, calls: list[Call]
) -> None:
    """Its answer was lost, and so was that to the question whether it had been committed: the table knows better."""
    lost = ReadTimeoutError(endpoint_url="http://127.0.0.1")

    def applied_then_lost(request: Any) -> Any:
        assert URLLib3Session().send(request).status_code == 200
        raise lost

    gone = [breakdown(lost)] * 5
    run = watermarks.job_run(job, "jr_1").begin()
    read_ids(run, up_to=20, rows=9)
    with (
        pytest.raises(Exception, match="did not answer"),
        faults_on(watermarks, applied_then_lost, *gone, operation="TransactWriteItems"),
        faults_on(watermarks, *gone, breakdown(lost), operation="GetItem"),
        run,
    ):
        pass

    assert [call["FailedRuns"] for call in calls] == [0.0]
    assert calls[0]["RowsLoaded"] == 9.0


def test_failure__of_a_run_that_is_told_to_end(watermarks: Watermarks, job: str, calls: list[Call]) -> None:
    previous = signal.signal(signal.SIGTERM, lambda *_: sys.exit(3))
    try:
        with pytest.raises(SystemExit), watermarks.job_run(job, "jr_1") as run:
            read_ids(run, up_to=20)
            os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, previous)

    assert calls == [{"FailedRuns": 1.0, "RunSeconds": 0.0}]


@pytest.mark.parametrize("option", [PAUSE, DISABLE])
def test_runs_that_move_nothing__tell_nothing(
    watermarks: Watermarks, job: str, option: Any, calls: list[Call], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="scripts.helpers.watermarks.events")

    with watermarks.job_run(job, "jr_1", bookmark_option=option) as run:
        read_ids(run, up_to=20)
    watermarks.job_run(job, "jr_2", bookmark_option=option).begin().fail("made up by a test")

    assert calls == []
    assert [record for record in caplog.records if record.name.endswith(".events")] == []
    assert len(warnings_of(caplog)) == 2, "that no mark is moved, and nothing else"


def test_publishing__comes_after_the_commit_and_the_job_is_free(
    watermarks: Watermarks, moto_table: EmulatedTable, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[bool, Any]] = []

    def publish(*_: Any) -> bool:
        state = moto_table.item(job)
        seen.append(("lease" in state, state["version"]["N"]))
        return True

    monkeypatch.setattr(publishing.Publisher, "publish", publish)
    commit_run(watermarks, job, "jr_1", up_to=20)
    fail_run(watermarks, job, "jr_2")

    assert seen == [(False, "1"), (False, "2")]


@pytest.mark.usefixtures("waits")
def test_publishing__to_an_endpoint_that_hangs_costs_a_run_seconds_at_most(
    watermarks: Watermarks,
    moto_table: EmulatedTable,
    job: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(publishing, "LONGEST_WAIT", 0.6)
    over = threading.Event()
    with endpoint(hangs(over)) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_CLOUDWATCH", url)
        asked_at: list[float] = []
        client_of(watermarks).meta.events.register(
            "after-call.dynamodb.TransactWriteItems", lambda **_: asked_at.append(time.monotonic())
        )
        took = elapsed(lambda: commit_run(watermarks, job, "jr_1", up_to=20))
        after_the_commit = time.monotonic() - asked_at[0]
        over.set()

    assert 0.6 <= after_the_commit <= took < 5.0
    assert len(warnings_of(caplog)) == 1
    assert moto_table.item(job)["lastBatchId"] == {"N": "1"}


@pytest.mark.usefixtures("waits")
def test_publishing__unreachable_neither_fails_the_run_nor_hides_its_failure(
    watermarks: Watermarks, job: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        monkeypatch.setenv("AWS_ENDPOINT_URL_CLOUDWATCH", f"http://127.0.0.1:{unused.getsockname()[1]}")
        commit_run(watermarks, job, "jr_1", up_to=20)
        with pytest.raises(ZeroDivisionError), watermarks.job_run(job, "jr_2"):
            _ = 1 / 0

    assert [run["status"] for run in watermarks.history(job)] == ["FAILED", "SUCCEEDED"]
    assert len(warnings_of(caplog)) == 2, "one for each run"


def test_reporting__a_mistake_of_its_own_does_not_fail_the_run(
    watermarks: Watermarks, job: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(telling, "of_commit", lambda *_: 1 / 0)

    commit_run(watermarks, job, "jr_1", up_to=20)

    assert warnings_of(caplog) == [f"{job}: what happened to this run was not reported"]
    assert watermarks.get_most_recent_run_id(job) == "jr_1"


@pytest.mark.parametrize(
    ("of_all", "of_run", "published"),
    [
        (None, None, False),
        (True, None, True),
        (False, None, False),
        (None, True, True),
        (True, False, False),
        (False, True, True),
    ],
)
@pytest.mark.usefixtures("cloudwatch")
def test_metrics__asked_for_or_not(
    moto_table: EmulatedTable, job: str, of_all: bool | None, of_run: bool | None, published: bool, calls: list[Call]
) -> None:
    with moto_table.watermarks(metrics=of_all).job_run(job, "jr_1", metrics=of_run):
        pass

    assert bool(calls) is published


@pytest.mark.usefixtures("cloudwatch")
@pytest.mark.parametrize("name", [None, *SET_BY_AWS])
def test_metrics__automatic_on_glue(
    moto_table: EmulatedTable, job: str, monkeypatch: pytest.MonkeyPatch, name: str | None, calls: list[Call]
) -> None:
    """The moto server under DynamoDB's own address, as far as the run can tell."""
    watermarks = moto_table.watermarks()
    if name is not None:
        monkeypatch.setenv(name, "glueetl")
    monkeypatch.setattr(client_of(watermarks).meta, "_endpoint_url", AWS, raising=False)
    assert watermarks._table.endpoint_url == AWS

    with watermarks.job_run(job, "jr_1"):
        pass

    assert bool(calls) is (name is not None)


@pytest.mark.parametrize("value", ["false", 1, "yes"])
def test_metrics__anything_but_yes_and_no_is_refused(moto_table: EmulatedTable, job: str, value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match="must be True, False, or None"):
        moto_table.watermarks(metrics=value)
    with pytest.raises(InvalidArgumentError, match="must be True, False, or None"):
        moto_table.watermarks().job_run(job, "jr_1", metrics=value)
