"""`make build`: the wheel, the sdist, and the zip for `--extra-py-files`, in `dist/`.

Reproducible: two builds of a commit are the same to the byte, whoever makes them and where. Everything has the time of
the commit, entries are in order, permissions and owners are fixed, and the setuptools is always the same one.
"""

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).parents[1]
# What is built, and what it is built from: nothing else of the checkout can get into it.
INPUTS = ("scripts/helpers", "setup.cfg", "pyproject.toml", "README.md", "LICENSE")
# Its version is in the wheel, and how it writes metadata changes now and then.
SETUPTOOLS = "setuptools==84.2.1"
# A zip knows no earlier time.
EARLIEST = 315_532_800
FOLDER_MODE, FILE_MODE = 0o40755, 0o100644


class BuildError(Exception):
    """The build failed; the message is what the build said."""


def build(project: Path, outdir: Path) -> list[Path]:
    """Build the wheel, the sdist and the zip.

    Args:
        project: the checkout.
        outdir: where they go; made where it is missing, and what it held before is kept.

    Returns:
        The three files: wheel, sdist, zip.

    Raises:
        BuildError: setuptools refuses, or cannot be installed.
    """
    epoch = source_date_epoch(project)
    with tempfile.TemporaryDirectory(prefix="glue-watermarks-build-") as temporary:
        source, built = _copy_inputs(project, Path(temporary, "source")), Path(temporary, "built")
        _run_build(source, built, epoch)
        (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
        version = wheel.name.split("-")[1]
        outdir.mkdir(parents=True, exist_ok=True)
        made = [outdir / wheel.name, outdir / sdist.name, outdir / f"glue_watermarks-{version}.zip"]
        _rewrite_wheel(wheel, made[0], epoch)
        _rewrite_sdist(sdist, made[1], epoch)
        _write_zip(wheel, made[2], epoch)
    return made


def source_date_epoch(project: Path) -> int:
    """Give the second that stands for the build's time: `SOURCE_DATE_EPOCH`, else that of the commit.

    Where there is no commit to ask (a downloaded archive), it is always the same second.
    """
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return max(int(given), EARLIEST)
    command = ["git", "-C", str(project), "log", "-1", "--format=%ct"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        told = ""
    return max(int(told), EARLIEST) if told.isdigit() else EARLIEST


def _copy_inputs(project: Path, folder: Path) -> Path:
    """Copy what is built: a build leaves its traces in the tree, and finds those of earlier ones."""
    for name in INPUTS:
        source, target = project / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
        else:
            shutil.copyfile(source, target)
    return folder


def _run_build(source: Path, built: Path, epoch: int) -> None:
    constraints = source.parent / "constraints.txt"
    constraints.write_text(f"{SETUPTOOLS}\n", encoding="utf-8")
    environ = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), "PIP_CONSTRAINT": str(constraints), "TZ": "UTC"}
    command = [sys.executable, "-m", "build", "--outdir", str(built), str(source)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{done.stdout}{done.stderr}".strip())


def _rewrite_wheel(wheel: Path, target: Path, epoch: int) -> None:
    """Write the wheel again with fixed permissions. The order stays: what is about the package comes last."""
    with zipfile.ZipFile(wheel) as built, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        for name in built.namelist():
            written.writestr(_zip_entry(name, epoch), built.read(name))


def _write_zip(wheel: Path, target: Path, epoch: int) -> None:
    """Write the wheel's code alone, with an entry for every folder.

    Before Python 3.13 a zip is searched for `scripts` and `scripts/helpers`, which have no `__init__`, only if they
    are entries of their own; wheels have no such entries, so that the wheel itself cannot be used in its place.
    """
    with zipfile.ZipFile(wheel) as built, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as written:
        files = [name for name in built.namelist() if name.startswith("scripts/")]
        folders = {f"{parent}/" for name in files for parent in Path(name).parents if parent != Path()}
        for name in sorted([*files, *folders]):
            written.writestr(_zip_entry(name, epoch), b"" if name in folders else built.read(name))


def _zip_entry(name: str, epoch: int) -> zipfile.ZipInfo:
    moment = datetime.fromtimestamp(epoch, timezone.utc)
    entry = zipfile.ZipInfo(name, (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second))
    entry.create_system = 3  # Unix, also where it is made on Windows
    entry.compress_type = zipfile.ZIP_STORED if name.endswith("/") else zipfile.ZIP_DEFLATED
    entry.external_attr = (FOLDER_MODE if name.endswith("/") else FILE_MODE) << 16
    return entry


def _rewrite_sdist(sdist: Path, target: Path, epoch: int) -> None:
    """Write the sdist again in order, owned by nobody in particular, with one time for everything."""
    content = io.BytesIO()
    with tarfile.open(sdist) as built, tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as written:
        for found in sorted(built.getmembers(), key=lambda member: member.name):
            entry = tarfile.TarInfo(found.name)
            entry.type, entry.size, entry.mtime = found.type, found.size, epoch
            entry.mode = (FOLDER_MODE if found.isdir() else FILE_MODE) & 0o7777
            written.addfile(entry, built.extractfile(found) if found.isfile() else None)
    with target.open("wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=epoch) as packed:
        packed.write(content.getvalue())


def main() -> int:
    """Build into `dist/`, which is emptied before, and say what is there."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    try:
        made = build(ROOT, ROOT / "dist")
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    for path in made:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        print(f"{os.path.relpath(path, ROOT):48} {path.stat().st_size:>8,} bytes  sha256 {digest}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
