"""The `watermarks` command and its parts. The module of a command is imported only when that command is used."""

from __future__ import annotations

from importlib import import_module

import click

from scripts.helpers.watermarks.cli.exits import EXIT_CODES
from scripts.helpers.watermarks.cli.options import COMMON_OPTIONS, Asked
from scripts.helpers.watermarks.cli.shells import COMPLETION_OPTIONS

ABOUT = """Watermarks of AWS Glue jobs: see where every job stands, look back, and move it.

The table, the region and the other common options may stand before or after a command. AWS credentials are found as
everywhere: environment, profile, role.
"""

# Each with its module and function.
COMMANDS = {
    "jobs": ("looking", "jobs", "list every job, and how old its marks are"),
    "show": ("looking", "show", "show where one job stands"),
    "history": ("looking", "history", "list the runs of a job"),
    "diff": ("looking", "diff", "compare two runs of a job"),
    "rewind": ("changing", "rewind", "go back to where a job stood after a run"),
    "reset": ("changing", "reset", "let the next run be a full load"),
    "set": ("changing", "set_mark", "let a source stand at a position"),
    "forget": ("changing", "forget", "let go of a job that was deleted"),
    "adopt": ("changing", "adopt", "go on from a run of the original class"),
    "report": ("reporting", "report", "write a page with charts and history"),
    "doctor": ("checking", "doctor", "look for what usually goes wrong"),
}


class Commands(click.Group):
    """The commands by their names, in the order of `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Name the commands, those that are used most first."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, function, in_short = COMMANDS[cmd_name]
        found: click.Command = getattr(import_module(f"{__package__}.{module}"), function)
        # A shell shows it beside the name that it proposes.
        found.short_help = in_short
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, in_short) for name, (_, _, in_short) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was asked for, or propose what it may have been meant to be."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            from difflib import get_close_matches

            close = ", ".join(map(repr, get_close_matches(name, COMMANDS)))
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {close}?" if close else ""))
        return super().resolve_command(ctx, args)


def show_version(context: click.Context, _: click.Parameter, asked_for: bool) -> None:
    """Show the version, and end."""
    if not asked_for or context.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        told = version("glue-watermarks")
    except PackageNotFoundError:  # from a zip, or a plain copy of the files
        told = "of unknown version"
    click.echo(f"watermarks {told}")
    context.exit()


VERSION = click.Option(
    ["--version"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_version,
    help="show the version and exit",
)

app = Commands(
    help=ABOUT,
    epilog=EXIT_CODES,
    no_args_is_help=True,
    params=[VERSION, *COMMON_OPTIONS, *COMPLETION_OPTIONS],
    context_settings={"obj": Asked(), "help_option_names": ["-h", "--help"], "max_content_width": 100},
)
