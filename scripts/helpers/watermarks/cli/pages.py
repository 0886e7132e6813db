"""What people see of jobs and runs on a terminal."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from rich.console import Console
from rich.text import Text

from scripts.helpers.watermarks.cli import words
from scripts.helpers.watermarks.cli.options import Asked, now
from scripts.helpers.watermarks.cli.tables import Column, keys_and_values, print_table

# A job's name stays in one line up to this width, whatever else is left out for it.
READABLE_NAME = 32
STYLES = {
    "SUCCEEDED": ("ok", "green"),
    "FAILED": ("FAILED", "bold red"),
    "RUNNING": ("RUNNING", "bold cyan"),
    "STALLED": ("STALLED", "bold yellow"),
    "BROKEN": ("BROKEN", "bold red"),
    "NO_RUN": ("no run yet", "dim"),
}


def show_jobs(asked: Asked, table_name: str, jobs: Sequence[Mapping[str, Any]]) -> None:
    """List jobs, one or more lines each."""
    console = asked.console()
    if not jobs:
        console.print(Text(f"Table {table_name} holds no job yet."))
        return
    rows = []
    for job in jobs:
        sources = job["sources"].items()
        rows.append(
            [
                job["jobName"],
                status(job["status"]),
                "\n".join(name for name, _ in sources),
                "\n".join(words.value(source.get("mark"), asked.zone) for _, source in sources),
                "\n".join(words.mark_age(source.get("mark"), now()) for _, source in sources),
                run_id(asked, job["runId"]),
                f"{job['lastBatchId']:,}",
                words.ago(job["updatedAt"], now()) if job["updatedAt"] else "",
            ]
        )
    columns = [
        Column("JOB", gives=True, least=READABLE_NAME),
        Column("STATE"),
        Column("SOURCE", matters=6),
        Column(words.heading("MARK", asked.zone), matters=7),
        Column("OLD", right=True, matters=8),
        Column("LAST RUN", matters=2),
        Column("BATCH", right=True, matters=1),
        Column("CHANGED", right=True, matters=5),
    ]
    print_table(console, columns, rows)
    broken = [str(job["jobName"]) for job in jobs if job["status"] == "BROKEN"]
    if broken:
        console.print(
            Text(f"The state of {', '.join(broken)} cannot be read: `watermarks doctor` says why.", style="red")
        )


def show_job(
    asked: Asked,
    job: Mapping[str, Any],
    runs: Sequence[Mapping[str, Any]],
    changes: Sequence[Mapping[str, Any]],
    addresses: Mapping[str, str],
) -> None:
    """Show all that is to be known of a job at a glance."""
    console = asked.console()
    console.print(Text.assemble((str(job["jobName"]), "bold"), "  ", status(job["status"])))
    lease = job.get("lease")
    held = f"run {run_id(asked, lease['runId'])} since {words.time(lease['since'], asked.zone)}" if lease else ""
    keys_and_values(
        console,
        [
            ("latest run", run_id(asked, job["runId"])),
            ("changed", _moment(asked, job["updatedAt"])),
            ("batches", f"{job['lastBatchId']:,} committed; the next is {job['lastBatchId'] + 1:,}"),
            ("running" if job["status"] == "RUNNING" else "stalled", held),
            ("attempts", f"{job['attempts']} since the last commit or change" if job["attempts"] else ""),
            ("last error", next((run["error"] for run in runs if job["status"] == "FAILED" and "error" in run), "")),
            ("rows per run", f"{_sparkline(runs)}  (oldest to newest, × failed)" if runs else ""),
        ],
    )
    if job["sources"]:
        console.print()
        _show_sources(console, asked, job["sources"])
    values = {name: value for name, value in job["watermarks"].items() if name not in job["sources"]}
    if values:
        console.print()
        columns = [Column("VALUE"), Column("RECORDED BY THE LATEST RUN", gives=True)]
        print_table(console, columns, [[name, words.value(value, asked.zone)] for name, value in values.items()])
    told = [change for change in changes if "problem" not in change]
    if told:
        console.print()
        console.print(Text("Changed by operators", style="bold"))
        for change in told:
            console.print(Text.assemble(f"  {_moment(asked, change['changedAt'])}: ", told_change(asked, change)))
    if addresses:
        console.print()
        keys_and_values(console, list(addresses.items()))


def show_history(
    asked: Asked,
    job: str,
    runs: Sequence[Mapping[str, Any]],
    changes: Sequence[Mapping[str, Any]],
    *,
    only_failed: bool = False,
) -> None:
    """List runs, with the changes that operators made between them. Of those that failed, all of the error is shown."""
    console = asked.console()
    if not runs and not changes:
        console.print(Text(f"{job}: no run of it failed." if only_failed else f"{job}: no run is on record."))
        return
    console.print(Text.assemble((job, "bold"), f"  rows per run {_sparkline(runs)}"))
    rows = [_history_row(asked, entry) for entry in _newest_first(runs, changes)]
    columns = [
        Column("RUN", gives=True),
        Column("STATUS"),
        Column("BATCH", right=True, matters=4),
        Column("LOADED", right=True, matters=8),
        Column("TOOK", right=True, matters=2),
        Column(words.heading("MARK", asked.zone), matters=6),
        Column("RECORDED", right=True, matters=7),
        Column("", cut=not only_failed, gives=only_failed, matters=9 if only_failed else 5),
    ]
    print_table(console, columns, rows)


def show_broken(asked: Asked, table_name: str, entries: Sequence[Mapping[str, Any]]) -> None:
    """Say which runs and changes cannot be read, why, and how to look at them."""
    console = asked.console()
    for entry in entries:
        key = json.dumps({"jobName": {"S": entry["jobName"]}, "runId": {"S": entry["item"]}}, ensure_ascii=False)
        look = ["aws", "dynamodb", "get-item", "--table-name", table_name, "--key", key]
        console.print()
        console.print(Text(entry["problem"], style="red"))
        console.print(Text(f"To look at it: {shlex.join(look)}"))


def _newest_first(runs: Sequence[Mapping[str, Any]], changes: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Put runs and changes in one order. A run that cannot be read stays next to the one that was recorded after it."""
    placed = [(change["version"], change) for change in changes]
    version: float = math.inf
    for run in runs:
        version = version if run["version"] is None else run["version"]
        placed.append((version, run))
    return [entry for _, entry in sorted(placed, key=lambda each: each[0], reverse=True)]


