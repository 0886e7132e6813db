"""What a caller gives `new_jdbc_rows`: names of tables and columns do no harm, credentials are told to nobody."""

import json
import logging
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import InvalidArgumentError, JdbcTable, UnsupportedColumnError, Watermarks
from scripts.helpers.watermarks.sources.jdbc import JdbcSource
from tests.support.databases import Database, load_table
from tests.support.frames import mark, numbers, settings
from tests.support.postgres import PASSWORD, Postgres
from tests.support.tables import EmulatedTable

SECRET = "hunter2-of-the-database"


@pytest.fixture
def victim(postgres: Postgres) -> str:
    """A table that no test may harm."""
    postgres.run("CREATE TABLE IF NOT EXISTS victim (n INT)", "DELETE FROM victim", "INSERT INTO victim VALUES (1)")
    return "victim"


@pytest.mark.classic
@pytest.mark.parametrize(
    ("name", "column"),
    [
        pytest.param('"Repairs Of 2023"', "Last Modified", id="spaces-and-capitals"),
        pytest.param('"order"', "select", id="reserved-words"),
        pytest.param('"re""pairs"', "value", id="quotes"),
        pytest.param('"re.pairs"', "last.modified", id="dots"),
        pytest.param('"Räparaturen"', "geändert_am", id="umlauts"),
        pytest.param('public."Of A Schema"', "value", id="schema"),
        pytest.param("PLAIN", "VALUE", id="plain-names-in-another-case"),
        pytest.param("with space", "value", id="quoted-for-the-caller"),
    ],
)
def test_names(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, name: str, column: str
) -> None:
    table = f'"{name}"' if " " in name and '"' not in name else name
    stored = column if column != "VALUE" else column.lower()
    on_postgres.run(
        f"DROP TABLE IF EXISTS {table}",
        f'CREATE TABLE {table} (n INT, "{stored}" INT)',
        f"INSERT INTO {table} VALUES (1, 1), (2, 2), (3, 3)",
    )

    assert load_table(spark, watermarks, job, on_postgres, column, table=name, until=1) == [1]
    assert load_table(spark, watermarks, job, on_postgres, column, table=name, num_partitions=2) == [2, 3]
    assert mark(watermarks, job) == 3


@pytest.mark.classic
def test_names__that_differ_only_in_case(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database
) -> None:
    on_postgres.run(
        f'CREATE TABLE {on_postgres.table} (n INT, "VALUE" INT, value INT)',
        f"INSERT INTO {on_postgres.table} VALUES (1, 1, 10), (2, 2, 20)",
    )

    with settings(spark, {"spark.sql.caseSensitive": "true"}):
        assert load_table(spark, watermarks, job, on_postgres) == [1, 2]

    assert mark(watermarks, job) == 20


@pytest.mark.classic
@pytest.mark.parametrize(
    "table",
    [
        "victim; DROP TABLE victim",
        "victim WHERE 1=0; DROP TABLE victim; --",
        'victim"; DROP TABLE victim; --"',
        '"victim"; DROP TABLE victim; --"x"',
        '"victim" ; DROP TABLE victim',
        "victim) x; DROP TABLE victim; --",
        "victim, pg_catalog.pg_authid",
        "victim/**/x",
        "public.victim; DROP TABLE victim",
    ],
)
def test_injection__through_the_table(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, victim: str, table: str
) -> None:
    with pytest.raises(Exception, match=r"does not exist|must be a name") as told:
        load_table(spark, watermarks, job, on_postgres, "n", table=table)

    assert "syntax error" not in str(told.value)
    assert on_postgres.run(f"SELECT n FROM {victim}") == [[1]]


@pytest.mark.classic
@pytest.mark.parametrize("column", ['n"; DROP TABLE victim; --', "n) FROM victim; DROP TABLE victim; --", "*", "n + 1"])
def test_injection__through_the_column(
    spark: SparkSession, watermarks: Watermarks, job: str, on_postgres: Database, victim: str, column: str
) -> None:
    with pytest.raises(UnsupportedColumnError, match="There is no column"):
        load_table(spark, watermarks, job, on_postgres, column, table=victim)

    assert on_postgres.run(f"SELECT n FROM {victim}") == [[1]]


