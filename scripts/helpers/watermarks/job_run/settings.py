"""What a run was asked to be, checked before anything is read or taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, TypeAlias

from scripts.helpers.watermarks.errors import InvalidArgumentError
from scripts.helpers.watermarks.job_run.modes import BookmarkOption, check_options
from scripts.helpers.watermarks.values.ids import require_job_id, require_metrics, require_run_id

# Renewed every third, and given up a sixth before its end: a shorter one would be lost to a slow request.
SHORTEST_LEASE = timedelta(seconds=1)

Phase: TypeAlias = Literal["new", "open", "committed", "failed"]


@dataclass(frozen=True)
class RunSettings:
    """What a run was asked to be; raises `InvalidArgumentError` where that cannot be."""

    job_id: str
    run_id: str
    option: BookmarkOption
    bookmark_from: str | None
    bookmark_to: str | None
    lease: timedelta
    wait: timedelta | None
    retention: timedelta | None
    clock: Callable[[], datetime]
    metrics: bool | None = None

    def __post_init__(self) -> None:
        """Refuse what does not fit."""
        check_options(self.option, self.bookmark_from, self.bookmark_to)
        require_job_id(self.job_id)
        require_run_id(self.run_id)
        _require_span("lease", self.lease, at_least=SHORTEST_LEASE)
        if self.wait is not None:
            _require_span("wait", self.wait, at_least=timedelta(0))
        require_metrics(self.metrics)


def _require_span(argument: str, value: object, *, at_least: timedelta) -> None:
    if not isinstance(value, timedelta) or value < at_least:
        raise InvalidArgumentError(
            f"{argument} {value!r} must be a timedelta of at least {at_least.total_seconds():g} seconds.",
            argument=argument,
            value=value,
        )
