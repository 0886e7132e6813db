"""A load with onETL, as its documentation has it: a DBReader with a HWM, inside an IncrementalStrategy."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from tests.support.postgres import PASSWORD, USER


@dataclass(frozen=True)
class OnetlLoad:
    """Loads a table of PostgreSQL; its HWM is a YAML file in a folder."""

    spark: Any
    port: int
    table: str
    column: str
    store: Path

    def __call__(self, target: str) -> None:
        """Load what is above the HWM into Parquet; the HWM moves when the block ends well."""
        from onetl.connection import Postgres
        from onetl.db import DBReader
        from onetl.strategy import IncrementalStrategy

        connection = Postgres(
            host="127.0.0.1", port=self.port, user=USER, password=PASSWORD, database="postgres", spark=self.spark
        )
        reader = DBReader(
            connection=connection,
            source=f"public.{self.table}",
            hwm=DBReader.AutoDetectHWM(name="repairs", expression=self.column),
        )
        with self._stored(), IncrementalStrategy():
            reader.run().write.mode("overwrite").parquet(target)

    def stand_at(self, mark: datetime) -> None:
        """Let the next load begin above the mark."""
        from etl_entities.hwm import ColumnDateTimeHWM

        with self._stored() as store:
            store.set_hwm(
                ColumnDateTimeHWM(
                    name="repairs",
                    entity=f"public.{self.table}",
                    expression=self.column,
                    value=mark.replace(tzinfo=None),
                )
            )

    def _stored(self) -> Any:
        from onetl.hwm.store import YAMLHWMStore

        return YAMLHWMStore(path=self.store)
