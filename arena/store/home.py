"""The home of an arena: the folder in which everything lies that it keeps."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from arena.errors import BadStore, HomeInUse, refusal

CONDUCTOR = "conductor.lock"
TRIES = 20
"""How often the conductor's place is tried for, a moment apart: somebody may just be looking whether it is taken."""
A_MOMENT = 0.01


@dataclass(frozen=True, slots=True)
class Home:
    """Where things are. Nothing is created before something is written."""

    path: Path
    store: str | None = None
    """The URL of a store that is elsewhere; here are the bots, their logs and the locks all the same."""

    @property
    def database(self) -> Path | str:
        """What Store.open opens."""
        return self.path / "arena.db" if self.store is None else self.store

    @property
    def bots(self) -> Path:
        """A folder for each content hash."""
        return self.path / "bots"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def live(self) -> Path:
        """Matches that are being played, while somebody watches: see arena.tournament.live."""
        return self.path / "live"

    @property
    def unfinished(self) -> Path:
        """Matches that were under way when `arena serve` stopped: see arena.server.unfinished."""
        return self.path / "unfinished"

    @property
    def exists(self) -> bool:
        """Whether something was ever kept; of a store elsewhere only a look at it can tell."""
        return not isinstance(self.database, Path) or self.database.exists()

    @contextmanager
    def conducting(self) -> Iterator[None]:
        """Holds the place of the one process that plays tournaments here."""
        try:
            with self._lock(CONDUCTOR, wait=False) as lock:
                with suppress(OSError):
                    os.ftruncate(lock, 0)  # what was conducted last
                yield
        except BlockingIOError as error:
            raise HomeInUse(
                f"another tournament is running in {self.path}: wait for it, or use another home (--home)."
            ) from error

    def note_conducted(self, tournament: int) -> None:
        """Says which tournament it is, for whoever asks `conducted`. Only for who is conducting."""
        with suppress(OSError):  # nobody plays worse for it
            (self.path / CONDUCTOR).write_text(f"{tournament}\n", encoding="ascii")

    def conducted(self) -> int | None:
        """The number of the tournament that is being played here now; None: there is none, or it has just begun."""
        try:
            lock = os.open(self.path / CONDUCTOR, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            number = os.read(lock, 20).strip()
            return int(number) if number.isdigit() else None
        else:
            return None
        finally:
            os.close(lock)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Holds the place of the one process that lets in bots from elsewhere."""
        try:
            with self._lock("serve.lock", wait=False):
                yield
        except BlockingIOError as error:
            raise HomeInUse(f"another arena serve is running in {self.path}: use another home (--home).") from error

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
    def _lock(self, name: str, *, wait: bool) -> Iterator[int]:
        """A lock that the system gives back whatever happens to its holder."""
        with self._written():
            self.path.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.path / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            _take(lock, wait)
            yield lock
        finally:
            os.close(lock)


def _take(lock: int, wait: bool) -> None:
    if wait:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return
    for _ in range(TRIES):
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(A_MOMENT)
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
