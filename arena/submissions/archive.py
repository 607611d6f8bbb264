"""A bot's files as an archive: a .zip or a .tar.gz.

An archive is untrusted input. Only regular files are unpacked, only below the target folder, and their number, size and
compression are limited. Nothing else in the archive has an effect: neither links nor owners nor special permissions.
"""

from __future__ import annotations

import errno
import gzip
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from arena.errors import BadSubmission
from arena.sandbox.config import CONFIG as SANDBOX
from arena.submissions.config import CONFIG, SubmissionConfig
from arena.submissions.files import files_of, too_much

SUFFIXES = (".zip", ".tar.gz", ".tgz")
CHUNK = 64 * 1024
DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    gzip.BadGzipFile,
    EOFError,
    ValueError,
    LookupError,
    NotImplementedError,
    struct.error,
)
"""What zipfile, tarfile and zlib raise for damaged files."""


def archive_suffix(path: Path) -> str:
    """Return the suffix that makes a file an archive; empty for any other file."""
    return next((path.name[-len(suffix) :] for suffix in SUFFIXES if path.name.lower().endswith(suffix)), "")


def pack(folder: Path, target: IO[bytes], exclude: tuple[str, ...] = ()) -> None:
    """Write the files of a folder as a .tar.gz that is the same for the same files. Links become files."""
    with (
        gzip.GzipFile("", fileobj=target, mode="wb", compresslevel=1, mtime=0) as packed,
        tarfile.open(
            fileobj=packed, mode="w", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape"
        ) as archive,
    ):
        for path in sorted(files_of(folder, exclude)):
            if path.is_file():
                # Not `gettarinfo`: it writes the second name of a hard-linked file as a link.
                member = tarfile.TarInfo(path.relative_to(folder).as_posix())
                with path.open("rb") as file:
                    found = os.fstat(file.fileno())
                    member.size = found.st_size
                    member.mode = 0o755 if found.st_mode & 0o100 else 0o644
                    archive.addfile(member, file)


def unpack(archive: Path, folder: Path, limits: SubmissionConfig = CONFIG) -> None:
    """Unpack an archive into the new folder. Raise `BadSubmission` if it is damaged, hostile or too large."""
    folder.mkdir()
    members = _zip_members if archive_suffix(archive).lower() == ".zip" else _tar_members
    try:
        _write(members(archive, limits), folder, archive.stat().st_size, limits)
    except InvalidArchive as error:
        raise BadSubmission(f"`{archive.name}` is not a valid archive of a bot: {error}.") from error
    except (*DAMAGED, OSError) as error:
        if isinstance(error, OSError) and not isinstance(error, DAMAGED) and error.errno != errno.EINVAL:
            raise  # EINVAL: zipfile seeks to any offset that the archive names
        raise BadSubmission(f"`{archive.name}` is not a valid archive of a bot, or is damaged: {error}.") from error


class InvalidArchive(Exception):
    """Raised with what is wrong with an archive."""


class Member(NamedTuple):
    """A regular file in an archive."""

    name: str
    size: int
    executable: bool
    content: IO[bytes]


def _write(members: Iterable[Member], folder: Path, archive_size: int, limits: SubmissionConfig) -> None:
    """Write the members of an archive into a folder, within the limits."""
    most_unpacked = limits.always_unpacked + limits.most_compression * archive_size
    size = 0
    names: set[str] = set()
    for number, member in enumerate(members, start=1):
        _check_name(member.name, limits)
        if member.name.casefold() in names:
            raise InvalidArchive(f"`{member.name}` occurs twice, or in upper and lower case")
        names.add(member.name.casefold())
        size += member.size
        if member.size < 0 or size > limits.most_bytes or number > limits.most_files:
            raise InvalidArchive(f"it contains more than {too_much(limits)}")
        if size > most_unpacked:
            raise InvalidArchive(f"it is compressed more than {limits.most_compression}:1")
        path = folder / member.name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("xb")
        except (FileExistsError, NotADirectoryError) as error:
            raise InvalidArchive(f"`{member.name}` occurs twice, or as a file and as a folder") from error
        with file:
            left = member.size
            while left:
                data = member.content.read(min(CHUNK, left))
                if not data:
                    raise InvalidArchive(f"`{member.name}` ends too early")
                left -= file.write(data)
            os.fchmod(file.fileno(), 0o755 if member.executable else 0o644)


