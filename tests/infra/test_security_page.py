"""``docs/security.md`` says what proves each of its lines: that there is such a file, and such a test in it."""

import re

import pytest

from tests.support.terraform import PROJECT

PAGE = (PROJECT / "docs" / "security.md").read_text()
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))
FILES = sorted(
    {*re.findall(r"\]\(\.\./([\w./-]+)\)", PAGE), *re.findall(r"`((?:tests|infra)/[\w./-]+\.(?:py|hcl|tf))`", PAGE)}
)


@pytest.mark.parametrize(("file", "name"), TESTS, ids=[name for _, name in TESTS])
def test_security_page__names_a_test(file: str, name: str) -> None:
    assert f"def {name}(" in (PROJECT / file).read_text()


@pytest.mark.parametrize("file", FILES)
def test_security_page__names_a_file(file: str) -> None:
    assert (PROJECT / file).is_file()


def test_security_page__counts_what_checkov_may_not_check() -> None:
    configurations = [file.read_text() for file in (PROJECT / "infra").rglob("*.tf")]

    assert sum(text.count("checkov:skip") for text in configurations) == 3
