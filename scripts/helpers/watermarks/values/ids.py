"""Which job ids, run ids, source names and watermark names can be used; the error names the one that cannot."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import NoReturn

from scripts.helpers.watermarks.errors import InvalidArgumentError

# DynamoDB's limits for keys are 2,048 and 1,024 bytes; a step of a backfill adds 18 to its run id.
MAX_JOB_ID_BYTES = 2_048
MAX_RUN_ID_BYTES = 1_000
MAX_NAME_BYTES = 255
# Beyond this, the second at which a record expires would soon be after the end of time (the year 9999).
LONGEST_RETENTION = timedelta(days=36_525)
_STEP = re.compile(r"#step/\d{12}$")
RESERVED_NAMES = frozenset({"jobName", "runId", "watermarks"})


def require_job_id(job_id: object) -> str:
    """Give the job id back if it can be used."""
    return _require_text("job_id", job_id, MAX_JOB_ID_BYTES)


def require_run_id(run_id: object, argument: str = "run_id") -> str:
    """Give the run id back if it can be used. `#` sets the package's own items apart from runs."""
    text = _require_text(argument, run_id, MAX_RUN_ID_BYTES)
    if "#" in text:
        _refuse(argument, run_id, "must not contain '#', which marks items of the package's own")
    return text


def step_id(run_id: str, batch_id: int) -> str:
    """Give the id under which a step of a backfill is recorded."""
    return f"{run_id}#step/{batch_id:012d}"


def require_recorded_id(run_id: object, argument: str = "run_id") -> str:
    """Give the id of a record back if it can be one: that of a run, or of a step of a run's backfill."""
    if isinstance(run_id, str) and (step := _STEP.search(run_id)):
        require_run_id(run_id[: step.start()], argument)
        return run_id
    return require_run_id(run_id, argument)


def require_table_name(table_name: object) -> None:
    """Refuse what cannot be the name of a table."""
    if not isinstance(table_name, str) or not table_name.strip():
        raise InvalidArgumentError(
            f"table_name {table_name!r} must be the name of a DynamoDB table, usually 'glue-watermarks'.",
            argument="table_name",
            value=table_name,
        )


def require_retention(retention: object) -> None:
    """Refuse what cannot be the time for which records are kept."""
    if retention is None or (isinstance(retention, timedelta) and timedelta(0) < retention <= LONGEST_RETENTION):
        return
    raise InvalidArgumentError(
        f"retention {retention!r} must be a positive timedelta, such as timedelta(days=400), and at most a century.",
        argument="retention",
        value=retention,
    )


def require_metrics(metrics: object) -> None:
    """Refuse what is no answer to whether to publish metrics: the text `"false"`, say, would be taken for yes."""
    if metrics is not None and not isinstance(metrics, bool):
        raise InvalidArgumentError(
            f"metrics {metrics!r} must be True, False, or None: published on AWS, and nowhere else.",
            argument="metrics",
            value=metrics,
        )


def require_limit(limit: object) -> None:
    """Refuse what cannot be a number of runs."""
    if limit is not None and (type(limit) is not int or limit < 1):
        raise InvalidArgumentError(
            f"limit {limit!r} must be a positive number, or None for all runs.", argument="limit", value=limit
        )


def require_source_name(transformation_ctx: object) -> str:
    """Give the source's name back if it can be used."""
    if transformation_ctx is None or transformation_ctx == "":
        _refuse(
            "transformation_ctx",
            transformation_ctx,
            "is missing. Name the source: without a name its mark cannot be kept, and every run would load everything",
        )
    return _require_text("transformation_ctx", transformation_ctx, MAX_NAME_BYTES)


def require_watermark_name(name: object) -> str:
    """Give the name of a watermark back if it can be used."""
    text = _require_text("watermark name", name, MAX_NAME_BYTES)
    if text in RESERVED_NAMES or text.startswith("#"):
        _refuse("watermark name", name, f"is reserved, as are '#…', {', '.join(sorted(RESERVED_NAMES))}")
    return text


def _require_text(argument: str, value: object, most_bytes: int) -> str:
    if not isinstance(value, str):
        _refuse(argument, value, f"must be text, not {type(value).__name__}")
    if not value.strip():
        _refuse(argument, value, "must not be empty")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        _refuse(argument, value, "holds a lone surrogate, which is not valid Unicode")
    if size > most_bytes:
        _refuse(argument, value, f"has {size:,} bytes, and at most {most_bytes:,} are allowed")
    return value


def _refuse(argument: str, value: object, problem: str) -> NoReturn:
    shown = repr(value)
    shown = shown if len(shown) <= 80 else f"{shown[:77]}…"
    raise InvalidArgumentError(f"{argument} {shown} {problem}.", argument=argument, value=value)
