"""A bot's files as a parcel: what belongs to them, the hash that stands for them, packed and unpacked.

Whoever gets a parcel believes nothing but the hash: what it unpacks must have it.
"""

from __future__ import annotations

import gzip
import os
import tarfile
import zlib
from collections.abc import Iterator
from fnmatch import fnmatch
from hashlib import file_digest, sha256
from pathlib import Path
from typing import IO

from arena.errors import BadSubmission
from arena.sandbox.files import MOST_LEVELS

NEVER_COPIED = ("__pycache__", "*.pyc", ".git", ".hg", ".svn", ".venv", ".arena", ".mypy_cache", ".pytest_cache")
QUICKLY = 1
"""The compression of parcels."""


def files_of(source: Path, unwanted: tuple[str, ...]) -> Iterator[Path]:
    """The files that belong to the bot, and links to folders, which may not."""
    if not source.is_dir():
        yield source
    for parent, folders, files in os.walk(source):
        if len(Path(parent).relative_to(source).parts) > MOST_LEVELS:
            raise BadSubmission(f"{source} has folders more than {MOST_LEVELS} deep in each other.")
        folders[:] = [folder for folder in folders if not _matches(folder, unwanted)]
        links = [folder for folder in folders if (Path(parent) / folder).is_symlink()]
        yield from (Path(parent) / name for name in (*links, *files) if not _matches(name, unwanted))


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def content_hash(folder: Path, unwanted: tuple[str, ...] = ()) -> str:
    """Stands for the files in the folder: their names, contents, and whether they can be executed."""
    whole = sha256()
    # Not in the order of the names alone: paths are compared part by part.
    for path in sorted(path for path in files_of(folder, unwanted) if path.is_file()):
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        executable = "x" if path.stat().st_mode & 0o100 else "-"
        whole.update(f"{digest} {executable} {path.relative_to(folder).as_posix()}\0".encode(errors="surrogateescape"))
    return whole.hexdigest()


def pack(folder: Path, target: IO[bytes], unwanted: tuple[str, ...] = ()) -> None:
    """Writes the bot's files as one. Links become what they lead to, which the hash does not tell apart either."""
    with (
        gzip.GzipFile(fileobj=target, mode="wb", compresslevel=QUICKLY, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", dereference=True) as archive,
    ):
        for path in sorted(files_of(folder, unwanted)):
            if path.is_file():
                member = archive.gettarinfo(path, path.relative_to(folder).as_posix())
                member.uid = member.gid = 0
                member.uname = member.gname = ""
                member.mode = 0o755 if member.mode & 0o100 else 0o644
                with path.open("rb") as file:
                    archive.addfile(member, file)


def unpack(packed: Path, folder: Path) -> None:
    """Lays the files out in the folder, and nowhere else. Raises BadSubmission where it is no parcel."""
    folder.mkdir()
    try:
        with tarfile.open(packed, "r:gz") as archive:
            archive.extractall(folder, filter="data")
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadSubmission(f"{packed.name} holds no bot: {error}.") from error
