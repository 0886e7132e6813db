"""`doctor` on jobs: leases that ran out, items that cannot be read, items of the original class; and how it ends."""

from collections.abc import Iterator
from datetime import timedelta

from scripts.helpers.watermarks.doctor import examine
from tests.support.adding import add
from tests.support.runs import commit_run
from tests.support.tables import Clock, EmulatedTable
from tests.watermarks.cli.conftest import run_command
from tests.watermarks.doctor.conftest import not_ok


def test_lease__that_ran_out_is_named(table: EmulatedTable, clock: Clock) -> None:
    run = table.watermarks(clock=clock).job_run("repairs", "jr_gone", lease=timedelta(minutes=5)).begin()
    assert run._heartbeat is not None
    run._heartbeat.stop()

    found = not_ok(examine(table.watermarks()))["lease"]

    assert found.verdict == "warning"
    assert "'jr_gone' of job 'repairs'" in found.told


def damage(table: EmulatedTable) -> Iterator[tuple[str, str]]:
    """Damage one item of each of three jobs."""
    watermarks = table.watermarks()
    for job, item, change in (
        ("state", "#latest", {"version": {"S": "three"}}),
        ("run", "jr_1", {"status": {"S": "PERHAPS"}}),
        ("change", "#change/000000000002", {"changedBy": None}),
    ):
        commit_run(watermarks, job, "jr_1", up_to=10)
        watermarks.set_mark(job, "repairs", 20)
        table.edit(job, item, **change)
        yield job, item


def test_items__that_cannot_be_read_are_all_named(table: EmulatedTable) -> None:
    damaged = list(damage(table))
    add(table.watermarks(), "fine", "jr_1", value=1)

    told = [finding.told for finding in examine(table.watermarks()) if finding.check == "item"]

    assert len(told) == 3
    assert all(any(f"jobName={job!r}, runId={item!r}" in each for each in told) for job, item in damaged)


def test_items__of_one_job_that_cannot_be_read_are_all_named(table: EmulatedTable) -> None:
    watermarks = table.watermarks()
    for number in (1, 2, 3):
        commit_run(watermarks, "repairs", f"jr_{number}", up_to=10 * number)
    watermarks.set_mark("repairs", "repairs", 40)
    for run_id in ("jr_1", "jr_3"):
        table.edit("repairs", run_id, status={"S": "PERHAPS"})
    table.edit("repairs", "#change/000000000004", changedBy=None)

    told = [finding.told for finding in examine(watermarks, "repairs") if finding.check == "item"]

    items = ("jr_3", "jr_1", "#change/000000000004")
    assert [each.partition(" of table")[0] for each in told] == [
        f"Item jobName='repairs', runId={item!r}" for item in items
    ]


def test_items__of_the_original_class_are_pointed_out(table: EmulatedTable) -> None:
    table.put("repairs", "jr_old", watermarks={"M": {}})

    found = not_ok(examine(table.watermarks(), "repairs"))["older items"]

    assert found.verdict == "warning"
    assert found.remedy == "watermarks adopt repairs RUN"


def test_command__ends_with_1_only_for_a_problem(table: EmulatedTable) -> None:
    place = ("--table", table.name, "--endpoint-url", table.endpoint_url)
    healthy = run_command("doctor", "--json", *place)
    list(damage(table))
    sick = run_command("doctor", "--json", *place)

    assert (healthy.code, healthy.document["healthy"]) == (0, True)
    assert (sick.code, sick.document["healthy"]) == (1, False)
    assert all(set(each) == {"check", "verdict", "told", "remedy"} for each in sick.document["findings"])
    assert "✗" in run_command("doctor", *place).out
