"""The named values of one run, as the playbook reads them: `watermark["watermarks"]["latest_data"]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from scripts.helpers.watermarks.errors import UnknownNameError


class WatermarkValues(dict[str, Any]):
    """A plain dict, except that a name it does not hold is answered with the names it does hold."""

    def __init__(self, values: Mapping[str, object], *, job_id: str | None = None, run_id: str | None = None) -> None:
        """Take the values, and the job and run to name in an error."""
        super().__init__(values)
        self.job_id = job_id
        self.run_id = run_id

    def __missing__(self, name: str) -> NoReturn:
        """Say which names were recorded, since a wrong name is usually a misspelt one."""
        recorded = tuple(self)
        listed = ", ".join(repr(each) for each in recorded) or "none"
        raise UnknownNameError(
            f"Run {self.run_id!r} of job {self.job_id!r} recorded no watermark named {name!r}. Recorded: {listed}.",
            name=name,
            recorded=recorded,
        )

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle and copy as the dict it is, with its job and run."""
        return _rebuild, (dict(self), self.job_id, self.run_id)


def _rebuild(values: dict[str, object], job_id: str | None, run_id: str | None) -> WatermarkValues:
    return WatermarkValues(values, job_id=job_id, run_id=run_id)
