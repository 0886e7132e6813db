"""The platform's playbook page, word for word in its calls, run after run."""

import random
import sys
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.helpers.watermarks import UnknownNameError, Watermarks
from tests.support.tables import run_id

# The page's code blocks, one after the other. Its last line reads a name that it never recorded.
SCRIPT = """
import sys
from scripts.helpers.watermarks import Watermarks

watermarks = Watermarks(table_name="glue-watermarks")

###The getResolvedOptions method allows us to access the job name and run id from within the Glue job
from awsglue.utils import getResolvedOptions
args = getResolvedOptions(sys.argv)
job_run_id = args["JOB_RUN_ID"]
job_name = args["JOB_NAME"]

last_processed_data = "2023-03-16 15:45:00"
watermark_item = watermarks.create_watermark_item(job_id=job_name, run_id=job_run_id, latest_data=last_processed_data)

rows_count = 808
watermark_item = watermarks.create_watermark_item(job_id=job_name, run_id=job_run_id, latest_data=last_processed_data, rows_collected=rows_count)

watermarks.add_watermark(watermark_item)

most_recent_run_id = watermarks.get_most_recent_run_id(job_id=job_name)
watermark = watermarks.get_watermark(job_id=job_name, run_id=most_recent_run_id)
last_processed_date = watermark["watermarks"]["last_processed_date"]
"""  # noqa: E501

RUN_IDS = [run_id(number) for number in range(6)]
SHUFFLED = random.Random(2).sample(RUN_IDS, k=6)
ORDERS = pytest.mark.parametrize(
    "run_ids",
    [
        pytest.param(sorted(RUN_IDS), id="ascending"),
        pytest.param(sorted(RUN_IDS, reverse=True), id="descending"),
        pytest.param(SHUFFLED, id="random"),
        pytest.param(["jr_9", "jr_10", "jr_1", "jr_0"], id="of-different-length"),
        pytest.param(["jr_é", "jr_Z", "jr_😀", "jr_a"], id="beyond-ascii"),
    ],
)


@pytest.fixture
def glue(dynamodb_endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page takes for granted: the table in the account, and Glue's own library."""
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", dynamodb_endpoint)
    watermarks = Watermarks(table_name="glue-watermarks")
    if not watermarks.exists():
        watermarks.create_table()
    utils: Any = ModuleType("awsglue.utils")
    utils.getResolvedOptions = lambda argv: dict(pair.removeprefix("--").split("=", 1) for pair in argv[1:])
    monkeypatch.setitem(sys.modules, "awsglue", ModuleType("awsglue"))
    monkeypatch.setitem(sys.modules, "awsglue.utils", utils)


def run_script(monkeypatch: pytest.MonkeyPatch, job: str, run: str) -> tuple[dict[str, Any], pytest.ExceptionInfo[Any]]:
    """Run the page's script as Glue would; give what it had in its hands when its last line failed, and how."""
    monkeypatch.setattr(sys, "argv", ["script.py", f"--JOB_NAME={job}", f"--JOB_RUN_ID={run}"])
    names: dict[str, Any] = {}
    with pytest.raises(KeyError) as failure:
        exec(compile(SCRIPT, "playbook.py", "exec"), names)
    return names, failure


@pytest.mark.usefixtures("glue")
def test_playbook_script__first_and_later_runs(job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for run in ("jr_2", "jr_3", "jr_1"):
        names, _ = run_script(monkeypatch, job, run)

        assert names["most_recent_run_id"] == run
        assert names["watermark"] == {
            "jobName": job,
            "runId": run,
            "watermarks": {"latest_data": "2023-03-16 15:45:00", "rows_collected": 808},
        }


@pytest.mark.usefixtures("glue")
def test_playbook_script__last_line_reads_a_name_never_recorded(job: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, failure = run_script(monkeypatch, job, "jr_1")

    assert failure.type is UnknownNameError
    assert failure.traceback[-2].lineno == SCRIPT.rstrip().count("\n")
    assert str(failure.value) == (
        f"Run 'jr_1' of job {job!r} recorded no watermark named 'last_processed_date'. "
        "Recorded: 'latest_data', 'rows_collected'."
    )
    assert failure.value.name == "last_processed_date"
    assert failure.value.recorded == ("latest_data", "rows_collected")


@ORDERS
def test_playbook_calls__each_run_starts_from_the_one_before(
    watermarks: Watermarks, job: str, run_ids: list[str]
) -> None:
    before = None
    for rows_count, run in enumerate(run_ids):
        assert watermarks.get_most_recent_run_id(job_id=job) == before

        item = watermarks.create_watermark_item(job_id=job, run_id=run, rows_collected=rows_count)
        watermarks.add_watermark(item)

        most_recent_run_id = watermarks.get_most_recent_run_id(job_id=job)
        watermark = watermarks.get_watermark(job_id=job, run_id=most_recent_run_id)
        assert watermark == {"jobName": job, "runId": run, "watermarks": {"rows_collected": rows_count}}
        before = run


@given(run_ids=st.lists(st.uuids().map(lambda each: f"jr_{each.hex}"), min_size=2, max_size=5, unique=True))
@settings(max_examples=20)
def test_playbook_calls__latest_recorded_whatever_the_ids(on_moto: Watermarks, run_ids: list[str]) -> None:
    watermarks, job = on_moto, f"job-{'-'.join(run_ids)}"

    for rows_count, run in enumerate(run_ids):
        watermarks.add_watermark(
            watermarks.create_watermark_item(job_id=job, run_id=run, latest_data=run, rows_collected=rows_count)
        )

        assert watermarks.get_most_recent_run_id(job_id=job) == run
        assert watermarks.get_watermark(job_id=job) == {
            "jobName": job,
            "runId": run,
            "watermarks": {"latest_data": run, "rows_collected": rows_count},
        }


def test_create_watermark_item__makes_exactly_the_playbook_item() -> None:
    item = Watermarks.create_watermark_item(
        job_id="repairs", run_id="jr_1", latest_data="2023-03-16 15:45:00", rows_collected=808
    )

    assert item == {
        "jobName": "repairs",
        "runId": "jr_1",
        "watermarks": {"latest_data": "2023-03-16 15:45:00", "rows_collected": 808},
    }
