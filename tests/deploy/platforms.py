"""The places that play Glue: which Python and Spark each has, how the package gets there, how a job is submitted."""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

from demo.embedded import fake_aws
from tests.support import environments

CACHE = environments.CACHE / "deploy"
IMAGE = Path(__file__).parent / "image"
TIMEOUT = 240
LEAD_ELSEWHERE = ("PYSPARK_", "PYTHON", "SPARK_", "VIRTUAL_ENV")

# Small, quick to start, and on loopback alone. On the cluster, a job waits until both executors are there.
SPARK_SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
}


# What is under way now, to be ended when this process is; nothing is started any more then.
stopped = Event()
_under_way: set[subprocess.Popen[bytes]] = set()


class DeployError(Exception):
    """Something is not as it should be; the message says what, and what was said by whom."""


@dataclass(frozen=True)
class Package:
    """What `make build` made, of which one file gets to Glue."""

    wheel: Path
    zip: Path


@dataclass(frozen=True)
class Platform:
    """One place that plays Glue.

    Attributes:
        name: what it is called on the command line and in the summary.
        environment: its folder under the cache; platforms of one Spark share it.
        python: major and minor version, that of the Glue it stands for.
        image: what Glue itself brings besides `awsglue`.
        master: Spark's master.
        executors: the processes besides the driver in which Spark's tasks run.
        zipped: whether the package comes as a zip, else as a wheel.
        may_lack_python: whether a machine without that Python is fine in CI too.
    """

    name: str
    environment: str
    python: str
    image: tuple[str, ...]
    master: str = "local[2]"
    executors: frozenset[str] = frozenset({"driver"})
    zipped: bool = False
    may_lack_python: bool = False


# Glue 4.0 brings an older boto3 than the package needs: installing the wheel has to replace it.
GLUE_4 = ("pyspark>=3.3,<3.4", "boto3<1.28")
GLUE_5 = ("pyspark>=3.5,<3.6", "boto3>=1.34,<1.35")
PLATFORMS = (
    Platform("glue-5", "glue-5", "3.11", GLUE_5),
    Platform("glue-4", "glue-4", "3.10", GLUE_4, may_lack_python=True),
    Platform("cluster", "glue-5", "3.11", GLUE_5, "local-cluster[2,1,1024]", frozenset({"0", "1"})),
    Platform("zip", "glue-5", "3.11", GLUE_5, zipped=True),
)


