"""Reads an IAM policy as IAM does, as far as ours go: what is not allowed is denied.

Knows wildcards in resources only, and no ``Deny``: no policy of ours may have more. What it does not understand it
refuses to judge.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

#: The condition keys of a request and their values; a key that the request does not have is absent.
Context = Mapping[str, Sequence[str]]


def allows(policy: str, action: str, resource: str, context: Context | None = None) -> bool:
    """Whether the policy lets a request pass.

    Args:
        policy: The policy document, as JSON.
        action: What is asked for, such as ``dynamodb:GetItem``.
        resource: The ARN of what it is asked of.
        context: The request's condition keys.

    Returns:
        Whether one of its statements allows it.

    Example:
        >>> allows(policy, "dynamodb:GetItem", table_arn, {"dynamodb:LeadingKeys": ["repairs-load"]})
        True
    """
    return any(
        action in as_list(statement["Action"])
        and any(_is_like(pattern, resource) for pattern in as_list(statement["Resource"]))
        and all(
            _holds(operator, as_list(values), (context or {}).get(key))
            for operator, keys in statement.get("Condition", {}).items()
            for key, values in keys.items()
        )
        for statement in statements(policy)
    )


def statements(policy: str) -> list[dict[str, Any]]:
    """The statements of a policy that has only plain ``Allow`` ones.

    Args:
        policy: The policy document, as JSON.

    Returns:
        The statements.

    Raises:
        ValueError: If one denies, works by exclusion, or has a wildcard among its actions.
    """
    found: list[dict[str, Any]] = json.loads(policy)["Statement"]
    for statement in found:
        if statement["Effect"] != "Allow" or not statement.keys() <= _UNDERSTOOD:
            raise ValueError(f"not a plain Allow: {statement}")
        if "*" in "".join(as_list(statement["Action"])):
            raise ValueError(f"a wildcard among the actions: {statement}")
    return found


def as_list(value: str | list[str]) -> list[str]:
    """IAM writes a list of one as the one."""
    return [value] if isinstance(value, str) else value


_UNDERSTOOD = {"Sid", "Effect", "Action", "Resource", "Condition"}


def _is_like(pattern: str, value: str) -> bool:
    if "?" in pattern:
        raise ValueError(f"a wildcard that this reader does not know: {pattern}")
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), value, re.DOTALL) is not None


def _holds(operator: str, values: list[str], asked: Sequence[str] | None) -> bool:
    match operator:
        case "StringEquals":
            return asked is not None and all(value in values for value in asked)
        case "StringLike":
            return asked is not None and all(any(_is_like(pattern, value) for pattern in values) for value in asked)
        case "ForAllValues:StringEquals":
            return all(value in values for value in asked or ())  # holds when the request has no such key
        case "Null":
            return values == [str(asked is None).lower()]
        case _:
            raise ValueError(f"a condition that this reader does not know: {operator}")
