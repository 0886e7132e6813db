"""The page: self-contained, locked by its own policy, the same for the same input, and never half written."""

import base64
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
from datetime import datetime, timezone
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scripts.helpers.watermarks import InvalidArgumentError, MissingExtraError
from scripts.helpers.watermarks.report import JobStory, write_report
from scripts.helpers.watermarks.report.page import embedded_json, render
from tests.support.stories import HOSTILE, hostile_story, long_story, odd_stories

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 3, 4, tzinfo=timezone.utc)


class Parsed(HTMLParser):
    """What a browser's parser makes of a page: elements, their attributes, and the texts of scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.title = ""
        self._open = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = "" if tag == self._open else self._open

    def handle_data(self, data: str) -> None:
        if self._open == "script":
            self.scripts[-1] += data
        if self._open == "title":
            self.title += data

    @property
    def data(self) -> Any:
        return json.loads(self.scripts[0])

    @property
    def policy(self) -> str:
        (policy,) = [at["content"] for tag, at in self.elements if at.get("http-equiv") == "Content-Security-Policy"]
        assert policy is not None
        return policy


def page(*stories: JobStory, table_name: str = "glue-watermarks") -> str:
    return render(stories, table_name=table_name, generated_at=NOW)


@given(
    st.recursive(st.text() | st.integers() | st.none(), lambda each: st.lists(each) | st.dictionaries(st.text(), each))
)
def test_embedded_json__is_inert_and_comes_back_as_it_was(data: object) -> None:
    text = embedded_json(data)

    assert "<" not in text
    assert text.isascii()
    assert json.loads(text) == data


def test_hostile_names__change_no_element_and_come_back_as_they_were() -> None:
    harmless = Parsed(page(*(hostile_story("repairs") for _ in HOSTILE)))

    hostile = Parsed(page(*map(hostile_story, HOSTILE), table_name="</title><script>alert(1)</script>"))

    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in harmless.elements]
    assert [job["name"] for job in hostile.data["jobs"]] == list(HOSTILE)
    assert hostile.data["jobs"][0]["events"]["note"]["1"] == HOSTILE[0]
    assert hostile.title == "Watermarks in </title><script>alert(1)</script>"
    assert hostile.scripts[1:] == harmless.scripts[1:]


def test_policy__allows_these_scripts_and_no_request() -> None:
    parsed = Parsed(page(long_story(3)))

    allowed = re.findall(r"'sha256-([^']+)'", parsed.policy)
    assert allowed == [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in parsed.scripts[1:]]
    assert "default-src 'none'" in parsed.policy
    assert "connect-src 'none'" in parsed.policy
    assert "script-src 'sha256-" in parsed.policy
    assert "unsafe-eval" not in parsed.policy


def test_page__names_nothing_outside_itself() -> None:
    parsed = Parsed(page(*odd_stories()))

    assert not [at for _, at in parsed.elements if {"src", "href", "srcset"} & set(at)]
    assert not [tag for tag, _ in parsed.elements if tag in ("link", "iframe", "img")]


def test_page__same_input_same_bytes() -> None:
    assert page(*odd_stories(), long_story(50)) == page(*odd_stories(), long_story(50))


def test_page__ten_thousand_runs_are_small() -> None:
    without, with_runs = len(page()), len(page(long_story(10_000)))

    # Of each run, 67 characters are its id and some 10 are needed for each of seven columns: 1.3 MB were measured.
    assert with_runs - without < 1_600_000


def test_write__to_a_path_and_to_an_open_file(tmp_path: Path) -> None:
    path, file = tmp_path / "report.html", io.StringIO()

    write_report(path, [long_story(3)], table_name="t", generated_at=NOW)
    write_report(file, [long_story(3)], table_name="t", generated_at=NOW)

    assert path.read_bytes() == file.getvalue().encode()
    assert path.stat().st_mode & 0o444 == 0o444


def test_write__a_failure_leaves_the_older_report_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("older")

    with pytest.raises(UnicodeEncodeError):
        write_report(path, [], table_name="lone \ud800 surrogate", generated_at=NOW)

    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_write__missing_folder_is_the_systems_own_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_report(tmp_path / "missing" / "report.html", [], table_name="t", generated_at=NOW)


def test_write__naive_time_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="generated_at needs a time zone"):
        write_report(io.StringIO(), [], table_name="t", generated_at=datetime(2026, 3, 4))


def test_write__without_plotly_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "plotly" else find_spec(name))

    with pytest.raises(MissingExtraError, match=r"pip install 'glue-watermarks\[report\]'") as caught:
        write_report(io.StringIO(), [], table_name="t", generated_at=NOW)
    assert caught.value.extra == "report"


def test_write__from_a_zip_as_glue_jobs_have_their_libraries(tmp_path: Path) -> None:
    """`--extra-py-files` of a Glue job is a zip that Python imports from."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "scripts" / "helpers", tmp_path / "tree" / "scripts" / "helpers", ignore=ignored)
    library = shutil.make_archive(str(tmp_path / "library"), "zip", tmp_path / "tree")
    program = """
import datetime, scripts.helpers.watermarks.report as report
now = datetime.datetime(2026, 3, 4, tzinfo=datetime.timezone.utc)
report.write_report("report.html", [], table_name="t", generated_at=now)
print(report.__file__)
"""
    command = [sys.executable, "-c", program]
    told = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": library}, capture_output=True, text=True, check=False
    )

    assert told.returncode == 0, told.stderr
    assert library in told.stdout
    assert (tmp_path / "report.html").read_text() == render([], table_name="t", generated_at=NOW)
