"""Facts as CloudWatch takes them: which metrics there are, under which names, and how many fit into a request."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.helpers.watermarks.metrics.data import (
    MAX_DIMENSION,
    MOST_BYTES,
    MOST_METRICS,
    NAMESPACE,
    dimension_value,
    metric_data,
    requests,
)
from scripts.helpers.watermarks.metrics.facts import RunFacts, SourceFacts

EVERYTHING = RunFacts(
    "load-repairs",
    seconds=12.5,
    failed=False,
    empty=False,
    rows=308,
    sources={"repairs": SourceFacts(rows=300, late_rows=2, mark_age=60.0), "trades": SourceFacts(rows=8)},
)
PRINTABLE = string.digits + string.ascii_letters + string.punctuation + " "


def test_metrics__as_dashboards_and_alarms_know_them() -> None:
    data = [
        (each["MetricName"], [(d["Name"], d["Value"]) for d in each["Dimensions"]], each["Value"], each["Unit"])
        for each in metric_data(EVERYTHING)
    ]

    job = ("JobName", "load-repairs")
    assert NAMESPACE == "GlueWatermarks"
    assert data == [
        ("FailedRuns", [job], 0.0, "Count"),
        ("RunSeconds", [job], 12.5, "Seconds"),
        ("EmptyRuns", [job], 0.0, "Count"),
        ("RowsLoaded", [job], 308.0, "Count"),
        ("RowsLoaded", [job, ("Source", "repairs")], 300.0, "Count"),
        ("LateRows", [job, ("Source", "repairs")], 2.0, "Count"),
        ("MarkAgeSeconds", [job, ("Source", "repairs")], 60.0, "Seconds"),
        ("RowsLoaded", [job, ("Source", "trades")], 8.0, "Count"),
    ]


def test_metrics__what_is_not_known_is_left_out() -> None:
    assert metric_data(RunFacts("repairs", sources={"files": SourceFacts()})) == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("load-repairs", "load-repairs", id="usual"),
        pytest.param(":a /b%20 ~", ":a /b%20 ~", id="all-of-ascii-that-can-be-seen"),
        pytest.param("café", "caf%C3%A9", id="accent"),
        pytest.param("a\tb\x7f", "a%09b%7F", id="control-characters"),
        pytest.param("🚲", "%F0%9F%9A%B2", id="beyond-16-bits"),
        pytest.param("j" * 1_024, "j" * 1_024, id="longest"),
    ],
)
def test_names__what_cloudwatch_refuses_is_escaped(name: str, value: str) -> None:
    assert dimension_value(name) == value


def test_names__too_long_ones_stay_different() -> None:
    one, other = (dimension_value("j" * 2_000 + end) for end in "ab")

    assert len(one) == len(other) == MAX_DIMENSION
    assert one != other


@given(st.text(min_size=1, max_size=700).filter(str.strip))
def test_names__are_always_such_as_cloudwatch_takes(name: str) -> None:
    value = dimension_value(name)

    assert 1 <= len(value) <= MAX_DIMENSION
    assert value.strip()
    assert set(value) <= set(PRINTABLE)
    assert value == name or not set(name) <= set(PRINTABLE)


@given(st.lists(st.text(min_size=1, max_size=500).filter(lambda name: "%" not in name), unique=True, max_size=6))
def test_names__different_ones_stay_different(names: list[str]) -> None:
    assert len({dimension_value(name) for name in names}) == len(names)


def test_requests__one_for_a_usual_job() -> None:
    data = metric_data(EVERYTHING)

    assert list(requests(data)) == [data]


@given(
    sources=st.integers(0, 700),
    job=st.sampled_from(["j", "j" * MAX_DIMENSION]),
    source=st.sampled_from(["s", "s" * 240, "ü" * 120]),
)
def test_requests__stay_within_the_limits_and_lose_nothing(sources: int, job: str, source: str) -> None:
    facts = {f"{source}{number}": SourceFacts(rows=1, late_rows=0, mark_age=1.0) for number in range(sources)}
    data = metric_data(RunFacts(job, failed=False, sources=facts))

    found = list(requests(data))

    assert [datum for request in found for datum in request] == data
    assert all(len(request) <= MOST_METRICS for request in found)
    # As the oldest of boto3's protocols would send it, the longest of them: every name in full, escaped, with its path.
    assert all(sum(map(_as_query_bytes, request)) <= MOST_BYTES for request in found)


def _as_query_bytes(datum: dict[str, object]) -> int:
    from urllib.parse import urlencode

    member = "MetricData.member.1000"
    fields = {f"{member}.{name}": datum[name] for name in ("MetricName", "Value", "Unit")}
    dimensions = datum["Dimensions"]
    assert isinstance(dimensions, list)
    for number, dimension in enumerate(dimensions, start=1):
        fields |= {f"{member}.Dimensions.member.{number}.{name}": value for name, value in dimension.items()}
    return len(urlencode(fields)) + 1


counts = st.none() | st.integers(0, 9)
source_facts = st.builds(SourceFacts, counts, counts, st.none() | st.floats(0, 9))
run_facts = st.builds(RunFacts, st.just("j"), rows=counts, sources=st.dictionaries(st.sampled_from("ab"), source_facts))


@given(st.lists(run_facts, min_size=1, max_size=5))
def test_facts__put_together_count_everything_once_and_keep_the_last_age(steps: list[RunFacts]) -> None:
    together = steps[0]
    for step in steps[1:]:
        together = together.then(step)

    def total(values: list[int | None]) -> int | None:
        known = [value for value in values if value is not None]
        return sum(known) if known else None

    assert together.rows == total([step.rows for step in steps])
    assert set(together.sources) == {name for step in steps for name in step.sources}
    for name, source in together.sources.items():
        of_it = [step.sources[name] for step in steps if name in step.sources]
        ages = [each.mark_age for each in of_it if each.mark_age is not None]
        assert source.rows == total([each.rows for each in of_it])
        assert source.late_rows == total([each.late_rows for each in of_it])
        assert source.mark_age == (ages[-1] if ages else None)


def test_facts__how_a_run_ended_is_told_by_the_last_of_them() -> None:
    together = RunFacts("j", rows=3).then(RunFacts("j", seconds=9.0, failed=True, empty=None))

    assert together == RunFacts("j", seconds=9.0, failed=True, rows=3)