@pytest.mark.classic
def test_injection__through_values(spark: SparkSession, watermarks: Watermarks, job: str, database: Database) -> None:
    nasty = "'; DROP TABLE x; --"
    literal = "'" + nasty.replace("'", "''") + "'"
    database.create("VARCHAR(60)", [literal])
    assert load_table(spark, watermarks, job, database) == [1]
    database.insert(["'a''b'"], start=2)

    assert load_table(spark, watermarks, job, database) == [2]


@pytest.mark.parametrize(
    ("url", "name", "quoted"),
    [
        pytest.param("jdbc:postgresql://h/d", 'a"b', '"a""b"', id="postgresql"),
        pytest.param("jdbc:mysql://h/d", "a`b", "`a``b`", id="mysql"),
        pytest.param("jdbc:mariadb://h/d", "a`b", "`a``b`", id="mariadb"),
        pytest.param("jdbc:sqlserver://h;databaseName=d", "a]b", "[a]]b]", id="sqlserver"),
        pytest.param("jdbc:oracle:thin:@h:1521/d", 'a"b', '"a""b"', id="oracle"),
        pytest.param("jdbc:derby:memory:d", 'a"b', '"a""b"', id="derby"),
        pytest.param("JDBC:MySQL://h/d", "a`b", "`a``b`", id="whatever-the-case"),
        pytest.param("jdbc:redshift://h/d", 'a"b', '"a""b"', id="others"),
    ],
)
def test_quotes__of_each_dialect(url: str, name: str, quoted: str) -> None:
    spark: Any = None

    assert JdbcSource(spark, url, "t", {}, 1, None)._quote(name) == quoted


@pytest.mark.parametrize(
    ("url", "table", "sql"),
    [
        ("jdbc:mysql://h/d", "shop.my table", "shop.`my table`"),
        ("jdbc:mysql://h/d", "shop.`my.table`", "shop.`my.table`"),
        ("jdbc:mysql://h/d", "a`; DROP TABLE x; --`", "`a``; DROP TABLE x; --```"),
        ("jdbc:sqlserver://h", "dbo.[my.table]", "dbo.[my.table]"),
        ("jdbc:sqlserver://h", "[a]; DROP TABLE x; --]", "[[a]]; DROP TABLE x; --]]]"),
        ("jdbc:oracle:thin:@h", '"A".b', '"A".b'),
        ("jdbc:derby:d", "( SELECT 1 FROM a ) b", "( SELECT 1 FROM a ) b"),
    ],
)
def test_table__as_it_stands_in_sql(url: str, table: str, sql: str) -> None:
    spark: Any = None

    assert JdbcSource(spark, url, table, {}, 1, None).table_sql == sql


@pytest.mark.parametrize(
    ("options", "told"),
    [
        pytest.param({"url": None}, "url is needed, or connection", id="no-url"),
        pytest.param({"connection": {"fullUrl": "jdbc:derby:x"}}, "and not both", id="url-and-connection"),
        pytest.param({"url": f"postgresql://u:{SECRET}@h/d"}, "url must begin with jdbc:", id="no-jdbc-url"),
        pytest.param(
            {"url": None, "connection": {"user": "u"}}, "url must begin with jdbc:", id="no-url-in-connection"
        ),
        pytest.param({"table": " "}, "table must be a name", id="no-table"),
        pytest.param({"table": "a..b"}, "must be a name", id="empty-part"),
        pytest.param({"table": 'a"b'}, "must be a name", id="open-quote"),
        pytest.param({"num_partitions": 0}, "num_partitions must be a positive number, not 0", id="no-partitions"),
        pytest.param(
            {"num_partitions": True}, "num_partitions must be a positive number", id="partitions-of-another-type"
        ),
        pytest.param({"fetch_size": -1}, "fetch_size must be a positive number, not -1", id="fetch-size"),
        pytest.param({"properties": {"dbTable": "x"}}, "must not have 'dbTable'", id="another-table"),
        pytest.param({"properties": {"lowerBound": "1"}}, "must not have 'lowerBound'", id="bounds"),
        pytest.param({"properties": {"query": "SELECT 1"}}, "must not have 'query'", id="query"),
    ],
)
def test_options__that_do_not_fit(
    spark: SparkSession, watermarks: Watermarks, job: str, options: dict[str, Any], told: str
) -> None:
    given: dict[str, Any] = {"url": "jdbc:derby:memory:x", "table": "t", "column": "n", "transformation_ctx": "t"}

    with watermarks.job_run(job, "jr_1") as run, pytest.raises(InvalidArgumentError, match=told) as error:
        run.new_jdbc_rows(spark, **given | options)

    assert SECRET not in str(error.value) + repr(vars(error.value))


