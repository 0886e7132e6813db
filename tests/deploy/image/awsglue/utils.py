"""`getResolvedOptions` as Glue has it, in our own words: https://github.com/awslabs/aws-glue-libs, awsglue/utils.py.

It stands in site-packages of the environments that play Glue, so it runs on Glue's Pythons and imports nothing of ours.
"""

import argparse
from typing import Any, NoReturn

BOOKMARK_OPTIONS = ("job-bookmark-enable", "job-bookmark-pause", "job-bookmark-disable")
CONTINUATION_OPTIONS = ("continuation-enabled", "continuation-readonly", "continuation-ignore")
RANGE_OPTIONS = ("job-bookmark-from", "job-bookmark-to")
PLAIN_OPTIONS = (*RANGE_OPTIONS, "JOB_ID", "JOB_RUN_ID", "SECURITY_CONFIGURATION", "enable-data-lineage")
CHOICES = {
    "job-bookmark-option": BOOKMARK_OPTIONS,
    "continuation-option": CONTINUATION_OPTIONS,
    "encryption-type": ("sse-s3",),
}
TEMPORARY = ("RedshiftTempDir", "TempDir")


class GlueArgumentError(Exception):
    """What Glue raises instead of argparse's exit."""


class GlueArgumentParser(argparse.ArgumentParser):
    """As in Glue, shortened names are understood: argparse's own default."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of ending the process."""
        raise GlueArgumentError(message)


def getResolvedOptions(args: list[str], options: list[str]) -> dict[str, Any]:  # noqa: N802 - Glue's own name
    """Give the options named and Glue's own. One of Glue's own must not be named; those named must be given."""
    for name in (*CHOICES, *PLAIN_OPTIONS):
        if name in options:
            raise RuntimeError(f"Using reserved arguments {name}")
    parser = GlueArgumentParser()
    for name, choices in CHOICES.items():
        parser.add_argument(f"--{name}", choices=choices, required=False)
    for name in (*PLAIN_OPTIONS, *TEMPORARY):
        parser.add_argument(f"--{name}", required=False)
    for name in options:
        if name not in TEMPORARY:
            parser.add_argument(f"--{name}", required=True)

    parsed = vars(parser.parse_known_args(args[1:])[0])

    either = parsed["TempDir"] if parsed["TempDir"] is not None else parsed["RedshiftTempDir"]
    parsed["TempDir"] = parsed["RedshiftTempDir"] = either
    older = parsed.pop("continuation_option")
    if parsed["job_bookmark_option"] is None:
        parsed["job_bookmark_option"] = BOOKMARK_OPTIONS[CONTINUATION_OPTIONS.index(older) if older else -1]
    _check_range(parsed)
    return parsed


def _check_range(parsed: dict[str, Any]) -> None:
    absent = [f"--{name}" for name in RANGE_OPTIONS if parsed[name.replace("-", "_")] is None]
    if parsed["job_bookmark_option"] == "job-bookmark-pause":
        if len(absent) == 1:
            raise RuntimeError(f"Missing option or value for {absent[0]}")
    elif not absent:
        raise RuntimeError(f"Invalid option(s) {' '.join(f'--{name}' for name in RANGE_OPTIONS)}")
