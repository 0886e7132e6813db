"""The options that every command has, before its name or after it, and what follows from them."""

from __future__ import annotations

import inspect
import logging
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime, timezone, tzinfo
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from scripts.helpers.watermarks.cli.exits import errors_told

if TYPE_CHECKING:
    from rich.console import Console

    from scripts.helpers.watermarks import Watermarks

DEFAULT_TABLE = "glue-watermarks"
# Wide enough for any table: what reads a pipe has no width of its own.
PIPE_WIDTH = 500


@dataclass(frozen=True)
class Asked:
    """Where the watermarks are, and how to show them."""

    table: str | None = None
    region: str | None = None
    endpoint_url: str | None = None
    profile: str | None = None
    json: bool | None = None
    utc: bool | None = None

    def over(self, before: Asked) -> Asked:
        """Give these options, and the earlier ones where these are not given."""
        own = ((each.name, getattr(self, each.name)) for each in fields(self))
        return Asked(**{name: getattr(before, name) if value is None else value for name, value in own})

    def watermarks(self) -> Watermarks:
        """Open the table; no request is made yet."""
        from scripts.helpers.watermarks.watermarks import Watermarks

        session = None
        if self.profile:
            from scripts.helpers.watermarks.cli.session import open_session

            session = open_session(self.profile)
        return Watermarks(
            # Not typer's envvar: after the command's name it would win over an option before it.
            self.table or os.environ.get("WATERMARKS_TABLE") or DEFAULT_TABLE,
            region_name=self.region,
            endpoint_url=self.endpoint_url,
            boto3_session=session,
        )

    def console(self) -> Console:
        """Give the terminal to print on. A pipe gets no colour, and nothing is cut there."""
        from rich.console import Console

        if sys.stdout.isatty():
            return Console(highlight=False, soft_wrap=False)
        width = os.environ.get("COLUMNS", "")
        return Console(highlight=False, width=int(width) if width.isdigit() and int(width) else PIPE_WIDTH)

    @property
    def zone(self) -> tzinfo | None:
        """The zone to show times in: UTC where asked for, else this machine's."""
        return timezone.utc if self.utc else None

    @property
    def shortens_ids(self) -> bool:
        """Whether long run ids are cut: for people only."""
        return sys.stdout.isatty()


COMMON: dict[str, Any] = {
    "table": Annotated[
        str | None,
        typer.Option(
            "--table",
            "-t",
            metavar="NAME",
            help=f"the table [WATERMARKS_TABLE, or {DEFAULT_TABLE}]",
        ),
    ],
    "region": Annotated[
        str | None, typer.Option("--region", metavar="REGION", help="its region [AWS_REGION, or the profile's]")
    ],
    "endpoint_url": Annotated[
        str | None, typer.Option("--endpoint-url", metavar="URL", help="where DynamoDB answers, for an emulator")
    ],
    "profile": Annotated[str | None, typer.Option("--profile", metavar="NAME", help="the AWS profile to use")],
    "json": Annotated[bool | None, typer.Option("--json", help="print one JSON document, for scripts")],
    "utc": Annotated[bool | None, typer.Option("--utc", help="show times in UTC, not in the local zone")],
}


def with_common_options(function: Callable[..., None]) -> Callable[..., None]:
    """Give a command the common options: it is called with what was asked for, before its own arguments."""
    hints = get_type_hints(function, include_extras=True)
    _, *own = inspect.signature(function).parameters.values()
    context = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    parameters = [
        context,
        *(each.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[each.name]) for each in own),
        *_common_parameters(),
    ]

    @wraps(function)
    def command(*, context: typer.Context, **given: Any) -> None:
        asked = Asked(**{name: given.pop(name) for name in COMMON}).over(context.obj or Asked())
        # What the package logs, the command prints in its own words.
        logging.getLogger("scripts").addHandler(logging.NullHandler())
        with errors_told(asked):
            function(asked, **given)

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    return command


def _common_parameters() -> list[inspect.Parameter]:
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
        for name, option in COMMON.items()
    ]


def show_version(asked_for: bool) -> None:
    """Show the version, and end."""
    if asked_for:
        from importlib.metadata import PackageNotFoundError, version

        try:
            told = version("glue-watermarks")
        except PackageNotFoundError:  # from a zip, or a plain copy of the files
            told = "of unknown version"
        typer.echo(f"watermarks {told}")
        raise typer.Exit


def remember_common_options(*, context: typer.Context, version: bool, **given: Any) -> None:  # noqa: ARG001
    """Keep the options that stand before the command's name."""
    context.obj = Asked(**given)


_VERSION = Annotated[
    bool, typer.Option("--version", is_eager=True, callback=show_version, help="show the version and exit")
]
remember_common_options.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context),
        inspect.Parameter("version", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=_VERSION),
        *_common_parameters(),
    ]
)


def now() -> datetime:
    """Give the present moment, aware, in UTC."""
    return datetime.now(timezone.utc)
