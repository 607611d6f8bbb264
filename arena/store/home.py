"""The home of an arena: the folder in which everything lies that it keeps."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena.errors import BadStore, HomeInUse, refusal


@dataclass(frozen=True, slots=True)
class Home:
    """Where things are. Nothing is created before something is written."""

    path: Path

    @property
    def database(self) -> Path:
        return self.path / "arena.db"

    @property
    def bots(self) -> Path:
        """A folder for each content hash."""
        return self.path / "bots"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def exists(self) -> bool:
        return self.database.exists()

    @contextmanager
    def conducting(self) -> Iterator[None]:
        """Holds the place of the one process that plays tournaments here."""
        try:
            with self._lock("conductor.lock", wait=False):
                yield
        except BlockingIOError as error:
            raise HomeInUse(
                f"another tournament is running in {self.path}: wait for it, or use another home (--home)."
            ) from error

    @contextmanager
    def submitting(self) -> Iterator[None]:
        """Holds the place of the one process that submits a bot; waits for its turn."""
        with self._written():
            self.bots.mkdir(parents=True, exist_ok=True)
        with self._lock("submission.lock", wait=True):
            yield

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Something is written here, or it is said why it cannot be."""
        try:
            yield
        except OSError as error:
            raise BadStore(f"nothing can be written in {refusal(error, self.path)}") from error

    @contextmanager
    def _lock(self, name: str, *, wait: bool) -> Iterator[None]:
        """A lock that the system gives back whatever happens to its holder."""
        with self._written():
            self.path.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.path / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            yield
        finally:
            os.close(lock)
