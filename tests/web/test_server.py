"""`arena web` as a program: its address, its port, its end."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

from tests.support.cli import complaint
from tests.support.web_server import serving


def test_it_says_where_it_is_and_stops_on_sigterm(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        os.kill(served.process.pid, signal.SIGTERM)
        assert served.process.wait(30) == 143


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        sentence = complaint("web", "--home", tmp_path, "--port", str(port), "--no-open")
    assert f"Cannot listen on port `{port}` of `127.0.0.1`" in sentence
    assert "--port 0" in sentence


def test_a_host_that_is_none(tmp_path: Path) -> None:
    assert "Unknown host" in complaint("web", "--home", tmp_path, "--host", "no.such.host.invalid", "--no-open")
