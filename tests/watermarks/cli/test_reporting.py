"""`report`: a page of every job or of some, and what is said where it cannot be written."""

from pathlib import Path

from tests.support.adding import add
from tests.support.tables import EmulatedTable, new_table
from tests.watermarks.cli.conftest import Command, long_id, run_command


def test_report__of_every_job(busy_table: EmulatedTable, tmp_path: Path) -> None:
    page = tmp_path / "all.html"

    told = run_command("report", "-o", str(page), "-t", busy_table.name, "--endpoint-url", busy_table.endpoint_url)

    assert (told.code, told.out) == (0, f"Wrote {page}: 5 jobs.\n")
    text = page.read_text(encoding="utf-8")
    assert all(f'"{name}"' in text for name in ("failing", "fine", "prepared", "running", "stalled"))


def test_report__of_some_jobs_and_their_latest_runs(command: Command, loaded: str, tmp_path: Path) -> None:
    page = tmp_path / "one.html"

    told = command("report", loaded, loaded, "--limit", "2", "--output", str(page), "--json")

    assert told.document == {"output": str(page), "jobs": [loaded]}
    text = page.read_text(encoding="utf-8")
    assert long_id(4) in text
    assert long_id(1) not in text


def test_report__of_a_job_that_is_not_there(command: Command, tmp_path: Path) -> None:
    told = command("report", "nobody", "-o", str(tmp_path / "none.html"))

    assert told.code == 3
    assert "'nobody'" in told.err
    assert not list(tmp_path.iterdir())


def test_report__leaves_out_a_job_that_cannot_be_read_and_says_so(moto_endpoint: str, tmp_path: Path) -> None:
    table = new_table(moto_endpoint)
    for name in ("damaged", "fine"):
        add(table.watermarks(), name, "jr_1", value=1)
    table.edit("damaged", sources=None)
    place = ("-o", str(tmp_path / "page.html"), "-t", table.name, "--endpoint-url", table.endpoint_url)

    told = run_command("report", *place)

    assert told.code == 0
    assert "1 jobs" in told.out
    assert "'damaged' is left out" in told.err
    assert run_command("report", "damaged", *place).code == 1


def test_report__to_standard_output(command: Command, loaded: str) -> None:
    told = command("report", loaded, "--output", "-")

    assert told.out.lstrip().lower().startswith("<!doctype html>")
    assert told.out.rstrip().endswith("</html>")


def test_report__where_nothing_can_be_written(command: Command, loaded: str, tmp_path: Path) -> None:
    told = command("report", loaded, "-o", str(tmp_path / "no" / "such" / "folder.html"))

    assert told.code == 1
    assert "cannot be written" in told.err
