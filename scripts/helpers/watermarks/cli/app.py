"""The `watermarks` command and its parts."""

from __future__ import annotations

from collections.abc import Callable

import typer

from scripts.helpers.watermarks.cli import changing, checking, looking, reporting
from scripts.helpers.watermarks.cli.exits import EXIT_CODES
from scripts.helpers.watermarks.cli.options import remember_common_options, with_common_options

ABOUT = """Watermarks of AWS Glue jobs: see where every job stands, look back, and move it.

The table, the region and the other common options may stand before or after a command. AWS credentials are found as
everywhere: environment, profile, role.
"""

# Plain help: rich takes longer to import than everything that `--help` needs.
app = typer.Typer(
    help=ABOUT,
    epilog=EXIT_CODES,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)
app.callback()(remember_common_options)

COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "jobs": (looking.jobs, "list every job, and how old its marks are"),
    "show": (looking.show, "show where one job stands"),
    "history": (looking.history, "list the runs of a job"),
    "diff": (looking.diff, "compare two runs of a job"),
    "rewind": (changing.rewind, "go back to where a job stood after a run"),
    "reset": (changing.reset, "let the next run be a full load"),
    "set": (changing.set_mark, "let a source stand at a position"),
    "forget": (changing.forget, "let go of a job that was deleted"),
    "adopt": (changing.adopt, "go on from a run of the original class"),
    "report": (reporting.report, "write a page with charts and history"),
    "doctor": (checking.doctor, "look for what usually goes wrong"),
}
for name, (function, in_short) in COMMANDS.items():
    # A negative mark is no option.
    settings = {"ignore_unknown_options": name == "set"}
    app.command(name, short_help=in_short, context_settings=settings)(with_common_options(function))
