"""Writes the page: one HTML file with its data, style, scripts and plotly.js inside, which asks for nothing outside.

What comes from the table is in the page once, as JSON that no browser can take for markup; the scripts put it on screen
as text. The page's own policy forbids every script but those written here, by their digests, and every request.
"""

from __future__ import annotations

import base64
import hashlib
import html
import importlib.util
import json
import os
import re
import tempfile
from collections.abc import Iterable
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import TextIO

from scripts.helpers.watermarks.errors import InvalidArgumentError, MissingExtraError
from scripts.helpers.watermarks.report.columns import job_columns, millis
from scripts.helpers.watermarks.report.story import JobStory

# In the order in which they build on each other.
SCRIPTS = ("formats", "elements", "story", "theme", "traces", "panels", "figure", "history", "overview", "main")
STYLES = ("colours", "page", "tables", "media")
_ASSETS = files("scripts.helpers.watermarks.report") / "assets"


def write_report(
    target: str | os.PathLike[str] | TextIO, stories: Iterable[JobStory], *, table_name: str, generated_at: datetime
) -> None:
    """Write a report of some jobs. The same input gives the same page, to the byte.

    Args:
        target: the file to write, replaced in one step where it exists; or an open text file.
        stories: the jobs, in the order in which they are shown.
        table_name: the table they come from.
        generated_at: now, with a time zone: how old the marks are is counted to here.

    Raises:
        MissingExtraError: plotly is not installed.
        InvalidArgumentError: the time has no zone.
        OSError: the file cannot be written.

    Example:
        >>> stories = [JobStory.of(watermarks, job["jobName"]) for job in watermarks.jobs()]
        >>> write_report("report.html", stories, table_name="glue-watermarks", generated_at=datetime.now(timezone.utc))
    """
    page = render(stories, table_name=table_name, generated_at=generated_at)
    if not isinstance(target, (str, os.PathLike)):
        target.write(page)
        return
    _replace(Path(target), page)


def render(stories: Iterable[JobStory], *, table_name: str, generated_at: datetime) -> str:
    """Give the page as text."""
    if generated_at.tzinfo is None:
        raise InvalidArgumentError(
            f"generated_at needs a time zone, and {generated_at.isoformat()} has none: datetime.now(timezone.utc).",
            argument="generated_at",
            value=generated_at,
        )
    plotly = _plotly()
    data = {"table": table_name, "generatedAt": millis(generated_at), "jobs": [job_columns(each) for each in stories]}
    script = "".join(["(() => {\n'use strict';\n", *(_asset(f"{name}.js") for name in SCRIPTS), "})();\n"])
    parts = {
        "policy": html.escape(_policy(plotly, script)),
        "title": html.escape(f"Watermarks in {table_name}"),
        "style": "".join(_asset(f"{name}.css") for name in STYLES),
        "data": embedded_json(data),
        "plotly": plotly,
        "script": script,
    }
    # In one pass: what a part holds is never taken for the place of another.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _asset("page.html"))


def embedded_json(data: object) -> str:
    """Give JSON that can stand inside a script element: nothing in it can end the element or begin a comment."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _policy(*scripts: str) -> str:
    digests = " ".join(f"'sha256-{_digest(each)}'" for each in scripts)
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {digests}",
            # plotly.js writes its own style rules; no text of the table's is ever part of one.
            "style-src 'unsafe-inline'",
            # For the button that saves a chart as a picture.
            "img-src data: blob:",
            "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def require_plotly() -> None:
    """Refuse to go on without plotly, before anything is read for a report.

    Raises:
        MissingExtraError: it is not installed.
    """
    if importlib.util.find_spec("plotly") is None:
        raise MissingExtraError(
            "A report needs plotly, which is not installed here: pip install 'glue-watermarks[report]'.", extra="report"
        )


def _plotly() -> str:
    require_plotly()
    from plotly.offline import get_plotlyjs

    # A browser reads a carriage return as a line feed, and the digest is of what it reads.
    return str(get_plotlyjs()).replace("\r\n", "\n").replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8").replace("\r\n", "\n")


def _replace(path: Path, page: str) -> None:
    """Write beside the file first, so that nobody ever opens half a page."""
    if path.exists() and not path.is_file():  # a pipe, or a terminal; a folder says so itself
        path.write_text(page, encoding="utf-8")
        return
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(page)
        # mkstemp's files are for their owner alone; the report is as open as any other new file.
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
