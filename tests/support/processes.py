"""Jobs in processes of their own, to be frozen and killed: each in a process group, with the JVM of its Spark."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

Process = subprocess.Popen[str]

# `make stress`: more rounds, and every case in a process of its own.
STRESS = os.environ.get("WATERMARKS_STRESS") == "1"


@contextmanager
def started(module: str, *arguments: str, log: Path) -> Iterator[Process]:
    """Run a module until the block ends; kill what is left of it and its children then.

    Args:
        module: the module, which says something on standard output when it is where the test wants it.
        *arguments: its arguments.
        log: where its standard error goes.

    Yields:
        The process, which is the leader of its group.
    """
    # The tests' own Spark may be one over Spark Connect; that of the process is not.
    own_spark = {name: value for name, value in os.environ.items() if "SPARK_REMOTE" not in name}
    own_spark.pop("SPARK_CONNECT_MODE_ENABLED", None)
    own_spark.pop("SPARK_LOCAL_REMOTE", None)
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=own_spark,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            signal_all(process, signal.SIGKILL)


def signal_all(process: Process, number: signal.Signals) -> None:
    """Send a signal to the process and all its children."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def said_by(process: Process) -> str:
    """Wait for the process to say a line; an empty one means that it ended."""
    assert process.stdout is not None
    return process.stdout.readline().strip()
