"""Owner, permissions and size of a bot's files.

The owner of the files may replace them with links, or nest folders very deep, while they are being visited. So folders
are visited by their open file descriptors, links are never followed, and the depth is limited.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from arena.errors import UserError
from arena.sandbox.config import CONFIG

NO_LINKS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

Visited = tuple[str, int | None, os.stat_result]
"""A file or folder: its name, the descriptor of the folder that contains it, and its status."""


class TooDeep(UserError):
    """Raised when folders are nested too deep."""


def _each(source: Path) -> Iterator[Visited]:
    """Yield the file, or the folder and everything in it. A folder comes before its content."""
    found = source.lstat()
    yield str(source), None, found
    if stat.S_ISDIR(found.st_mode):
        yield from _each_in(os.open(source, NO_LINKS | os.O_DIRECTORY), 1, source)


def _each_in(folder: int, level: int, source: Path) -> Iterator[Visited]:
    try:
        if level > CONFIG.max_depth:
            raise TooDeep(f"`{source}` contains folders nested more than {CONFIG.max_depth} deep.")
        with os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # deleted in the meantime
                    yield entry.name, folder, entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        inner = os.open(entry.name, NO_LINKS | os.O_DIRECTORY, dir_fd=folder)
                        yield from _each_in(inner, level + 1, source)
    finally:
        os.close(folder)


def is_readable_by_all(source: Path) -> bool:
    """Return whether every user may read the files, and execute those that their owner may."""
    for _, _, found in _each(source):
        mode = found.st_mode
        wanted = 0o005 if stat.S_ISDIR(mode) or mode & 0o100 else 0o004
        if not stat.S_ISLNK(mode) and mode & wanted != wanted:
            return False
    return True


def size_of(source: Path) -> int:
    """Return the bytes of the files: their size or their space on the disk, whichever is larger."""
    return sum(max(found.st_size, found.st_blocks * 512) for _, _, found in _each(source))


def free_space(folder: Path) -> int:
    """Return the free bytes on the disk of a folder."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def make_readable(source: Path) -> None:
    """Let every user read the files, and execute those that their owner may; like `chmod -R a+rX`, without setuid."""
    for name, folder, _ in _each(source):
        try:
            file = os.open(name, NO_LINKS, dir_fd=folder)
        except OSError:
            continue  # a link, or deleted
        try:
            mode = os.fstat(file).st_mode
            if stat.S_ISDIR(mode):
                os.fchmod(file, 0o755)
            elif stat.S_ISREG(mode):
                os.fchmod(file, 0o755 if mode & 0o100 else 0o644)
        finally:
            os.close(file)


def change_owner(source: Path, uid: int) -> None:
    for name, folder, _ in _each(source):
        with contextlib.suppress(FileNotFoundError):  # deleted in the meantime
            os.chown(name, uid, uid, dir_fd=folder, follow_symlinks=False)


def readable_copy(source: Path, target: Path) -> Path:
    """Copy the files and let every user read the copy. Links stay links and are resolved inside the sandbox."""
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy(source, target)
    make_readable(target)
    return target
