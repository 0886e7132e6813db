"""Looking for what usually goes wrong, and saying how to mend it. Nothing is changed."""

from scripts.helpers.watermarks.doctor.examining import examine
from scripts.helpers.watermarks.doctor.findings import Finding, Verdict

__all__ = ["Finding", "Verdict", "examine"]
