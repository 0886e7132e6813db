"""Memory of the driver: what the package takes over a plain Spark job that loads the same files."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.core.checking import Fingerprint, WrongResultError, fingerprint, require_same
from benchmarks.core.results import Bench, Case, Goal, Measured
from benchmarks.core.room import REGION, Room, dynamodb, new_watermarks, spark_session
from benchmarks.core.snapshot import Snapshot
from benchmarks.files import COLUMNS, NEW, SCHEMA, write_new, write_old

OURS, PLAIN = "this package", "plain Spark"
ROUNDS = 3
ABOUT = (
    "The files bench, each sample a fresh process. Counted is the most memory that the Python process ever had "
    "(VmHWM), plus what the driver's Java heap still holds after three collections at the end of the load, while "
    "the frame is in use. The Java process as a whole would tell nothing: a Java takes what heap it may have (4 GB "
    "here) before it collects anything."
)


@dataclass(frozen=True)
class Load:
    """A load to measure: from which state, after which time, and what is expected of it."""

    name: str
    job: str
    after: str | None
    expected: Fingerprint


def run(room: Room) -> Bench:
    """Measure the memory of a delta, and of the first load, which has to take every file."""
    import boto3

    size = 2_000 if room.quick else 100_000
    folder = room.fresh("landing")
    room.tell(f"writing {size:,} files")
    last_old = write_old(folder, size)
    with dynamodb() as endpoint_url:
        watermarks = new_watermarks(endpoint_url)
        client = boto3.client("dynamodb", endpoint_url=endpoint_url, region_name=REGION)
        asked = {
            "room": str(room.folder),
            "folder": str(folder),
            "endpoint_url": endpoint_url,
            "table": watermarks.table_name,
        }
        with spark_session(room) as spark:
            with watermarks.job_run("delta", "jr_before") as earlier:
                earlier.new_files(spark, str(folder), format="json", schema=SCHEMA, transformation_ctx="claims")
            write_new(folder, size)
            rows = spark.read.schema(SCHEMA)
            new = fingerprint(rows.json([str(file) for file in folder.glob("new-*")]), COLUMNS)
            every = fingerprint(rows.json(str(folder)), COLUMNS)
        loads = (
            Load(f"{NEW} new among {size:,}", "delta", f"{last_old:%Y-%m-%dT%H:%M:%S}", new),
            Load(f"first load of {size:,}", "first", None, every),
        )
        cases = tuple(case(room, each, asked, Snapshot.take(client, watermarks.table_name, each.job)) for each in loads)
    return Bench(room.name, "Memory of the driver", ABOUT, cases, quick=room.quick)


def case(room: Room, load: Load, asked: dict[str, Any], before: Snapshot) -> Case:
    """Measure both in turns."""
    samples: dict[str, list[dict[str, float]]] = {OURS: [], PLAIN: []}
    for number in range(ROUNDS):
        for who, taken in samples.items():
            before.restore()
            target = room.fresh("target")
            told = in_a_process(
                {
                    **asked,
                    "who": "ours" if who == OURS else "plain",
                    "job": load.job,
                    "after": load.after,
                    "target": str(target),
                }
            )
            require_same(who, load.expected, Fingerprint(int(told["rows"]), int(told["checksum"])))
            taken.append(told)
            room.tell(
                f"{load.name}, round {number + 1} of {ROUNDS}: {who} {told['python']:.0f} MB in Python, "
                f"{told['java']:.0f} MB in Java"
            )
    measured = tuple(
        Measured(who, tuple(each["python"] + each["java"] for each in taken)) for who, taken in samples.items()
    )
    goals = (Goal("< 50 MB more", 50.0, (PLAIN,), "difference"),) if load.after else ()
    return Case(load.name, "MB", measured, goals)


def in_a_process(asked: dict[str, Any]) -> dict[str, float]:
    """Run one load, and give what it told."""
    command = [sys.executable, "-m", "benchmarks.memory_job", json.dumps(asked)]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    if done.returncode:
        raise WrongResultError(f"{asked['who']} failed: {done.stderr.strip()[-2000:]}")
    told: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return told
