"""A real `arena web` for tests: a process of its own, on a port that is free."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.cli import ARENA


@dataclass(frozen=True)
class Served:
    """Where it is found."""

    address: str
    """Without a slash at the end."""
    token: str
    process: subprocess.Popen[str]

    @property
    def with_token(self) -> str:
        """The address that lets one play."""
        return f"{self.address}/?token={self.token}"


@contextmanager
def serving(home: Path, *options: str) -> Iterator[Served]:
    """`arena web` on this home. It must end in order, and without having complained."""
    command = [*ARENA, "web", "--home", str(home), "--port", "0", "--no-open", *options]
    environment = {**os.environ, "COLUMNS": "200", "PYTHONUTF8": "1", "TERM": "dumb"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout
        line = process.stdout.readline()
        found = re.search(r"(http://\S+)/\?token=(\S+)", line)
        assert found, (line, process.stderr and process.stderr.read())
        yield Served(found[1], found[2], process)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
    assert "Traceback" not in errors, errors
    assert "Exception" not in errors, errors
