"""Owner, permissions and size of a bot's files.

The owner of the files may replace them with links, or nest folders very deep, while they are being visited. So folders
are visited by their open file descriptors, links are never followed, and the depth is limited.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from arena.errors import UserError
from arena.sandbox.config import CONFIG

NO_LINKS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

Visitor = Callable[[str, int | None], None]
"""A function of the name of a file or folder, and the descriptor of the folder that contains it."""


class TooDeep(UserError):
    """Raised when folders are nested too deep."""


def _for_each(source: Path, visit: Visitor) -> None:
    """Call `visit` for the file, or for the folder and everything in it."""
    visit(str(source), None)
    if source.is_dir() and not source.is_symlink():
        _for_each_in(os.open(source, NO_LINKS | os.O_DIRECTORY), visit, 1, source)


def _for_each_in(folder: int, visit: Visitor, level: int, source: Path) -> None:
    try:
        if level > CONFIG.max_depth:
            raise TooDeep(f"`{source}` contains folders nested more than {CONFIG.max_depth} deep.")
        with os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # deleted in the meantime
                    visit(entry.name, folder)
                    if entry.is_dir(follow_symlinks=False):
                        inner = os.open(entry.name, NO_LINKS | os.O_DIRECTORY, dir_fd=folder)
                        _for_each_in(inner, visit, level + 1, source)
    finally:
        os.close(folder)


def is_readable_by_all(source: Path) -> bool:
    """Return whether every user may read the files, and execute those that their owner may."""
    hidden = 0

    def look(name: str, folder: int | None) -> None:
        nonlocal hidden
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        wanted = 0o005 if stat.S_ISDIR(mode) or mode & 0o100 else 0o004
        hidden += not stat.S_ISLNK(mode) and mode & wanted != wanted

    _for_each(source, look)
    return not hidden


def size_of(source: Path) -> int:
    """Return the bytes of the files: their size or their space on the disk, whichever is larger."""
    size = 0

    def add(name: str, folder: int | None) -> None:
        nonlocal size
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        size += max(found.st_size, found.st_blocks * 512)

    _for_each(source, add)
    return size


def free_space(folder: Path) -> int:
    """Return the free bytes on the disk of a folder."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def make_readable(source: Path) -> None:
    """Let every user read the files, and execute those that their owner may; like `chmod -R a+rX`, without setuid."""

    def let_read(name: str, folder: int | None) -> None:
        try:
            file = os.open(name, NO_LINKS, dir_fd=folder)
        except OSError:
            return  # a link, or deleted
        try:
            mode = os.fstat(file).st_mode
            if stat.S_ISDIR(mode):
                os.fchmod(file, 0o755)
            elif stat.S_ISREG(mode):
                os.fchmod(file, 0o755 if mode & 0o100 else 0o644)
        finally:
            os.close(file)

    _for_each(source, let_read)


def change_owner(source: Path, uid: int) -> None:
    """Change the owner of the files."""
    _for_each(source, lambda name, folder: os.chown(name, uid, uid, dir_fd=folder, follow_symlinks=False))


def readable_copy(source: Path, target: Path) -> Path:
    """Copy the files and let every user read the copy. Links stay links and are resolved inside the sandbox."""
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy(source, target)
    make_readable(target)
    return target
