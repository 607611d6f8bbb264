"""Find a bot's files by what a user names.

A bot is a Python file, a .js file, an executable, a folder with an arena.toml, a .zip or .tar.gz of such a folder or
file, or the name of a bundled bot.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from arena.errors import BadSubmission, unknown
from arena.referee.launch import Launch
from arena.submissions.archive import archive_suffix, unpack
from arena.submissions.config import CONFIG, SubmissionConfig
from arena.submissions.manifest import MANIFEST, Manifest, read_manifest


@dataclass(frozen=True, slots=True)
class Submission:
    """A bot's files and their manifest."""

    folder: Path
    manifest: Manifest = field(hash=False)
    """For a single file: a manifest with the file's name and command."""
    file: Path | None = None
    """The single file of a bot without a folder of its own; None: all of `folder` belongs to the bot."""

    @property
    def label(self) -> str:
        """Name and version by the manifest."""
        return self.launch.label

    @property
    def launch(self) -> Launch:
        """How to start the bot from these files."""
        return self.launch_as(self.manifest.name or self.folder.name, self.manifest.version)

    def launch_as(self, name: str, version: str) -> Launch:
        """Return how to start the bot under another name and version."""
        manifest = self.manifest
        command = resolve_command(manifest.command, self.folder)
        return Launch(name, version, self.folder, command, manifest.games, manifest.env, self.file)


def bundled_folder() -> Path:
    """Return the folder of the bundled bots: inside an installed package, or beside it in the repository."""
    package = Path(__file__).parents[1]
    return package / "bots" if (package / "bots").is_dir() else package.parent / "bots"


def bundled_names() -> list[str]:
    """Return the names of the bundled bots, in alphabetical order."""
    return sorted(manifest.parent.name for manifest in bundled_folder().glob(f"*/{MANIFEST}"))


def bundled_submission(name: str) -> Submission:
    """Return the bundled bot of this name, whatever files the working directory contains."""
    return find_submission(str(bundled_folder() / name))


def protos_folder() -> Path:
    """Return the folder of the protocol's .proto files, for bots whose build generates stubs."""
    return bundled_folder().parent / "protos"


def find_submission(named: str, unpack_in: Path | None = None, limits: SubmissionConfig = CONFIG) -> Submission:
    """Return the bot of this path or bundled name. Raise `BadSubmission` if there is none or it cannot be started.

    An archive is unpacked in the folder `unpack_in`, or else in one that is deleted when this process ends.
    """
    if not os.path.exists(Path(named)):  # noqa: PTH110, False also for a path that is too long or contains a NUL
        if "/" in named:
            raise BadSubmission(f"`{named}`: no such file or folder.")
        if named in bundled_names():
            return bundled_submission(named)
        raise BadSubmission(
            unknown("bot", named, bundled_names()), hint="Name your own bot by its path: `./my_bot.py`."
        )
    path = Path(named).resolve()
    if path.is_file() and (suffix := archive_suffix(path)):
        if unpack_in is None:
            unpack_in = Path(tempfile.mkdtemp(prefix="arena-"))
            atexit.register(shutil.rmtree, unpack_in, ignore_errors=True)
        archive, path = path, unpack_in / path.name.removesuffix(suffix)
        unpack(archive, path, limits)
        entries = list(path.iterdir())
        if len(entries) == 1 and entries[0].name != MANIFEST:  # the bot's folder, or its only file
            (path,) = entries
    if path.is_dir():
        return Submission(path, read_manifest(path))
    return Submission(path.parent, Manifest(_command_for(path), path.stem), file=path)


def find_launch(named: str) -> Launch:
    """Return how to start the bot of this path or bundled name. It must not need a build."""
    return find_submission(named).launch


def _command_for(path: Path) -> tuple[str, ...]:
    """Return the command that starts a single file."""
    if path.suffix == ".py":
        return (sys.executable, str(path))
    if path.suffix in (".js", ".mjs", ".cjs"):
        node = shutil.which("node")
        if node is None:
            raise BadSubmission(f"`{path}` needs node, which is not installed.", hint="Run `apt-get install nodejs`.")
        return (node, str(path))
    if not os.access(path, os.X_OK):
        raise BadSubmission(f"`{path}` is not executable.", hint=f"Run `chmod +x {path}`.")
    return (str(path),)


def resolve_command(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return the command with this Python for `python`, and with the full path of an executable in the folder."""
    first, *rest = command
    if first in ("python", "python3"):
        return (sys.executable, *rest)
    if "/" in first or os.path.isfile(folder / first):  # noqa: PTH113, False also for what is not a path
        return (str(folder / first), *rest)
    return command
