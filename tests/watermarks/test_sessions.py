"""Whose credentials sign the requests, where they go, and that two objects do not disturb each other."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import boto3
import botocore.session
import pytest
from botocore.credentials import RefreshableCredentials

from scripts.helpers.watermarks import Watermarks
from tests.support.adding import add
from tests.support.tables import REGION, Clock, EmulatedTable, client_of, new_table


@dataclass
class Signatures:
    """Who signed the requests, for which region, and where they went."""

    keys: list[str] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)
    regions: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)

    def _see(self, request: Any, **_: Any) -> None:
        signed = request.headers["Authorization"].decode()
        found = re.search(r"Credential=([^/]+)/\d{8}/([^/]+)/dynamodb/", signed)
        assert found is not None
        self.keys.append(found[1])
        self.regions.add(found[2])
        token = request.headers.get("X-Amz-Security-Token")
        self.tokens.append(token.decode() if isinstance(token, bytes) else token)
        self.hosts.add(request.url)


@contextmanager
def signatures_of(watermarks: Watermarks) -> Iterator[Signatures]:
    signatures = Signatures()
    events = client_of(watermarks).meta.events
    events.register("before-send.dynamodb", signatures._see)
    yield signatures
    events.unregister("before-send.dynamodb", signatures._see)


def assumed_role(clock: Clock, fetched: list[str]) -> boto3.Session:
    """A session like that of an assumed role: its credentials last an hour, then it fetches the next ones."""

    def fetch() -> dict[str, str]:
        fetched.append(f"ASIA{len(fetched)}")
        return {
            "access_key": fetched[-1],
            "secret_key": "secret",
            "token": f"token-of-{fetched[-1]}",
            "expiry_time": (clock() + timedelta(hours=1)).isoformat(),
        }

    first = fetch()
    core: Any = botocore.session.get_session()
    core._credentials = RefreshableCredentials(
        first["access_key"],
        first["secret_key"],
        first["token"],
        clock() + timedelta(hours=1),
        refresh_using=fetch,
        method="assume-role",
        time_fetcher=clock,
    )
    return boto3.Session(botocore_session=core, region_name=REGION)


def test_session__its_credentials_sign_every_request(table: EmulatedTable, job: str) -> None:
    session = boto3.Session("AKIAJOB", "secret", "token", region_name=REGION)
    watermarks = table.watermarks(boto3_session=session)

    with signatures_of(watermarks) as signatures:
        add(watermarks, job, "jr_1", rows_collected=1)
        add(watermarks, job, "jr_1", rows_collected=2)
        watermarks.get_watermark(job, "jr_1")
        list(watermarks.history(job))
        watermarks.exists()

    assert len(signatures.keys) >= 9
    assert set(signatures.keys) == {"AKIAJOB"}
    assert set(signatures.tokens) == {"token"}
    assert signatures.regions == {REGION}


def test_session__refreshes_as_it_goes(moto_table: EmulatedTable, job: str, clock: Clock) -> None:
    fetched: list[str] = []
    watermarks = moto_table.watermarks(boto3_session=assumed_role(clock, fetched))

    with signatures_of(watermarks) as signatures:
        for _ in range(3):
            watermarks.get_watermark(job)
            clock.turn(minutes=50)

    assert set(signatures.keys) == {"ASIA0", "ASIA1", "ASIA2"}
    assert signatures.keys == sorted(signatures.keys)
    assert signatures.tokens == [f"token-of-{key}" for key in signatures.keys]
    assert fetched == ["ASIA0", "ASIA1", "ASIA2"]


def test_session__refreshes_between_read_and_transaction(moto_table: EmulatedTable, job: str, clock: Clock) -> None:
    watermarks = moto_table.watermarks(boto3_session=assumed_role(clock, []))
    client_of(watermarks).meta.events.register("after-call.dynamodb.Query", lambda **_: clock.turn(minutes=50))

    with signatures_of(watermarks) as signatures:
        add(watermarks, job, "jr_1", rows_collected=1)

    # GetItem and Query with the first credentials, TransactWriteItems with the next.
    assert signatures.keys == ["ASIA0", "ASIA0", "ASIA1"]


def test_profile__with_a_role_to_assume(
    moto_endpoint: str, moto_table: EmulatedTable, job: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "config"
    config.write_text(
        f"""
        [profile person]
        aws_access_key_id = AKIAPERSON
        aws_secret_access_key = secret

        [profile job]
        role_arn = arn:aws:iam::123456789012:role/glue-job
        source_profile = person
        region = {REGION}
        """.replace("\n        ", "\n")
    )
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_PROFILE", "job")
    monkeypatch.setenv("AWS_ENDPOINT_URL_STS", moto_endpoint)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name)
    watermarks = Watermarks(moto_table.name, endpoint_url=moto_endpoint)

    with signatures_of(watermarks) as signatures:
        add(watermarks, job, "jr_1", rows_collected=1)

    assert {key[:4] for key in signatures.keys} == {"ASIA"}
    assert None not in signatures.tokens
    assert signatures.regions == {REGION}


@pytest.mark.parametrize(
    ("environment", "arguments", "region"),
    [
        pytest.param({"AWS_REGION": "eu-west-1"}, {}, "eu-west-1", id="AWS_REGION"),
        pytest.param({"AWS_DEFAULT_REGION": "eu-west-1"}, {}, "eu-west-1", id="AWS_DEFAULT_REGION"),
        pytest.param(
            {"AWS_REGION": "eu-west-1", "AWS_DEFAULT_REGION": "us-west-2"}, {}, "eu-west-1", id="AWS_REGION-first"
        ),
        pytest.param({"AWS_REGION": "eu-west-1"}, {"region_name": "us-east-1"}, "us-east-1", id="argument-first"),
        pytest.param(
            {"AWS_REGION": "eu-west-1"},
            {"boto3_session": boto3.Session(region_name="ap-south-1")},
            "ap-south-1",
            id="session-before-environment",
        ),
        pytest.param(
            {},
            {"boto3_session": boto3.Session(region_name="ap-south-1"), "region_name": "us-east-1"},
            "us-east-1",
            id="argument-before-session",
        ),
    ],
)
def test_region__where_it_comes_from(
    moto_endpoint: str,
    job: str,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    arguments: dict[str, Any],
    region: str,
) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    watermarks = Watermarks("no-such-table", endpoint_url=moto_endpoint, **arguments)

    with signatures_of(watermarks) as signatures:
        assert watermarks.exists() is False

    assert signatures.regions == {region}
    with pytest.raises(Exception, match=f"in region '{region}'"):
        watermarks.get_watermark(job)


def test_endpoint__from_the_environment(table: EmulatedTable, job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", table.endpoint_url)
    watermarks = Watermarks(table.name)

    with signatures_of(watermarks) as signatures:
        add(watermarks, job, "jr_1", rows_collected=1)

    assert signatures.hosts == {f"{table.endpoint_url}/"}
    assert table.item(job)["latestRunId"] == {"S": "jr_1"}


def test_endpoint__the_argument_goes_before_the_environment(
    table: EmulatedTable, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:9")

    add(Watermarks(table.name, endpoint_url=table.endpoint_url), job, "jr_1", rows_collected=1)

    assert table.item(job)["latestRunId"] == {"S": "jr_1"}


def test_side_by_side__tables_regions_endpoints_and_sessions(
    moto_endpoint: str, dynamodb_local: str, moto_table: EmulatedTable, local_table: EmulatedTable, job: str
) -> None:
    elsewhere = Watermarks(moto_table.name, endpoint_url=moto_endpoint, region_name="us-east-1")
    elsewhere.create_table()
    several = {
        "one": moto_table.watermarks(boto3_session=boto3.Session("AKIAONE", "secret", region_name=REGION)),
        "another-table": new_table(moto_endpoint).watermarks(),
        "another-region": elsewhere,
        "another-endpoint": local_table.watermarks(boto3_session=boto3.Session("AKIATWO", "s", region_name=REGION)),
    }

    work_in_turns(several, job)

    with signatures_of(several["one"]) as one, signatures_of(several["another-endpoint"]) as another:
        several["one"].get_watermark(job)
        several["another-endpoint"].get_watermark(job)
    assert (one.keys, one.hosts) == (["AKIAONE"], {f"{moto_endpoint}/"})
    assert (another.keys, another.hosts) == (["AKIATWO"], {f"{dynamodb_local}/"})


def work_in_turns(several: dict[str, Watermarks], job: str) -> None:
    for number in range(2):
        for name, watermarks in several.items():
            add(watermarks, job, f"jr_{number}_{name}", place=name, number=number)
    for name, watermarks in several.items():
        assert watermarks.get_watermark_values(job) == {"place": name, "number": 1}
        assert [run["runId"] for run in watermarks.history(job)] == [f"jr_1_{name}", f"jr_0_{name}"]
        assert [each["runId"] for each in watermarks.jobs() if each["jobName"] == job] == [f"jr_1_{name}"]


def test_side_by_side__in_threads(moto_table: EmulatedTable, local_table: EmulatedTable, job: str) -> None:
    failures: list[BaseException] = []
    start = threading.Barrier(4)

    def work(number: int) -> None:
        try:
            table = (moto_table, local_table)[number % 2]
            start.wait(10)
            # Not the shared session: making clients with one is not thread-safe, by botocore's own word.
            watermarks = Watermarks(table.name, endpoint_url=table.endpoint_url, region_name=REGION)
            work_in_turns({f"thread-{number}": watermarks}, f"{job}-{number}")
        except BaseException as error:  # a thread would swallow it
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert failures == []
