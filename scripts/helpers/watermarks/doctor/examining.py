"""The examination: from the credentials to the last item, as far as each step allows the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import islice

from scripts.helpers.watermarks.doctor.findings import Finding, Verdict
from scripts.helpers.watermarks.doctor.future import future_marks
from scripts.helpers.watermarks.errors import (
    BrokenItemError,
    TableAccessError,
    TableError,
    TableNotFoundError,
    UnadoptedItemsError,
    WatermarkError,
)
from scripts.helpers.watermarks.table.probing import Described, Probes, missing_in_index, needed_indexes
from scripts.helpers.watermarks.watermarks import Watermarks

APPLY = "Apply infra/modules/table to it: `terraform -chdir=infra apply`."
KEYS = [("jobName", "HASH"), ("runId", "RANGE")]
# The margin of a lease of five minutes is 50 seconds: with clocks that far apart, two runs could work at once.
CLOCK_WARNING = timedelta(seconds=5)
CLOCK_PROBLEM = timedelta(seconds=50)
MOST_JOBS = 200
MOST_RUNS = 20


def examine(watermarks: Watermarks, job_id: str | None = None) -> list[Finding]:
    """Look for what usually goes wrong with a table, and say how to mend it.

    Args:
        watermarks: what to examine.
        job_id: look only at this job, as a job's own role may.

    Returns:
        What was found, in the order in which it was looked at. What a problem makes pointless is not looked at.

    Example:
        >>> [finding.told for finding in examine(watermarks) if finding.verdict == "problem"]
        ["the index 'runs-by-time' is missing"]
    """
    return list(_examine(watermarks, job_id))


def _examine(watermarks: Watermarks, job_id: str | None) -> Iterator[Finding]:
    reads, probes = watermarks.reads, Probes(watermarks.reads)
    for finding in (_credentials(probes), _region(reads.place.region)):
        yield finding
        if finding.verdict == "problem":
            return
    described: Described | None = None
    try:
        described = probes.describe(watermarks.now)
    except TableAccessError as error:
        if error.code != "AccessDeniedException":
            yield Finding("credentials", "problem", str(error))
            return
        yield Finding("table", "unknown", str(error))
    except TableError as error:
        missing = isinstance(error, TableNotFoundError)
        yield Finding("table", "problem", str(error), None if missing else "Mend that first, then look again.")
        return
    if described is not None:
        yield from _table(described, str(reads.place))
        yield from _settings(probes, described)
        yield _clock(described.clock_ahead)
    yield from _permissions(probes, job_id)
    yield from _jobs(watermarks, job_id)


def _credentials(probes: Probes) -> Finding:
    try:
        found = probes.credentials()
    except TableError as error:
        return Finding("credentials", "problem", str(error))
    if found is None:
        remedy = "Set AWS_PROFILE, use --profile, or run where a role is attached."
        return Finding("credentials", "problem", "no AWS credentials were found", remedy)
    return Finding("credentials", "ok", f"found, from {found}")


def _region(region: str | None) -> Finding:
    if region is None:
        return Finding("region", "problem", "no region is set", "Set AWS_REGION, or use --region.")
    return Finding("region", "ok", region)


def _table(described: Described, place: str) -> Iterator[Finding]:
    table = described.table
    if table.get("TableStatus") not in ("ACTIVE", "UPDATING"):
        yield Finding("table", "problem", f"{place} is {table.get('TableStatus')}", "Wait until it is ACTIVE.")
    else:
        yield Finding("table", "ok", place)
    keys = [(key["AttributeName"], key["KeyType"]) for key in table["KeySchema"]]
    types = {each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]}
    if keys != KEYS or any(types.get(name) != "S" for name, _ in KEYS):
        shown = ", ".join(f"{name} ({types.get(name)})" for name, _ in keys)
        remedy = "A table's keys cannot be changed: create another one with infra/modules/table, and use its name."
        yield Finding("keys", "problem", f"the keys are {shown}, not jobName (S) and runId (S)", remedy)
    else:
        yield Finding("keys", "ok", "jobName and runId, both text")
    for name in needed_indexes():
        lacking = missing_in_index(table, name)
        if lacking is None:
            yield Finding("index", "ok", name)
        else:
            yield Finding("index", "problem", f"the index {name!r} {lacking}", APPLY)


def _settings(probes: Probes, described: Described) -> Iterator[Finding]:
    yield _setting(
        "expiry",
        lambda: probes.expiry() == "expiresAt",
        "records expire by expiresAt where a retention is set",
        "time to live is not on for expiresAt, so that records with a retention stay for good",
    )
    yield _setting(
        "recovery",
        probes.recovery,
        "point-in-time recovery is on",
        "point-in-time recovery is off: what is deleted by mistake is gone",
    )
    yield _setting(
        "protection",
        lambda: bool(described.table.get("DeletionProtectionEnabled")),
        "deletion protection is on",
        "deletion protection is off: the table can be deleted by one request",
    )


def _setting(check: str, is_on: Callable[[], bool], fine: str, otherwise: str) -> Finding:
    try:
        return Finding(check, "ok", fine) if is_on() else Finding(check, "warning", otherwise, APPLY)
    except TableError as error:
        return Finding(check, "unknown", str(error))


def _clock(ahead: timedelta | None) -> Finding:
    if ahead is None:
        return Finding("clock", "unknown", "the service did not say what time it is")
    seconds = ahead.total_seconds()
    told = f"this machine's clock is {abs(seconds):.1f} s {'ahead of' if seconds > 0 else 'behind'} DynamoDB's"
    if abs(ahead) < CLOCK_WARNING:
        return Finding("clock", "ok", told)
    remedy = "Switch time synchronisation on (NTP, chrony): leases are judged by the clocks of those who take them."
    return Finding("clock", "problem" if abs(ahead) >= CLOCK_PROBLEM else "warning", told, remedy)


def _permissions(probes: Probes, job_id: str | None) -> Iterator[Finding]:
    # Most people only look: that they may not change anything is as it should be.
    attempts: tuple[tuple[str, Callable[[str | None], dict[str, bool]], Verdict, str], ...] = (
        ("may look", probes.may_look, "problem", "reader"),
        ("may change", probes.may_change, "warning", "operator"),
    )
    for check, try_it, verdict, policy in attempts:
        try:
            tried = try_it(job_id)
        except TableError as error:
            # Whoever cannot even find out whether he may look is not well.
            yield Finding(check, "problem" if verdict == "problem" else "unknown", str(error))
            continue
        refused = [what for what, allowed in tried.items() if not allowed]
        if not refused:
            yield Finding(check, "ok", f"allowed: {', '.join(tried)}")
            continue
        remedy = (
            f"Attach the `{policy}` policy of infra/modules/table. If this is the role of a job, which may see only "
            "its own, name the job: `watermarks doctor JOB`."
        )
        yield Finding(check, verdict, f"refused: {', '.join(refused)}", remedy)


def _jobs(watermarks: Watermarks, job_id: str | None) -> Iterator[Finding]:
    try:
        job_ids = [job_id] if job_id else list(islice(watermarks.reads.job_ids(), MOST_JOBS + 1))
    except TableError as error:
        yield Finding("jobs", "unknown", str(error))
        return
    findings = [finding for each in job_ids[:MOST_JOBS] for finding in _job(watermarks, each)]
    yield from findings
    if not findings:
        looked_at = f"{len(job_ids[:MOST_JOBS]):,} jobs, {MOST_RUNS} runs and changes of each at most"
        yield Finding(
            "jobs", "ok", f"no lease ran out, no mark lies in the future, every item can be read ({looked_at})"
        )
    if len(job_ids) > MOST_JOBS:
        yield Finding(
            "jobs", "unknown", f"only {MOST_JOBS} jobs were looked at", "Name others: `watermarks doctor JOB`."
        )


def _job(watermarks: Watermarks, job_id: str) -> Iterator[Finding]:
    """Look at one job: its state, its last runs, its last changes."""
    try:
        state = watermarks.job(job_id)
        if state is None:
            yield Finding("job", "warning", f"nothing was ever recorded of a job {job_id!r}", "Check the name.")
        elif state["status"] == "STALLED":
            lease = state["lease"]
            since, until = (f"{lease[end]:%Y-%m-%d %H:%M:%S} UTC" for end in ("since", "until"))
            yield Finding(
                "lease",
                "warning",
                f"run {lease['runId']!r} of job {job_id!r} took the job at {since} and neither ended nor renewed its "
                f"lease, which ran out at {until}",
                "See in Glue how it ended. The next run takes the job over by itself and loads the same window again.",
            )
        if state is not None:
            yield from future_marks(state, watermarks.now())
        for looked_at in (watermarks.history, watermarks.changes):
            for each in looked_at(job_id, limit=MOST_RUNS, with_broken=True):
                if "problem" in each:
                    yield Finding("item", "problem", each["problem"])
    except BrokenItemError as error:
        yield Finding("item", "problem", str(error))
    except UnadoptedItemsError as error:
        yield Finding("older items", "warning", str(error), f"watermarks adopt {job_id} RUN")
    except WatermarkError as error:
        yield Finding("job", "unknown", f"{job_id!r}: {error}")