class Glue:
    """A platform that is ready: the image, the package as users get it, and nothing of this checkout."""

    def __init__(self, platform: Platform, package: Package, folder: Path, endpoint_url: str) -> None:
        """Name what there is; `install` makes it ready.

        Args:
            platform: the place.
            package: what was built.
            folder: a folder of its own, for scripts, logs and whatever Spark leaves behind.
            endpoint_url: where DynamoDB answers.
        """
        self.platform = platform
        self.package = package
        self.folder = folder
        self.environment = CACHE / platform.environment
        self.python = environments.python_of(self.environment)
        self._endpoint_url = endpoint_url
        (folder / "conf").mkdir(parents=True)
        (folder / "events").mkdir()

    def install(self, python: str, *, say: Callable[[str], None]) -> None:
        """Set up the image once, and bring the package there anew: installed as a wheel, or uninstalled for the zip.

        Raises:
            DeployError: pip refused.
        """
        if not environments.set_up(self.environment, python, self.platform.image, say=say):
            raise DeployError(f"{self.environment} could not be set up; see above, and remove it to start afresh")
        libraries = Path(self.run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
        shutil.copytree(IMAGE / "awsglue", libraries / "awsglue", dirs_exist_ok=True)
        # What --additional-python-modules would be: for the zip, only what the package needs.
        needed = environments.listed_requirements() if self.platform.zipped else [str(self.package.wheel)]
        for arguments in (("uninstall", "--yes", "glue-watermarks"), ("install", *needed)):
            if environments.pip(self.environment, *arguments).returncode:
                raise DeployError(f"pip {' '.join(arguments)} failed; see above")

    def submit(self, script: Path, arguments: Mapping[str, str]) -> str:
        """Run a job script with spark-submit, as Glue does, until it ends.

        Returns:
            What it said.

        Raises:
            DeployError: it did not succeed, or its tasks ran in other processes than they should.
        """
        for old in (self.folder / "events").iterdir():
            old.unlink()
        settings = {
            **SPARK_SETTINGS,
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": f"file://{self.folder}/events",
            "spark.local.dir": str(self.folder / "local"),
        }
        command = [str(self.python.parent / "spark-submit"), "--master", self.platform.master]
        command += [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        command += ["--py-files", str(self.package.zip)] if self.platform.zipped else []
        command += [str(script), *(part for name, value in arguments.items() for part in (f"--{name}", value))]
        said = self._run(command, self.environ())
        there, busy = _executors_in(self.folder / "events")
        if there != self.platform.executors or not busy <= there:
            wanted = sorted(self.platform.executors)
            raise DeployError(f"tasks ran on {sorted(busy)} of {sorted(there)}, not on {wanted}:\n{said}")
        return said

    def run(self, *arguments: str, check: bool = True) -> str:
        """Run the platform's Python, which finds the package where a job would."""
        environ = self.environ()
        if self.platform.zipped:
            environ["PYTHONPATH"] = str(self.package.zip)
        return self._run([str(self.python), *arguments], environ, check=check)

    def environ(self) -> dict[str, str]:
        """Give the variables of a job: of this process's own, none that leads to this checkout or to an account."""
        environ = {name: value for name, value in os.environ.items() if not name.startswith(LEAD_ELSEWHERE)}
        fake_aws(environ)
        return {
            **environ,
            "AWS_ENDPOINT_URL_DYNAMODB": self._endpoint_url,
            "PYSPARK_PYTHON": str(self.python),
            "PYTHONNOUSERSITE": "1",
            "SPARK_CONF_DIR": str(self.folder / "conf"),
            "SPARK_LOCAL_HOSTNAME": "localhost",
            "SPARK_LOCAL_IP": "127.0.0.1",
        }

    def clean_up(self) -> None:
        """Remove what the cluster's workers leave in Spark's own folder: they cannot be told another one."""
        for work in self.environment.glob("lib/python*/site-packages/pyspark/work"):
            shutil.rmtree(work)

    def _run(self, command: Sequence[str], environ: dict[str, str], *, check: bool = True) -> str:
        """Run a command in a group of its own, of which nothing is left afterwards."""
        log = self.folder / "said.txt"
        with log.open("w") as output:
            process = subprocess.Popen(
                command,
                cwd=self.folder,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            _under_way.add(process)
            if stopped.is_set():
                _kill_group(process)
            try:
                code: int | str = process.wait(TIMEOUT)
            except subprocess.TimeoutExpired:
                code = f"nothing after {TIMEOUT} s"
            finally:
                _kill_group(process)
                _under_way.discard(process)
                process.wait()
        said = log.read_text(errors="replace")
        if check and code:
            raise DeployError(f"{Path(command[0]).name} ended with {code}:\n{said}")
        return said


def end_all() -> None:
    """End everything that platforms have under way, and whatever they would start from now on."""
    stopped.set()
    for process in list(_under_way):
        _kill_group(process)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _executors_in(events: Path) -> tuple[set[str], set[str]]:
    """Give the executors there were and those on which tasks ran, as Spark's own log of events has them."""
    lines = [line for path in events.iterdir() for line in path.read_text().splitlines()]
    read: list[dict[str, Any]] = [json.loads(line) for line in lines]
    there = {each["Executor ID"] for each in read if each["Event"] == "SparkListenerExecutorAdded"}
    return there, {each["Task Info"]["Executor ID"] for each in read if each["Event"] == "SparkListenerTaskEnd"}
