"""The `watermarks` command: it asks `Watermarks` and prints what it says. It computes nothing of its own."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command, or say how to install what it needs."""
    try:
        from scripts.helpers.watermarks.cli.app import app
    except ModuleNotFoundError as error:
        if error.name != "typer":
            raise
        sys.exit("The watermarks command needs typer and rich: pip install 'glue-watermarks[cli]'")
    app()
