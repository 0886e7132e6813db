"""Publishing to CloudWatch: what arrives there, and that no failure of it can fail a job or hold it up."""

import logging
import os
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest

from scripts.helpers.watermarks.metrics import Publisher, RunFacts, SourceFacts, publishing
from tests.support.cloudwatch import calls_to_cloudwatch, elapsed, endpoint, hangs, kept_by_moto, refuses, trickles
from tests.support.tables import REGION, session

FACTS = RunFacts(
    "load-repairs", seconds=2.0, failed=False, rows=3, sources={"repairs": SourceFacts(rows=3, mark_age=60.0)}
)


@pytest.fixture
def over() -> Iterator[threading.Event]:
    """Ends the slow answers with the test."""
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def publish(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], bool]:
    """Publish to an endpoint."""

    def to(endpoint_url: str, facts: RunFacts = FACTS) -> bool:
        monkeypatch.setenv("AWS_ENDPOINT_URL_CLOUDWATCH", endpoint_url)
        return Publisher(session(), REGION).publish(facts)

    return to


def the_warning(caplog: pytest.LogCaptureFixture) -> str:
    (told,) = [record for record in caplog.records if record.name.startswith("scripts")]
    assert told.levelno == logging.WARNING
    assert told.exc_info is None
    return told.getMessage()


def test_publish__arrives(cloudwatch: str) -> None:
    job = f"job é {uuid.uuid4().hex}"
    facts = RunFacts(job, seconds=2.5, failed=True, rows=7, sources={"s": SourceFacts(rows=7, mark_age=60.0)})

    assert Publisher(session(), REGION).publish(facts)

    assert kept_by_moto(cloudwatch, job.replace("é", "%C3%A9")) == {
        "FailedRuns": (1.0, 1.0, "Count"),
        "RunSeconds": (1.0, 2.5, "Seconds"),
        "RowsLoaded": (1.0, 7.0, "Count"),
        "RowsLoaded of s": (1.0, 7.0, "Count"),
        "MarkAgeSeconds of s": (1.0, 60.0, "Seconds"),
    }


@pytest.mark.usefixtures("cloudwatch")
def test_publish__is_one_call() -> None:
    job = uuid.uuid4().hex
    sources = {f"source {number}": SourceFacts(rows=1, late_rows=0, mark_age=1.0) for number in range(300)}

    with calls_to_cloudwatch(job) as calls:
        assert Publisher(session(), REGION).publish(RunFacts(job, failed=False, sources=sources))

    assert [len(call) for call in calls] == [901]


@pytest.mark.usefixtures("cloudwatch")
def test_publish__more_than_a_call_takes_is_several() -> None:
    job = uuid.uuid4().hex
    sources = {f"source {number}": SourceFacts(rows=1, late_rows=0, mark_age=1.0) for number in range(400)}

    with calls_to_cloudwatch(job) as calls:
        assert Publisher(session(), REGION).publish(RunFacts(job, failed=False, sources=sources))

    assert [len(call) for call in calls] == [1_000, 201]


@pytest.mark.usefixtures("cloudwatch")
def test_publish__nothing_known_is_no_call() -> None:
    with calls_to_cloudwatch() as calls:
        assert Publisher(session(), REGION).publish(RunFacts("repairs"))

    assert calls == []


def test_publish__signed_by_the_session_in_its_region(cloudwatch: str) -> None:
    own = boto3.Session("AKIAJOB", "secret", "token", region_name="eu-north-1")
    signed: list[str] = []
    own.events.register("before-send.cloudwatch", lambda request, **_: signed.append(str(request.headers)))

    assert cloudwatch
    assert Publisher(own, "us-west-1").publish(FACTS)
    assert "Credential=AKIAJOB/" in signed[0]
    assert "/us-west-1/monitoring/" in signed[0]


def test_publish__not_allowed(publish: Any, caplog: pytest.LogCaptureFixture) -> None:
    with endpoint(refuses) as url:
        assert not publish(url)

    told = the_warning(caplog)
    assert told.startswith("load-repairs: the metrics of this run were not published: An error occurred (AccessDenied)")
    assert "Allow cloudwatch:PutMetricData in the namespace GlueWatermarks" in told
    assert "\n" not in told


def test_publish__unreachable(publish: Any, caplog: pytest.LogCaptureFixture, waits: list[float]) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        assert not publish(f"http://127.0.0.1:{unused.getsockname()[1]}")

    assert "EndpointConnectionError" in the_warning(caplog)
    assert len(waits) == 1, "one retry"


def test_publish__no_region(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION")

    assert not Publisher(boto3.Session(), None).publish(FACTS)
    assert "NoRegionError" in the_warning(caplog)


@pytest.mark.usefixtures("waits")
def test_publish__slow_answers_are_not_waited_for(
    publish: Any, over: threading.Event, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "READ_TIMEOUT", 0.05)

    with endpoint(hangs(over)) as url:
        assert elapsed(lambda: publish(url)) < 2.0

    assert "ReadTimeoutError" in the_warning(caplog)


def test_publish__answers_that_never_end_are_not_waited_for(
    publish: Any, over: threading.Event, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publishing, "LONGEST_WAIT", 0.5)

    with endpoint(trickles(over)) as url:
        assert 0.5 <= elapsed(lambda: publish(url)) < 2.0

    assert the_warning(caplog).endswith("were not published: no answer within 0.5 seconds")


def test_publish__waits_of_the_client_fit_into_the_longest_one() -> None:
    """So that a server that hangs is told as what it is, and its connection is closed."""
    longest_pause = 1.0  # before the first retry, in botocore's standard mode
    tries = publishing.ATTEMPTS * publishing.READ_TIMEOUT + (publishing.ATTEMPTS - 1) * longest_pause

    assert tries <= publishing.LONGEST_WAIT


def test_publish__no_thread_to_be_had(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)

    assert not Publisher(session(), REGION).publish(FACTS)
    assert "can't start new thread" in the_warning(caplog)


def test_publish__a_process_can_end_meanwhile(over: threading.Event) -> None:
    """A thread that still waits for an answer keeps no process from ending."""
    script = """
import boto3
from scripts.helpers.watermarks.metrics import Publisher, RunFacts, publishing
publishing.LONGEST_WAIT, publishing.READ_TIMEOUT = 0.2, 50
print(Publisher(boto3.Session(), "eu-west-2").publish(RunFacts("j", failed=True)))
"""
    with endpoint(hangs(over)) as url:
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "AWS_ENDPOINT_URL_CLOUDWATCH": url},
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )

    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr


def test_import__costs_nothing_before_a_run_begins() -> None:
    script = """
import boto3, sys
boto3.Session.client = None
from scripts.helpers.watermarks import Watermarks
Watermarks("t", region_name="eu-west-2", metrics=True).job_run("j", "jr_1")
print([name for name in sys.modules if "watermarks.metrics" in name or name == "pyspark"])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], env=dict(os.environ), capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
