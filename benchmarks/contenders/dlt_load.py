"""A load with dlt, as its documentation has it: `sql_table` with a cursor, the pyarrow backend, Parquet."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.support.postgres import PASSWORD, USER


@dataclass(frozen=True)
class DltLoad:
    """Loads a table of PostgreSQL into Parquet files of a folder; its state is in the folder and in `home`."""

    port: int
    table: str
    column: str
    home: Path

    def __call__(self, target: Path, *, above: datetime | None = None, up_to: datetime | None = None) -> None:
        """Load what is above dlt's own state into the target, beginning above a value where there is none."""
        os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
        os.environ["RUNTIME__LOG_LEVEL"] = "ERROR"
        import dlt
        from dlt.sources.sql_database import sql_table

        def bounded(query: Any, _: Any, *__: Any) -> Any:
            return query if up_to is None else query.where(query.selected_columns[self.column] <= up_to)

        pipeline = dlt.pipeline(
            "repairs",
            pipelines_dir=str(self.home),
            destination=dlt.destinations.filesystem(bucket_url=target.as_uri()),
            dataset_name="loaded",
        )
        rows = sql_table(
            credentials=f"postgresql+psycopg2://{USER}:{PASSWORD}@127.0.0.1:{self.port}/postgres",
            table=self.table,
            backend="pyarrow",
            # Open, and without looking for rows of the same value: what the others do.
            incremental=dlt.sources.incremental(self.column, initial_value=above, range_start="open"),
            query_adapter_callback=bounded,
        )
        pipeline.run(rows, loader_file_format="parquet").raise_on_failed_jobs()
