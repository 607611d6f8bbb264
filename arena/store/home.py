"""The home of an arena: the folder with its database, bots, logs and locks."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from arena.errors import BadStore, HomeInUse, refusal
from arena.events import Note
from arena.store.config import CONFIG

TOURNAMENT_LOCK = "conductor.lock"


@dataclass(frozen=True, slots=True)
class Home:
    """The paths of a home. Nothing is created before something is written."""

    path: Path
    store: str | None = None
    """The URL of a store on a server; bots, logs and locks are in the home all the same."""

    @property
    def database(self) -> Path | str:
        """The argument of `Store.open`."""
        return self.path / "arena.db" if self.store is None else self.store

    @property
    def bots(self) -> Path:
        """Has a folder for each content hash."""
        return self.path / "bots"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    def writable_logs(self, notify: Callable[[Note], None]) -> Path | None:
        """Return the folder for the bots' logs; None, with a note, if it cannot be written: matches need no logs."""
        folder = self.logs.resolve()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(folder))
        except OSError as error:
            if error.errno not in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC):
                raise
            notify(Note(f"The output of the bots is not kept: {refusal(error)}"))
            return None
        return folder

    @property
    def live(self) -> Path:
        """Running matches, while a browser follows them: see arena.tournament.live."""
        return self.path / "live"

    @property
    def unfinished(self) -> Path:
        """Matches that were under way when `arena serve` stopped: see arena.server.unfinished."""
        return self.path / "unfinished"

    @property
    def exists(self) -> bool:
        """Whether there is a store; always true for a store on a server, which only opening it can tell."""
        return not isinstance(self.database, Path) or self.database.exists()

    @contextmanager
    def conducting(self) -> Iterator[None]:
        """Hold the lock of the process that plays a tournament here."""
        hint = "Wait until it ends, or use another home with `--home`."
        taken = HomeInUse(f"Another tournament is running in `{self.path}`.", hint=hint)
        with self._lock(TOURNAMENT_LOCK, taken) as lock:
            with suppress(OSError):
                os.ftruncate(lock, 0)  # the number of the last tournament
            yield

    def note_conducted(self, tournament: int) -> None:
        """Publish the number of the running tournament for `conducted`. The caller must hold `conducting`."""
        with suppress(OSError):  # only a display depends on it
            (self.path / TOURNAMENT_LOCK).write_text(f"{tournament}\n", encoding="ascii")

    def conducted(self) -> int | None:
        """Return the number of the running tournament; None if there is none, or if it has just begun."""
        try:
            lock = os.open(self.path / TOURNAMENT_LOCK, os.O_RDONLY | os.O_CLOEXEC)
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
        """Hold the lock of the process that serves remote bots."""
        taken = HomeInUse(f"Another `arena serve` is running in `{self.path}`.", hint="Use another home with `--home`.")
        with self._lock("serve.lock", taken):
            yield

    @contextmanager
    def submitting(self) -> Iterator[None]:
        """Hold the lock of the process that submits a bot; wait for other submissions."""
        with self._lock("submission.lock"):
            with self._written():
                self.bots.mkdir(exist_ok=True)
            yield

    @contextmanager
    def _written(self) -> Iterator[None]:
        """Turn an `OSError` into `BadStore`."""
        try:
            yield
        except OSError as error:
            raise BadStore(f"Nothing can be written in {refusal(error, self.path)}") from error

    @contextmanager
    def _lock(self, name: str, taken: HomeInUse | None = None) -> Iterator[int]:
        """Hold a lock that the system releases when its process ends; `taken`: raise this instead of waiting."""
        with self._written():
            self.path.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.path / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            if taken is None:
                fcntl.flock(lock, fcntl.LOCK_EX)
            elif not _try_lock(lock):
                raise taken
            yield lock
        finally:
            os.close(lock)


def _try_lock(lock: int) -> bool:
    """Return whether the lock could be taken."""
    for _ in range(CONFIG.lock_attempts):  # `conducted` of another process may hold it for a moment
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        time.sleep(CONFIG.home_lock_interval)
    return False
