"""Keeping a lease alive, by clocks that tests turn: when it is renewed and given up, and that no commit is crossed."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from scripts.helpers.watermarks import TableUnavailableError
from scripts.helpers.watermarks.job_run.heartbeat import Heartbeat
from scripts.helpers.watermarks.table import Lease
from tests.support.tables import NOON

LENGTH = timedelta(minutes=5)
FAULT = TableUnavailableError("made up by a test")


@dataclass
class Time:
    """Both clocks of a machine, and a wait that lets the time pass instead of waiting."""

    monotonic: float = 0.0
    wall: datetime = NOON
    stopped: bool = False
    waits: list[float] = field(default_factory=list)

    def passes(self, seconds: float) -> None:
        self.monotonic += seconds
        self.wall += timedelta(seconds=seconds)

    def wait(self, timeout: float) -> bool:
        self.waits.append(timeout)
        self.passes(timeout)
        return self.stopped

    def set(self) -> None:
        self.stopped = True

    def is_set(self) -> bool:
        return self.stopped


@dataclass
class FakeTable:
    """A table that notes each renewal and answers it as it is told; when it was told no more, the run ends."""

    time: Time
    answers: Iterator[Any]
    renewed: list[tuple[float, timedelta]] = field(default_factory=list)

    def renew(self, job_id: str, lease: Lease) -> bool:
        assert (job_id, lease.token) == ("repairs", "token")
        self.renewed.append((self.time.monotonic, lease.until - NOON))
        answer = next(self.answers, None)
        if answer is None:
            self.time.set()
            return True
        if callable(answer):
            answer = answer()
        if isinstance(answer, Exception):
            raise answer
        return bool(answer)

    @property
    def tried_at(self) -> list[float]:
        return [at for at, _ in self.renewed]


@dataclass
class Case:
    time: Time
    table: FakeTable
    heartbeat: Heartbeat
    lost: list[float] = field(default_factory=list)


def case(*answers: Any) -> Case:
    time = Time()
    table: Any = FakeTable(time, iter(answers))
    lost: list[float] = []
    heartbeat = Heartbeat(
        table,
        "repairs",
        Lease("token", "jr_1", NOON, NOON + LENGTH),
        LENGTH,
        taken_at=0.0,
        clock=lambda: time.wall,
        on_lost=lambda: lost.append(time.monotonic),
        monotonic=lambda: time.monotonic,
    )
    heartbeat._stopped = time  # type: ignore[assignment]
    return Case(time, table, heartbeat, lost)


def test_renewal__every_third_of_the_lease() -> None:
    case_ = case(True, True, True)

    case_.heartbeat._keep_renewing()

    seconds = [(at, until.total_seconds()) for at, until in case_.table.renewed]
    assert seconds == [(100, 400), (200, 500), (300, 600), (400, 700)]
    assert (case_.heartbeat.why_lost(), case_.lost) == (None, [])


def test_renewal__faults_do_not_lose_a_lease_that_can_still_be_renewed() -> None:
    case_ = case(*[FAULT] * 14, True, True)

    case_.heartbeat._keep_renewing()

    # From 100 s on every ten; the fifteenth try, at 240 s, is ten seconds before the end.
    assert case_.table.tried_at == [*range(100, 241, 10), 340, 440]
    assert (case_.heartbeat.why_lost(), case_.lost) == (None, [])


def test_renewal__given_up_a_margin_before_the_end() -> None:
    case_ = case(*[FAULT] * 1_000)

    case_.heartbeat._keep_renewing()

    assert case_.table.tried_at == [*range(100, 250, 10)]
    assert case_.lost == [250]  # fifty seconds before anybody else may take the job
    assert case_.heartbeat.why_lost() == "it could not be renewed in time"


@pytest.mark.parametrize("renewed", [0, 1, 2])
def test_watch__loses_the_lease_at_the_margin_although_a_renewal_hangs(renewed: int) -> None:
    case_ = case(*[True] * renewed)
    for _ in range(renewed):
        case_.time.passes(100)
        assert case_.heartbeat.renew()

    case_.heartbeat._watch_the_end()

    assert case_.lost == [pytest.approx(100 * renewed + 250)]
    assert case_.heartbeat.why_lost() == "it could not be renewed in time"


def test_watch__sees_within_a_second_that_the_machine_was_suspended() -> None:
    case_ = case()
    asleep = iter([0.0, 0.0, 3_600.0])
    wait = case_.time.wait

    def sleeping_wait(timeout: float) -> bool:
        case_.time.wall += timedelta(seconds=next(asleep, 0.0))  # the monotonic clock stands still meanwhile
        return wait(timeout)

    case_.time.wait = sleeping_wait  # type: ignore[method-assign]
    case_.heartbeat._watch_the_end()

    assert len(case_.time.waits) == 3
    assert case_.lost == [pytest.approx(3)]


def test_lease__is_counted_from_before_the_request_was_sent() -> None:
    def slowly() -> bool:
        case_.time.monotonic += 60  # and somebody sets the system time back by as much
        return True

    case_ = case(slowly)
    case_.time.passes(100)

    assert case_.heartbeat.renew()

    case_.time.passes(189)  # 349: 249 s after it was sent
    assert case_.heartbeat.why_lost() is None
    case_.time.passes(1)
    assert case_.heartbeat.why_lost() == "it could not be renewed in time"


@pytest.mark.parametrize(
    ("jump", "lost"),
    [
        pytest.param(timedelta(hours=-1), False, id="back"),
        pytest.param(timedelta(seconds=249), False, id="forward-within-the-lease"),
        pytest.param(timedelta(seconds=250), True, id="forward-to-the-margin"),
    ],
)
def test_lease__when_the_system_time_is_changed(jump: timedelta, lost: bool) -> None:
    case_ = case()
    case_.time.wall += jump

    assert (case_.heartbeat.why_lost() is not None) is lost
    # However late the wall says it is, the lease is never longer than it was taken for.
    case_.time.monotonic += 250
    assert case_.heartbeat.why_lost() is not None


def test_lease__taken_by_somebody_else_is_lost_at_once_and_told_once() -> None:
    case_ = case(False)
    case_.heartbeat._keep_renewing()
    case_.heartbeat._watch_the_end()

    assert case_.table.tried_at == [100]
    assert case_.lost == [100]
    assert case_.heartbeat.why_lost() == "another run took the job over, or an operator changed it"


def test_stop__nothing_is_lost_after_it() -> None:
    case_ = case()
    case_.heartbeat.stop()
    case_.time.passes(3_600)

    assert (case_.heartbeat.why_lost(), case_.lost) == (None, [])


def started(renew: Callable[[], bool], on_lost: Callable[[], None] = lambda: None, seconds: float = 0.3) -> Heartbeat:
    """A heartbeat by real clocks with real threads, of a lease so short that the test need not wait."""

    class Table:
        def renew(self, _: str, __: Lease) -> bool:
            return renew()

    def clock() -> datetime:
        return datetime.now(timezone.utc)

    length = timedelta(seconds=seconds)
    table: Any = Table()
    lease = Lease("token", "jr_1", clock(), clock() + length)
    heartbeat = Heartbeat(table, "repairs", lease, length, taken_at=time.monotonic(), clock=clock, on_lost=on_lost)
    heartbeat.start()
    return heartbeat


def test_stop__waits_for_a_renewal_that_is_under_way() -> None:
    under_way, may_end, stopped = threading.Event(), threading.Event(), threading.Event()

    def renew() -> bool:
        under_way.set()
        return may_end.wait(30)

    heartbeat = started(renew, seconds=3)
    assert under_way.wait(30)

    def stop() -> None:
        heartbeat.stop()
        stopped.set()

    threading.Thread(target=stop).start()

    assert not stopped.wait(0.1)
    may_end.set()
    assert stopped.wait(30)
    assert not any(thread.is_alive() for thread in heartbeat._threads)


def test_start__threads_do_not_keep_a_process_alive_and_end_when_the_lease_is_lost() -> None:
    lost = threading.Event()
    heartbeat = started(lambda: False, lost.set)

    assert len(heartbeat._threads) == 2
    assert all(thread.daemon for thread in heartbeat._threads)
    assert lost.wait(30)
    for thread in heartbeat._threads:
        thread.join(30)
        assert not thread.is_alive()


def test_lost__stopping_from_the_thread_that_noticed_it_does_not_wait_for_itself() -> None:
    done = threading.Event()
    heartbeat: list[Heartbeat] = []

    def on_lost() -> None:
        heartbeat[0].stop()
        done.set()

    heartbeat.append(started(lambda: False, on_lost))

    assert done.wait(30)
