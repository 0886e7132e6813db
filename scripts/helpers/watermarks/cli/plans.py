"""What people see of a change before they say yes to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from scripts.helpers.watermarks.cli import words
from scripts.helpers.watermarks.cli.options import Asked
from scripts.helpers.watermarks.cli.pages import run_id
from scripts.helpers.watermarks.cli.tables import Column, print_table

CONSEQUENCES = {
    "rewind": "The next run loads everything since.",
    "reset": "The next run is a full load of what has no mark afterwards.",
    "set": "Everything up to and including the mark counts as loaded.",
    "forget": "Its marks and values go, and it is no longer listed. Its history and its batch numbers stay.",
}


def show_plan(asked: Asked, change: Mapping[str, Any]) -> None:
    """Show the job before and after a change, what follows from it, and what to drop from the target."""
    console = asked.console()
    before, after = change["before"], change["after"]
    console.print(Text.assemble((f"{change['operation']} {change['jobName']}", "bold"), f"  as {change['changedBy']}"))
    names = dict.fromkeys([*before["sources"], *after["sources"]])
    rows = [
        ["latest run", run_id(asked, before["runId"]), run_id(asked, after["runId"])],
        *([name, *(_mark(asked, side["sources"].get(name)) for side in (before, after))] for name in names),
    ]
    columns = [Column(""), Column("NOW", gives=True), Column("AFTERWARDS", gives=True)]
    print_table(console, columns, rows)
    console.print(Text(CONSEQUENCES[change["operation"]]))
    if change["batchIds"]:
        # Where one source of several was reset, the others are not loaded again.
        kept = [name for name in after["sources"] if change["operation"] == "reset"]
        dropped = f"what is not of {', '.join(kept)} in " if kept else ""
        batches = f"{dropped}batch_id {words.ranges(change['batchIds'])}"
        told = f"Drop {batches} from the target before the next run, which loads it again."
        console.print(Text(told, style="yellow"))
    if change["takenFrom"]:
        told = f"Takes the job away from run {run_id(asked, change['takenFrom'])}, which then cannot commit."
        console.print(Text(told, style="bold yellow"))
    if change["warning"]:
        console.print(Text(f"Beware: {change['warning']}.", style="bold yellow"))


def show_adoption(asked: Asked, job: str, adopted: str, values: Mapping[str, Any]) -> None:
    """Show the run of the original class that a job is to go on from."""
    console = asked.console()
    console.print(Text.assemble((f"adopt {job}", "bold"), f"  going on from run {adopted}"))
    print_table(
        console,
        [Column("VALUE"), Column("RECORDED", gives=True)],
        [[name, words.value(value, asked.zone)] for name, value in values.items()],
    )
    told = "It becomes the latest run. Where each source of new_rows stands is then to be set: `watermarks set`."
    console.print(Text(told))


def _mark(asked: Asked, source: Mapping[str, Any] | None) -> str:
    if source is None or source.get("mark") is None:
        return "from the beginning"
    return words.value(source["mark"], asked.zone)
