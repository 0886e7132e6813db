"""The reader's options that say which files a source has: one spelling, and only what makes a difference."""

import pytest

from scripts.helpers.watermarks.values import StoredMap
from scripts.helpers.watermarks.values.choice import choice_of, told_choice
from scripts.helpers.watermarks.values.positions import FilesPosition, position_part, read_position


@pytest.mark.parametrize(
    ("options", "choice"),
    [
        ({}, {}),
        ({"header": "true", "basePath": "/in"}, {}),
        ({"recursiveFileLookup": "true"}, {"recursiveFileLookup": "true"}),
        ({"RECURSIVEFILELOOKUP": "TRUE"}, {"recursiveFileLookup": "true"}),
        ({"recursiveFileLookup": "False"}, {}),
        ({"recursiveFileLookup": "true", "recursivefilelookup": "false"}, {}),
        ({"pathglobfilter": "*.JSON"}, {"pathGlobFilter": "*.JSON"}),
        ({"pathGlobFilter": "*"}, {}),
    ],
    ids=["none", "others", "true", "any-case", "false", "the-last-counts", "pattern-as-it-is", "every-name"],
)
def test_choice__in_one_spelling(options: dict[str, str], choice: dict[str, str]) -> None:
    assert choice_of(options) == choice


def test_choice__in_words() -> None:
    assert told_choice(choice_of({"pathGlobFilter": "*.json"})) == "pathGlobFilter='*.json'"
    assert told_choice({}) == "neither recursiveFileLookup nor pathGlobFilter"


@pytest.mark.parametrize("choice", [None, {}, {"pathGlobFilter": "*.json"}], ids=["unknown", "none", "given"])
def test_position__with_its_choice_comes_back(choice: dict[str, str] | None) -> None:
    position = FilesPosition(("/in",), 7, None, choice)

    assert read_position(position_part(position.to_stored())) == position
    assert position.moved_to("2023-03-16 11:45:00+00:00").choice == choice


def test_position__as_it_was_stored_before_options_were_kept() -> None:
    stored: StoredMap = {"paths": ["/in"], "mark": "2023-03-16T11:44:59.000000Z", "digests": None}

    position = read_position(stored)

    assert isinstance(position, FilesPosition)
    assert position.choice is None
    assert position.to_stored() == stored


@pytest.mark.parametrize("options", [None, "true", {"recursiveFileLookup": True}], ids=["null", "text", "no-text"])
def test_position__with_options_that_cannot_be_read(options: object) -> None:
    stored = {"paths": ["/in"], "mark": None, "digests": None, "options": options}

    with pytest.raises(ValueError, match="which are no map of texts"):
        read_position(stored)  # type: ignore[arg-type]
