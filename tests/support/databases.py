"""Tables of a database for tests of `new_jdbc_rows`: rows numbered from 1, with a value each."""

import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.frames import numbers
from tests.support.postgres import Postgres


@dataclass(frozen=True)
class Database:
    """A database, and how a test changes it behind Spark's back."""

    name: str
    url: str
    properties: Mapping[str, str]
    run: Callable[..., Any]
    server: Postgres | None = None
    table: str = field(default_factory=lambda: f"repairs_{uuid.uuid4().hex[:12]}")

    def create(self, data_type: str, values: Iterable[str | None] = ()) -> None:
        """Make the table of `n` and `value`."""
        self.run(f"CREATE TABLE {self.table} (n INT, value {data_type})")
        self.insert(values)

    def insert(self, values: Iterable[str | None], start: int = 1) -> None:
        """Add rows, numbered from `start`; values are SQL literals."""
        rows = [f"({n}, {'NULL' if each is None else each})" for n, each in enumerate(values, start)]
        for first in range(0, len(rows), 500):
            self.run(f"INSERT INTO {self.table} VALUES {', '.join(rows[first : first + 500])}")

    @property
    def options(self) -> dict[str, Any]:
        """What says `new_jdbc_rows` where the table is."""
        return {"url": self.url, "properties": dict(self.properties), "table": self.table}


def derby(spark: SparkSession) -> Database:
    """A Derby in the memory of Spark's own Java."""
    url = f"jdbc:derby:memory:{uuid.uuid4().hex};create=true"
    jvm: Any = spark._jvm

    def run(*statements: str) -> None:
        connection = jvm.java.sql.DriverManager.getConnection(url)
        try:
            for text in statements:
                statement = connection.createStatement()
                statement.execute(text)
                statement.close()
        finally:
            connection.close()

    return Database("derby", url, {}, run)


def on_postgres(server: Postgres) -> Database:
    return Database("postgresql", server.url, server.properties, server.run, server)


def load_table(
    spark: SparkSession, watermarks: Watermarks, job: str, database: Database, column: str = "value", **options: Any
) -> list[int]:
    """Have a run load what is new of the table, commit it, and tell which rows that was."""
    with reading(spark, watermarks, job, database, column, **options) as (_, frame):
        return numbers(frame)


@contextmanager
def reading(
    spark: SparkSession, watermarks: Watermarks, job: str, database: Database, column: str = "value", **options: Any
) -> Iterator[tuple[Any, Any]]:
    """A run that has read what is new of the table, and the frame of it."""
    with watermarks.job_run(job, f"jr_{uuid.uuid4().hex}") as run:
        given = {**database.options, "transformation_ctx": "repairs", **options}
        yield run, run.new_jdbc_rows(spark, column=column, **given)
