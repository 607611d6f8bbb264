"""Installed submissions: a folder for each content hash, in which the bot was built and from which it is started.

Invariants: an installed folder never changes. An installation is complete if and only if its folder exists and the file
`.begun-<content hash>` beside it does not.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arena.errors import BadSubmission
from arena.referee import Launch
from arena.sandbox import Sandbox
from arena.sandbox.files import make_readable, size_of
from arena.store.bots import BotVersion
from arena.store.home import Home
from arena.submissions.archive import pack
from arena.submissions.build import build
from arena.submissions.config import CONFIG
from arena.submissions.files import NEVER_COPIED, content_hash, remove
from arena.submissions.submission import Submission, find_submission


class Installations:
    """The installed submissions of a home, or of a worker of a cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def place(self, content: str) -> Path:
        if not re.fullmatch("[0-9a-f]{64}", content):
            raise BadSubmission(f"Invalid content hash `{content}`: expected 64 hexadecimal digits.")
        return self.folder / content

    def has(self, content: str) -> bool:
        """Return whether the installation of this content is complete."""
        return self.place(content).exists() and not self._begun(content).exists()

    def find(self, content: str, entry: str) -> Submission:
        """Return an installed submission. `entry`: the bot's single file; empty for a folder."""
        return find_submission(str(self.place(content) / entry))

    @contextmanager
    def install(
        self, content: str, files: Path, entry: str, *, sandbox: Sandbox | None, network: bool = False
    ) -> Iterator[Submission]:
        """Move a folder of files into place and build them; the caller checks them in the with statement.

        Leave nothing behind if any of it fails. The build runs in the final folder, because its results may contain
        absolute paths.
        """
        place, begun = self.place(content), self._begun(content)
        remove(place)  # from an interrupted installation
        make_readable(files)  # in a sandbox the bot runs as another user
        begun.touch()
        try:
            files.rename(place)
            submission = self.find(content, entry)
            if submission.manifest.build:
                build(submission, sandbox, network=network)
                if size_of(place) > CONFIG.most_bytes:
                    raise BadSubmission(
                        f"The build of {submission.label} made more than {CONFIG.most_bytes >> 20} MiB."
                    )
                if self.find(content, entry) != submission:
                    raise BadSubmission(f"The build of {submission.label} changed its own arena.toml.")
            yield submission
        except BaseException:
            remove(place)
            raise
        finally:
            begun.unlink()

    def archive_path(self, content: str) -> Path:
        return self.place(content).with_suffix(".tar.gz")

    def archive(self, version: BotVersion) -> bytes:
        """Return the files of a version as they were submitted, packed as .tar.gz."""
        place = self.place(version.content_hash)
        for kept in (self.archive_path(version.content_hash), place.with_suffix(".parcel")):  # the second: older homes
            if kept.exists():
                return kept.read_bytes()
        exclude = (*NEVER_COPIED, *self.find(*version.program.split("/", 1)).manifest.exclude)
        if not place.is_dir() or content_hash(place, exclude) != version.content_hash:
            raise BadSubmission(
                f"The files of {version.label} in `{place}` have changed since it was submitted.",
                hint="Submit the bot again, with the files that its build makes in `exclude` in arena.toml.",
            )
        packed = io.BytesIO()
        pack(place, packed, exclude)
        return packed.getvalue()

    def _begun(self, content: str) -> Path:
        return self.folder / f".begun-{content}"


def is_installed(home: Home, version: BotVersion) -> bool:
    """Return whether this home has the files of a version. Homes that share a store may each have only some."""
    return not version.is_remote and Installations(home.bots).has(version.content_hash)


def launch_of(home: Home, version: BotVersion) -> Launch:
    """Return how to start a version. Raise `BadSubmission` if its files are not in this home."""
    if version.is_remote:
        raise BadSubmission(f"{version.label} is a remote bot: its files were never submitted here.")
    if not is_installed(home, version):
        hint = "Submit it again, or copy its files from the home where it was submitted."
        raise BadSubmission(f"The files of {version.label} are not in `{home.bots}`.", hint=hint)
    return Installations(home.bots).find(*version.program.split("/", 1)).launch_as(version.bot, version.version)
