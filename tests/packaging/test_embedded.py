"""The AWS that is not AWS: no real account can be reached, and the emulator goes when its owner goes."""

import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import boto3
import pytest

from demo.embedded import fake_aws, moto_server

ROOT = Path(__file__).parents[2]


def answers(endpoint_url: str) -> bool:
    try:
        urllib.request.urlopen(endpoint_url, timeout=5).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def wait_until_silent(endpoint_url: str) -> bool:
    return any(not answers(endpoint_url) for _ in range(2000))


def test_fake_aws__real_settings_do_not_leak(tmp_path: Path) -> None:
    real = {"AWS_PROFILE": "production", "AWS_SESSION_TOKEN": "real", "AWS_ROLE_ARN": "real", "AWS_REGION": "us-east-1"}
    environ = {**real, "AWS_CONFIG_FILE": str(tmp_path), "AWS_CA_BUNDLE": "certificates", "HOME": "home"}

    fake_aws(environ, endpoint_url="http://127.0.0.1:1")

    assert not set(real) & set(environ)
    assert "real" not in environ.values()
    assert str(tmp_path) not in environ.values()
    assert environ["AWS_CA_BUNDLE"] == "certificates"
    assert environ["HOME"] == "home"
    assert environ["AWS_ENDPOINT_URL"] == "http://127.0.0.1:1"


def test_credentials__of_every_test_are_made_up() -> None:
    session = boto3.Session()

    credentials = session.get_credentials()

    assert credentials is not None
    assert credentials.access_key == "testing"
    assert session.region_name == "eu-west-2"
    assert session.available_profiles == []


def test_moto_server__serves_while_the_block_lasts() -> None:
    with moto_server() as endpoint_url:
        assert answers(endpoint_url)

    assert not answers(endpoint_url)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_moto_server__ends_when_its_owner_is_killed() -> None:
    program = (
        "import time\n"
        "from demo.embedded import moto_server\n"
        "with moto_server() as url: print(url, flush=True); time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        endpoint_url = owner.stdout.readline().strip()
        assert answers(endpoint_url)

        owner.send_signal(signal.SIGKILL)

    assert wait_until_silent(endpoint_url)
