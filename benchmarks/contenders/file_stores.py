"""Marks kept in a file: onETL's YAML store, and a JSON file as somebody would write it by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path


@dataclass(frozen=True)
class OnetlYaml:
    """One HWM in onETL's own store."""

    folder: Path

    def mark(self) -> datetime:
        """Look the mark up."""
        from onetl.hwm.store import YAMLHWMStore

        hwm = YAMLHWMStore(path=self.folder).get_hwm("repairs")
        if hwm is None:
            raise LookupError("onETL's store has no HWM.")
        found: datetime = hwm.value
        return found

    def record(self, mark: datetime) -> None:
        """Move the mark."""
        from etl_entities.hwm import ColumnDateTimeHWM
        from onetl.hwm.store import YAMLHWMStore

        hwm = ColumnDateTimeHWM(name="repairs", entity="public.repairs", expression="last_modified", value=mark)
        YAMLHWMStore(path=self.folder).set_hwm(hwm)


@dataclass(frozen=True)
class JsonFile:
    """One mark in a file that is replaced as a whole."""

    path: Path

    def mark(self) -> datetime:
        """Look the mark up."""
        return datetime.fromisoformat(json.loads(self.path.read_text(encoding="utf-8"))["mark"])

    def record(self, mark: datetime) -> None:
        """Move the mark."""
        fresh = self.path.with_suffix(".new")
        fresh.write_text(json.dumps({"mark": mark.isoformat()}), encoding="utf-8")
        fresh.replace(self.path)
