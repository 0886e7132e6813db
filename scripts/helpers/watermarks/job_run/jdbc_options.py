"""How a database table is named by a caller, checked before the database is asked. Nothing of it is ever logged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scripts.helpers.watermarks.errors import InvalidArgumentError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from scripts.helpers.watermarks.sources.jdbc import JdbcSource

# What new_jdbc_rows sets itself; a caller's would quietly win or lose against it.
OWN_OPTIONS = frozenset(
    {"url", "dbtable", "query", "partitioncolumn", "lowerbound", "upperbound", "numpartitions", "fetchsize"}
)
# What `glueContext.extract_jdbc_conf` gives, and what Spark calls it.
GLUE_NAMES = {"user": "user", "password": "password", "customJDBCDriverClassName": "driver"}


@dataclass(frozen=True)
class JdbcTable:
    """A table of a database, for `in_batches`.

    Attributes:
        table: `schema.table`, or a query as `(SELECT …) alias`.
        url: the JDBC address.
        connection: instead of url, the options of a Glue connection.
        num_partitions: how many connections read at once.
        fetch_size: how many rows a connection fetches at a time.
        properties: of the connection: user, password, driver ….
    """

    table: str
    url: str | None = field(default=None, repr=False)
    connection: Mapping[str, str] | None = field(default=None, repr=False)
    num_partitions: int | None = None
    fetch_size: int = 10_000
    properties: Mapping[str, str] | None = field(default=None, repr=False)


def jdbc_source(spark: SparkSession, asked: JdbcTable) -> JdbcSource:
    """Check what the caller gave, and prepare to read the table."""
    from scripts.helpers.watermarks.sources.jdbc import JdbcSource

    if (asked.url is None) == (asked.connection is None):
        _refuse("url", "is needed, or connection instead of it, and not both")
    if not isinstance(asked.table, str) or not asked.table.strip():
        _refuse("table", "must be a name (schema.table), or a query in brackets with an alias")
    for name, value in (("num_partitions", asked.num_partitions), ("fetch_size", asked.fetch_size)):
        if value is not None and (type(value) is not int or value < 1):
            _refuse(name, f"must be a positive number, not {value!r}")
    properties = {**_from_glue(asked.connection), **(asked.properties or {})}
    for name in properties:
        if name.lower() in OWN_OPTIONS:
            _refuse("properties", f"must not have {name!r}, which has an argument of its own or is worked out")
    url = asked.url or _glue_url(asked.connection or {})
    if not url.lower().startswith("jdbc:"):
        _refuse("url", "must begin with jdbc:, such as jdbc:postgresql://host/database")
    return JdbcSource(
        spark,
        url,
        asked.table,
        {name: str(value) for name, value in properties.items()},
        asked.fetch_size,
        asked.num_partitions,
    )


def _from_glue(connection: Mapping[str, str] | None) -> dict[str, str]:
    given = connection or {}
    return {spark_name: given[name] for name, spark_name in GLUE_NAMES.items() if given.get(name)}


def _glue_url(connection: Mapping[str, str]) -> str:
    return connection.get("fullUrl") or connection.get("url") or ""


def _refuse(argument: str, problem: str) -> None:
    raise InvalidArgumentError(f"{argument} {problem}.", argument=argument, value=None)
