"""Where a job stands: looked up when a run starts and moved when it commits, after a history of up to 100,000 runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from benchmarks.contenders.file_stores import JsonFile, OnetlYaml
from benchmarks.contenders.original import OriginalStore
from benchmarks.core.checking import require_same
from benchmarks.core.requests import Requests, requests_of
from benchmarks.core.results import Bench, Case, Goal, Measured
from benchmarks.core.room import Room, dynamodb, new_run_id, new_watermarks
from benchmarks.core.timing import Contender, measure
from tests.support.tables import client_of

if TYPE_CHECKING:
    from scripts.helpers.watermarks import JobRun, Watermarks

MARK = datetime(2023, 3, 16, 15, 45)  # noqa: DTZ001 - as onETL keeps them
ROUNDS, WARM_UPS, BATCH = 25, 10, 25
ABOUT = (
    "A run learns where its job stands, and at its end moves the mark and leaves a record, on DynamoDB Local. The "
    "original class queries for the highest run id, gets that item, and at the end puts one. onETL's YAML store and"
    " a JSON file keep one value, no history and no lease, for one writer on one disk."
)


@dataclass(frozen=True)
class Job:
    """A job with a history, in this package's table; the original class can read and write there as well."""

    watermarks: Watermarks
    original: OriginalStore
    runs: int
    wrong: list[bool] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The job's name."""
        return f"job of {self.runs}"

    def begin(self) -> JobRun:
        """Start a run."""
        started = self.watermarks.job_run(self.name, new_run_id())
        started.begin()
        return started


def run(room: Room) -> Bench:
    """Measure starts and commits, after the longest history first."""
    sizes = (1_000, 100, 10) if room.quick else (100_000, 1_000, 10)
    with dynamodb() as endpoint_url:
        watermarks = new_watermarks(endpoint_url)
        original = OriginalStore(client_of(watermarks), watermarks.table_name)
        jobs = [Job(watermarks, original, size) for size in sizes]
        for job in jobs:
            room.tell(f"writing a history of {job.runs:,} runs")
            write_history(job)
        stores: tuple[OnetlYaml | JsonFile, ...] = (
            OnetlYaml(room.fresh("yaml")),
            JsonFile(room.fresh("json") / "mark.json"),
        )
        timed = [
            Case(
                f"{name} of a run",
                "ms",
                in_ms(measure(name, contenders, rounds=ROUNDS, warm_ups=WARM_UPS, tell=room.tell)),
            )
            for name, contenders in (
                ("start", in_order(map(starting, jobs), map(looking_up, stores))),
                ("commit", in_order(map(committing, jobs), map(moving, stores))),
            )
        ]
        counted = counted_cases(jobs)
    flat = Goal("flat: ≤ 1.25 × that after 10 runs", 1.25, (ours_after(10),))
    cases = (*(Case(case.work, case.unit, case.contenders, (flat,)) for case in timed), *counted)
    return Bench(room.name, "State: start and commit of a run", ABOUT, cases, (wrong_answers(jobs),), quick=room.quick)


def ours_after(runs: int) -> str:
    """Name this package's line."""
    return f"this package, after {runs:,} runs"


def original_after(runs: int) -> str:
    """Name the original class's line."""
    return f"original class, after {runs:,} runs"


def in_order(pairs: Iterable[tuple[Contender, Contender]], others: Iterable[Contender]) -> list[Contender]:
    """Put this package's contenders first, then the original class's, then the others."""
    together = list(pairs)
    return [*(ours for ours, _ in together), *(original for _, original in together), *others]


def starting(job: Job) -> tuple[Contender, Contender]:
    """Learn where the job stands."""
    begun: list[JobRun] = []

    def check() -> None:
        begun[-1].record(mark=MARK.isoformat())
        begun[-1].commit()
        require_same("this package", begun[-1].run_id, job.watermarks.get_most_recent_run_id(job.name))

    def note_the_answer() -> None:
        # It is most often another run: that is told beside its time, which is that of a wrong answer.
        last = job.watermarks.get_most_recent_run_id(job.name)
        job.wrong.append(job.original.most_recent_run(job.name) != last)

    return (
        Contender(ours_after(job.runs), lambda: begun.append(job.begin()), check),
        Contender(original_after(job.runs), lambda: job.original.mark(job.name), note_the_answer),
    )


