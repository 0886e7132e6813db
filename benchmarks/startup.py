"""Start-up, in processes of their own: importing the package, and the `watermarks` command, against the usual tools."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.core.checking import WrongResultError
from benchmarks.core.results import Bench, Case, Goal, Measured
from benchmarks.core.room import REGION, Room, dynamodb, new_run_id
from benchmarks.core.timing import Contender, measure

PACKAGE, CLASS, PYNAMODB = (
    "import scripts.helpers.watermarks",
    "from scripts.helpers.watermarks import Watermarks",
    "import pynamodb.models",
)
COMMAND, AWS = "watermarks jobs", "aws dynamodb get-item"
TABLE, JOB = "glue-watermarks", "load-repairs"
ABOUT = (
    "Each sample is a fresh process. Imports are timed inside it, so that the start of Python does not hide them; "
    "the commands are timed from outside, from their start to their end, against the same DynamoDB Local with a "
    "table of one job."
)
TIMED = "import time; start = time.perf_counter(); {statement}; print(time.perf_counter() - start)"


def run(room: Room) -> Bench:
    """Measure imports and commands."""
    rounds = 5 if room.quick else 15
    cases = imports(room, rounds)
    notes = []
    with dynamodb() as endpoint_url:
        fill(endpoint_url)
        if script("watermarks").exists():
            cases.append(commands(room, rounds))
        else:
            notes.append("The `watermarks` command is not part of this version, so it was not measured.")
    return Bench(room.name, "Start-up: imports and commands", ABOUT, tuple(cases), tuple(notes), quick=room.quick)


def imports(room: Room, rounds: int) -> list[Case]:
    """Time imports in fresh processes, in turns."""
    samples: dict[str, list[float]] = {CLASS: [], PACKAGE: [], PYNAMODB: []}
    for number in range(-2, rounds):
        for statement, taken in samples.items():
            told = ran([sys.executable, "-c", TIMED.format(statement=statement)], room.folder)
            if number >= 0:
                taken.append(float(told) * 1e3)
    room.tell(f"{rounds} rounds of imports")
    measured = {name: Measured(name, tuple(taken)) for name, taken in samples.items()}
    goals = (Goal("≤ 1.2 × pynamodb.models", 1.2, (PYNAMODB,)),)
    return [
        Case("the package", "ms", (measured[PACKAGE], measured[PYNAMODB]), goals),
        Case("its class, ready for use", "ms", (measured[CLASS], measured[PYNAMODB]), goals),
    ]


def commands(room: Room, rounds: int) -> Case:
    """Time both commands, in turns."""
    key = json.dumps({"jobName": {"S": JOB}, "runId": {"S": "#latest"}})
    contenders = [
        command(room, COMMAND, [str(script("watermarks")), "jobs"]),
        command(room, AWS, [str(script("aws")), "dynamodb", "get-item", "--table-name", TABLE, "--key", key]),
    ]
    measured = measure("commands", contenders, rounds=rounds, warm_ups=2, tell=room.tell)
    return Case("commands", "s", measured, (Goal("faster than the AWS CLI", 1.0, (AWS,)),))


def command(room: Room, name: str, words: Sequence[str]) -> Contender:
    """Run a command that has to tell of the job."""
    told: list[str] = []

    def check() -> None:
        if JOB not in told[-1]:
            raise WrongResultError(f"{name} did not tell of {JOB}, but: {told[-1][:200]}")

    return Contender(name, lambda: told.append(ran(words, room.folder)), check)


def fill(endpoint_url: str) -> None:
    """Make the table, with one job that has run once."""
    from scripts.helpers.watermarks import Watermarks

    watermarks = Watermarks(TABLE, endpoint_url=endpoint_url, region_name=REGION)
    watermarks.create_table()
    with watermarks.job_run(JOB, new_run_id()) as this_run:
        this_run.record(rows_collected=808)


def script(name: str) -> Path:
    """Give a command of the environment that runs this."""
    return Path(sys.executable).parent / name


def ran(words: Sequence[str], folder: Path) -> str:
    """Run a command somewhere else than in the checkout, and give what it said.

    Compiled modules are kept, as pip keeps them for whoever installs the package: what others brought is compiled
    already, and this package, installed from the checkout, would else be compiled anew in every process.
    """
    unwanted = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE"}
    environ = {name: value for name, value in os.environ.items() if name not in unwanted}
    done = subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise WrongResultError(f"{Path(words[0]).name} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout
