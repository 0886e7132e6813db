"""What an examination finds: each thing looked at, how it is, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["ok", "warning", "problem", "unknown"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: what was looked at.
        verdict: `ok`; `warning`, what works but not as it should; `problem`, what does not work; `unknown`, what could
            not be looked at.
        told: what was found.
        remedy: what to do about it, where something is to be done.
    """

    check: str
    verdict: Verdict
    told: str
    remedy: str | None = None

    def view(self) -> dict[str, str | None]:
        """Show the finding as a dict."""
        return {"check": self.check, "verdict": self.verdict, "told": self.told, "remedy": self.remedy}
