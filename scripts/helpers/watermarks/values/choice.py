"""Which files of its paths a source has: the options of Spark's reader that choose among them, in one spelling.

They belong to where a source stands. Everything up to its horizon counts as done, so a file that only other options
find would be skipped without a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

# Spark's own spelling, by the option's name in lower case: Spark takes it in any.
CHOOSING = {"recursivefilelookup": "recursiveFileLookup", "pathglobfilter": "pathGlobFilter"}
# Given so, an option chooses what is chosen without it.
AS_IF_NOT_GIVEN = {"recursiveFileLookup": "false", "pathGlobFilter": "*"}

Choice: TypeAlias = Mapping[str, str]


def choice_of(options: Mapping[str, str]) -> dict[str, str]:
    """Give the options that choose files, however they are spelled, and only where they make a difference.

    Example:
        >>> choice_of({"header": "true", "RECURSIVEFILELOOKUP": "TRUE", "pathGlobFilter": "*"})
        {'recursiveFileLookup': 'true'}
    """
    # Of one that is given in two spellings, Spark takes the last.
    given = {CHOOSING[name.lower()]: value for name, value in options.items() if name.lower() in CHOOSING}
    if "recursiveFileLookup" in given:
        given["recursiveFileLookup"] = given["recursiveFileLookup"].lower()
    return {name: value for name, value in sorted(given.items()) if value != AS_IF_NOT_GIVEN[name]}


def told_choice(choice: Choice) -> str:
    """Give the options in words: `pathGlobFilter='*.json'`, or that there is none of them."""
    told = ", ".join(f"{name}={value!r}" for name, value in choice.items())
    return told or f"neither {' nor '.join(CHOOSING.values())}"