def test_secrets__are_not_shown_by_what_holds_them() -> None:
    hidden: Any = {"password": SECRET}
    spark: Any = None
    table = JdbcTable("t", url=f"jdbc:x://{SECRET}", connection=hidden, properties=hidden)
    source = JdbcSource(spark, f"jdbc:x://{SECRET}", "t", hidden, 1, None)

    assert SECRET not in f"{table!r} {table} {source!r} {source}"


@pytest.mark.classic
@pytest.mark.parametrize("kind", ["wrong-password", "nobody-there", "no-such-table", "no-such-driver", "no-such-url"])
def test_secrets__of_a_run_that_fails(
    spark: SparkSession,
    watermarks: Watermarks,
    moto_table: EmulatedTable,
    job: str,
    postgres: Postgres,
    caplog: pytest.LogCaptureFixture,
    kind: str,
) -> None:
    url, table, driver = f"{postgres.url}?user=watermarks&password={SECRET}", "nothing", "org.postgresql.Driver"
    if kind == "nobody-there":
        url = url.replace(str(postgres.port), "1")
    if kind == "no-such-table":
        url = url.replace(SECRET, PASSWORD)
    if kind == "no-such-driver":
        driver = "com.example.NoDriver"
    if kind == "no-such-url":
        url = f"jdbc:postgresql://watermarks:{SECRET}@127.0.0.1:x:y/d"
    options: dict[str, Any] = {"url": url, "table": table, "properties": {"driver": driver, "ssl_key": SECRET}}

    with (
        caplog.at_level(logging.DEBUG, logger="scripts"),
        pytest.raises(Exception, match=r"(?i)password|refused|not exist|NoDriver|not shown") as told,
        watermarks.job_run(job, "jr_1") as run,
    ):
        run.new_jdbc_rows(spark, column="n", transformation_ctx="repairs", **options)

    stored = json.dumps(moto_table.items(job), default=str)
    assert moto_table.item(job, "jr_1")["error"]["S"]
    for secret in (SECRET, PASSWORD):
        assert secret not in stored
        assert secret not in caplog.text
        assert secret not in str(told.value)


@pytest.mark.classic
def test_secrets__of_a_run_that_succeeds(
    spark: SparkSession,
    watermarks: Watermarks,
    moto_table: EmulatedTable,
    job: str,
    on_postgres: Database,
    caplog: pytest.LogCaptureFixture,
) -> None:
    on_postgres.create("INT", ["1"])
    url = f"{on_postgres.url}?user=watermarks&password={PASSWORD}"

    with caplog.at_level(logging.DEBUG, logger="scripts"), watermarks.job_run(job, "jr_1") as run:
        rows = run.new_jdbc_rows(spark, url=url, table=on_postgres.table, column="value", transformation_ctx="repairs")
        assert numbers(rows) == [1]

    told = caplog.text + json.dumps(moto_table.items(job), default=str) + str(run.window("repairs"))
    assert PASSWORD not in told
    assert "127.0.0.1" not in json.dumps(moto_table.items(job), default=str)
