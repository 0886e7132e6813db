"""`python -m benchmarks`: run all benches, or those named, and write down what they found.

Each bench runs in a process of its own, so that none of them meets what another left behind.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from benchmarks.core.machine import describe
from benchmarks.core.results import Bench, from_json, to_json
from benchmarks.core.room import Room, java_home
from benchmarks.core.writing import RESULTS, keep, plain_table, write_page

HERE = Path(__file__).parent
CACHE = HERE.parent / ".cache"
BENCHES = ("rows", "database", "files", "state", "startup", "memory")
VERSIONS = ("pyspark", "boto3", "pynamodb", "onetl", "dlt", "awscli")


def main() -> int:
    """Run the benches that were asked for."""
    parser = argparse.ArgumentParser(prog="make bench", description="Compare the package with its alternatives.")
    parser.add_argument("benches", nargs="*", metavar="BENCH", help=f"some of {', '.join(BENCHES)}; all if none")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works; not written down")
    parser.add_argument("--write", action="store_true", help="only write the page and the charts again")
    parser.add_argument("--alone", type=Path, metavar="FILE", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    unknown = set(asked.benches) - set(BENCHES)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(BENCHES)}")
    if asked.alone:
        run_alone(asked.benches[0], asked.alone, quick=asked.quick)
        return 0
    names = () if asked.write else asked.benches or BENCHES
    failed = [name for name in names if not run_apart(name, quick=asked.quick)]
    if not asked.quick:
        write_page(HERE, order=BENCHES)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def run_apart(name: str, *, quick: bool) -> bool:
    """Run one bench in a process of its own, show what it found, and keep that unless it was a quick one."""
    print(f"\n==> {name}", flush=True)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        found = Path(folder, "found.json")
        command = [sys.executable, "-m", "benchmarks", name, "--alone", str(found), *(["--quick"] if quick else [])]
        if subprocess.run(command, cwd=HERE.parent, check=False).returncode:
            return False
        bench = from_json(json.loads(found.read_text(encoding="utf-8")))
    print(plain_table(bench), flush=True)
    if not quick:
        keep(HERE / RESULTS, bench)
    return True


def run_alone(name: str, found: Path, *, quick: bool) -> None:
    """Run one bench in this process."""
    facts = describe(java_home(), VERSIONS)
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f"bench-{name}-", dir=CACHE) as folder:
        bench: Bench = import_module(f"benchmarks.{name}").run(Room(name, Path(folder), quick))
    found.write_text(json.dumps(to_json(replace(bench, facts={**facts, **bench.facts}))), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
