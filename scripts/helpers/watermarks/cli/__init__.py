"""The `watermarks` command: it asks `Watermarks` and prints what it says. It computes nothing of its own."""

from __future__ import annotations

import io
import sys

# Many packages bring click along, so that it may be there without rich.
OF_THE_EXTRA = ("click", "rich")


def main() -> None:
    """Run the command, or say how to install what it needs."""
    for stream in (sys.stdout, sys.stderr):
        # A pipe on Windows, or a Latin-1 locale, has no bars and arrows: better a question mark than a traceback.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        from scripts.helpers.watermarks.cli.app import app

        app()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in OF_THE_EXTRA:
            raise
        sys.exit("The watermarks command needs click and rich: pip install 'glue-watermarks[cli]'")
