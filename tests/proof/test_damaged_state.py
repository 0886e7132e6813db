"""A state edited by hand in the console: an error that names item and attribute, for whoever builds on it.

It never means a full load, and the run that met it does not keep the job.
"""

from collections.abc import Callable
from typing import Any

import pytest

from scripts.helpers.watermarks import BrokenItemError, Watermarks
from tests.support.runs import PAUSE, commit_run, read_ids
from tests.support.tables import EmulatedTable, Wire

INTEGER = {"type": {"S": "integer"}, "column": {"S": "id"}}


def mark(**stored: Wire) -> Wire:
    """The sources of a job whose `repairs` was edited and whose `claims` was not."""
    return {"M": {"repairs": {"M": stored}, "claims": {"M": INTEGER | {"mark": {"N": "7"}}}}}


DAMAGED: list[tuple[str, str, dict[str, Wire | None], str]] = [
    # id, the attribute named, the edit, what is said of it
    ("version-missing", "version", {"version": None}, "is missing"),
    ("version-as-text", "version", {"version": {"S": "1"}}, "cannot be read from {'S': '1'}"),
    ("lastBatchId-missing", "lastBatchId", {"lastBatchId": None}, "is missing"),
    ("lastBatchId-as-text", "lastBatchId", {"lastBatchId": {"S": "1"}}, "cannot be read"),
    ("sources-missing", "sources", {"sources": None}, "is missing"),
    ("sources-as-list", "sources", {"sources": {"L": []}}, "cannot be read"),
    ("watermarks-missing", "watermarks", {"watermarks": None}, "is missing"),
    ("latestRunId-missing", "latestRunId", {"latestRunId": None}, "is missing"),
    ("updatedAt-missing", "updatedAt", {"updatedAt": None}, "is missing"),
    ("attempts-as-text", "attempts", {"attempts": {"S": "1"}}, "cannot be read"),
    ("future-attribute", "cursor", {"cursor": {"S": "x"}}, "is not known to this version of glue-watermarks"),
    ("mark-missing", "sources.repairs", {"sources": mark(**INTEGER)}, "has no mark"),
    ("mark-empty", "sources.repairs", {"sources": mark()}, "has no column, mark, type"),
    (
        "mark-as-text",
        "sources.repairs",
        {"sources": mark(**INTEGER, mark={"S": "10"})},
        "'10' is not a mark of type integer",
    ),
    (
        "mark-with-fraction",
        "sources.repairs",
        {"sources": mark(**INTEGER, mark={"N": "1.5"})},
        "not a mark of type integer",
    ),
    (
        "mark-of-another-type",
        "sources.repairs",
        {"sources": mark(column={"S": "id"}, type={"S": "date"}, mark={"N": "10"})},
        "is not a mark of type date",
    ),
    (
        "type-unknown",
        "sources.repairs",
        {"sources": mark(column={"S": "id"}, type={"S": "uuid"}, mark={"N": "10"})},
        "has the type 'uuid', which is none of timestamp,",
    ),
    (
        "column-as-number",
        "sources.repairs",
        {"sources": mark(column={"N": "1"}, type={"S": "integer"}, mark={"N": "10"})},
        "which is not text",
    ),
]
damaged = pytest.mark.parametrize(
    ("attribute", "edit", "problem"), [pytest.param(*case[1:], id=case[0]) for case in DAMAGED]
)
of_a_source = pytest.mark.parametrize(
    ("attribute", "edit", "problem"),
    [pytest.param(*case[1:], id=case[0]) for case in DAMAGED if case[1].startswith("sources.")],
)

Use = Callable[[Watermarks, str], Any]
CHANGES: dict[str, Use] = {
    "rewind": lambda watermarks, job: watermarks.rewind(job, "jr_1"),
    "reset": lambda watermarks, job: watermarks.reset(job),
    "reset-other-source": lambda watermarks, job: watermarks.reset(job, "claims"),
    "set": lambda watermarks, job: watermarks.set_mark(job, "repairs", 5),
    "set-other-source": lambda watermarks, job: watermarks.set_mark(job, "claims", 5),
    "forget": lambda watermarks, job: watermarks.forget(job),
}


