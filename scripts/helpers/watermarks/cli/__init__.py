"""The `watermarks` command: it asks `Watermarks` and prints what it says. It computes nothing of its own."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run the command, or say how to install what it needs."""
    try:
        from scripts.helpers.watermarks.cli.app import app
    except ModuleNotFoundError as error:
        if error.name != "typer":
            raise
        sys.exit("The watermarks command needs typer and rich: pip install 'glue-watermarks[cli]'")
    for stream in (sys.stdout, sys.stderr):
        # A pipe on Windows, or a Latin-1 locale, has no bars and arrows: better a question mark than a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    app()
