"""Whatever arrives whenever, and whatever runs do: each version of a file is delivered once."""

import random
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.helpers.watermarks.job_run.file_reading import Known
from scripts.helpers.watermarks.window import covered_between
from tests.support.arrivals import LATEST_BY, Bucket, Version, plan_of_a_run, runs, versions

# Long enough for everything to be visible, and for every horizon to have passed it.
AFTERWARDS = 2_000.0


@dataclass
class Job:
    """Where a job stands after each of its commits, and what each delivered."""

    known: list[Known] = field(default_factory=lambda: [Known()])
    delivered: list[list[Version]] = field(default_factory=list)


def run(bucket: Bucket, job: Job, *, band: float, most: int | None, end: str) -> None:
    if end == "rewind" and len(job.known) > 1:
        # The operator goes back one run, and drops its batch.
        job.known.pop()
        job.delivered.pop()
        return
    plan = plan_of_a_run(bucket, job.known[-1], band=band, most=most)
    if end == "commit":
        job.known.append(Known(plan.horizon, plan.digests))
        job.delivered.append([bucket.version(each) for each in plan.taken])


@settings(max_examples=1_000)
@given(versions(), runs(), st.integers(0, 99))
def test_arrivals__each_version_is_delivered_once(
    arriving: list[Version], happening: list[dict[str, Any]], seed: int
) -> None:
    bucket, job = Bucket(arriving, chance=random.Random(seed)), Job()

    for each in happening:
        bucket.wait(each["wait"])
        bucket.listing = each["listing"]
        run(bucket, job, band=each["band"], most=each["most"], end=each["end"])
    bucket.wait(AFTERWARDS)
    while True:
        run(bucket, job, band=LATEST_BY, most=2, end="commit")
        if not job.delivered[-1]:
            break

    delivered = [version for batch in job.delivered for version in batch]
    there = bucket.at(bucket.now).values()
    assert len(delivered) == len({each.number for each in delivered}), "a version was delivered twice"
    assert {each.number for each in there} <= {each.number for each in delivered}, "a version was not delivered"
    assert job.known[-1].digests == frozenset(), "digests are kept although the horizon has passed their files"
    # From one run to the next is exactly what that run delivered, as far as it is still there.
    for (first, last), batch in zip(pairwise(job.known), job.delivered, strict=True):
        spanned = covered_between(
            bucket.list(None).files, after=(first.horizon, first.digests), up_to=(last.horizon, last.digests)
        )
        assert [bucket.version(each) for each in spanned] == [each for each in batch if each in there]
