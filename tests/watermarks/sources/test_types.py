"""Marks are exact: every type of column, to the last digit, microsecond and letter, and at the ends of its range."""

from datetime import date, datetime, timezone
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession

from scripts.helpers.watermarks import Watermarks
from tests.support.frames import frame, load, mark, needs_ntz, session_zone

UTC = timezone.utc

# Three neighbours of each type: nothing fits between them, and a mark that lost anything would take one for another.
NEIGHBOURS = [
    pytest.param(
        "timestamp",
        ["2023-03-16T11:59:58.999999Z", "2023-03-16T11:59:59Z", "2023-03-16T11:59:59.000001Z"],
        datetime(2023, 3, 16, 11, 59, 59, 1, tzinfo=UTC),
        id="timestamp",
    ),
    pytest.param(
        "timestamp",
        ["1969-12-31T23:59:59.999998Z", "1969-12-31T23:59:59.999999Z", "1970-01-01T00:00:00Z"],
        datetime(1970, 1, 1, tzinfo=UTC),
        id="timestamp-around-1970",
    ),
    pytest.param(
        "timestamp",
        ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000001Z", "0001-01-01T00:00:00.000002Z"],
        datetime(1, 1, 1, microsecond=2, tzinfo=UTC),
        id="timestamp-of-year-1",
    ),
    pytest.param(
        "timestamp",
        ["1582-10-04T12:00:00Z", "1582-10-10T12:00:00Z", "1582-10-15T12:00:00Z"],
        datetime(1582, 10, 15, 12, tzinfo=UTC),
        id="timestamp-in-days-the-julian-calendar-left-out",
    ),
    pytest.param(
        "timestamp_ntz",
        ["2023-03-16T11:59:58.999998", "2023-03-16T11:59:58.999999", "2023-03-16T11:59:59"],
        datetime(2023, 3, 16, 11, 59, 59),
        id="timestamp_ntz",
        marks=needs_ntz,
    ),
    pytest.param(
        "timestamp_ntz",
        ["0001-01-01T00:00:00", "0001-01-01T00:00:00.000001", "0001-01-01T00:00:00.100000"],
        datetime(1, 1, 1, microsecond=100_000),
        id="timestamp_ntz-of-year-1",
        marks=needs_ntz,
    ),
    pytest.param("date", ["2023-03-13", "2023-03-14", "2023-03-15"], date(2023, 3, 15), id="date"),
    pytest.param("date", ["0001-01-01", "0001-01-02", "0001-01-03"], date(1, 1, 3), id="date-of-year-1"),
    pytest.param("tinyint", ["-128", "-127", "127"], 127, id="tinyint"),
    pytest.param("smallint", ["-32768", "-32767", "32767"], 32767, id="smallint"),
    pytest.param("int", ["-2147483648", "0", "2147483647"], 2**31 - 1, id="int"),
    pytest.param(
        "bigint", ["9007199254740992", "9007199254740993", "9007199254740994"], 2**53 + 2, id="bigint-at-2^53"
    ),
    pytest.param("bigint", [str(-(2**63)), str(1 - 2**63), str(2**63 - 1)], 2**63 - 1, id="bigint-from-end-to-end"),
    pytest.param(
        "decimal(38,10)",
        [f"1234567890123456789012345678.000000000{digit}" for digit in (1, 2, 3)],
        Decimal("1234567890123456789012345678.0000000003"),
        id="decimal(38,10)",
    ),
    pytest.param("decimal(38,0)", ["-" + "9" * 38, "0", "9" * 38], Decimal("9" * 38), id="decimal(38,0)"),
    pytest.param(
        "decimal(38,38)", ["-0." + "9" * 38, "0", "0." + "0" * 37 + "1"], Decimal("1E-38"), id="decimal(38,38)"
    ),
    pytest.param("decimal(5,2)", ["-1.10", "-1.09", "1.00"], Decimal("1"), id="decimal(5,2)"),
    pytest.param("string", ["2023-03-15", "2023-03-16", "2023-03-16T12"], "2023-03-16T12", id="string-of-iso-dates"),
    pytest.param("string", ["", "A", "a"], "a", id="string-in-capitals"),
    pytest.param("string", ["O'Brien", "O'Brien\\", "O'Brien\\`"], "O'Brien\\`", id="string-with-quotes"),
    pytest.param("string", ["z", "é", "\uffee"], "\uffee", id="string-beyond-ascii"),
    pytest.param("string", ["\uffee", "😀", "😀\n"], "😀\n", id="string-beyond-16-bits"),
]


