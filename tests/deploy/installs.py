"""The package alone on a Python: installed into an environment that had nothing in it, then imported from the zip."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from demo.embedded import fake_aws
from tests.deploy.platforms import CACHE, DeployError, Package
from tests.support import environments

PYTHONS = ("3.10", "3.11", "3.12", "3.13")

# What is installed, and what the core dependencies account for: themselves, and what they bring.
CLOSURE = """
import json
from importlib.metadata import distributions, requires
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name

def needed(name):
    listed = map(Requirement, requires(name) or ())
    return {canonicalize_name(each.name) for each in listed if not each.marker or each.marker.evaluate({"extra": ""})}

installed = {canonicalize_name(each.metadata["Name"]): each.version for each in distributions()}
accounted, left = set(), ["glue-watermarks"]
while left:
    accounted.add(name := left.pop())
    left += needed(name) - accounted
own = sorted(needed("glue-watermarks"))
others = sorted(set(installed) - accounted - {"pip", "setuptools"})
print(json.dumps({"own": {name: installed[name] for name in own}, "others": others}))
"""

USE = """
import sys
from importlib.util import find_spec
import scripts.helpers.watermarks as package
assert find_spec("pyspark") is None, "pyspark is there"
assert find_spec("scripts.jobs") is None, "more of the checkout is there than the package"
watermarks = package.Watermarks(table_name="glue-watermarks")
watermarks.add_watermark(watermarks.create_watermark_item(job_id=sys.argv[1], run_id="jr_1", rows_collected=808))
assert watermarks.get_watermark_values(sys.argv[1]) == {"rows_collected": 808}
print(package.__file__)
"""


def install_alone(version: str, python: str, package: Package, endpoint_url: str) -> str:
    """Install the wheel into a new environment and use it there; then the same with the zip instead.

    Args:
        version: the Python's, major and minor.
        python: the Python.
        package: what was built.
        endpoint_url: where DynamoDB answers.

    Returns:
        What was installed, in short.

    Raises:
        DeployError: it could not be installed, brought more than the core, or does not work.
    """
    environment = CACHE / f"install-{version}"
    shutil.rmtree(environment, ignore_errors=True)
    made = environments.set_up(environment, python, [], say=lambda _: None)
    # Compiling everything that is installed takes longer than all the rest, and little of it is imported.
    if not made or environments.pip(environment, "install", "--no-compile", str(package.wheel)).returncode:
        raise DeployError("the wheel could not be installed; see above")
    told = json.loads(_run(environment, CLOSURE))
    if set(told["own"]) != {"boto3", "pynamodb"}:
        raise DeployError(f"the wheel asks for {', '.join(told['own'])}: it may ask for boto3 and pynamodb only")
    if told["others"]:
        raise DeployError(f"{', '.join(told['others'])} came along, which neither boto3 nor pynamodb needs")
    _expect_home(_run(environment, USE, f"wheel-{version}", endpoint_url=endpoint_url), environment)
    if environments.pip(environment, "uninstall", "--yes", "glue-watermarks").returncode:
        raise DeployError("the package could not be uninstalled; see above")
    used = _run(environment, USE, f"zip-{version}", endpoint_url=endpoint_url, python_path=package.zip)
    _expect_home(used, package.zip)
    shutil.rmtree(environment)
    return f"wheel and zip, with {' and '.join(f'{name} {number}' for name, number in told['own'].items())}"


def _run(
    environment: Path,
    program: str,
    *arguments: str,
    endpoint_url: str | None = None,
    python_path: Path | None = None,
) -> str:
    environ = environments.without_this_python(os.environ)
    if python_path is not None:
        environ["PYTHONPATH"] = str(python_path)
    fake_aws(environ, endpoint_url)
    done = subprocess.run(
        [environments.python_of(environment), "-c", program, *arguments],
        cwd=environment,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise DeployError(done.stderr)
    return done.stdout.strip()


def _expect_home(found: str, home: Path) -> None:
    if not Path(found).is_relative_to(home):
        raise DeployError(f"the package was imported from {found}, not from {home}")
