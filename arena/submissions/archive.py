"""A bot's files as a parcel: what belongs to them, the hash that stands for them, packed and unpacked.

Whoever gets a parcel believes nothing but the hash: what it unpacks must have it. Until then it may be anything, so of
all that a tar archive can hold only plain files are taken, and their long names; nothing is created but those files and
the folders that they are in, and there is an end to their number and size.
"""

from __future__ import annotations

import gzip
import os
import tarfile
import zlib
from collections.abc import Iterator
from fnmatch import fnmatch
from hashlib import file_digest, sha256
from pathlib import Path, PurePosixPath
from typing import IO

from arena.errors import BadSubmission
from arena.sandbox.files import MOST_LEVELS

NEVER_COPIED = ("__pycache__", "*.pyc", ".git", ".hg", ".svn", ".venv", ".arena", ".mypy_cache", ".pytest_cache")
LARGEST = 512 * 1024 * 1024
"""The bytes that the files of a bot may have."""
MOST_FILES = 20_000
LONGEST_PATH = 2_000
LONGEST_PART = 255
"""The bytes that the name of a file may have, as file systems have it."""
QUICKLY = 1
"""The compression of parcels."""
CHUNK = 64 * 1024
ENCODING, ERRORS = "utf-8", "surrogateescape"
"""How names are written: any bytes but 0 make one."""


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
        gzip.GzipFile("", fileobj=target, mode="wb", compresslevel=QUICKLY, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, encoding=ENCODING, errors=ERRORS) as archive,
    ):
        for path in sorted(files_of(folder, unwanted)):
            if path.is_file():
                # Not gettarinfo: it writes a file that has two names once, and then a link to it.
                member = tarfile.TarInfo(path.relative_to(folder).as_posix())
                with path.open("rb") as file:
                    found = os.fstat(file.fileno())
                    member.size = found.st_size
                    member.mode = 0o755 if found.st_mode & 0o100 else 0o644
                    archive.addfile(member, file)


def unpack(packed: Path, folder: Path) -> None:
    """Lays the files out in the folder, and nowhere else. Raises BadSubmission where it is no parcel."""
    folder.mkdir()
    try:
        with gzip.open(packed) as archive:
            Unpacking(archive, folder).run()
    except NoParcel as error:
        raise BadSubmission(f"{packed.name} holds no bot: {error}.") from error
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise BadSubmission(f"{packed.name} holds no bot, or only a part of one: {error}.") from error


class NoParcel(Exception):
    """Says what is wrong with it."""


class Unpacking:
    """A parcel that is being unpacked. Python's own ways to do it are careful only in its latest versions."""

    def __init__(self, archive: gzip.GzipFile, folder: Path) -> None:
        self.archive = archive
        self.folder = folder
        self.files = 0
        self.bytes = 0

    def run(self) -> None:
        long_name = None
        while (block := self._read(tarfile.BLOCKSIZE)).strip(b"\0"):
            member = tarfile.TarInfo.frombuf(block, ENCODING, ERRORS)
            if member.type == tarfile.GNUTYPE_LONGNAME:
                if not 0 < member.size <= LONGEST_PATH:
                    raise NoParcel("a name in it is too long")
                padded = self._read(_whole_blocks(member.size))
                long_name = padded[: member.size].partition(b"\0")[0].decode(ENCODING, ERRORS)
            elif member.type in (tarfile.REGTYPE, tarfile.AREGTYPE):
                self._lay_out(member, self._place(member.name if long_name is None else long_name))
                long_name = None
            else:
                raise NoParcel(f"{member.name!r} is no plain file")
        if len(self.archive.read(CHUNK)) == CHUNK:  # to the end, where the checksum is, but not for ever
            raise NoParcel("something follows after its end")

    def _place(self, name: str) -> Path:
        path = PurePosixPath(name)
        parts = path.parts
        if path.as_posix() != name or path.is_absolute() or not parts or ".." in parts or "\0" in name:
            raise NoParcel(f"{name!r} is no name of a file in it")
        if len(parts) - 1 > MOST_LEVELS or any(len(os.fsencode(part)) > LONGEST_PART for part in parts):
            raise NoParcel(f"{name!r} is too long, or too deep in folders")
        return self.folder.joinpath(*parts)

    def _lay_out(self, member: tarfile.TarInfo, place: Path) -> None:
        self.files += 1
        self.bytes += member.size
        if member.size < 0 or self.bytes > LARGEST or self.files > MOST_FILES:
            raise NoParcel(f"it has more than {LARGEST // 2**20} MiB or {MOST_FILES:,} files")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            file = place.open("xb")
        except (FileExistsError, NotADirectoryError) as error:
            raise NoParcel(f"{place.relative_to(self.folder).as_posix()!r} is in it twice, or inside a file") from error
        with file:
            left = member.size
            while left:
                left -= file.write(self._read(min(CHUNK, left)))
            os.fchmod(file.fileno(), 0o755 if member.mode & 0o100 else 0o644)
        self._read(_whole_blocks(member.size) - member.size)

    def _read(self, count: int) -> bytes:
        found = self.archive.read(count)
        if len(found) < count:
            raise NoParcel("it ends too early")
        return found


def _whole_blocks(size: int) -> int:
    return -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
