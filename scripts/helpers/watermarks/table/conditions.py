"""The conditions under which the table may change, each named after what it protects."""

from __future__ import annotations

import re
from datetime import datetime

from pynamodb.constants import MAP, NUMBER
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from scripts.helpers.watermarks.table.items import JobState
from scripts.helpers.watermarks.table.model import LEASE_RUN_ID, LEASE_TOKEN, LEASE_UNTIL, Item, instant_text

MAX_ATTEMPTS_LISTED = 90


def nobody_changed_it_since(before: JobState | None) -> Condition:
    """Protect a change made by somebody else between our read and our write."""
    if before is None:
        return Path("jobName").does_not_exist()
    return Path("version") == before.version


def nobody_holds_it_at(now: datetime) -> Condition:
    """Protect a run that is under way. A lease that ran out protects nothing."""
    free: Condition = Item.lease.does_not_exist() | (LEASE_UNTIL < instant_text(now))
    return free


def still_held_by(token: str) -> Condition:
    """Protect the job from a run that lost its lease."""
    return LEASE_TOKEN == token


def may_be_taken_by(run_id: str, now: datetime) -> Condition:
    """Let a run in where nobody holds the job, or only an earlier attempt of the same Glue run does."""
    earlier = earlier_attempts(run_id)
    free = nobody_holds_it_at(now)
    allowed: Condition = free | LEASE_RUN_ID.is_in(*earlier) if earlier else free
    takeable: Condition = allowed & it_is_new_or_whole()
    return takeable


def it_is_new_or_whole() -> Condition:
    """Protect a state that somebody damaged: taking it would fill its gaps as for a new job, and load everything."""
    whole = Path("version").is_type(NUMBER) & Path("lastBatchId").is_type(NUMBER) & Path("sources").is_type(MAP)
    countable = Path("attempts").does_not_exist() | Path("attempts").is_type(NUMBER)
    new_or_whole: Condition = Path("jobName").does_not_exist() | (whole & countable)
    return new_or_whole


def no_success_is_replaced() -> Condition:
    """Protect the record of a success. One of a failure, or of the platform's original class, may be replaced."""
    replaceable: Condition = Item.version.does_not_exist() | (Item.status == "FAILED")
    return replaceable


def no_committed_run_is_replaced() -> Condition:
    """Protect what a JobRun committed under the same run id. What was added by hand carries no attempt."""
    replaceable: Condition = no_success_is_replaced() | Item.attempt.does_not_exist()
    return replaceable


def earlier_attempts(run_id: str) -> list[str]:
    """Give the ids that earlier attempts of the same Glue run had: `jr_x` and `jr_x_attempt_1` for the second."""
    found = re.fullmatch(r"(.+)_attempt_(\d{1,4})", run_id)
    if found is None:
        return []
    first, number = found[1], int(found[2])
    return [first, *(f"{first}_attempt_{n}" for n in range(max(1, number - MAX_ATTEMPTS_LISTED), number))]
