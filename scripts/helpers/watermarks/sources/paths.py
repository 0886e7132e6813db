"""Paths of files as Spark and Hadoop spell them: pure text, no file system is asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from scripts.helpers.watermarks.errors import InvalidArgumentError

_GLOB = frozenset("{}[]*?\\")
_SCHEME = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")


def normal_paths(path: str | Sequence[str]) -> dict[str, str]:
    """Give the paths of a source in one spelling, so that a source is recognised however it is written.

    Returns:
        The paths, and for each how to ask Spark for it: with the scheme as given, which may be the only one it knows.

    Raises:
        InvalidArgumentError: there is none, or one is not absolute and so means another place on another machine.
    """
    given = [path] if isinstance(path, str) or not isinstance(path, Iterable) else list(path)
    if not given:
        raise InvalidArgumentError("path must name at least one place.", argument="path", value=path)
    for each in given:
        if not isinstance(each, str) or not (each.startswith("/") or _SCHEME.match(each)):
            raise InvalidArgumentError(
                f"path {each!r} must be absolute (/data/landing) or have a scheme (s3://bucket/landing): the same "
                "source must be the same place in every run.",
                argument="path",
                value=each,
            )
    return {_join(*split_path(each)): spark_spelling(each, split_path(each)[1]) for each in given}


def split_path(path: str) -> tuple[str, list[str]]:
    """Take a path apart: where it is (`file:`, `s3://bucket`, nothing) and the names of the folders and the file."""
    found = _SCHEME.match(path)
    if found is None:
        return "", [part for part in path.split("/") if part]
    scheme = {"s3a": "s3", "s3n": "s3"}.get(found[1].lower(), found[1].lower())
    rest = path[found.end() :]
    if scheme == "file" or not rest.startswith("//"):
        return f"{scheme}:", [part for part in rest.split("/") if part]
    authority, _, below = rest[2:].partition("/")
    return f"{scheme}://{authority}" if authority else f"{scheme}:", [part for part in below.split("/") if part]


def base_of(path: str, given: Sequence[str]) -> list[str]:
    """Give the folder of a listed file from which on folders like `day=1` are partition columns: the given path."""
    parts = split_path(path)[1]
    return parts[: min(len(_asked_for(parts, given)), len(parts) - 1)]


def is_hidden(path: str, given: Sequence[str]) -> bool:
    """Say whether a file is one that nobody wrote as data: `_SUCCESS`, `.part.crc`, anything below `_temporary`.

    Spark knows them too, but not where a pattern matches them. What was asked for by its name is not hidden.
    """
    parts = split_path(path)[1]
    asked = _asked_for(parts, given)
    matched = [name for name, pattern in zip(parts, asked, strict=False) if name[0] != pattern[0]]
    return any(
        name.startswith(".") or (name.startswith("_") and "=" not in name) for name in matched + parts[len(asked) :]
    )


def are_apart(given: Sequence[str]) -> bool:
    """Say whether no file can be below two of the given paths."""
    if len(given) > 1 and any(letter in _GLOB for path in given for letter in path):
        return False
    places = sorted([where, *parts] for where, parts in map(split_path, given))
    return all(one != other[: len(one)] for one, other in pairwise(places))


def has_partitions(path: str, given: Sequence[str]) -> bool:
    """Say whether folders between the given path and the file stand for columns."""
    below = split_path(path)[1][len(base_of(path, given)) : -1]
    return any("=" in name for name in below)


def spark_spelling(path: str, parts: Sequence[str]) -> str:
    """Give a folder above a listed file as Spark spells that file."""
    scheme = _SCHEME.match(path)
    where = split_path(path)[0] if scheme is None else path[: scheme.end()] + split_path(path)[0].partition(":")[2]
    return f"{where}/{'/'.join(parts)}"


def escaped(path: str) -> str:
    """Give a path in which nothing is taken for a pattern."""
    return "".join(f"\\{letter}" if letter in _GLOB else letter for letter in path)


def _asked_for(parts: Sequence[str], given: Sequence[str]) -> list[str]:
    """Give the names and patterns of the given path that a file is below, or that is the file itself."""
    for names in sorted((split_path(each)[1] for each in given), key=len, reverse=True):
        if len(names) <= len(parts) and all(_matches(name, part) for name, part in zip(names, parts, strict=False)):
            return names
    return list(parts[:-1])


def _matches(name: str, part: str) -> bool:
    return name == part or any(letter in _GLOB for letter in name)


def _join(where: str, parts: Sequence[str]) -> str:
    return f"{where}/{'/'.join(parts)}"
