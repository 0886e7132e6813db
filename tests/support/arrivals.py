"""A bucket in which files arrive, as S3 shows them: times cut to seconds, uploads seen when they are complete."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from unittest.mock import patch

from hypothesis import strategies as st

from scripts.helpers.watermarks.job_run import file_reading
from scripts.helpers.watermarks.job_run.file_reading import Known, file_options, read_new_files
from scripts.helpers.watermarks.window import FilePlan, ListedFile, Listing
from tests.support.tables import NOON

# Files become visible up to so many seconds after their modification time; no band of a run is shorter. Short, so
# that much of what can happen happens at the edges.
LATEST_BY = 1.5


@dataclass(frozen=True)
class Version:
    """One version of a file: the second of `modified` is its time, and from `visible` on it is there."""

    number: int
    name: str
    modified: float
    visible: float
    length: int

    def listed(self) -> ListedFile:
        at = int(NOON.timestamp()) + int(self.modified)
        return ListedFile(at * 1_000_000, f"s3://landing/{self.name}", self.length)


@dataclass
class Bucket:
    """The versions there ever are, and a clock that moves on while files are listed."""

    versions: Sequence[Version]
    now: float = 0.0
    listing: float = 0.0
    waited: list[float] = field(default_factory=list)
    chance: random.Random = field(default_factory=lambda: random.Random(0))

    def clock(self) -> datetime:
        return NOON + timedelta(seconds=self.now)

    def wait(self, seconds: float) -> None:
        self.waited.append(round(seconds, 6))
        self.now += seconds

    def at(self, moment: float) -> dict[str, Version]:
        """What is there: of each name the version that became visible last."""
        there = sorted((each for each in self.versions if each.visible <= moment), key=lambda each: each.visible)
        return {each.name: each for each in there}

    def list(self, horizon: int | None) -> Listing:
        """What a listing shows: of each name what is there at some moment of it."""
        began = self.now
        self.now += self.listing
        shown = {
            name: self.at(self.chance.uniform(began, self.now)).get(name) for name in {v.name for v in self.versions}
        }
        listed = {each.listed() for each in shown.values() if each is not None}
        return Listing(frozenset(each for each in listed if horizon is None or each.modified > horizon * 1_000_000))

    def version(self, file: ListedFile) -> Version:
        """The version that was read. Where two are the same to every listing, the later: a run has to wait for it."""
        alike = [each for each in self.versions if each.listed() == file and each.visible <= self.now]
        return max(alike, key=lambda each: each.visible)


def plan_of_a_run(bucket: Bucket, known: Known, *, band: float, most: int | None = None) -> FilePlan:
    """What `new_files` does, without Spark: its listing is the bucket's, and no frame is made."""
    options = file_options("s3://landing", "json", "n INT", None, timedelta(seconds=band), most)
    no_spark: Any = None
    with (
        patch.object(file_reading, "_list", lambda _, horizon, __: bucket.list(horizon)),
        patch.object(file_reading, "_frame", lambda *_, **__: None),
    ):
        _, read = read_new_files(no_spark, "claims", known, options, clock=bucket.clock, sleep=bucket.wait)
    return read.plan


@st.composite
def versions(draw: st.DrawFn, names: Iterable[str] = "ab") -> list[Version]:
    """Files that arrive at once or late, in the same second or far apart, new or over another."""
    found: list[Version] = []
    modified = 0.0
    for number in range(draw(st.integers(1, 6))):
        modified += draw(st.sampled_from([0.1, 0.1, 0.4, 0.7, 3.0]))
        late = draw(st.sampled_from([0.0, 0.0, 0.0, 0.1, LATEST_BY]))
        # Only files written at once may look like the one before: of two uploads that began in the same second and
        # end up with the same length, nobody could tell which it is.
        length = 100 + number if late else 10
        found.append(Version(number, draw(st.sampled_from(list(names))), modified, modified + late, length))
    return found


def runs() -> st.SearchStrategy[list[dict[str, Any]]]:
    """What happens meanwhile: runs that succeed, fail, are paused, or are rewound to."""
    run = st.fixed_dictionaries(
        {
            "wait": st.sampled_from([0.0, 0.1, 0.3, 0.8, 3.0]),
            "listing": st.sampled_from([0.0, 0.1, 0.4, 1.3]),
            "band": st.sampled_from([LATEST_BY, LATEST_BY, LATEST_BY + 0.6, 900.0]),
            "most": st.sampled_from([None, 1, 2]),
            "end": st.sampled_from(["commit", "commit", "commit", "fail", "rewind"]),
        }
    )
    return st.lists(run, min_size=1, max_size=8)
