"""The promise itself: whatever arrives between runs, and however they end, each row is delivered once.

Rows keep to the one rule there is: when a row appears, its value lies above what a committed run may have taken. A
source that stamps rows with its clock keeps to it, even if it knows whole seconds or whole days only.
"""

import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Literal
from zoneinfo import ZoneInfo

from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.frames import SPARK_VERSION, frame, numbers, session_zone
from tests.support.tables import Clock, EmulatedTable

ZONE = "America/New_York"
# A quarter past midnight in New York, an hour and three quarters before clocks go back.
START = datetime(2023, 11, 5, 4, 15, tzinfo=timezone.utc)
KINDS = [
    kind
    for kind in ("timestamp", "timestamp_ntz", "date", "bigint")
    if kind != "timestamp_ntz" or SPARK_VERSION >= (3, 4)
]


@dataclass(frozen=True)
class Append:
    """Rows appear, stamped with the present, the beginning of its second, a time to come, or nothing at all."""

    stamps: tuple[Literal["now", "second", "future", "null"], ...]


@dataclass(frozen=True)
class Run:
    """A run of the job; while it writes, more rows may appear."""

    succeeds: bool
    meanwhile: Append = Append(())


@dataclass(frozen=True)
class Wait:
    """Time goes by."""

    span: timedelta


Step = Append | Run | Wait

APPENDS = st.builds(Append, st.lists(st.sampled_from(["now", "second", "future", "null"]), max_size=3).map(tuple))
WAITS = st.builds(
    Wait,
    st.one_of(
        st.timedeltas(timedelta(0), timedelta(seconds=2)),
        st.timedeltas(timedelta(minutes=5), timedelta(minutes=50)),
        st.just(timedelta(hours=20)),
    ),
)
STEPS = st.lists(
    st.one_of(APPENDS, WAITS, st.builds(Run, st.sampled_from([True, True, False]), APPENDS)), min_size=2, max_size=9
)


@dataclass
class World:
    """A source, a job that loads it, and what the job's target has of it."""

    spark: SparkSession
    watermarks: Watermarks
    clock: Clock
    kind: str
    job: str = field(default_factory=lambda: f"job-{uuid.uuid4().hex[:12]}")
    source: list[str | None] = field(default_factory=list)
    delivered: Counter[int] = field(default_factory=Counter)
    nulls_due: set[int] | None = None

    def append(self, rows: Append) -> None:
        for stamp in rows.stamps:
            self.source.append(None if stamp == "null" else self.value(stamp))

    def value(self, stamp: str) -> str:
        if self.kind == "bigint":
            return str(2**53 + len(self.source))
        moment = self.clock.now + timedelta(hours=30 if stamp == "future" else 0)
        if stamp == "second":
            moment = moment.replace(microsecond=0)
        if self.kind == "timestamp":
            return moment.isoformat()
        local = moment.astimezone(ZoneInfo(ZONE)).replace(tzinfo=None)
        return local.date().isoformat() if self.kind == "date" else local.isoformat()

    def run(self, step: Run) -> None:
        present = frame(self.spark, self.kind, self.source)
        nulls = {n for n, value in enumerate(self.source, start=1) if value is None}
        run = self.watermarks.job_run(self.job, f"jr_{uuid.uuid4().hex}").begin()
        taken = numbers(run.new_rows(present, "value", transformation_ctx="repairs"))
        assert run.window("repairs").rows == len(taken)
        self.append(step.meanwhile)
        if not step.succeeds:
            run.fail("out of luck")
            return
        run.commit()
        self.delivered.update(taken)
        if self.nulls_due is None:
            self.nulls_due = nulls

    def due(self) -> set[int]:
        """Every row that has a value, and those without one that the first successful run found."""
        return {n for n, value in enumerate(self.source, start=1) if value is not None} | (self.nulls_due or set())


@given(kind=st.sampled_from(KINDS), steps=STEPS)
@example(kind="timestamp", steps=[Append(("second",)), Run(True), Append(("second",)), Run(True)])
@example(
    kind=KINDS[1],
    steps=[
        *(Wait(timedelta(minutes=75)), Append(("now",)), Wait(timedelta(minutes=5)), Run(True)),
        # The clocks went back: it is earlier than when the run was, on the wall.
        *(Wait(timedelta(minutes=40)), Append(("now",)), Run(True)),
    ],
)
@example(
    kind="date",
    steps=[Wait(timedelta(hours=24, minutes=15)), Append(("now",)), Run(True), Append(("now",)), Run(True)],
)
@settings(max_examples=20)
def test_every_row__is_delivered_once(
    spark: SparkSession, moto_table: EmulatedTable, kind: str, steps: list[Step]
) -> None:
    clock = Clock(START)
    world = World(spark, moto_table.watermarks(clock=clock), clock, kind)
    actions: dict[type, Any] = {
        Append: world.append,
        Run: world.run,
        Wait: lambda step: clock.turn(seconds=step.span.total_seconds()),
    }

    with session_zone(spark, ZONE):
        for step in steps:
            actions[type(step)](step)
        clock.turn(days=4)
        world.run(Run(succeeds=True))

    assert world.delivered == Counter(world.due())