def _history_row(asked: Asked, entry: Mapping[str, Any]) -> list[str | Text]:
    if "problem" in entry:
        name = "change" if "operation" in entry else run_id(asked, entry["runId"])
        return [name, status("BROKEN"), "", "", "", "", "", Text("cannot be read: see below", style="red")]
    if "operation" in entry:
        why = Text.assemble(("by ", "dim"), entry["changedBy"], (f": {entry['reason']}" if entry["reason"] else "", ""))
        done = Text(entry["operation"], style="magenta")
        return [done, "", "", "", "", _marks(asked, entry["after"]), words.ago(entry["changedAt"], now()), why]
    took = entry["recordedAt"] - entry["startedAt"] if entry.get("startedAt") else None
    return [
        run_id(asked, entry["runId"]),
        status(entry["status"]),
        str(entry.get("batchId") or ""),
        _loaded(entry),
        words.span(took) if isinstance(took, timedelta) else "",
        _marks(asked, entry) if entry["status"] == "SUCCEEDED" else "",
        words.ago(entry["recordedAt"], now()),
        Text(entry.get("error") or "", style="red"),
    ]


def show_diff(asked: Asked, found: Mapping[str, Any]) -> None:
    """Show two runs side by side."""
    console = asked.console()
    first, second = (run_id(asked, found[side]["runId"]) for side in ("from", "to"))
    recorded = " → ".join(_moment(asked, found[side]["recordedAt"]) for side in ("from", "to"))
    console.print(Text.assemble((found["jobName"], "bold"), f"  {first} → {second}"))
    keys_and_values(
        console,
        [
            ("recorded", recorded),
            ("batches", f"{found['from']['batchId']} → {found['to']['batchId']}"),
            ("committed", f"{found['runs']:,} runs after the first, which counted {found['rows']:,} rows"),
        ],
    )
    for title, both in (("SOURCE", found["sources"]), ("VALUE", found["watermarks"])):
        rows = [
            [name, words.value(sides["before"], asked.zone), words.value(sides["after"], asked.zone)]
            for name, sides in both.items()
            if title == "SOURCE" or name not in found["sources"]
        ]
        if rows:
            console.print()
            print_table(console, [Column(title), Column(first, gives=True), Column(second, gives=True)], rows)


