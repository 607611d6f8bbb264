"""The bots that a worker of a cluster has received.

A bot is sent once, as an archive. It is unpacked, compared with its content hash, built, and kept for later
tournaments. Each tournament first compares the installed files with their checksum; if they have changed, the bot is
sent again.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import BadSubmission
from arena.referee import Launch
from arena.sandbox import Sandbox
from arena.store.bots import BotVersion
from arena.submissions.archive import unpack
from arena.submissions.files import NEVER_COPIED, content_hash, remove
from arena.submissions.install import Installations
from arena.submissions.submission import bundled_names, bundled_submission


class BotNotCached(Exception):
    """Raised when a bot has to be sent to the worker first."""

    def __init__(self, content: str, why: str = "") -> None:
        super().__init__(content, why)
        self.content = content
        self.why = why


class BotCache:
    """A folder of bots. Several workers of a machine may share it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._installations = Installations(folder)

    @classmethod
    def of_user(cls) -> BotCache:
        """Return the cache of this machine's user."""
        folder = os.environ.get("ARENA_CLUSTER_CACHE")
        return cls(Path(folder) if folder else Path.home() / ".cache" / "arena" / "bots")

    def receive(self, content: str, archive: bytes) -> None:
        """Keep the archive of a bot until the bot is needed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".arriving-", delete=False) as file:
            file.write(archive)
        Path(file.name).rename(self._installations.archive_path(content))

    def launch(self, bot: BotVersion, sandbox: Sandbox) -> Launch:
        """Return how to start a bot; install it first if its archive is here. Raise `BotNotCached` otherwise."""
        content, entry = bot.content_hash, bot.program.partition("/")[2]
        place, archive = self._installations.place(content), self._installations.archive_path(content)
        checksum = place.with_suffix(".checksum")
        with self._locked(content):
            if self._installations.has(content) and checksum.exists():
                if content_hash(place, NEVER_COPIED) != checksum.read_text(encoding="ascii"):
                    remove(checksum, archive, place)
                    raise BotNotCached(content, f"the files of {bot.label} in {place} have changed")
                archive.unlink(missing_ok=True)  # sent to another worker of this machine as well
            elif not archive.exists():
                raise BotNotCached(content)
            else:
                try:
                    self._install(bot, entry, archive, checksum, sandbox)
                finally:
                    remove(archive)
        return self._installations.find(content, entry).launch_as(bot.bot, bot.version)

    def _install(self, bot: BotVersion, entry: str, archive: Path, checksum: Path, sandbox: Sandbox) -> None:
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=".incoming-") as staging:
            files = Path(staging) / "files"
            unpack(archive, files)
            if content_hash(files) != bot.content_hash:
                raise BadSubmission(f"The archive of {bot.label} does not have its content hash.")
            # The builds of the bundled bots are trusted and download packages.
            trusted = bot.content_hash in bundled_contents()
            with self._installations.install(
                bot.content_hash, files, entry, sandbox=None if trusted else sandbox
            ) as submission:
                checksum.write_text(content_hash(submission.folder, NEVER_COPIED), encoding="ascii")

    @contextmanager
    def _locked(self, content: str) -> Iterator[None]:
        """Exclude the other workers of this machine."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self._installations.place(content).with_suffix(".lock")
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def bundled_contents() -> set[str]:
    """Return the content hashes of the bundled bots."""
    bundled = [bundled_submission(name) for name in bundled_names()]
    return {content_hash(bot.folder, (*NEVER_COPIED, *bot.manifest.exclude)) for bot in bundled}