def _check_name(name: str, limits: SubmissionConfig) -> None:
    """Raise `InvalidArchive` if the name of a member is not that of a file in the folder."""
    path = PurePosixPath(name)
    if path.as_posix() != name or path.is_absolute() or not path.parts or ".." in path.parts or "\0" in name:
        raise InvalidArchive(f"`{name}` is not a valid path of a file")
    if (
        len(path.parts) - 1 > SANDBOX.max_depth
        or len(os.fsencode(name)) > limits.longest_path
        or any(len(os.fsencode(part)) > limits.longest_file_name for part in path.parts)
    ):
        raise InvalidArchive(f"the path `{name[:100]}` is too long or nested too deep")


def _zip_members(archive: Path, limits: SubmissionConfig) -> Iterator[Member]:
    with archive.open("rb") as file:
        _check_zip_directory(file, limits)
        with zipfile.ZipFile(file) as opened:
            for info in opened.infolist():
                if info.is_dir() or info.filename.startswith("__MACOSX/"):
                    continue
                mode = info.external_attr >> 16
                if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                    raise InvalidArchive(f"`{info.filename}` is not a regular file")
                if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                    raise InvalidArchive(f"`{info.filename}` is encrypted, or not compressed with deflate")
                if "\\" in info.filename:
                    raise InvalidArchive(f"`{info.filename}` contains a backslash")
                with opened.open(info) as content:
                    yield Member(info.filename.removeprefix("./"), info.file_size, bool(mode & 0o100), content)


def _check_zip_directory(file: IO[bytes], limits: SubmissionConfig) -> None:
    """Raise `InvalidArchive` if the list of files is too long: zipfile reads all of it into memory."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - 2**16 - 22 - 20))
    end = file.read()
    record = end.rfind(b"PK\5\6")
    if record < 0 or len(end) < record + 22:
        raise InvalidArchive("it is not a zip file, or is truncated")
    (size,) = struct.unpack_from("<L", end, record + 12)
    if size > limits.zip_directory or end[max(0, record - 20) :].startswith(b"PK\6\7"):  # the second: zip64
        raise InvalidArchive(f"it contains more than {limits.most_files:,} files")


def _tar_members(archive: Path, limits: SubmissionConfig) -> Iterator[Member]:
    with gzip.open(archive) as unzipped:
        reader = BoundedReader(unzipped, limits.archive_header)
        with tarfile.open(fileobj=reader, mode="r|", encoding="utf-8", errors="surrogateescape") as opened:  # type: ignore[call-overload]
            while True:
                reader.left = limits.archive_header
                member: tarfile.TarInfo | None = opened.next()
                if member is None:
                    break
                if member.isdir():
                    continue
                content = opened.extractfile(member) if member.isreg() and not member.issparse() else None
                if content is None:
                    raise InvalidArchive(f"`{member.name}` is not a regular file")
                reader.left = member.size + limits.archive_header
                yield Member(member.name.removeprefix("./"), member.size, bool(member.mode & 0o100), content)
        while rest := reader.read(CHUNK):  # to the end, where the checksum is
            if rest.strip(b"\0"):
                raise InvalidArchive("data follows after its end")


class BoundedReader:
    """Reads at most `left` bytes, so that no header makes tarfile fill the memory."""

    def __init__(self, file: IO[bytes] | gzip.GzipFile, left: int) -> None:
        self.file = file
        self.left = left

    def read(self, count: int) -> bytes:
        data = self.file.read(count)
        self.left -= len(data)
        if self.left < 0:
            raise InvalidArchive("a header in it is too large, or data follows after its end")
        return data
