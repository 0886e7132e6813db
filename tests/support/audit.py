"""Known vulnerabilities of what the package needs: `python -m tests.support.audit`, part of `make check`.

It asks an advisory service through pip-audit, about the core dependencies and what they bring, as they are installed
here. Where the service does not answer, that is said and is no error: it says nothing about this checkout.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PACKAGE = "glue-watermarks"
# For one answer of the service, and for all of it: a check that hangs is soon a check that nobody runs.
ANSWER_SECONDS, AUDIT_SECONDS = 3, 20


@dataclass(frozen=True)
class Report:
    """What is known of some packages.

    Attributes:
        found: a line for each vulnerability.
        unanswered: why nothing is known of some packages or of all; empty if everything was answered.
    """

    found: tuple[str, ...] = ()
    unanswered: str = ""


def core_dependencies() -> dict[str, str]:
    """Give the versions of what the package needs without any extra, and of what that needs in turn."""
    found: dict[str, str] = {}
    left = _needed_by(PACKAGE)
    while left:
        name = left.pop()
        found[name] = version(name)
        left |= _needed_by(name) - set(found)
    return dict(sorted(found.items()))


def audit(packages: Mapping[str, str], *, options: Sequence[str] = ()) -> Report:
    """Ask what is known of some packages.

    Args:
        packages: their versions by name.
        options: more options of pip-audit, such as another service.

    Returns:
        The answer.
    """
    command = [sys.executable, "-m", "pip_audit", "--format=json", f"--timeout={ANSWER_SECONDS}"]
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "requirements.txt")
        listed.write_text("".join(f"{name}=={number}\n" for name, number in packages.items()), encoding="utf-8")
        command += ["--progress-spinner=off", "--disable-pip", "--no-deps", f"--requirement={listed}", *options]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=AUDIT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return Report(unanswered=f"the advisory service took longer than {AUDIT_SECONDS} s")
    return read_report(done.stdout, done.stderr)


def read_report(output: str, errors: str) -> Report:
    """Read what pip-audit said.

    Its exit code would not do: it is 1 for vulnerabilities and for a service out of reach alike, and 0 where the
    service does not know a package, as a mirror without advisories does not know any.

    Args:
        output: its standard output, JSON if it got that far.
        errors: its standard error.
    """
    try:
        packages: list[dict[str, Any]] = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = errors.strip().splitlines()[-1:] or ["pip-audit said nothing"]
        return Report(unanswered=f"the advisory service cannot be reached: {_short(last[0])}")
    found = [_line(each, known) for each in packages for known in each.get("vulns", ())]
    unknown = [each["name"] for each in packages if "skip_reason" in each]
    return Report(tuple(found), f"the advisory service knows nothing of {', '.join(unknown)}" if unknown else "")


def _needed_by(name: str) -> set[str]:
    listed = map(Requirement, requires(name) or ())
    return {canonicalize_name(each.name) for each in listed if not each.marker or each.marker.evaluate({"extra": ""})}


def _line(package: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    mended = ", ".join(known["fix_versions"]) or "no version yet"
    return f"{package['name']} {package['version']}: {known['id']}, mended in {mended}"


def _short(line: str) -> str:
    return line if len(line) <= 160 else f"{line[:159]}…"


def main() -> int:
    """Audit the core dependencies; only a vulnerability is an error."""
    packages = core_dependencies()
    report = audit(packages)
    for line in report.found:
        sys.stderr.write(f"{line}\n")
    if report.unanswered:
        sys.stderr.write(f"dependencies not audited: {report.unanswered}\n")
    elif not report.found:
        sys.stdout.write(f"No known vulnerabilities in {len(packages)} core dependencies.\n")
    return 1 if report.found else 0


if __name__ == "__main__":
    sys.exit(main())