@pytest.mark.parametrize(("data_type", "values", "highest"), NEIGHBOURS)
def test_mark__tells_neighbours_apart(
    spark: SparkSession, watermarks: Watermarks, job: str, data_type: str, values: list[str], highest: Any
) -> None:
    source = frame(spark, data_type, values)

    assert load(watermarks, job, source.where("n <= 2")) == [1, 2]
    assert load(watermarks, job, source) == [3]

    found = mark(watermarks, job)
    assert (found, type(found)) == (highest, type(highest))
    assert load(watermarks, job, source) == []


@pytest.mark.parametrize(
    ("data_type", "values", "highest"),
    [
        pytest.param(
            "timestamp",
            ["9999-12-31T23:59:59.999998Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999-05:00"],
            "+10000-01-01T04:59:59.999999Z",
            id="timestamp-beyond-9999-in-utc",
        ),
        pytest.param(
            "timestamp_ntz",
            ["9999-12-31T23:59:59.999997", "9999-12-31T23:59:59.999998", "9999-12-31T23:59:59.999999"],
            datetime(9999, 12, 31, 23, 59, 59, 999_999),
            id="timestamp_ntz",
            marks=needs_ntz,
        ),
        pytest.param("date", ["9999-12-29", "9999-12-30", "9999-12-31"], date(9999, 12, 31), id="date"),
    ],
)
def test_mark__at_the_end_of_time(
    spark: SparkSession, watermarks: Watermarks, job: str, data_type: str, values: list[str], highest: Any
) -> None:
    source = frame(spark, data_type, values)

    with session_zone(spark, "America/New_York"):
        assert load(watermarks, job, source.where("n <= 2"), future="allow") == [1, 2]
    assert load(watermarks, job, source, future="allow") == [3]

    assert mark(watermarks, job) == highest


@pytest.mark.parametrize(
    ("data_type", "values", "bounds", "taken"),
    [
        pytest.param("tinyint", ["-128", "127"], {"until": 1_000}, [1, 2], id="until-above-tinyint"),
        pytest.param("tinyint", ["-128", "127"], {"initial_value": -1_000}, [1, 2], id="initial-below-tinyint"),
        pytest.param("int", ["-5", "5"], {"until": 2**40}, [1, 2], id="until-above-int"),
        pytest.param("bigint", ["-5", "5"], {"until": 10**30, "initial_value": -(10**30)}, [1, 2], id="beyond-bigint"),
        pytest.param("decimal(5,2)", ["1.00", "1.01"], {"until": Decimal("1.005")}, [1], id="until-between-decimals"),
        pytest.param("decimal(5,2)", ["1.00", "1.01"], {"initial_value": "1.005"}, [2], id="initial-between-decimals"),
        pytest.param("decimal(5,2)", ["1.00", "999.99"], {"until": 10**20}, [1, 2], id="until-above-decimal"),
        pytest.param("decimal(5,2)", ["-999.99", "1"], {"initial_value": -1_000}, [1, 2], id="initial-below-decimal"),
        pytest.param("decimal(38,0)", ["9" * 38, "1"], {"initial_value": "0.5"}, [1, 2], id="initial-of-finer-scale"),
        pytest.param("decimal(38,10)", ["1", "2"], {"until": Decimal(10) ** 37}, [1, 2], id="until-above-decimal-38"),
        pytest.param("decimal(38,10)", ["1", "2"], {"initial_value": -(10**37)}, [1, 2], id="initial-below-decimal-38"),
    ],
)
def test_bound__that_the_columns_type_cannot_hold(
    spark: SparkSession,
    watermarks: Watermarks,
    job: str,
    data_type: str,
    values: list[str],
    bounds: dict[str, Any],
    taken: list[int],
) -> None:
    assert load(watermarks, job, frame(spark, data_type, values), **bounds) == taken


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("int", "bigint", id="int-became-bigint"),
        pytest.param("bigint", "smallint", id="bigint-became-smallint"),
        pytest.param("decimal(10,2)", "decimal(38,10)", id="decimal-became-wider"),
        pytest.param("decimal(10,2)", "decimal(10,1)", id="decimal-became-coarser"),
    ],
)
def test_mark__when_the_column_is_widened(
    spark: SparkSession, watermarks: Watermarks, job: str, before: str, after: str
) -> None:
    load(watermarks, job, frame(spark, before, ["7", "8"]))

    assert load(watermarks, job, frame(spark, after, ["7", "8", "9"])) == [3]
