"""What the command ends with: its exit codes, and errors told to a person or to a script."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from scripts.helpers.watermarks.cli.options import Asked

DONE = 0
FAILED = 1
MISUSED = 2
NOT_FOUND = 3
HELD = 4
DECLINED = 5
CHANGED_MEANWHILE = 6
# As a shell has it of a program that Ctrl-C ended.
INTERRUPTED = 130

# What `--json` calls an error that is none of the package's own.
NAMES = {FAILED: "Failed", MISUSED: "Misused", NOT_FOUND: "NotFound", DECLINED: "Declined"}

EXIT_CODES = """\b
Exit codes:
  0    done; nothing is wrong
  1    it failed: AWS refused or did not answer, an item is broken; doctor found a problem
  2    the command was not used as it should be, or a value cannot be used
  3    there is no such job, run or table
  4    a run holds the job (--force takes it away)
  5    you said no: nothing was changed
  6    the job was changed by somebody else meanwhile: look again
  130  it was interrupted (Ctrl-C)
"""


# The package's remedies are in Python; the command's user has options.
IN_OPTIONS = (
    (r"with force=True", "with --force"),
    (r"Watermarks\('[^']*'\)\.adopt\(job_id='([^']*)', run_id=…\)", r"watermarks adopt \1 RUN"),
    (r"set_mark\(job_id, transformation_ctx, value\)", "watermarks set JOB SOURCE VALUE"),
    (r"use set_mark instead", "use `watermarks set` instead"),
    (r"use reset\b", "use `watermarks reset`"),
    (r"get_most_recent_run_id\(job_id='([^']*)'\) gives", r"`watermarks show \1` has"),
    (r"Watermarks\.jobs\(\) lists", "`watermarks jobs` lists"),
    (r"table_name, region_name or endpoint_url", "--table, --region or --endpoint-url"),
    (r"give region_name", "use --region"),
    (r"AWS_PROFILE or boto3_session", "AWS_PROFILE or --profile"),
)


@contextmanager
def errors_told(asked: Asked) -> Iterator[None]:
    """Let no error of the package out as a traceback: say it, and end with its exit code."""
    from scripts.helpers.watermarks.errors import WatermarkError

    try:
        yield
    except WatermarkError as error:
        code = exit_code(error)
        tell(asked, type(error).__name__, in_options(str(error)), code)
        raise click.exceptions.Exit(code) from None


def in_options(message: str) -> str:
    """Give a message with the command's options in place of Python's arguments."""
    for in_python, on_the_line in IN_OPTIONS:
        message = re.sub(in_python, on_the_line, message)
    return message


def exit_code(error: Exception) -> int:
    """Give the exit code that an error of the package stands for."""
    from scripts.helpers.watermarks import errors

    codes: dict[type[Exception], int] = {
        errors.WatermarkNotFoundError: NOT_FOUND,
        errors.TableNotFoundError: NOT_FOUND,
        errors.JobAlreadyRunningError: HELD,
        errors.ConflictError: CHANGED_MEANWHILE,
        errors.InvalidArgumentError: MISUSED,
        errors.UnsupportedValueError: MISUSED,
    }
    return next((code for kind, code in codes.items() if isinstance(error, kind)), FAILED)


def tell(asked: Asked, kind: str, message: str, code: int) -> None:
    """Say what went wrong, on standard error: in words, or as JSON where that was asked for."""
    if asked.json:
        import json

        told = {"error": {"type": kind, "message": message, "exitCode": code}}
        print(json.dumps(told), file=sys.stderr)
        return
    from scripts.helpers.watermarks.cli.words import harmless

    click.secho("Error: ", fg="red", bold=True, err=True, nl=False)
    click.echo(harmless(message), err=True)


def stop(asked: Asked, message: str, code: int) -> click.exceptions.Exit:
    """Say why the command goes no further, and give what ends it."""
    tell(asked, NAMES[code], message, code)
    return click.exceptions.Exit(code)
