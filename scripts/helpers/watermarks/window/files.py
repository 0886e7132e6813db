"""Which files a run takes, and what to remember of them.

Modification times alone lose files: on S3 they are whole seconds, and a multipart upload appears with the time at which
it began, behind files that were read already. So everything up to a *horizon* is done, and of the files read after it
a digest each is kept. The horizon follows the clock at the distance of the *band*, within which a file has to become
visible.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from scripts.helpers.watermarks.values.digests import digest_of

MICROS = 1_000_000


@dataclass(frozen=True, order=True, slots=True)  # a first load may list hundreds of thousands
class ListedFile:
    """A file as it was listed: when it was modified (microseconds since 1970), where it is, how long it is."""

    modified: int
    path: str
    length: int

    @property
    def second(self) -> int:
        """The second in which the file was modified."""
        return self.modified // MICROS

    @property
    def digest(self) -> bytes:
        """What tells this version of the file from any other."""
        return digest_of(self.path, self.modified, self.length)


@dataclass(frozen=True)
class Listing:
    """The files that were found, each once.

    Attributes:
        files: the files.
        complete: whether all of the paths were there to look at.
        hidden: how many more there are that nobody wrote as data, and that Spark would read.
    """

    files: frozenset[ListedFile]
    complete: bool = True
    hidden: int = 0

    def within(self, after: int | None, before: int | None) -> frozenset[ListedFile]:
        """Give the files that were modified after one second and before another, where they are given."""
        low, high = -math.inf if after is None else after, math.inf if before is None else before
        return frozenset(file for file in self.files if low < file.second < high)


@dataclass(frozen=True)
class FilePlan:
    """What a run takes, and where the source stands after it.

    Attributes:
        taken: the files to read, oldest first.
        left: how many new files are left for the next run.
        horizon: the second up to which everything is done; None if nothing is.
        digests: of the files read after the horizon.
    """

    taken: tuple[ListedFile, ...]
    left: int
    horizon: int | None
    digests: frozenset[bytes]


def plan_files(
    listing: Listing,
    *,
    horizon: int | None,
    known: frozenset[bytes],
    listed_at: datetime,
    band: timedelta,
    max_files: int | None = None,
) -> FilePlan:
    """Choose the files to take.

    Args:
        listing: the files there are, at least those after the horizon. While a path is not there, nothing can be said
            of it, and it may come back as it was: the horizon stays, and no file is forgotten.
        horizon: the second up to which everything is done; None if nothing is.
        known: digests of the files already read after the horizon.
        listed_at: when the listing began.
        band: within which time of its modification a file becomes visible.
        max_files: how many to take at most, oldest first. Files of one second stay together, also where they are more.

    Returns:
        The plan.
    """
    candidates = [file for file in listing.files if horizon is None or file.second > horizon]
    new = sorted(file for file in candidates if not known or file.digest not in known)
    taken = new if max_files is None else _whole_seconds(new, max_files)
    if not listing.complete:
        done = known | {file.digest for file in taken}
        return FilePlan(tuple(taken), len(new) - len(taken), horizon, done)
    # The last second that was over by then: times are cut to seconds, so the one that was not can still gain files.
    reached = math.floor((listed_at - band).timestamp()) - 1
    if len(taken) < len(new):
        reached = min(reached, taken[-1].second)
    if horizon is not None:
        reached = max(reached, horizon)
    # Of a first load of thousands, only the last few are worth a digest.
    kept = {file.digest for file in taken if file.second > reached}
    if known:
        kept |= known & {file.digest for file in candidates if file.second > reached}
    return FilePlan(tuple(taken), len(new) - len(taken), reached, frozenset(kept))


def covered_between(
    listed: Iterable[ListedFile],
    *,
    after: tuple[int | None, frozenset[bytes]],
    up_to: tuple[int | None, frozenset[bytes]],
) -> tuple[ListedFile, ...]:
    """Give the files that were done at one position of a source and not yet at an earlier one."""
    return tuple(sorted(file for file in listed if _is_done(file, *up_to) and not _is_done(file, *after)))


def _is_done(file: ListedFile, horizon: int | None, digests: frozenset[bytes]) -> bool:
    return (horizon is not None and file.second <= horizon) or file.digest in digests


def _whole_seconds(files: list[ListedFile], most: int) -> list[ListedFile]:
    taken: list[ListedFile] = []
    for _, of_one_second in groupby(files, key=lambda file: file.second):
        together = list(of_one_second)
        if taken and len(taken) + len(together) > most:
            break
        taken += together
    return taken
