"""A bot's files, made readable for the user id that it runs under.

Whoever owns files may swap them for links while we look at them, or lay folders into folders until a program that goes
through them breaks. So they are gone through by open folders, links are never followed, and there is a bottom.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

from arena.errors import UserError

MOST_LEVELS = 64
"""So many folders may lie in each other."""
NO_LINKS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

Visitor = Callable[[str, int | None], None]
"""Called with the name of a file or folder, and the open folder that it is in."""


class TooDeep(UserError):
    """Folders in folders without end."""


def _for_each(source: Path, visit: Visitor) -> None:
    """Visits the file, or the folder and all that is in it."""
    visit(str(source), None)
    if source.is_dir() and not source.is_symlink():
        _for_each_in(os.open(source, NO_LINKS | os.O_DIRECTORY), visit, 1, source)


def _for_each_in(folder: int, visit: Visitor, level: int, source: Path) -> None:
    try:
        if level > MOST_LEVELS:
            raise TooDeep(f"{source} has folders more than {MOST_LEVELS} deep in each other.")
        with os.scandir(folder) as entries:
            for entry in entries:
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # it has just been taken away
                    visit(entry.name, folder)
                    if entry.is_dir(follow_symlinks=False):
                        inner = os.open(entry.name, NO_LINKS | os.O_DIRECTORY, dir_fd=folder)
                        _for_each_in(inner, visit, level + 1, source)
    finally:
        os.close(folder)


def is_readable_by_all(source: Path) -> bool:
    """Whether everybody may read the file, or the folder with all that is in it, and execute what its owner may."""
    hidden = 0

    def look(name: str, folder: int | None) -> None:
        nonlocal hidden
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        wanted = 0o005 if stat.S_ISDIR(mode) or mode & 0o100 else 0o004
        hidden += not stat.S_ISLNK(mode) and mode & wanted != wanted

    _for_each(source, look)
    return not hidden


def size_of(source: Path) -> int:
    """The bytes that the files in it take on the disk, or claim to have, while they may come and go."""
    size = 0

    def add(name: str, folder: int | None) -> None:
        nonlocal size
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
        size += max(found.st_size, found.st_blocks * 512)

    _for_each(source, add)
    return size


def free_space(folder: Path) -> int:
    """The bytes that are free on its disk."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def make_readable(source: Path) -> None:
    """Like chmod -R a+rX: what its owner can execute, everybody can, but nobody as somebody else."""

    def let_read(name: str, folder: int | None) -> None:
        try:
            file = os.open(name, NO_LINKS, dir_fd=folder)
        except OSError:
            return  # a link, or gone
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
    """Gives the files to a user."""
    _for_each(source, lambda name, folder: os.chown(name, uid, uid, dir_fd=folder, follow_symlinks=False))


def readable_copy(source: Path, target: Path) -> Path:
    """A copy that everybody may read. Links stay links: they lead where they lead inside the sandbox."""
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy(source, target)
    make_readable(target)
    return target
