"""The bots that a worker has been sent, each in a folder that is named after its content.

A bot arrives once, is unpacked, must have the content that it is named after, and is built where it has a build step.
Then it is sealed: whoever changes it later is found out when the next tournament wants it, and it is sent anew.
"""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from arena.errors import BadSubmission
from arena.referee import Launch
from arena.sandbox import Sandbox
from arena.sandbox.files import let_anybody_read
from arena.submissions.archive import NEVER_COPIED, content_hash, unpack
from arena.submissions.build import build
from arena.submissions.submission import bundled_names, bundled_submission, find_submission

VARIABLE = "ARENA_CLUSTER_CACHE"
HASH = re.compile(r"[0-9a-f]{64}")


class Parcel(NamedTuple):
    """What a worker must know of a bot to have it."""

    content: str
    """The hash of its files."""
    below: str
    """The program among them: a file, or nothing where it is the folder."""
    name: str
    version: str


class Lacking(Exception):
    """The bot is not here."""

    def __init__(self, content: str, why: str = "") -> None:
        super().__init__(content, why)
        self.content = content
        self.why = why


class BotCache:
    """A folder of bots. Several workers on a machine may share it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ready: dict[str, dict[Parcel, Launch]] = {}
        """What has been found intact, by tournament."""
        self._one_at_a_time = threading.Lock()

    @classmethod
    def here(cls) -> BotCache:
        """That of this machine's user."""
        named = os.environ.get(VARIABLE)
        return cls(Path(named) if named else Path.home() / ".cache" / "arena" / "bots")

    def receive(self, content: str, packed: bytes) -> None:
        """Keeps a parcel until somebody wants the bot."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".arriving-", delete=False) as file:
            file.write(packed)
        Path(file.name).rename(self._parcel(content))

    def program(self, run: str, parcel: Parcel, sandbox: Sandbox) -> Launch:
        """The bot, ready to be started. Raises Lacking where it has to be sent first."""
        place = self._place(parcel.content)
        with self._one_at_a_time:
            ready = self._ready.setdefault(run, {})
            if parcel not in ready:
                with self._locked(parcel.content):
                    self._look(place, parcel, sandbox)
                ready[parcel] = find_submission(str(place / parcel.below)).launch_as(parcel.name, parcel.version)
            return ready[parcel]

    def forget(self, run: str) -> None:
        """The tournament is over: the next one looks for itself."""
        self._ready.pop(run, None)

    def _look(self, place: Path, parcel: Parcel, sandbox: Sandbox) -> None:
        seal, packed = self._seal(parcel.content), self._parcel(parcel.content)
        if seal.exists() and place.is_dir():
            if content_hash(place, NEVER_COPIED) == seal.read_text(encoding="ascii"):
                packed.unlink(missing_ok=True)  # sent to another worker of this machine, too
                return
            self._remove(parcel.content)
            raise Lacking(parcel.content, f"the files of {parcel.name} {parcel.version} in {place} had been changed")
        if not packed.exists():
            raise Lacking(parcel.content)
        try:
            self._lay_out(place, packed, parcel, sandbox)
        except BaseException:
            self._remove(parcel.content)
            raise

    def _lay_out(self, place: Path, packed: Path, parcel: Parcel, sandbox: Sandbox) -> None:
        label = f"{parcel.name} {parcel.version}"
        subprocess.run(("rm", "-rf", "--", str(place)), check=False)  # noqa: S603, S607, somebody was interrupted here
        unpack(packed, place)
        if content_hash(place) != parcel.content:
            raise BadSubmission(f"what arrived as {label} is something else: its content does not have the hash.")
        let_anybody_read(place)  # a bot may run as somebody else
        submission = find_submission(str(place / parcel.below))
        # The bundled bots are ours, and their builds load packages.
        build(submission, None if submission.manifest.build and parcel.content in bundled_contents() else sandbox)
        self._seal(parcel.content).write_text(content_hash(place, NEVER_COPIED), encoding="ascii")
        packed.unlink()

    def _remove(self, content: str) -> None:
        paths = (self._seal(content), self._parcel(content), self._place(content))
        subprocess.run(("rm", "-rf", "--", *map(str, paths)), check=False)  # noqa: S603, S607

    def _place(self, content: str) -> Path:
        if not HASH.fullmatch(content):
            raise BadSubmission(f"{content!r} is no hash of a bot.")
        return self.folder.resolve() / content

    def _seal(self, content: str) -> Path:
        return self._place(content).with_suffix(".seal")

    def _parcel(self, content: str) -> Path:
        return self._place(content).with_suffix(".parcel")

    @contextmanager
    def _locked(self, content: str) -> Iterator[None]:
        """Other workers of this machine wait meanwhile."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(self._place(content).with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def bundled_contents() -> set[str]:
    """The hashes of the bots that ship with the arena."""
    bundled = [bundled_submission(name) for name in bundled_names()]
    return {content_hash(bot.folder, (*NEVER_COPIED, *bot.manifest.exclude)) for bot in bundled}
