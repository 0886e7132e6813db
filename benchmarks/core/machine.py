"""What the numbers were measured on: cores, memory, versions. No names of machines, no paths."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterable
from datetime import datetime, timezone
from importlib import metadata
from pathlib import Path


def describe(java_home: str | None, packages: Iterable[str]) -> dict[str, str]:
    """Describe the machine, and the versions of what was measured on it."""
    load = os.getloadavg()[0]
    return {
        "measured": f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC",
        "cores": f"{os.cpu_count()} × {_cpu()}",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "load before": f"{load:.1f}",
        "Python": platform.python_version(),
        **({"Java": _java(java_home)} if java_home else {}),
        **{name: metadata.version(name) for name in packages},
    }


def _cpu() -> str:
    told = _text("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.+)", told)
    return found[1].strip() if found else platform.machine()


def _memory() -> str:
    found = re.search(r"MemTotal:\s*(\d+) kB", _text("/proc/meminfo"))
    return f"{int(found[1]) / 2**20:.0f} GiB" if found else "unknown"


def _java(java_home: str) -> str:
    told = subprocess.run(
        [str(Path(java_home, "bin", "java")), "-version"], capture_output=True, text=True, check=False
    ).stderr
    found = re.search(r'version "([^"]+)"', told)
    return found[1] if found else "unknown"


def _text(path: str) -> str:
    place = Path(path)
    return place.read_text(encoding="utf-8") if place.exists() else ""
