"""A bot's files, made readable for the user id that it runs under."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path


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


def let_anybody_read(source: Path) -> None:
    """Like chmod -R a+rX: what its owner can execute, everybody can."""
    for path in _everything(source):
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode):
            path.chmod(mode | 0o755)
        elif stat.S_ISREG(mode):
            path.chmod((stat.S_IMODE(mode) & 0o777) | (0o755 if mode & 0o100 else 0o644))


def readable_copy(source: Path, target: Path) -> Path:
    """A copy that everybody may read. Links stay links: they lead where they lead inside the sandbox."""
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy(source, target)
    let_anybody_read(target)
    return target


def size_of(folder: Path) -> int:
    """The bytes of all files in it, while they may come and go."""
    size = 0
    for path in _everything(folder):
        with contextlib.suppress(OSError):
            size += path.lstat().st_size
    return size


def hand_over(source: Path, uid: int) -> None:
    """Gives the files to a user. What links lead to is left alone."""
    for path in _everything(source):
        os.lchown(path, uid, uid)
