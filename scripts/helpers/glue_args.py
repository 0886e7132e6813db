"""The arguments of a Glue job, on Glue and off it, so that the same script runs in both places.

Where `awsglue` is installed its own `getResolvedOptions` is asked; elsewhere its rules are followed: which options are
reserved, which are required, and what the bookmark option is when nobody gave one.
"""

from __future__ import annotations

import argparse
import logging
import uuid
from collections.abc import Sequence
from typing import Any, NoReturn

logger = logging.getLogger(__name__)

BOOKMARK_OPTIONS = ("job-bookmark-enable", "job-bookmark-pause", "job-bookmark-disable")
# Glue's older spelling of the same three, still accepted.
CONTINUATION_OPTIONS = ("continuation-enabled", "continuation-readonly", "continuation-ignore")
RANGE_OPTIONS = ("job-bookmark-from", "job-bookmark-to")
RESERVED = (
    "job-bookmark-option",
    "continuation-option",
    *RANGE_OPTIONS,
    "JOB_ID",
    "JOB_RUN_ID",
    "SECURITY_CONFIGURATION",
    "encryption-type",
    "enable-data-lineage",
)
TEMPORARY = ("TempDir", "RedshiftTempDir")


class JobArgumentError(RuntimeError):
    """An argument is missing, reserved or has a value that Glue would not accept."""


def job_arguments(argv: Sequence[str], names: Sequence[str] = ()) -> dict[str, Any]:
    """Give the arguments of the job by name.

    Args:
        argv: the script's arguments, usually `sys.argv`.
        names: the arguments that the script requires, without `--`. The reserved ones need not be named; `JOB_NAME`
            is there whenever it was passed.

    Returns:
        The arguments: the named ones, `JOB_RUN_ID`, `job_bookmark_option`, `job_bookmark_from` and `job_bookmark_to`
        among them. Off Glue, a missing `JOB_RUN_ID` becomes `local_<uuid>`.

    Raises:
        JobArgumentError: an argument is missing or wrong. (On Glue, its own errors are raised.)

    Example:
        >>> args = job_arguments(["job.py", "--JOB_NAME", "repairs", "--target", "/tmp/out"], ["JOB_NAME", "target"])
        >>> args["target"], args["job_bookmark_option"]
        ('/tmp/out', 'job-bookmark-disable')
    """
    required = list(names)
    if "JOB_NAME" not in required and _is_given("JOB_NAME", argv):
        required.append("JOB_NAME")
    try:
        from awsglue.utils import getResolvedOptions
    except ImportError:
        arguments = _resolve(argv, required)
    else:
        arguments = dict(getResolvedOptions(list(argv), required))
    # Glue's container images have awsglue as well, but nobody there passes a run id.
    arguments["JOB_RUN_ID"] = arguments.get("JOB_RUN_ID") or f"local_{uuid.uuid4()}"
    if not _is_given("job-bookmark-option", argv) and not _is_given("continuation-option", argv):
        logger.warning(
            "No --job-bookmark-option was given, and Glue's default is job-bookmark-disable: this run loads everything "
            "and remembers nothing. Set --job-bookmark-option job-bookmark-enable in the job's parameters to load only "
            "what is new."
        )
    return arguments


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise JobArgumentError(f"{message}. Pass it as `--name value` among the job's parameters.")


def _resolve(argv: Sequence[str], required: Sequence[str]) -> dict[str, Any]:
    for name in required:
        if name in RESERVED or name.replace("_", "-") in RESERVED:
            raise JobArgumentError(f"{name!r} is an argument of Glue's own: it is always there and must not be named.")
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("--job-bookmark-option", choices=BOOKMARK_OPTIONS)
    parser.add_argument("--continuation-option", choices=CONTINUATION_OPTIONS)
    parser.add_argument("--encryption-type", choices=("sse-s3",))
    for name in (*RANGE_OPTIONS, "JOB_ID", "JOB_RUN_ID", "SECURITY_CONFIGURATION", "enable-data-lineage", *TEMPORARY):
        parser.add_argument(f"--{name}")
    for name in dict.fromkeys(required):
        if name not in TEMPORARY:
            parser.add_argument(f"--{name}", required=True)
    arguments: dict[str, Any] = vars(parser.parse_known_args(list(argv[1:]))[0])
    arguments["TempDir"] = arguments["RedshiftTempDir"] = arguments["TempDir"] or arguments["RedshiftTempDir"]
    continuation = arguments.pop("continuation_option")
    if arguments["job_bookmark_option"] is None:
        position = CONTINUATION_OPTIONS.index(continuation) if continuation else -1
        arguments["job_bookmark_option"] = BOOKMARK_OPTIONS[position]
    _check_range(arguments)
    return arguments


def _check_range(arguments: dict[str, Any]) -> None:
    missing = [name for name in RANGE_OPTIONS if not arguments[name.replace("-", "_")]]
    if arguments["job_bookmark_option"] == "job-bookmark-pause":
        if len(missing) == 1:
            raise JobArgumentError(f"--{missing[0]} is missing: a paused run takes both of its run ids, or neither.")
    elif not missing:
        raise JobArgumentError(
            "--job-bookmark-from and --job-bookmark-to only go with --job-bookmark-option job-bookmark-pause."
        )


def _is_given(name: str, argv: Sequence[str]) -> bool:
    return any(argument == f"--{name}" or argument.startswith(f"--{name}=") for argument in argv[1:])
