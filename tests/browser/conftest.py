"""A headless Chromium that opens reports: `make test-matrix ARGS=browser`, which brings playwright along.

Without playwright nothing here is collected: `make test` leaves the browser to the matrix. With it, a missing Chromium
is a reason to skip, and in CI to fail. Every test also proves that its page logged no error and asked for nothing
outside.
"""

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from demo.embedded import fake_aws, moto_server
from scripts.helpers.watermarks.report import JobStory, write_report
from tests.support.loopback import refuse_other_machines
from tests.support.skipping import skip_or_fail

collect_ignore_glob = [] if importlib.util.find_spec("playwright") else ["test_*.py"]

fake_aws(os.environ)
refuse_other_machines()

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NOW = datetime(2026, 3, 4, 12, tzinfo=timezone.utc)


@dataclass
class Opened:
    """A report in a browser, and what went wrong there."""

    page: Any
    trouble: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("console", lambda message: self.trouble.append(f"console {message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        self.page.on("request", self._requested)

    def _dismiss(self, dialog: Any) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _requested(self, request: Any) -> None:
        if not request.url.startswith(("file:", "data:", "blob:")):
            self.trouble.append(f"request: {request.url}")

    def drawn(self, job: int = 0) -> Any:
        """A job's section, brought into view and drawn."""
        section = self.page.locator(f"#job-{job}")
        section.scroll_into_view_if_needed()
        section.locator(".chart .main-svg").first.wait_for()
        return section

    def rows(self, job: int = 0) -> list[list[str]]:
        """The rows of a job's history that are on screen, as texts."""
        found: list[list[str]] = self.page.eval_on_selector_all(
            f"#job-{job} .history tbody tr", "rows => rows.map(row => [...row.cells].map(cell => cell.innerText))"
        )
        return found

    def traces(self, job: int = 0) -> list[dict[str, Any]]:
        """What plotly was given to draw."""
        found: list[dict[str, Any]] = self.page.eval_on_selector(f"#job-{job} .chart", "plot => plot.data")
        return found


Open = Callable[..., Opened]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        skip_or_fail(f"there is no Chromium on this machine (none of {', '.join(NAMES)}): `apt-get install chromium`")
    with sync_playwright() as playwright:
        # Each launch has a user data folder of its own, gone with it.
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_report(chromium: Any, tmp_path: Path) -> Iterator[Open]:
    """Write a report and open it; options are the browser's: `color_scheme`, `timezone_id`, `viewport`."""
    opened: list[Opened] = []

    def open_it(*stories: JobStory, generated_at: datetime = NOW, **options: Any) -> Opened:
        path = tmp_path / f"report-{len(opened)}.html"
        write_report(path, stories, table_name="glue-watermarks", generated_at=generated_at)
        usual = {"viewport": {"width": 1280, "height": 900}, "timezone_id": "Europe/Berlin"}
        found = Opened(chromium.new_context(**usual | options).new_page())
        opened.append(found)
        found.watch()
        found.page.goto(path.as_uri())
        return found

    yield open_it
    for each in opened:
        each.page.context.close()
    assert [each.trouble for each in opened] == [[] for _ in opened]


@pytest.fixture(scope="session")
def moto_endpoint() -> Iterator[str]:
    """Endpoint URL of a moto server, for jobs that really ran."""
    with moto_server() as endpoint_url:
        yield endpoint_url
