"""A bot's files, made readable for the user id that it runs under.

Whoever owns files may swap them for links while we look at them. So they are changed through open folders and files,
and links are never followed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

NO_LINKS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def _everything(source: Path) -> Iterator[Path]:
    yield source
    if source.is_dir() and not source.is_symlink():
        for parent, folders, files in os.walk(source):
            yield from (Path(parent) / name for name in (*folders, *files))


def anybody_can_read(source: Path) -> bool:
    """Whether everybody may read the file, or the folder with all that is in it."""
    for path in _everything(source):
        mode = path.lstat().st_mode
        wanted = 0o005 if stat.S_ISDIR(mode) else 0o004
        if not stat.S_ISLNK(mode) and mode & wanted != wanted:
            return False
    return True


def size_of(folder: Path) -> int:
    """The bytes of all files in it, while they may come and go."""
    size = 0
    for path in _everything(folder):
        with contextlib.suppress(OSError):
            size += path.lstat().st_size
    return size


def let_anybody_read(source: Path) -> None:
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


def hand_over(source: Path, uid: int) -> None:
    """Gives the files to a user."""
    _for_each(source, lambda name, folder: os.chown(name, uid, uid, dir_fd=folder, follow_symlinks=False))


def _for_each(source: Path, change: Callable[[str, int | None], None]) -> None:
    change(str(source), None)
    if source.is_dir() and not source.is_symlink():
        for _, folders, files, folder in os.fwalk(source, follow_symlinks=False):
            for name in (*folders, *files):
                with contextlib.suppress(FileNotFoundError):
                    change(name, folder)


def readable_copy(source: Path, target: Path) -> Path:
    """A copy that everybody may read. Links stay links: they lead where they lead inside the sandbox."""
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy(source, target)
    let_anybody_read(target)
    return target
