"""A job that is told to end by SIGTERM, at a moment and with a handler of its own that its mode names.

It says `ready` when its run is at work, and then waits for ever; in the modes of the commit it tells itself to end.
"""

import os
import signal
import socket
import sys
import threading
from typing import Any

from botocore.httpsession import URLLib3Session

from scripts.helpers.watermarks import JobRun, Watermarks
from tests.support.runs import read_ids
from tests.support.tables import REGION, client_of


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def wait_for_ever(*runs: JobRun) -> None:
    """Wait as a script does for Spark: in a call that reads from a socket."""
    for run in runs:
        read_ids(run, up_to=20)
    one, _other = socket.socketpair()
    say("ready")
    one.recv(1)


def plain(watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_2") as run:
        wait_for_ever(run)


def handler_exits(watermarks: Watermarks, job: str) -> None:
    def handler(number: int, _: object) -> None:
        say(f"handler {number}")
        sys.exit(3)

    signal.signal(signal.SIGTERM, handler)
    plain(watermarks, job)


def handler_returns(watermarks: Watermarks, job: str) -> None:
    """A handler that only notes the signal, in a job whose work ends soon after."""
    done = threading.Event()

    def handler(number: int, _: object) -> None:
        say(f"handler {number}")
        done.set()

    signal.signal(signal.SIGTERM, handler)
    with watermarks.job_run(job, "jr_2") as run:
        read_ids(run, up_to=20)
        say("ready")
        while not done.wait(0.05):
            pass
        say("still at work")
    say("not reached")


def ignored(watermarks: Watermarks, job: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with watermarks.job_run(job, "jr_2") as run:
        read_ids(run, up_to=20)
        os.kill(os.getpid(), signal.SIGTERM)


def other_thread(watermarks: Watermarks, job: str) -> None:
    threading.Thread(target=plain, args=(watermarks, job), daemon=True).start()
    signal.pause()


def two_runs(watermarks: Watermarks, job: str) -> None:
    with watermarks.job_run(job, "jr_2") as run, watermarks.job_run(f"{job}-too", "jr_2") as other:
        wait_for_ever(run, other)


def before_the_request(watermarks: Watermarks, job: str) -> None:
    _end_during_commit(watermarks, job, send=False)


def after_the_request(watermarks: Watermarks, job: str) -> None:
    _end_during_commit(watermarks, job, send=True)


def _end_during_commit(watermarks: Watermarks, job: str, *, send: bool) -> None:
    def told_to_end(request: Any, **_: Any) -> Any:
        answer = URLLib3Session().send(request) if send else None
        os.kill(os.getpid(), signal.SIGTERM)
        return answer

    client_of(watermarks).meta.events.register("before-send.dynamodb.TransactWriteItems", told_to_end)
    with watermarks.job_run(job, "jr_2") as run:
        read_ids(run, up_to=20)
    say("not reached")


MODES = {
    function.__name__: function
    for function in (
        plain,
        handler_exits,
        handler_returns,
        ignored,
        other_thread,
        two_runs,
        before_the_request,
        after_the_request,
    )
}

if __name__ == "__main__":
    mode, endpoint_url, table_name, job_id = sys.argv[1:]
    MODES[mode](Watermarks(table_name, endpoint_url=endpoint_url, region_name=REGION), job_id)
