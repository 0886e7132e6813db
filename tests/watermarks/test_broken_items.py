"""Items that somebody edited by hand: an error that names item and attribute, never a fresh start."""

from collections.abc import Callable, Iterator

import pytest

from scripts.helpers.watermarks import BrokenItemError, Watermarks
from scripts.helpers.watermarks.table import Lease
from tests.support.adding import add
from tests.support.tables import NOON, EmulatedTable, Wire, new_table

Case = tuple[str, str, dict[str, Wire | None], str]

MALFORMED: list[Case] = [
    # id, the attribute that the error names, the edit, what the error says of it
    ("version-as-text", "version", {"version": {"S": "1"}}, "cannot be read from {'S': '1'}"),
    ("version-with-fraction", "version", {"version": {"N": "1.5"}}, "is 1.5, not a whole number"),
    ("version-negative", "version", {"version": {"N": "-1"}}, "is -1, not a whole number"),
    ("version-null", "version", {"version": {"NULL": True}}, "is null"),
    ("watermarks-missing", "watermarks", {"watermarks": None}, "is missing"),
    ("watermarks-as-text", "watermarks", {"watermarks": {"S": "808"}}, "cannot be read from {'S': '808'}"),
    ("watermarks-as-list", "watermarks", {"watermarks": {"L": []}}, "cannot be read"),
    ("types-as-text", "watermarkTypes", {"watermarkTypes": {"S": "date"}}, "cannot be read"),
    ("types-of-a-number", "watermarkTypes", {"watermarkTypes": {"M": {"/day": {"N": "1"}}}}, "no text at '/day'"),
    ("type-unknown", "watermarks", {"watermarkTypes": {"M": {"/day": {"S": "week"}}}}, "/day: unknown type 'week'"),
    (
        "value-not-of-its-type",
        "watermarks",
        {"watermarks": {"M": {"day": {"S": "Thursday"}}}},
        "/day: 'Thursday' is not of type date",
    ),
    ("sources-as-list", "sources", {"sources": {"L": []}}, "cannot be read"),
    ("source-as-text", "sources", {"sources": {"M": {"repairs": {"S": "x"}}}}, "a map for source 'repairs'"),
    ("commitId-as-number", "commitId", {"commitId": {"N": "1"}}, "cannot be read"),
    ("unknown-attribute", "colour", {"colour": {"S": "red"}}, "is not known to this version of glue-watermarks"),
]

OF_THE_STATE: list[Case] = [
    ("version-missing", "version", {"version": None}, "is missing"),
    ("lastBatchId-missing", "lastBatchId", {"lastBatchId": None}, "is missing"),
    ("lastBatchId-as-text", "lastBatchId", {"lastBatchId": {"S": "0"}}, "cannot be read"),
    ("sources-missing", "sources", {"sources": None}, "is missing"),
    ("updatedAt-missing", "updatedAt", {"updatedAt": None}, "is missing"),
    ("updatedAt-of-another-form", "updatedAt", {"updatedAt": {"S": "16/03/2023"}}, "cannot be read"),
    ("latestRunId-missing", "latestRunId", {"latestRunId": None}, "is missing"),
    ("latestRunId-as-number", "latestRunId", {"latestRunId": {"N": "1"}}, "cannot be read"),
    ("attempts-as-text", "attempts", {"attempts": {"S": "1"}}, "cannot be read"),
    ("lease-as-text", "lease", {"lease": {"S": "jr_1"}}, "cannot be read"),
    ("lease-half", "lease", {"lease": {"M": {"token": {"S": "t"}}}}, "cannot be read (KeyError('runId'))"),
    (
        "lease-without-end",
        "lease",
        {"lease": {"M": {"token": {"S": "t"}, "runId": {"S": "r"}, "since": {"S": "x"}, "until": {"S": "x"}}}},
        "cannot be read",
    ),
]

