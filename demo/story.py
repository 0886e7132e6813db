"""The story that the demo tells: a job's runs, one after the other, and what each left behind."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from demo import repairs
from scripts.helpers.watermarks import Watermarks
from scripts.helpers.watermarks.job_run.events import PREFIX as EVENT

JOB = "load-repairs"
JOBS = Path(__file__).parent.parent / "scripts" / "jobs"
SCRIPT = JOBS / "repairs_by_last_modified.py"
WIDTH = 110


def tell(folder: Path, report: Path) -> None:
    """Run the job again and again while its source grows, say what happens, and write a report of it."""
    source, target = folder / "source", folder / "target"
    watermarks = Watermarks(table_name="glue-watermarks")
    watermarks.create_table()
    spark = SparkSession.builder.master("local[1]").appName("the source system").getOrCreate()
    print(f"Repairs are loaded by {SCRIPT.name}, each run a process of its own, with an embedded moto as AWS.\n")

    with step("full load", "100,000 repairs, and the job has never run"):
        repairs.make(spark, source, count=100_000)
        run_job("jr_3f", source, target)
    with step("delta", "250 repairs are new, 50 were changed"):
        repairs.arrive(spark, source, new=250, changed=50)
        run_job("jr_a0", source, target)
    with step("nothing new", "the source is as it was"):
        run_job("jr_07", source, target)
    with step("a failing run", "20 new repairs, but the target cannot be written"):
        repairs.arrive(spark, source, new=20, changed=0)
        blocked = folder / "not-a-folder"
        blocked.touch()
        run_job("jr_c4", source, blocked, fails=True)
    with step("its retry", "the same 20 repairs, under the same batch id"):
        run_job("jr_c4_attempt_1", source, target)
    with step("pause", "5 new repairs are looked at without moving the mark"):
        repairs.arrive(spark, source, new=5, changed=0)
        run_job("jr_5e", source, folder / "looked-at", option="job-bookmark-pause")
    other_sources(spark, folder)
    with step("rewind", "the trades were wrong, and everything since the full load is to be loaded again"):
        to_drop = watermarks.rewind(JOB, "jr_3f", dry_run=True).batch_ids
        command("rewind", JOB, "jr_3f", "--reason", "the trades were wrong", "--yes")
        for batch_id in to_drop:
            shutil.rmtree(target / f"batch_id={batch_id}")
    with step("replay", "the next run loads all of it as one batch"):
        run_job("jr_91", source, target)

    in_source, in_target = (repairs.count(spark, path) for path in (source, target))
    print(f"The source has {in_source:,} rows and the target {in_target:,}: none is missing, none is there twice.\n")
    if in_source != in_target:
        raise RuntimeError("Source and target differ: this is a bug, please report it.")
    command("jobs")
    command("history", JOB)
    command("report", "--output", str(report))
    print(f"Open {report} in a browser to look at all of it.")


def other_sources(spark: SparkSession, folder: Path) -> None:
    """Load new files and the rows of a database, each with a job of its own."""
    landing, database = folder / "landing", folder / "database"
    with step("new files", "3 files of claims have landed"):
        repairs.land(landing, "monday", minutes_ago=90)
        repairs.land(landing, "wednesday", minutes_ago=1)
        repairs.land(landing, "tuesday", minutes_ago=5)
        arguments = {"source": str(landing), "target": str(folder / "claims")}
        run_script("landing_files.py", "load-claims", "jr_2b", arguments)
    with step("a database", "20,000 tenancies in an embedded Derby, read over several connections"):
        url = repairs.fill_database(spark, database, count=20_000)
        os.environ["DATABASE_URL"] = url
        target = folder / "tenancies"
        arguments = {"connection": "environment", "table": "tenancy", "column": "last_modified", "target": str(target)}
        run_script("database_table.py", "load-tenancies", "jr_e8", arguments)


def run_job(
    run_id: str, source: Path, target: Path, option: str = "job-bookmark-enable", *, fails: bool = False
) -> None:
    """Run the job that loads repairs."""
    run_script(SCRIPT.name, JOB, run_id, {"source": str(source), "target": str(target)}, option, fails=fails)


def run_script(
    script: str,
    job: str,
    run_id: str,
    own: dict[str, str],
    option: str = "job-bookmark-enable",
    *,
    fails: bool = False,
) -> None:
    """Run a job script as Glue would: with Glue's arguments and its own, in a process of its own."""
    arguments = {"JOB_NAME": job, "JOB_RUN_ID": run_id, "job-bookmark-option": option, **own}
    command = [sys.executable, str(JOBS / script), *(f"--{name}={value}" for name, value in arguments.items())]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    if bool(done.returncode) != fails:
        raise RuntimeError(f"The job script ended with {done.returncode}:\n{done.stderr}")
    for line in done.stderr.splitlines():
        _, _, told = line.partition(" INFO ")
        if told and not told.startswith(EVENT):  # that line is for machines
            say(told)


def say(line: str) -> None:
    """Print a line that belongs to a step, cut to the width of a terminal."""
    print(f"     {line}" if len(line) <= WIDTH else f"     {line[: WIDTH - 1]}…", flush=True)


@contextmanager
def step(title: str, what: str) -> Iterator[None]:
    """Announce a step, and say how long it took."""
    print(f"{title.upper()}: {what}", flush=True)
    start = time.monotonic()
    yield
    print(f"     ({time.monotonic() - start:.0f} s)\n", flush=True)


def command(*arguments: str) -> None:
    """Run the watermarks command, and show it as a terminal would."""
    shown = " ".join(shlex.quote(argument) for argument in arguments)
    print(f"     $ watermarks {shown}", flush=True)
    program = [sys.executable, "-m", "scripts.helpers.watermarks", *arguments]
    done = subprocess.run(program, capture_output=True, text=True, env={**os.environ, "COLUMNS": "105"}, check=False)
    if done.returncode:
        raise RuntimeError(f"The command ended with {done.returncode}:\n{done.stderr}")
    for line in done.stdout.splitlines():
        say(line.rstrip())
    print(flush=True)
