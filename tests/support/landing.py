"""A folder in which files land with made-up times, and a job that loads what is new in it."""

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from scripts.helpers.watermarks import JobRun, Watermarks
from tests.support.frames import numbers
from tests.support.tables import Clock

HOUR = 3_600


@dataclass(frozen=True)
class Landing:
    """Files are rows of `n` as JSON, unless told otherwise; the job's only source is `claims`."""

    spark: SparkSession
    watermarks: Watermarks
    job: str
    clock: Clock
    folder: Path

    @property
    def path(self) -> str:
        return str(self.folder)

    def put(self, name: str, *rows: int, ago: float = HOUR) -> Path:
        """Let a file land that was modified so many seconds ago."""
        return self.write(name, "".join(json.dumps({"n": n}) + "\n" for n in rows), ago=ago)

    def write(self, name: str, text: str, *, ago: float = HOUR) -> Path:
        """Let a file land with some text in it."""
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        self.age(file, ago)
        return file

    def age(self, file: Path, ago: float) -> None:
        """Let a file have been modified so many seconds ago."""
        modified = int((self.clock.now.timestamp() - ago) * 1_000) * 1_000_000
        os.utime(file, ns=(modified, modified))

    def new(self, run: JobRun, path: Any = None, **options: Any) -> Any:
        """The frame of new files that a run gets."""
        usual: dict[str, Any] = {"format": "json", "transformation_ctx": "claims", "schema": "n INT"}
        return run.new_files(self.spark, self.path if path is None else path, **usual | options)

    def load(self, path: Any = None, *, run_id: str | None = None, **options: Any) -> list[int]:
        """Have a run load what is new, commit it, and tell which rows that was."""
        with self.watermarks.job_run(self.job, run_id or f"jr_{uuid.uuid4().hex}") as run:
            return numbers(self.new(run, path, **options))

    def fail(self, path: Any = None, **options: Any) -> list[int]:
        """Have a run load what is new, fail, and tell which rows that was."""
        run = self.watermarks.job_run(self.job, f"jr_{uuid.uuid4().hex}").begin()
        taken = numbers(self.new(run, path, **options))
        run.fail("made up by a test")
        return taken

    def look(self, path: Any = None, **settings: Any) -> list[int]:
        """Have a run that never commits tell what it gets."""
        with self.watermarks.job_run(self.job, f"jr_{uuid.uuid4().hex}", **settings) as run:
            return numbers(self.new(run, path))

    def mark(self) -> object:
        """The mark that the last run left."""
        values = self.watermarks.get_watermark_values(self.job)
        return None if values is None else values["claims"]

    def position(self) -> dict[str, Any]:
        """Where the source stands, as it is stored."""
        state = self.watermarks._table.state(self.job)
        assert state is not None
        position: Any = state.sources["claims"]
        return dict(position)

    def digests(self) -> int:
        """How many files are remembered."""
        item_id = self.position()["digests"]
        packed = None if item_id is None else self.watermarks._table.digests(self.job, item_id)
        return len(packed or b"") // 8


@contextmanager
def hook(owner: Any, name: str, then: Any) -> Iterator[None]:
    """Have something happen right after each call of a function, before its result is used."""
    original = getattr(owner, name)

    def hooked(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        then()
        return result

    setattr(owner, name, hooked)
    try:
        yield
    finally:
        setattr(owner, name, original)