def committing(job: Job) -> tuple[Contender, Contender]:
    """Move the mark, and record that the run has succeeded."""
    begun: list[JobRun] = []
    recorded: list[str] = []

    def prepare() -> None:
        begun.append(job.begin())
        begun[-1].record(mark=MARK.isoformat())

    def check() -> None:
        found = job.watermarks.get_watermark(job.name)
        require_same(
            "this package",
            (begun[-1].run_id, MARK.isoformat()),
            found and (found["runId"], found["watermarks"]["mark"]),
        )

    def put() -> None:
        recorded.append(new_run_id())
        job.original.record(job.name, recorded[-1], MARK.isoformat())

    def check_put() -> None:
        require_same("original class", MARK.isoformat(), job.original.mark(job.name, recorded[-1]))

    return (
        Contender(ours_after(job.runs), lambda: begun[-1].commit(), check, prepare),
        Contender(original_after(job.runs), put, check_put),
    )


def looking_up(store: OnetlYaml | JsonFile) -> Contender:
    """Look the one value up."""
    found: list[datetime] = []
    name = _name(store)
    return Contender(
        name,
        lambda: found.append(store.mark()),
        lambda: require_same(name, MARK, found[-1]),
        prepare=lambda: store.record(MARK),
    )


def moving(store: OnetlYaml | JsonFile) -> Contender:
    """Replace the one value."""
    name = _name(store)
    return Contender(name, lambda: store.record(MARK), lambda: require_same(name, MARK, store.mark()))


def counted_cases(jobs: Sequence[Job]) -> list[Case]:
    """Count requests and capacity of a start and a commit; they are the same every time, so once is enough."""
    counts = [(job, *_counted(job)) for job in jobs]
    cases = []
    for work, index in (("start", 0), ("commit", 1)):
        ours = [(ours_after(job.runs), counted[index]) for job, counted, _ in counts]
        theirs = [(original_after(job.runs), counted[index]) for job, _, counted in counts]
        requests = tuple(Measured(name, (float(len(each.names)),)) for name, each in ours + theirs)
        units = tuple(Measured(name, (each.units,)) for name, each in ours + theirs)
        same = Goal("the same as after 10 runs", 1.0, (ours_after(10),))
        cases += [
            Case(f"{work}: requests", "requests", requests, (Goal("1 request", 1.0, measure="value"),)),
            Case(f"{work}: capacity", "units", units, (same,)),
        ]
    return cases


def _counted(job: Job) -> tuple[tuple[Requests, Requests], tuple[Requests, Requests]]:
    client = job.original.client
    with requests_of(client) as our_start:
        begun = job.begin()
    begun.record(mark=MARK.isoformat())
    with requests_of(client) as our_commit:
        begun.commit()
    with requests_of(client) as start:
        job.original.mark(job.name)
    with requests_of(client) as commit:
        job.original.record(job.name, new_run_id(), MARK.isoformat())
    return (our_start, our_commit), (start, commit)


def write_history(job: Job) -> None:
    """Have one real run, then write records of others in batches: a run for each of them would take an hour."""
    with job.watermarks.job_run(job.name, new_run_id()) as first:
        first.record(mark=MARK.isoformat())
    record = {
        "jobName": {"S": job.name},
        "status": {"S": "SUCCEEDED"},
        "version": {"N": "1"},
        "batchId": {"N": "1"},
        "recordedAt": {"S": "2020-01-01T00:00:10.000000Z"},
        "watermarks": {"M": {"mark": {"S": MARK.isoformat()}}},
    }
    for begin in range(1, job.runs, BATCH):
        items = [record | {"runId": {"S": new_run_id()}} for _ in range(min(BATCH, job.runs - begin))]
        puts = [{"PutRequest": {"Item": item}} for item in items]
        told = job.original.client.batch_write_item(RequestItems={job.original.table: puts})
        require_same("DynamoDB Local", {}, told["UnprocessedItems"])


def wrong_answers(jobs: Sequence[Job]) -> str:
    """Say how often the original class was wrong."""
    answers = [answer for job in jobs for answer in job.wrong]
    return (
        f"The original class named a wrong run as the most recent in {sum(answers)} of {len(answers)} looks: run ids "
        "are random, and it takes the highest."
    )


def in_ms(measured: Sequence[Measured]) -> tuple[Measured, ...]:
    """Give seconds as milliseconds."""
    return tuple(Measured(each.name, tuple(sample * 1e3 for sample in each.samples), each.note) for each in measured)


def _name(store: OnetlYaml | JsonFile) -> str:
    return "onETL's YAML store" if isinstance(store, OnetlYaml) else "JSON file"
