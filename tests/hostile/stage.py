"""The targets of attacks, which record them: files, servers, a process with a secret."""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import arena
from arena.sandbox import Tier
from arena.submissions.submission import bundled_folder

VICTIM = """
import os, signal, sys, time
signal.signal(signal.SIGUSR1, lambda *_: os.write(1, b"signal"))
os.write(1, b"ready ")
time.sleep(600)
"""


class Stage:
    """The targets. They are open to every user, so that only the sandbox protects them."""

    def __init__(self, tier: Tier, logs: Path) -> None:
        self.tier = tier
        self.logs = logs
        self.touched: set[str] = set()
        self.folder = Path(tempfile.mkdtemp(prefix="hostile-"))
        self.folder.chmod(0o755)
        self.open = self.folder / "open"
        self.home = self.folder / "home"
        self._secret = secrets.token_hex(16)
        self._name = f"hostile-{secrets.token_hex(8)}"
        self._stop = threading.Event()

    def __enter__(self) -> Stage:
        for path, text in (("home/secret", self._secret), ("home/.ssh/id_ed25519", "key"), ("bot/bot.py", "pass")):
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.open.mkdir()
        self.open.chmod(0o777)
        self._victim = subprocess.Popen(
            [sys.executable, "-S", "-c", VICTIM, self._name],
            env={"SECRET": self._secret},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        self._listen()
        return self

    def _listen(self) -> None:
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", self.port))
        spare = socket.create_server(("127.0.0.1", 0))  # to find a free port
        self.free_port = spare.getsockname()[1]
        spare.close()
        abstract, file = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        abstract.bind(f"\0{self._name}")
        file.bind(str(self.folder / "socket"))
        (self.folder / "socket").chmod(0o777)
        for server in (abstract, file):
            server.listen()
        self._servers = {"tcp": tcp, "udp": udp, "abstract": abstract, "socket": file}
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        with selectors.DefaultSelector() as selector:
            for name, server in self._servers.items():
                selector.register(server, selectors.EVENT_READ, name)
            while not self._stop.is_set():
                for key, _ in selector.select(0.2):
                    server = self._servers[key.data]
                    self.touched.add(key.data)
                    with contextlib.suppress(OSError):
                        if key.data == "udp":
                            _, sender = server.recvfrom(100)
                            server.sendto(b"hello", sender)
                        else:
                            server.accept()[0].close()

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        for server in self._servers.values():
            server.close()
        alive = self._victim.poll() is None
        self._victim.kill()
        said = self._victim.communicate()[0]
        if not alive or b"signal" in said:
            self.touched.add("signal")
        if list(self.open.iterdir()) or len(list(self.home.iterdir())) != 2:
            self.touched.add("file")
        shutil.rmtree(self.folder)

    def aims(self, referee: Path) -> dict[str, str]:
        """Return the attackers' environment. The secret is reversed, so that it is not found there."""
        aims = {
            "TIER": self.tier,
            "HOME": self.home,
            "OPEN": self.open,
            "BOT": self.folder / "bot" / "bot.py",
            "BOTS": bundled_folder(),
            "LOGS": self.logs,
            "ARENA": Path(arena.__file__).parent,
            "FOLDER": referee,
            "VICTIM": self._victim.pid,
            "REFEREE": os.getpid(),
            "SECRET": self._secret[::-1],
            "PORT": self.port,
            "FREE_PORT": self.free_port,
            "ABSTRACT": self._name,
            "SOCKET": self.folder / "socket",
            "PAIR": f"{self._name}-pair",
        }
        return {f"AIM_{name}": str(value) for name, value in aims.items()}


@contextlib.contextmanager
def staged(tier: Tier) -> Iterator[tuple[Stage, Path]]:
    """A stage, and a folder for the attackers' logs."""
    with tempfile.TemporaryDirectory(prefix="hostile-logs-") as logs, Stage(tier, Path(logs)) as stage:
        yield stage, Path(logs)
