"""Refusing where a source stands if that cannot be read: it must neither become a full load nor a bare ValueError."""

from __future__ import annotations

from collections.abc import Iterator

from scripts.helpers.watermarks.table.items import Change, JobState, RunRecord
from scripts.helpers.watermarks.table.model import LATEST, broken
from scripts.helpers.watermarks.table.reads import TableReads
from scripts.helpers.watermarks.values import Stored
from scripts.helpers.watermarks.values.positions import position_part, read_position, source_view


def refuse_broken_sources(table: TableReads, of: JobState | RunRecord | Change) -> None:
    """Refuse an item of which a position or a window cannot be read, before anything builds on it.

    Raises:
        BrokenItemError: naming the item and the source.
    """
    # A run that failed may have tried a source that stands nowhere yet.
    whole = not isinstance(of, RunRecord) or of.status == "SUCCEEDED"
    for name, source in _sources_of(of):
        try:
            position = position_part(source)
            if whole or position:
                read_position(position)
            source_view(source)
        except ValueError as error:
            item_id = LATEST if isinstance(of, JobState) else of.item_id
            problem = f"cannot be read: {error}"
            raise broken(table.place.table_name, of.job_id, item_id, name, problem) from error


def _sources_of(of: JobState | RunRecord | Change) -> Iterator[tuple[str, Stored]]:
    """Give each position that an item holds, with the attribute that holds it."""
    holders = (of.sources,) if isinstance(of, (JobState, RunRecord)) else (of.before, of.after)
    paths = ("sources",) if isinstance(of, (JobState, RunRecord)) else ("before.sources", "after.sources")
    for path, holder in zip(paths, holders, strict=True):
        sources = holder if path == "sources" else holder.get("sources")
        if isinstance(sources, dict):
            yield from ((f"{path}.{name}", source) for name, source in sources.items())
