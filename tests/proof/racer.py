"""Processes that race for jobs. One is started, forks the others, lets them go at the same moment and waits for them.

A racer's job numbers what it loads: the window `(low, high]` is written to the target as the file `batch_id=N`, one
number per line. A lock on a file, which the operating system takes back from the dead, tells if two are ever inside.
"""

import fcntl
import json
import os
import random
import signal
import sys
import time
import traceback
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

import boto3

from scripts.helpers.watermarks import JobRun, Watermarks
from scripts.helpers.watermarks.table import Backoff
from scripts.helpers.watermarks.values.positions import RowsPosition
from tests.support.runs import read_ids
from tests.support.tables import REGION

FAILS, DIES = "fails", "dies"


class MadeUpError(Exception):
    """What a run that is to fail raises."""


@dataclass(frozen=True)
class Race:
    """What the racers need to know. Racer `k` runs `jobs[k]`, and does what `fates` says in one of its runs."""

    endpoint_url: str
    table_name: str
    folder: str
    jobs: list[str]
    rounds: int
    lease_seconds: float = 60.0
    wait_seconds: float | None = 120.0
    fates: dict[str, str] | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self))


def main(told: str) -> int:
    race = Race(**json.loads(told))
    session = boto3.Session(region_name=REGION)
    session.client("dynamodb", endpoint_url=race.endpoint_url)  # reads botocore's data files once for all
    ready, go = os.pipe()
    racers = {_fork(race, number, session, ready, go): number for number in range(len(race.jobs))}
    os.close(ready)
    os.close(go)  # the start: every racer has been waiting for the end of this pipe
    failed = 0
    for _ in range(len(racers)):
        pid, status = os.wait()
        fate = (race.fates or {}).get(str(racers[pid]))
        if os.waitstatus_to_exitcode(status) != (-signal.SIGKILL if fate == DIES else 0):
            failed += 1
    return failed


def _fork(race: Race, number: int, session: boto3.Session, ready: int, go: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        os.close(go)
        watermarks = Watermarks(race.table_name, endpoint_url=race.endpoint_url, boto3_session=session)
        # Asking for the job twenty times a second instead of once, and not in step.
        watermarks._table.backoff = Backoff(sleep=lambda seconds: time.sleep(seconds * random.uniform(0, 0.1)))
        os.read(ready, 1)
        _race(race, number, watermarks)
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _race(race: Race, number: int, watermarks: Watermarks) -> None:
    folder = Path(race.folder, race.jobs[number])
    folder.mkdir(parents=True, exist_ok=True)
    fate = (race.fates or {}).get(str(number))
    wait = None if race.wait_seconds is None else timedelta(seconds=race.wait_seconds)
    for turn in range(race.rounds):
        run = watermarks.job_run(
            race.jobs[number],
            f"jr_{number}_{turn}",
            lease=timedelta(seconds=race.lease_seconds),
            wait=wait,
        )
        try:
            with run, (folder / "inside").open("w") as inside:
                fcntl.flock(inside, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _load(run, folder)
                if turn == race.rounds // 2 and fate is not None:
                    _meet(fate)
        except MadeUpError:
            pass


def _meet(fate: str) -> None:
    if fate == DIES:
        os.kill(os.getpid(), signal.SIGKILL)
    raise MadeUpError("after the write")


def _load(run: JobRun, folder: Path) -> None:
    known = run._position(run._state.sources, "repairs")
    low = int(str(known.mark)) if isinstance(known, RowsPosition) else 0
    high = low + random.randint(1, 5)
    read_ids(run, up_to=high, rows=high - low)
    time.sleep(random.uniform(0, 0.01))
    (folder / f"batch_id={run.batch_id}").write_text("\n".join(map(str, range(low + 1, high + 1))))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
