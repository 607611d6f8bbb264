"""A real PostgreSQL server of our own, with everything as it comes but for where it listens."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psutil
import psycopg
import pytest

USER, PASSWORD = "arena", "s3cret/@:"
"""A password with all that must be written otherwise in a URL."""
QUOTED = "s3cret%2F%40%3A"
BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))


@dataclass(slots=True)
class Server:
    """A running server. Databases are made in it for the asking."""

    folder: Path
    port: int
    numbers: Iterator[int] = field(default_factory=count)

    @property
    def socket_folder(self) -> Path:
        return self.folder / "socket"

    def address(self, database: str) -> str:
        """The URL of a database, through the socket, where nobody is asked for a password."""
        return f"postgresql://{USER}@/{database}?host={self.socket_folder}&port={self.port}"

    def over_tcp(self, database: str, password: str = QUOTED) -> str:
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/{database}"

    def run(self, statement: str, database: str = "postgres") -> None:
        with self.connect(database) as connection:
            connection.execute(statement.encode())

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=str(self.socket_folder), port=self.port, user=USER, dbname=database, autocommit=True
        )

    def new_database(self, like: str = "template1") -> str:
        """The name of a database that nobody else uses."""
        name = f"test{next(self.numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {like}")
        return name


def as_nobody_special(*command: str | Path) -> list[str]:
    """PostgreSQL refuses to run as root. What is started so ends when whoever started it does."""
    who = ["--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.geteuid() == 0 else []
    return ["setpriv", *who, "--pdeathsig", "INT", *map(str, command)]


@contextmanager
def running() -> Iterator[Server]:
    """A server from its first start to its end."""
    with prepared() as server, started(server):
        yield server


@contextmanager
def prepared() -> Iterator[Server]:
    """A server that has not been started yet."""
    if not BINARIES or shutil.which("setpriv") is None:
        pytest.skip("there is no PostgreSQL server here: apt-get install postgresql")
    binaries = BINARIES[-1].parent
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))
    if os.geteuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    try:
        with (folder / "password").open("w") as file:
            file.write(PASSWORD)
        (folder / "password").chmod(0o644)
        subprocess.run(
            as_nobody_special(
                *(binaries / "initdb", "--pgdata", folder / "data", "--username", USER, "--no-sync"),
                *("--auth-local", "trust", "--auth-host", "scram-sha-256", "--pwfile", folder / "password"),
                *("--encoding", "UTF8", "--locale", "C.UTF-8"),
            ),
            cwd=folder,
            check=True,
            capture_output=True,
        )
        subprocess.run(as_nobody_special("mkdir", folder / "socket"), cwd=folder, check=True)
        yield Server(folder, free_port())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def started(server: Server) -> Iterator[subprocess.Popen[bytes]]:
    """The server's process, from when it answers to its end."""
    settings = {
        "port": server.port,
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": server.socket_folder,
        "shared_buffers": "32MB",
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    command = as_nobody_special(BINARIES[-1].parent / "postgres", "-D", server.folder / "data", *options)
    with (server.folder / "log").open("ab") as log:
        process = subprocess.Popen(command, cwd=server.folder, stdout=log, stderr=log)
    try:
        while not answers(server):
            assert process.poll() is None, (server.folder / "log").read_text()
            time.sleep(0.02)
        yield process
    finally:
        process.send_signal(signal.SIGQUIT)  # at once, as nobody needs what is in it
        process.wait(timeout=60)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a server without a chance to tidy up, as a power cut does; it may be started again."""
    parts = [psutil.Process(process.pid), *psutil.Process(process.pid).children()]
    for part in parts:
        part.kill()
    psutil.wait_procs(parts[1:], timeout=60)
    process.wait(timeout=60)


def answers(server: Server) -> bool:
    try:
        server.connect().close()
    except psycopg.OperationalError:
        return False
    return True


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
