"""A PostgreSQL of the tests' own: on a free loopback port, in a temporary folder, and gone when they are done.

The server and its JDBC driver come with Debian's ``postgresql`` and ``libpostgresql-jdbc-java``. PostgreSQL refuses to
run as root; root runs it as ``postgres``. It logs every statement, so that a test can see what the database was asked.
"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pg8000.dbapi

USER, PASSWORD = "watermarks", "s3cr3t-Of-The-Database"
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "listen_addresses": "127.0.0.1",
    "log_destination": "stderr",
    "log_statement": "all",
    "log_line_prefix": "%m|",
    "max_connections": "50",
    "shared_buffers": "32MB",
    "autovacuum": "off",
}
_DRIVERS = ("/usr/share/java/postgresql.jar", "/usr/share/java/postgresql-4*.jar")
_STATEMENT = re.compile(r"LOG:  (?:statement|execute [^:]*): (.*?)(?=\n\S+ \S+ \S+\||\Z)", re.DOTALL)


class PostgresError(Exception):
    """PostgreSQL cannot be had or does not start here; the message says why."""


@dataclass(frozen=True)
class Postgres:
    """A running server."""

    port: int
    log: Path

    @property
    def url(self) -> str:
        return f"jdbc:postgresql://127.0.0.1:{self.port}/postgres"

    @property
    def properties(self) -> dict[str, str]:
        return {"user": USER, "password": PASSWORD, "driver": "org.postgresql.Driver"}

    def connect(self) -> Any:
        """A connection on which nothing is committed until the test says so."""
        return pg8000.dbapi.connect(
            user=USER, password=PASSWORD, host="127.0.0.1", port=self.port, database="postgres", ssl_context=False
        )

    def run(self, *statements: str) -> list[Any]:
        """Run statements in one transaction, and give the rows of the last one, if it gives any."""
        connection = self.connect()
        try:
            cursor = connection.cursor()
            for statement in statements:
                cursor.execute(statement)
            rows = list(cursor.fetchall()) if cursor.description else []
            connection.commit()
            return rows
        finally:
            connection.close()

    @contextmanager
    def statements(self) -> Iterator[list[str]]:
        """What the database was asked within the block, filled in when it ends."""
        asked: list[str] = []
        start = self.log.stat().st_size
        yield asked
        with self.log.open(encoding="utf-8") as log:
            log.seek(start)
            asked += [" ".join(statement.split()) for statement in _STATEMENT.findall(log.read())]


def driver_jar() -> str | None:
    """The JDBC driver, where this machine has one."""
    folder = Path("/")
    found = [str(path) for pattern in _DRIVERS for path in sorted(folder.glob(pattern.lstrip("/")))]
    return found[0] if found else None


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Run PostgreSQL for as long as the block lasts.

    Raises:
        PostgresError: If it is not installed, or does not start.
    """
    programs = _programs()
    with tempfile.TemporaryDirectory(prefix="postgres-") as temporary:
        folder = Path(temporary)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        password = folder / "password"
        password.write_text(PASSWORD, encoding="utf-8")
        password.chmod(0o644)
        data, log, port = folder / "data", folder / "log", _free_port()
        initdb = [str(programs / "initdb"), "-D", str(data), "-U", USER, "--auth=scram-sha-256", "--no-sync"]
        _run([*initdb, f"--pwfile={password}", "--encoding=UTF8", "--locale=C"])
        settings = " ".join(f"-c {name}='{value}'" for name, value in {**SETTINGS, "port": str(port)}.items())
        settings += f" -c unix_socket_directories='{folder}'"
        control = [str(programs / "pg_ctl"), "-D", str(data), "-w", "-s"]
        _run([*control, "-l", str(log), "-o", settings, "start"])
        try:
            yield Postgres(port, log)
        finally:
            _run([*control, "-m", "immediate", "stop"])


def _programs() -> Path:
    """The folder of the newest PostgreSQL that is installed."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: _number(path.parts[-3]))
    on_path = shutil.which("initdb")
    if on_path is not None:
        versions.append(Path(on_path).resolve())
    if not versions:
        raise PostgresError("PostgreSQL is not installed: `apt-get install postgresql libpostgresql-jdbc-java`")
    return versions[-1].parent


def _number(version: str) -> float:
    return float(version) if re.fullmatch(r"\d+(\.\d+)?", version) else 0.0


def _run(command: list[str]) -> None:
    """Run a program of PostgreSQL's, as another user where we are root."""
    as_its_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
    # Not captured by a pipe: the server that pg_ctl leaves behind would hold it open.
    with tempfile.TemporaryFile("w+") as told:
        done = subprocess.run(
            [*as_its_user, *command], stdin=subprocess.DEVNULL, stdout=told, stderr=told, cwd="/", check=False
        )
        if done.returncode:
            told.seek(0)
            raise PostgresError(f"{Path(command[0]).name} failed: {told.read().strip()[-500:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