@pytest.fixture(autouse=True)
def loaded(watermarks: Watermarks, job: str) -> None:
    """A job that has loaded two sources."""
    with watermarks.job_run(job, "jr_1") as run:
        read_ids(run, up_to=10)
        read_ids(run, up_to=7, source="claims")


def assert_names(error: BrokenItemError, job: str, item: str, attribute: str, problem: str) -> None:
    assert str(error).startswith(f"Item jobName={job!r}, runId={item!r} of table ")
    assert f"its attribute {attribute!r} " in str(error)
    assert problem in str(error)
    assert (error.job_id, error.item, error.attribute) == (job, item, attribute)


@damaged
def test_begin__refuses_and_does_not_keep_the_job(
    watermarks: Watermarks,
    local_table: EmulatedTable,
    job: str,
    attribute: str,
    edit: dict[str, Wire | None],
    problem: str,
) -> None:
    whole = local_table.item(job)
    local_table.edit(job, **edit)
    bad = local_table.item(job)

    for run_id in ("jr_2", "jr_2_attempt_1"):
        with pytest.raises(BrokenItemError) as failure, watermarks.job_run(job, run_id):
            pytest.fail("a run began on a state that nobody understands")
        assert_names(failure.value, job, "#latest", attribute, problem)

    found = local_table.item(job)
    assert "lease" not in found
    counted = ("attempts",)  # how often somebody tried: the only thing that a refused beginning may leave
    assert {name: found[name] for name in found if name not in counted} == {
        name: bad[name] for name in bad if name not in counted
    }
    # Mended, it goes on where it stood.
    local_table.edit(job, **{name: whole.get(name) for name in {*edit, "attempts"}})
    assert commit_run(watermarks, job, "jr_2", up_to=20) == 2
    assert next(watermarks.history(job))["sources"]["repairs"]["low"] == 10


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@of_a_source
def test_change__refuses(
    watermarks: Watermarks,
    local_table: EmulatedTable,
    job: str,
    change: Use,
    attribute: str,
    edit: dict[str, Wire | None],
    problem: str,
) -> None:
    local_table.edit(job, **edit)
    before = local_table.items(job)

    with pytest.raises(BrokenItemError) as failure:
        change(watermarks, job)

    assert_names(failure.value, job, "#latest", attribute, problem)
    assert local_table.items(job) == before


READS_OF_A_RECORD: dict[str, Use] = {
    "history": lambda watermarks, job: list(watermarks.history(job)),
    "rewind": lambda watermarks, job: watermarks.rewind(job, "jr_1"),
    "pause-from": lambda watermarks, job: watermarks.job_run(job, "jr_2", PAUSE, "jr_1", "jr_2").begin(),
    "pause-to": lambda watermarks, job: watermarks.job_run(job, "jr_2", PAUSE, "jr_2", "jr_1").begin(),
}


@pytest.mark.parametrize("use", READS_OF_A_RECORD.values(), ids=READS_OF_A_RECORD)
@of_a_source
def test_record__of_a_run_to_go_back_to(
    watermarks: Watermarks,
    local_table: EmulatedTable,
    job: str,
    use: Use,
    attribute: str,
    edit: dict[str, Wire | None],
    problem: str,
) -> None:
    commit_run(watermarks, job, "jr_2", up_to=20)
    local_table.edit(job, "jr_1", **edit)
    before = local_table.items(job)

    with pytest.raises(BrokenItemError) as failure:
        use(watermarks, job)

    assert_names(failure.value, job, "jr_1", attribute, problem)
    assert local_table.items(job) == before


def test_record__whose_sources_are_gone_is_no_way_back_to_a_full_load(
    watermarks: Watermarks, local_table: EmulatedTable, job: str
) -> None:
    commit_run(watermarks, job, "jr_2", up_to=20)
    local_table.edit(job, "jr_1", sources=None)

    with pytest.raises(BrokenItemError) as failure:
        watermarks.rewind(job, "jr_1")

    assert_names(failure.value, job, "jr_1", "sources", "is missing")
    assert watermarks.get_watermark_values(job) == {"repairs": 20, "claims": 7}
