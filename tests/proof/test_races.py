"""Many processes at once: never two inside one job, windows that meet exactly, and no job disturbed by another."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.helpers.watermarks import Watermarks
from tests.proof.racer import DIES, FAILS, Race
from tests.support.processes import STRESS
from tests.support.tables import EmulatedTable

ROUNDS = 30 if STRESS else 3


def run_race(race: Race) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.proof.racer", race.to_json()],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
    )
    assert told.returncode == 0, told.stderr


def assert_every_number_once(target: Path) -> int:
    """See that the target holds 1, 2, 3 … up to some number, each in one batch; give that number."""
    numbers = sorted(int(line) for batch in target.glob("batch_id=*") for line in batch.read_text().split())
    assert numbers == list(range(1, len(numbers) + 1))
    return len(numbers)


def assert_windows_meet(runs: list[dict[str, Any]]) -> None:
    """See that each committed run began where the one before it ended, and counted one batch more."""
    committed = [run for run in reversed(runs) if run["status"] == "SUCCEEDED"]
    windows = [(run["sources"]["repairs"].get("low"), run["sources"]["repairs"]["high"]) for run in committed]
    assert [low for low, _ in windows] == [None, *(high for _, high in windows[:-1])]
    assert [run["batchId"] for run in committed] == list(range(1, len(committed) + 1))
    assert [run.get("previousRunId") for run in committed] == [None, *(run["runId"] for run in committed[:-1])]


@pytest.mark.parametrize(
    ("fates", "lease"),
    [
        pytest.param({}, 60, id="all-succeed"),
        # The lease is short because it has to run out before anybody gets in again.
        pytest.param({"3": FAILS, "5": DIES, "7": FAILS}, 4, id="some-fail-and-one-is-killed"),
    ],
)
def test_one_job__raced_for_by_ten_processes(
    watermarks: Watermarks, local_table: EmulatedTable, job: str, tmp_path: Path, fates: dict[str, str], lease: float
) -> None:
    jobs = [job] * 10
    run_race(Race(local_table.endpoint_url, local_table.name, str(tmp_path), jobs, ROUNDS, lease, fates=fates))

    runs = list(watermarks.history(job, limit=None))
    lost = sum(ROUNDS - ROUNDS // 2 if fate == DIES else 1 for fate in fates.values())
    assert len([run for run in runs if run["status"] == "SUCCEEDED"]) == 10 * ROUNDS - lost
    assert len([run for run in runs if run["status"] == "FAILED"]) == list(fates.values()).count(FAILS)
    assert_windows_meet(runs)
    last = assert_every_number_once(tmp_path / job)
    assert watermarks.get_watermark_values(job) == {"repairs": last}
    assert "lease" not in local_table.item(job)


def test_twenty_jobs__run_by_twenty_processes_do_not_disturb_each_other(
    watermarks: Watermarks, local_table: EmulatedTable, job: str, tmp_path: Path
) -> None:
    jobs = [f"{job}-{number}" for number in range(20)]
    # None of them waits: had one found its job held, it would have failed.
    run_race(Race(local_table.endpoint_url, local_table.name, str(tmp_path), jobs, ROUNDS, wait_seconds=None))

    for each in jobs:
        runs = list(watermarks.history(each, limit=None))
        assert [run["status"] for run in runs] == ["SUCCEEDED"] * ROUNDS
        assert_windows_meet(runs)
        assert watermarks.get_watermark_values(each) == {"repairs": assert_every_number_once(tmp_path / each)}
