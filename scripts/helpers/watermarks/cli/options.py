"""The options that every command has, before its name or after it, and what follows from them."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from datetime import datetime, timezone, tzinfo
from typing import TYPE_CHECKING, Any

import click

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
    json: bool = False
    utc: bool = False

    def watermarks(self) -> Watermarks:
        """Open the table; no request is made yet."""
        from scripts.helpers.watermarks.watermarks import Watermarks

        session = None
        if self.profile:
            from scripts.helpers.watermarks.cli.session import open_session

            session = open_session(self.profile)
        return Watermarks(
            # Not click's envvar: after the command's name it would win over an option before it.
            self.table or os.environ.get("WATERMARKS_TABLE") or DEFAULT_TABLE,
            region_name=self.region,
            endpoint_url=self.endpoint_url,
            boto3_session=session,
        )

    def console(self) -> Console:
        """Give the terminal to print on. A pipe gets no colour, and nothing is cut there."""
        from rich.console import Console

        # Names are shown as they are: a job may be called "[red]" or ":smile:".
        if sys.stdout.isatty():
            return Console(highlight=False, markup=False, emoji=False, soft_wrap=False)
        told = os.environ.get("COLUMNS", "")
        width = int(told) if told.isdigit() and int(told) else PIPE_WIDTH
        return Console(highlight=False, markup=False, emoji=False, width=width)

    @property
    def zone(self) -> tzinfo | None:
        """The zone to show times in: UTC where asked for, else this machine's."""
        return timezone.utc if self.utc else None

    @property
    def shortens_ids(self) -> bool:
        """Whether long run ids are cut: for people only."""
        return sys.stdout.isatty()


def remember(context: click.Context, parameter: click.Parameter, given: Any) -> None:
    """Keep what was given. A command starts from what stood before its name, so that what comes later wins."""
    if given is not None:
        context.obj = replace(context.obj, **{str(parameter.name): given})


def _common(*names: str, **settings: Any) -> click.Option:
    return click.Option(names, default=None, expose_value=False, callback=remember, **settings)


COMMON_OPTIONS = (
    _common("--table", "-t", metavar="NAME", help=f"the table [WATERMARKS_TABLE, or {DEFAULT_TABLE}]"),
    _common("--region", metavar="REGION", help="its region [AWS_REGION, or the profile's]"),
    _common("--endpoint-url", metavar="URL", help="where DynamoDB answers, for an emulator"),
    _common("--profile", metavar="NAME", help="the AWS profile to use"),
    _common("--json", is_flag=True, help="print one JSON document, for scripts"),
    _common("--utc", is_flag=True, help="show times in UTC, not in the local zone"),
)


def now() -> datetime:
    """Give the present moment, aware, in UTC."""
    return datetime.now(timezone.utc)
