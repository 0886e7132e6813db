"""What is to be told of a run: plain facts, without any idea of where they come from or go to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class SourceFacts:
    """What a run loaded of one source, as far as it is known.

    Attributes:
        rows: how many rows were loaded.
        late_rows: how many of them were below the mark.
        mark_age: how many seconds the mark was old at the commit; None where the mark is no time.
    """

    rows: int | None = None
    late_rows: int | None = None
    mark_age: float | None = None

    def then(self, later: SourceFacts) -> SourceFacts:
        """Put together with what came later: counts add up, and the age is the later one."""
        return SourceFacts(
            rows=_sum(self.rows, later.rows),
            late_rows=_sum(self.late_rows, later.late_rows),
            mark_age=self.mark_age if later.mark_age is None else later.mark_age,
        )


@dataclass(frozen=True)
class RunFacts:
    """What happened to a job, as far as it is known.

    Attributes:
        job_id: the job.
        seconds: how long the run took; None while it goes on.
        failed: whether the run failed; None while it goes on.
        empty: whether the run loaded nothing.
        rows: how many rows were loaded, of the sources that count them.
        sources: what was loaded of each source.
    """

    job_id: str
    seconds: float | None = None
    failed: bool | None = None
    empty: bool | None = None
    rows: int | None = None
    sources: Mapping[str, SourceFacts] = field(default_factory=dict)

    def then(self, later: RunFacts) -> RunFacts:
        """Put together with what came later in the same run."""
        sources = dict(self.sources)
        for name, source in later.sources.items():
            sources[name] = sources[name].then(source) if name in sources else source
        return replace(later, rows=_sum(self.rows, later.rows), sources=sources)


def _sum(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other
