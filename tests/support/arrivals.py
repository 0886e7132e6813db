"""A bucket in which files arrive over time, as S3 shows them: times cut to seconds, uploads seen when they are complete."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from scripts.helpers.watermarks.window import ListedFile
from tests.support.tables import NOON

# Files become visible up to so many seconds after their modification time; no band of a run is shorter.
LATEST_BY = 20.0


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
    chance: random.Random = field(default_factory=lambda: random.Random(0))

    def clock(self) -> datetime:
        return NOON + timedelta(seconds=self.now)

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def at(self, moment: float) -> dict[str, Version]:
        """What is there: of each name the version that became visible last."""
        there = sorted((each for each in self.versions if each.visible <= moment), key=lambda each: each.visible)
        return {each.name: each for each in there}

    def list(self, horizon: int | None) -> set[ListedFile]:
        """What a listing shows: of each name what is there at some moment of it."""
        began = self.now
        self.now += self.listing
        shown = {
            name: self.at(self.chance.uniform(began, self.now)).get(name) for name in {v.name for v in self.versions}
        }
        listed = {each.listed() for each in shown.values() if each is not None}
        return {each for each in listed if horizon is None or each.modified > horizon * 1_000_000}

    def version(self, file: ListedFile) -> Version:
        """The version that was read. Where two are the same to every listing, the later: a run has to wait for it."""
        alike = [each for each in self.versions if each.listed() == file and each.visible <= self.now]
        return max(alike, key=lambda each: each.visible)


@st.composite
def versions(draw: st.DrawFn, names: Iterable[str] = "abc") -> list[Version]:
    """Files that arrive at once or late, in the same second or far apart, new or over another."""
    found: list[Version] = []
    modified = 0.0
    for number in range(draw(st.integers(1, 12))):
        modified += draw(st.sampled_from([0.05, 0.3, 0.9, 7.0, 40.0]))
        at_once = draw(st.booleans())
        late = 0.0 if at_once else draw(st.floats(0, LATEST_BY))
        # Only files written at once may look like the one before: of two uploads that began in the same second and
        # end up with the same length, nobody could tell which it is.
        length = 10 if at_once else 100 + number
        found.append(Version(number, draw(st.sampled_from(list(names))), modified, modified + late, length))
    return found


def runs() -> st.SearchStrategy[list[dict[str, Any]]]:
    """What happens meanwhile: runs that succeed, fail, are paused, or are rewound to."""
    run = st.fixed_dictionaries(
        {
            "wait": st.sampled_from([0.0, 0.1, 0.6, 3.0, 15.0, 60.0]),
            "listing": st.sampled_from([0.0, 0.01, 0.4, 2.5]),
            "band": st.sampled_from([LATEST_BY, LATEST_BY + 0.5, 900.0]),
            "most": st.sampled_from([None, None, 1, 2]),
            "end": st.sampled_from(["commit", "commit", "commit", "fail", "rewind"]),
        }
    )
    return st.lists(run, min_size=1, max_size=12)
