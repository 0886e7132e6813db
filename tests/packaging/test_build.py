"""What `make build` makes: the same bytes every time, and nothing in them but the package."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.packaging.conftest import Built
from tests.support.environments import ROOT, find_python
from tools.build import EARLIEST, INPUTS, BuildError, build, source_date_epoch

CODE = {
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "scripts" / "helpers").rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}
GLUE_PYTHONS = ("3.10", "3.11")


def names_in(archive: Path) -> set[str]:
    with zipfile.ZipFile(archive) as opened:
        return set(opened.namelist())


def copy_of_the_project(folder: Path) -> Path:
    """Another checkout: elsewhere, with other times and permissions, and with litter around it."""
    for name in INPUTS:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copy(source, target)
    for path in folder.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
        path.chmod(0o700 if path.is_dir() else 0o600)
    (folder / "tests").mkdir()
    (folder / "tests" / "test_litter.py").touch()
    (folder / "scripts" / "helpers" / "__pycache__").mkdir(exist_ok=True)
    (folder / "scripts" / "helpers" / "__pycache__" / "litter.cpython-311.pyc").touch()
    return folder


def test_build__twice_gives_the_same_bytes(built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = copy_of_the_project(tmp_path / "elsewhere")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(source_date_epoch(ROOT)))
    monkeypatch.setenv("TZ", "Pacific/Auckland")
    before = os.umask(0o077)
    try:
        wheel, sdist, zipped = build(again, tmp_path / "dist")
    finally:
        os.umask(before)

    assert wheel.read_bytes() == built.wheel.read_bytes()
    assert sdist.read_bytes() == built.sdist.read_bytes()
    assert zipped.read_bytes() == built.zip.read_bytes()


def test_build__another_commit_has_another_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    identity = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    environ = {**os.environ, **identity, "GIT_COMMITTER_DATE": "1700000000 +0100"}
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "commit", "-q", "--allow-empty", "-m", "x"], env=environ, check=True)

    assert source_date_epoch(tmp_path) == 1_700_000_000


def test_build__time_that_is_given_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")

    assert source_date_epoch(tmp_path) == 1_600_000_000


def test_build__without_a_commit_the_time_is_always_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    assert source_date_epoch(tmp_path) == EARLIEST


def test_build__says_what_setuptools_said(tmp_path: Path) -> None:
    project = copy_of_the_project(tmp_path / "broken")
    (project / "setup.cfg").chmod(0o644)
    (project / "setup.cfg").write_text("[metadata]\nname = glue-watermarks\nversion = not a version\n")

    with pytest.raises(BuildError, match="Invalid version"):
        build(project, tmp_path / "dist")


def test_wheel__only_the_package(built: Built) -> None:
    names = names_in(built.wheel)

    assert {name for name in names if ".dist-info/" not in name} == CODE
    assert built.wheel.name.endswith("-py3-none-any.whl")


def test_zip__only_the_package_with_an_entry_for_every_folder(built: Built) -> None:
    names = names_in(built.zip)

    assert {name for name in names if not name.endswith("/")} == CODE
    assert {"scripts/", "scripts/helpers/", "scripts/helpers/watermarks/"} < names


def test_sdist__no_more_than_it_takes_to_build_the_wheel(built: Built) -> None:
    with tarfile.open(built.sdist) as opened:
        files = {Path(*Path(each.name).parts[1:]) for each in opened.getmembers() if each.isfile()}

    assert {path.as_posix() for path in files if path.parts[0] == "scripts"} == CODE
    others = {path.parts[0] for path in files} - {"scripts", "glue_watermarks.egg-info"}
    assert others == {"LICENSE", "PKG-INFO", "README.md", "pyproject.toml", "setup.cfg"}


@pytest.mark.parametrize("version", GLUE_PYTHONS)
@pytest.mark.parametrize("order", ["zip-first", "platform-first"])
def test_zip__imported_beside_a_platforms_own_scripts_folder(
    built: Built, tmp_path: Path, version: str, order: str
) -> None:
    """On the Pythons of Glue 4.0 and 5.x: only from 3.13 on is a folder in a zip found without an entry of its own."""
    python = find_python(version)
    if python is None:
        pytest.skip(f"this machine has no Python {version}")
    own = tmp_path / "scripts" / "helpers" / "own.py"
    own.parent.mkdir(parents=True)
    own.write_text("NAME = 'own'\n")
    places = [str(built.zip), str(tmp_path)]
    program = (
        "from scripts.helpers import glue_args\nfrom scripts.helpers.own import NAME\n"
        "from importlib.util import find_spec\n"
        "print(NAME, glue_args.__file__, find_spec('scripts.helpers.watermarks').origin)\n"
    )
    path = os.pathsep.join(places if order == "zip-first" else reversed(places))

    done = subprocess.run(
        [python, "-c", program], env={**os.environ, "PYTHONPATH": path}, cwd=tmp_path, capture_output=True, text=True
    )

    assert done.returncode == 0, done.stderr
    inside = built.zip / "scripts" / "helpers"
    assert done.stdout.split() == ["own", str(inside / "glue_args.py"), str(inside / "watermarks" / "__init__.py")]


def test_zip__whole_package_is_imported_from_it(built: Built, tmp_path: Path) -> None:
    """With the dependencies of this environment, but without its checkout: every module, not just the first ones."""
    modules = sorted(
        name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in CODE if name.endswith(".py")
    )
    program = (
        f"import sys; sys.path.insert(0, {str(built.zip)!r})\nimport importlib\n"
        f"for name in {modules!r}: print(importlib.import_module(name).__file__)\n"
    )

    # -S: without the .pth file that makes this checkout importable; the libraries are named instead.
    libraries = os.pathsep.join(path for path in sys.path if path.endswith("site-packages"))
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        env={**os.environ, "PYTHONPATH": libraries},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(modules)
    assert all(line.startswith(str(built.zip)) for line in done.stdout.splitlines())
