"""What the wheel gives, in an environment that had nothing in it before. `make deploy-check` has the other Pythons."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.deploy.installs import CLOSURE
from tests.packaging.conftest import Built

ROOT = Path(__file__).parents[2]
CORE = {"boto3", "pynamodb"}


class Installed:
    """An environment with the package and with another distribution that shares its ``scripts.helpers``."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=True)
        self.folder = folder
        self.bin = folder / ("Scripts" if os.name == "nt" else "bin")

    def pip(self, *arguments: str | Path) -> str:
        quiet = ("--quiet", "--quiet", "--disable-pip-version-check")
        return self._run("-m", "pip", *quiet, *arguments)

    def python(self, program: str, **environ: str) -> str:
        return self._run("-c", program, **environ)

    def _run(self, *arguments: str | Path, **environ: str) -> str:
        result = subprocess.run(
            [self.bin / "python", *arguments],
            cwd=self.folder,
            env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stderr
        return result.stdout.strip()


def make_other_distribution(folder: Path) -> Path:
    helpers = folder / "scripts" / "helpers"
    helpers.mkdir(parents=True)
    (helpers / "other.py").write_text("NAME = 'other'\n")
    (folder / "setup.py").write_text(
        "from setuptools import setup\nsetup(name='other', version='1', packages=['scripts', 'scripts.helpers'])\n"
    )
    return folder


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("install")
    installed = Installed(folder / "venv")
    other = make_other_distribution(folder / "other")
    installed.pip("install", built.wheel, other)
    return installed


def test_import__beside_another_distribution_in_the_same_namespace(installed: Installed) -> None:
    program = """
from scripts.helpers.watermarks import Watermarks
from scripts.helpers.other import NAME
print(Watermarks.__name__, NAME)
"""
    assert installed.python(program) == "Watermarks other"


def test_import__beside_a_platforms_own_scripts_folder(installed: Installed, tmp_path: Path) -> None:
    own = tmp_path / "scripts" / "helpers" / "own.py"
    own.parent.mkdir(parents=True)
    own.write_text("NAME = 'own'\n")
    program = """
from scripts.helpers.own import NAME
from scripts.helpers.watermarks import Watermarks
print(Watermarks.__name__, NAME)
"""
    assert installed.python(program, PYTHONPATH=str(tmp_path)) == "Watermarks own"


def test_import__does_not_import_pyspark(installed: Installed) -> None:
    """Seen with a pyspark that cannot be imported, and seen again here, where there is a real one."""
    program = "import sys, scripts.helpers.watermarks; print('pyspark' in sys.modules)"

    assert installed.python(program) == "False"
    here = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert here.stdout.strip() == "False"


def test_requirements__only_the_core_and_what_it_brings(installed: Installed) -> None:
    told = json.loads(installed.python(CLOSURE))

    assert set(told["own"]) == CORE
    assert told["others"] == ["other"]


def test_files__only_the_package(installed: Installed) -> None:
    program = "from importlib.metadata import files; print(*files('glue-watermarks'), sep='\\n')"
    files = [Path(line) for line in installed.python(program).splitlines()]

    assert Path("scripts/helpers/watermarks/py.typed") in files
    assert Path("scripts/helpers/watermarks/report/assets/page.html") in files
    assert Path("scripts/helpers/watermarks/report/assets/main.js") in files
    commands = {f for f in files if f.stem == "watermarks" and f.parent.name in ("bin", "Scripts")}
    assert len(commands) == 1
    assert {f.parts[0] for f in files if ".dist-info" not in f.parts[0] and f not in commands} == {"scripts"}
    assert {f.parts[1] for f in files if f.parts[0] == "scripts"} == {"helpers"}
    assert not [f for f in files if f.match("scripts/__init__.py") or f.match("scripts/helpers/__init__.py")]
