"""Refusing where a source stands if that cannot be read: it must neither become a full load nor a bare ValueError."""

from __future__ import annotations

from scripts.helpers.watermarks.table.items import JobState, RunRecord
from scripts.helpers.watermarks.table.model import LATEST, broken
from scripts.helpers.watermarks.table.reads import TableReads
from scripts.helpers.watermarks.values.positions import position_part, read_position, source_view


def refuse_broken_sources(table: TableReads, of: JobState | RunRecord) -> None:
    """Refuse a state or a record of which a position or a window cannot be read, before anything builds on it.

    Raises:
        BrokenItemError: naming the item and the source.
    """
    # A run that failed may have tried a source that stands nowhere yet.
    whole = isinstance(of, JobState) or of.status == "SUCCEEDED"
    for name, source in of.sources.items():
        try:
            position = position_part(source)
            if whole or position:
                read_position(position)
            source_view(source)
        except ValueError as error:
            item_id = LATEST if isinstance(of, JobState) else of.run_id
            problem = f"cannot be read: {error}"
            raise broken(table.place.table_name, of.job_id, item_id, f"sources.{name}", problem) from error