OF_A_RECORD: list[Case] = [
    ("version-missing", "version", {"version": None}, "is missing"),
    ("status-missing", "status", {"status": None}, "is missing"),
    ("status-unknown", "status", {"status": {"S": "RUNNING"}}, "is 'RUNNING', not SUCCEEDED or FAILED"),
    ("batchId-as-text", "batchId", {"batchId": {"S": "1"}}, "cannot be read"),
    ("startedAt-of-another-form", "startedAt", {"startedAt": {"S": "noon"}}, "cannot be read"),
    ("expiresAt-as-text", "expiresAt", {"expiresAt": {"S": "never"}}, "cannot be read"),
]

Use = Callable[[Watermarks, str], object]
USES_OF_THE_STATE: list[Use] = [
    lambda watermarks, job: watermarks.get_most_recent_run_id(job),
    lambda watermarks, job: watermarks.get_watermark(job),
    lambda watermarks, job: add(watermarks, job, "jr_2", rows_collected=1),
    lambda watermarks, job: watermarks.adopt(job, "jr_1"),
    lambda watermarks, job: watermarks._table.take(job, Lease("token", "jr_2", NOON, NOON)),
]


def params(*cases: Case) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("attribute", "edit", "problem"), [pytest.param(*c, id=name) for name, *c in cases])


@pytest.fixture(scope="module")
def moto_table(moto_endpoint: str) -> EmulatedTable:
    """A table of its own: a broken state stops whoever lists the jobs."""
    return new_table(moto_endpoint)


@pytest.fixture(scope="module")
def on_moto(moto_table: EmulatedTable) -> Watermarks:
    return moto_table.watermarks()


@pytest.fixture
def broken_job(on_moto: Watermarks, moto_table: EmulatedTable, job: str) -> Iterator[str]:
    add(on_moto, job, "jr_1", day=NOON.date())
    yield job
    moto_table.delete(job, "#latest")


def assert_names(error: BrokenItemError, job: str, item: str, attribute: str, problem: str) -> None:
    message = str(error)
    assert message.startswith(f"Item jobName={job!r}, runId={item!r} of table ")
    assert f"its attribute {attribute!r} " in message
    assert problem in message
    assert "\n" not in message
    assert (error.job_id, error.item, error.attribute) == (job, item, attribute)


@params(*MALFORMED, *OF_THE_STATE)
def test_state__broken_by_hand(
    on_moto: Watermarks,
    moto_table: EmulatedTable,
    broken_job: str,
    attribute: str,
    edit: dict[str, Wire | None],
    problem: str,
) -> None:
    moto_table.edit(broken_job, **edit)

    # Again and again: the first refusal must not have mended it into a fresh start.
    for use in USES_OF_THE_STATE * 2:
        with pytest.raises(BrokenItemError) as failure:
            use(on_moto, broken_job)
        assert_names(failure.value, broken_job, "#latest", attribute, problem)
    assert moto_table.item(broken_job, "jr_1")["version"] == {"N": "1"}
    assert moto_table.item(broken_job).get("lease") == edit.get("lease")
    assert moto_table.count(broken_job) == 2


@params(*MALFORMED, *OF_A_RECORD)
def test_record__broken_by_hand(
    on_moto: Watermarks,
    moto_table: EmulatedTable,
    broken_job: str,
    attribute: str,
    edit: dict[str, Wire | None],
    problem: str,
) -> None:
    moto_table.edit(broken_job, "jr_1", **edit)

    with pytest.raises(BrokenItemError) as failure:
        on_moto.get_watermark(broken_job, "jr_1")
    assert_names(failure.value, broken_job, "jr_1", attribute, problem)
    with pytest.raises(BrokenItemError) as failure:
        list(on_moto.history(broken_job))
    assert_names(failure.value, broken_job, "jr_1", attribute, problem)
    (shown,) = on_moto.history(broken_job, with_broken=True)
    assert {shown[name] for name in ("runId", "item")} == {"jr_1"}
    assert (shown["jobName"], shown["status"], shown["problem"]) == (broken_job, "BROKEN", str(failure.value))


