"""What `make deploy-check` says where something is missing or wrong; the checks themselves take minutes."""

import json
import time
from pathlib import Path
from threading import Event

import pytest

from tests.deploy import run
from tests.deploy.platforms import PLATFORMS, DeployError, Glue, Package, Platform, _executors_in, end_all


def refuse(error: Exception) -> str:
    raise error


@pytest.mark.parametrize(
    ("name", "ci", "outcome"),
    [
        pytest.param("glue-4", "true", (True, "skipped: no 3.10"), id="python-of-glue-4-in-ci"),
        pytest.param("glue-4", "", (True, "skipped: no 3.10"), id="python-of-glue-4"),
        pytest.param("glue-5", "true", (False, "FAILED: no 3.10"), id="python-of-glue-5-in-ci"),
        pytest.param("glue-5", "", (True, "skipped: no 3.10"), id="python-of-glue-5"),
        pytest.param("install-3.13", "true", (True, "skipped: no 3.10"), id="another-python-in-ci"),
    ],
)
def test_missing_python__is_skipped_unless_ci_needs_it(
    name: str, ci: str, outcome: tuple[bool, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)

    assert run._try(name, lambda _: refuse(run.MissingPythonError("no 3.10"))) == outcome


def test_failure__first_line_in_the_summary_and_all_of_it_before(capsys: pytest.CaptureFixture[str]) -> None:
    assert run._try("zip", lambda _: refuse(DeployError("wrong\nbecause"))) == (False, "FAILED: wrong")
    assert "because" in capsys.readouterr().err


def test_platforms__those_that_share_an_environment_agree_on_it() -> None:
    for name in {each.environment for each in PLATFORMS}:
        assert len({(each.python, each.image) for each in PLATFORMS if each.environment == name}) == 1


def test_lanes__every_check_is_in_one_and_no_environment_in_two() -> None:
    assert sorted(name for lane in run.LANES for name in lane) == sorted(run.NAMES)
    environments = [
        {run.PLATFORMS_BY_NAME[name].environment for name in lane if name in run.PLATFORMS_BY_NAME}
        for lane in run.LANES
    ]
    assert not environments[0] & environments[1]


def test_executors__as_spark_logged_them(tmp_path: Path) -> None:
    events = [
        {"Event": "SparkListenerExecutorAdded", "Executor ID": "0"},
        {"Event": "SparkListenerExecutorAdded", "Executor ID": "1"},
        {"Event": "SparkListenerTaskEnd", "Task Info": {"Executor ID": "1"}},
        {"Event": "SparkListenerApplicationEnd"},
    ]
    (tmp_path / "app-1").write_text("\n".join(map(json.dumps, events)))

    assert _executors_in(tmp_path) == ({"0", "1"}, {"1"})


def test_environ__leads_neither_to_this_checkout_nor_to_an_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (
        "PYTHONPATH",
        "SPARK_HOME",
        "PYSPARK_DRIVER_PYTHON",
        "VIRTUAL_ENV",
        "AWS_PROFILE",
        "AWS_SESSION_TOKEN",
    ):
        monkeypatch.setenv(name, "of this machine")
    package = Package(tmp_path / "wheel", tmp_path / "zip")

    environ = Glue(Platform("x", "x", "3.11", ()), package, tmp_path / "x", "http://127.0.0.1:1").environ()

    assert "of this machine" not in environ.values()
    assert environ["AWS_ENDPOINT_URL_DYNAMODB"] == "http://127.0.0.1:1"
    assert environ["AWS_ACCESS_KEY_ID"] == "testing"


def ends_soon(process: int) -> bool:
    """Say whether a process is gone, or only its exit code is left. A kill takes a moment on a busy machine."""
    ends_at = time.monotonic() + 10
    while time.monotonic() < ends_at:
        try:
            if Path("/proc", str(process), "stat").read_text().split()[2] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False


def test_job__that_does_not_end_is_killed_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.deploy.platforms.TIMEOUT", 1)
    package = Package(tmp_path / "wheel", tmp_path / "zip")
    glue = Glue(Platform("x", "x", "3.11", ()), package, tmp_path / "x", "http://127.0.0.1:1")

    with pytest.raises(DeployError, match="sh ended with nothing after 1 s") as error:
        glue._run(["sh", "-c", "sleep 60 & echo $!; wait"], glue.environ())

    assert ends_soon(int(str(error.value).splitlines()[-1]))


def test_stopped__what_is_started_afterwards_is_ended_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.deploy.platforms.stopped", Event())
    package = Package(tmp_path / "wheel", tmp_path / "zip")
    glue = Glue(Platform("x", "x", "3.11", ()), package, tmp_path / "x", "http://127.0.0.1:1")

    end_all()

    with pytest.raises(DeployError, match="sleep ended with -9"):
        glue._run(["sleep", "60"], glue.environ())
