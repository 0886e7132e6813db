"""What makes a command of a function: the common options, errors told in words, and help of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from scripts.helpers.watermarks.cli.exits import INTERRUPTED, errors_told
from scripts.helpers.watermarks.cli.options import COMMON_OPTIONS

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class Argument(click.Argument):
    """An argument that is explained: click does that only since 8.5, and under another heading."""

    def __init__(self, names: list[str], *, explained: str, **settings: Any) -> None:
        super().__init__(names, **settings)
        self.explained = explained


class Command(click.Command):
    """A command with the common options after its own."""

    def __init__(self, name: str | None, *, params: list[click.Parameter], **settings: Any) -> None:
        super().__init__(name, params=[*params, *COMMON_OPTIONS], **settings)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Explain the arguments, then the options."""
        rows = [
            (each.get_usage_pieces(ctx)[0], each.explained + ("  [required]" if each.required else ""))
            for each in self.params
            if isinstance(each, Argument)
        ]
        if rows:
            with formatter.section("Arguments"):
                formatter.write_dl(rows)
        super().format_options(ctx, formatter)

    def invoke(self, ctx: click.Context) -> None:
        """Run the command. No error of the package leaves it as a traceback."""
        import logging

        # What the package logs, the command prints in its own words.
        logging.getLogger("scripts").addHandler(logging.NullHandler())
        try:
            with errors_told(ctx.obj):
                super().invoke(ctx)
        except KeyboardInterrupt:
            # click would end with 1, which means that it failed.
            ctx.exit(INTERRUPTED)


def command(**context_settings: Any) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command of a function, which is called with what was asked for, before its own arguments."""

    def made_of(function: Callable[..., None]) -> click.Command:
        return click.command(cls=Command, context_settings=context_settings)(click.pass_obj(function))

    return made_of


def argument(name: str, explained: str, **settings: Any) -> Callable[[Decorated], Decorated]:
    """Give a command an argument that its help explains."""
    # Made anew for each command: before click 8.1.4 a decorator forgot its class when it was first used.
    return lambda function: click.argument(name, cls=Argument, explained=explained, **settings)(function)