def test_state__broken_by_hand_and_mended(on_moto: Watermarks, moto_table: EmulatedTable, broken_job: str) -> None:
    good = moto_table.item(broken_job)
    moto_table.edit(broken_job, version=None, sources=None)
    for use in USES_OF_THE_STATE:
        with pytest.raises(BrokenItemError):
            use(on_moto, broken_job)

    moto_table.edit(broken_job, version=good["version"], sources=good["sources"])

    assert moto_table.item(broken_job) == good
    assert on_moto.get_most_recent_run_id(broken_job) == "jr_1"


def test_item__neither_ours_nor_of_the_original_class(on_moto: Watermarks, moto_table: EmulatedTable, job: str) -> None:
    moto_table.put(job, "jr_1")

    with pytest.raises(BrokenItemError) as failure:
        on_moto.get_watermark(job, "jr_1")
    assert_names(failure.value, job, "jr_1", "watermarks", "is missing")


def test_jobs__a_broken_state_is_named(on_moto: Watermarks, moto_table: EmulatedTable, broken_job: str) -> None:
    moto_table.edit(broken_job, watermarks={"M": {"day": {"S": "Thursday"}}})

    with pytest.raises(BrokenItemError) as failure:
        list(on_moto.jobs())

    assert_names(failure.value, broken_job, "#latest", "watermarks", "/day: 'Thursday' is not of type date")
    moto_table.edit(broken_job, watermarks={"M": {"day": {"S": "2023-03-16"}}})
    assert broken_job in {each["jobName"] for each in on_moto.jobs()}


def test_history__as_far_as_it_can_be_read(on_moto: Watermarks, moto_table: EmulatedTable, broken_job: str) -> None:
    for number in range(2, 7):
        add(on_moto, broken_job, f"jr_{number}", rows_collected=number)
    moto_table.edit(broken_job, "jr_1", version={"S": "1"})  # pynamodb cannot make a model of it
    moto_table.edit(broken_job, "jr_4", status={"S": "PERHAPS"})  # we cannot make a record of it
    moto_table.edit(broken_job, "jr_6", sources={"M": {"repairs": {"M": {}}}})  # no position can be made of it

    for limit, runs in ((None, [6, 5, 4, 3, 2, 1]), (4, [6, 5, 4, 3]), (1, [6])):
        found = list(on_moto.history(broken_job, limit, with_broken=True))
        assert [run["runId"] for run in found] == [f"jr_{number}" for number in runs]
        assert [run["runId"] for run in found if run["status"] == "BROKEN"] == [
            f"jr_{number}" for number in runs if number in (1, 4, 6)
        ]


def test_changes__as_far_as_they_can_be_read(on_moto: Watermarks, moto_table: EmulatedTable, broken_job: str) -> None:
    for mark in (10, 20, 30):
        on_moto.set_mark(broken_job, "repairs", mark)
    moto_table.edit(broken_job, "#change/000000000003", changedBy=None)

    with pytest.raises(BrokenItemError) as failure:
        list(on_moto.changes(broken_job))
    found = list(on_moto.changes(broken_job, with_broken=True))

    assert [(change["version"], change["operation"]) for change in found] == [(4, "set"), (3, "BROKEN"), (2, "set")]
    assert (found[1]["item"], found[1]["problem"]) == ("#change/000000000003", str(failure.value))
    assert set(found[0]) <= set(found[1])


def test_broken__has_the_names_that_every_run_has(
    on_moto: Watermarks, moto_table: EmulatedTable, broken_job: str
) -> None:
    (whole,) = on_moto.history(broken_job)
    moto_table.edit(broken_job, "jr_1", status={"S": "PERHAPS"})
    (broken,) = on_moto.history(broken_job, with_broken=True)

    always = {"jobName", "runId", "watermarks", "status", "version", "recordedAt"}
    assert always <= set(whole)
    assert set(broken) == always | {"item", "problem"}
