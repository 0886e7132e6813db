"""Other Pythons than the one that runs the tests: those of the machine, each with environments under `.cache`.

`make test-matrix` and `make deploy-check` keep theirs between runs, until what one needs has changed.
"""

import configparser
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".cache"


def find_python(version: str) -> str | None:
    """Find a Python of this version: on the PATH, else one of pyenv's or uv's.

    Args:
        version: major and minor, such as `3.10`.

    Returns:
        The command, or None where the machine has none that can make environments.
    """
    candidates = [shutil.which(f"python{version}")]
    if shutil.which("pyenv"):
        installed = _told(["pyenv", "versions", "--bare", "--skip-aliases"]).split()
        fitting = [name for name in installed if re.fullmatch(rf"{re.escape(version)}\.\d+", name)]
        candidates += [str(python_of(Path(_told(["pyenv", "prefix", name])))) for name in fitting]
    if shutil.which("uv"):
        candidates.append(_told(["uv", "python", "find", "--no-project", version]))
    for each in filter(None, candidates):
        # pyenv's shims are on the PATH for every version, and fail for those that are not switched on. Debian's own
        # Python has no ensurepip unless that is installed as well.
        if _told([each, "-c", "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"]) == version:
            return each
    return None


def set_up(environment: Path, python: str, requirements: Sequence[str], *, say: Callable[[str], None]) -> bool:
    """Make an environment, unless it is there with the same Python and the same requirements.

    Args:
        environment: its folder.
        python: the Python that makes it.
        requirements: what to install there.
        say: told what is done, since it can take a minute.

    Returns:
        Whether it is there now. Where not, pip has said why.
    """
    wanted = hashlib.sha256("\n".join([os.path.realpath(python), *requirements]).encode()).hexdigest()
    ready = environment / ".ready"
    if ready.exists() and ready.read_text() == wanted:
        return True
    say(f"Setting up {environment.relative_to(ROOT)}: {', '.join(requirements) or 'nothing but Python'}")
    shutil.rmtree(environment, ignore_errors=True)
    made = subprocess.run([python, "-m", "venv", str(environment)], cwd=ROOT, check=False)
    if made.returncode or (requirements and pip(environment, "install", *requirements).returncode):
        return False
    ready.write_text(wanted)
    return True


def pip(environment: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the environment's pip, which says nothing but errors."""
    quiet = ("-qq", "--disable-pip-version-check", "--no-input")
    command = [str(python_of(environment)), "-m", "pip", arguments[0], *quiet, *arguments[1:]]
    return subprocess.run(command, cwd=ROOT, env=without_this_python(os.environ), text=True, check=False)


def python_of(environment: Path) -> Path:
    """Give the Python of an environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def without_this_python(environ: Mapping[str, str]) -> dict[str, str]:
    """Give the variables without those that would lead another Python to what this one has."""
    return {name: value for name, value in environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}


def listed_requirements(*extras: str) -> list[str]:
    """Give what the package needs, as setup.cfg has it, and what some of its extras need."""
    options = configparser.ConfigParser()
    options.read(ROOT / "setup.cfg")
    listed = [options["options"]["install_requires"], *(options["options.extras_require"][extra] for extra in extras)]
    lines = [line.strip() for each in listed for line in each.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def _told(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