def told_change(asked: Asked, change: Mapping[str, Any]) -> Text:
    """Say what an operator did, in one line."""
    to = f" to {run_id(asked, change['after']['runId'])}" if change["operation"] == "rewind" else ""
    why = f" ({change['reason']})" if change["reason"] else ""
    return Text.assemble((change["operation"], "magenta"), f"{to} by {change['changedBy']}{why}")


def status(name: str) -> Text:
    """Show the state of a job or a run in its colour."""
    shown, style = STYLES.get(name, (name, ""))
    return Text(shown, style=style)


def run_id(asked: Asked, full: str | None) -> str:
    """Show a run id: shortened for people, whole for a pipe."""
    return words.short_id(full) if asked.shortens_ids else full or "–"


def _show_sources(console: Console, asked: Asked, sources: Mapping[str, Mapping[str, Any]]) -> None:
    columns = [
        Column("SOURCE", gives=True),
        Column(words.heading("MARK", asked.zone)),
        Column("OLD", right=True, matters=8),
        Column("TYPE", matters=5),
        Column("OF", gives=True, matters=6),
    ]
    rows = [
        [
            name,
            words.value(source.get("mark"), asked.zone),
            words.mark_age(source.get("mark"), now()),
            source.get("type", "files"),
            "\n".join(source["paths"]) if "paths" in source else source.get("column") or "",
        ]
        for name, source in sources.items()
    ]
    print_table(console, columns, rows)


def _sparkline(runs: Sequence[Mapping[str, Any]]) -> str:
    # What a backfill records of itself at its end is the sum of its steps.
    in_steps = {run["runId"].partition("#step/")[0] for run in runs if "#step/" in run["runId"]}
    drawn = [run for run in reversed(runs) if run["runId"] not in in_steps]
    return words.sparkline([words.FAILED if run["status"] == "FAILED" else _count(run) for run in drawn])


def _count(run: Mapping[str, Any]) -> int | None:
    counts = [*_counted(run, "rows"), *_counted(run, "files")]
    return sum(counts) if counts else None


def _loaded(run: Mapping[str, Any]) -> str:
    counts = {name: _counted(run, name) for name in ("rows", "files")}
    told = {name: f"{sum(found):,}" for name, found in counts.items() if found}
    return ", ".join(f"{number} files" if name == "files" else number for name, number in told.items())


def _counted(run: Mapping[str, Any], name: str) -> list[int]:
    return [source[name] for source in run.get("sources", {}).values() if name in source]


def _marks(asked: Asked, of: Mapping[str, Any]) -> str:
    marks = {name: words.value(source.get("mark"), asked.zone) for name, source in of.get("sources", {}).items()}
    return "\n".join(marks.values() if len(marks) == 1 else (f"{name} {mark}" for name, mark in marks.items()))


def _moment(asked: Asked, moment: Any) -> str:
    return f"{words.time(moment.replace(microsecond=0), asked.zone)} ({words.ago(moment, now())})" if moment else ""
