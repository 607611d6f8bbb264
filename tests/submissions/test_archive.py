"""Archives of bots: what is packed can be unpacked, and hostile archives are refused."""

from __future__ import annotations

import gzip
import io
import os
import stat
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from arena.errors import BadSubmission
from arena.submissions.archive import pack, unpack
from arena.submissions.config import SubmissionConfig
from arena.submissions.files import content_hash

DEEP = "/".join(["folder with a long name"] * 8)


def packed(source: Path, target: Path) -> Path:
    with target.open("wb") as file:
        pack(source, file)
    return target


def test_packed_files_are_the_same_after_unpacking(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    (bot / DEEP).mkdir(parents=True)
    names = ["bot.py", f"{DEEP}/naïve.txt", os.fsdecode(b"no \xff text"), "empty", "exactly a block"]
    for size, name in zip((3, 700, 100_000, 0, 512), names, strict=True):
        (bot / name).write_bytes(os.urandom(size))
    (bot / "bot.py").chmod(0o700)
    (bot / "link").symlink_to("bot.py")
    os.link(bot / "bot.py", bot / "the same file")
    archive = packed(bot, tmp_path / "archive")
    unpack(archive, tmp_path / "out")
    assert content_hash(tmp_path / "out") == content_hash(bot)
    assert not (tmp_path / "out" / "link").is_symlink()
    assert (tmp_path / "out" / "bot.py").stat().st_mode & 0o7777 == 0o755
    assert (tmp_path / "out" / "empty").stat().st_mode & 0o7777 == 0o644
    (bot / "bot.py").touch()
    assert packed(bot, tmp_path / "again").read_bytes() == archive.read_bytes()


def test_a_truncated_archive_is_refused(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.py").write_bytes(os.urandom(2000))
    whole = packed(bot, tmp_path / "archive").read_bytes()
    for number, length in enumerate(range(0, len(whole), 97)):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(BadSubmission, match="cut` is not a valid archive"):
            unpack(tmp_path / "cut", tmp_path / f"out-{number}")


def member(name: str, kind: bytes = tarfile.REGTYPE, content: bytes = b"hello", **more: object) -> bytes:
    """Return a member of a tar archive with any claims."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(content)
    for key, value in more.items():
        setattr(info, key, value)
    return info.tobuf(tarfile.GNU_FORMAT) + content + b"\0" * (-len(content) % 512)


def pax(content: bytes) -> bytes:
    return member("pax", tarfile.XHDTYPE, content) + member("bot.py")


HOSTILE: dict[str, tuple[Sequence[bytes], str]] = {
    "absolute": ([member("/arena-stolen")], "not a valid path"),
    "upwards": ([member("../stolen")], "not a valid path"),
    "upwards inside": ([member("folder/../../stolen")], "not a valid path"),
    "upwards with a long name": ([member(f"{DEEP}/{'../' * 9}stolen")], "not a valid path"),
    "no name": ([member("")], "not a valid path"),
    "here": ([member(".")], "not a valid path"),
    "a folder's name": ([member("folder/")], "not a valid path"),
    "a link": ([member("link", tarfile.SYMTYPE, b"", linkname="/etc")], "not a regular file"),
    "a file behind a link": (
        [member("link", tarfile.SYMTYPE, b"", linkname=".."), member("link/stolen")],
        "not a regular file",
    ),
    "a hard link": ([member("link", tarfile.LNKTYPE, b"", linkname="/etc/passwd")], "not a regular file"),
    "a hard link to a member": (
        [member("bot.py"), member("link", tarfile.LNKTYPE, b"", linkname="bot.py")],
        "not a regular file",
    ),
    "a device": ([member("null", tarfile.CHRTYPE, b"", devmajor=1, devminor=3)], "not a regular file"),
    "a pipe": ([member("pipe", tarfile.FIFOTYPE, b"")], "not a regular file"),
    "holes": ([member("sparse", tarfile.GNUTYPE_SPARSE)], "not a regular file"),
    "another name by pax": ([pax(b"21 path=../../stolen\n")], "not a valid path"),
    "a huge pax header": ([member("pax", tarfile.XHDTYPE, b"\0" * 2**21), member("bot.py")], "too large"),
    "a huge long name": ([member("x", tarfile.GNUTYPE_LONGNAME, b"x" * 2**21), member("bot.py")], "too large"),
    "a long link": ([member("x", tarfile.GNUTYPE_LONGLINK, b"/etc/passwd\0")], "not a valid archive"),
    "twice": ([member("bot.py"), member("bot.py")], "twice"),
    "twice but for case": ([member("bot.py"), member("Bot.py")], "upper and lower case"),
    "inside a file": ([member("bot.py"), member("bot.py/inner")], "as a file and as a folder"),
    "on a folder": ([member("folder/inner"), member("folder")], "twice"),
    "deep": ([member("d/" * 66 + "bot.py")], "too deep"),
    "a long part": ([member("x" * 256)], "too long"),
    "a long path": ([member("x/" * 1500 + "bot.py")], "too long"),
    "less than nothing": ([member("bot.py", content=b"", size=-1)], "not a valid archive"),
    "more than there is": ([member("bot.py", size=10_000)], "not a valid archive"),
    "no header": ([b"x" * 512], "not a valid archive"),
    "no end": ([member("bot.py"), b"\0" * 512, b"\0" * 2**21], "follows after its end"),
    "data after the end": ([member("bot.py"), b"\0" * 1024, b"x" * 10_240], "follows after its end"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_tar_archives_are_refused(tmp_path: Path, what: str) -> None:
    members, complaint = HOSTILE[what]
    inside = tmp_path / "far" / "inside"
    inside.mkdir(parents=True)
    archive = inside / "archive"
    archive.write_bytes(gzip.compress(b"".join((*members, b"\0" * 1024)), 1))
    with pytest.raises(BadSubmission, match=complaint):
        unpack(archive, inside / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far"]
    assert sorted(path.name for path in inside.iterdir()) == ["archive", "out"]
    assert not any(path.is_symlink() for path in inside.rglob("*"))
    assert not Path("/arena-stolen").exists()


def many(count: int) -> bytes:
    return b"".join(member(str(number), content=b"") for number in range(count))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: member("large", content=os.urandom(2001)), "more than 0.0019"),
        (lambda: many(11), "or 10 files"),
        (lambda: member("bomb", content=b"\0" * 1900), "compressed more than 2:1"),
    ],
    ids=["large", "many", "bomb"],
)
def test_count_size_and_compression_are_limited(tmp_path: Path, make: Callable[[], bytes], why: str) -> None:
    limits = SubmissionConfig(most_bytes=2000, most_files=10, most_compression=2, always_unpacked=1000)
    (tmp_path / "archive").write_bytes(gzip.compress(make() + b"\0" * 1024))
    with pytest.raises(BadSubmission, match=why):
        unpack(tmp_path / "archive", tmp_path / "out", limits)


@pytest.mark.parametrize("style", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_archives_of_other_tools_are_unpacked_without_their_special_permissions(tmp_path: Path, style: int) -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz", format=style) as archive:
        folder = tarfile.TarInfo("./folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        info = tarfile.TarInfo("./folder/bot.py")
        info.size, info.mode, info.uid, info.mtime = 5, 0o6777, 1000, 1.5
        archive.addfile(info, io.BytesIO(b"hello"))
    (tmp_path / "archive").write_bytes(target.getvalue())
    unpack(tmp_path / "archive", tmp_path / "out")
    assert (tmp_path / "out" / "folder" / "bot.py").read_bytes() == b"hello"
    assert (tmp_path / "out" / "folder" / "bot.py").stat().st_mode & 0o7777 == 0o755


# .zip


def zipped(path: Path, *files: tuple[zipfile.ZipInfo | str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for names that occur twice
        for info, content in files:
            archive.writestr(info, content)
    return path


def entry(name: str, mode: int = 0) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.external_attr = mode << 16
    return info


def test_a_zip_is_unpacked(tmp_path: Path) -> None:
    archive = zipped(
        tmp_path / "bot.ZIP",
        ("bot/", b""),
        (entry("bot/run", 0o106755), b"#!/bin/sh\n"),
        ("bot/naïve.txt", b"x" * 100_000),
        ("__MACOSX/bot/._run", b"metadata"),
    )
    unpack(archive, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").rglob("*")) == ["bot", "naïve.txt", "run"]
    assert (tmp_path / "out" / "bot" / "run").stat().st_mode & 0o7777 == 0o755
    assert (tmp_path / "out" / "bot" / "naïve.txt").read_bytes() == b"x" * 100_000


HOSTILE_ZIPS: dict[str, tuple[list[tuple[zipfile.ZipInfo | str, bytes]], str]] = {
    "absolute": ([("/arena-stolen", b"x")], "not a valid path"),
    "upwards": ([("../stolen", b"x")], "not a valid path"),
    "upwards inside": ([("folder/../../stolen", b"x")], "not a valid path"),
    "upwards on Windows": ([("..\\stolen", b"x")], "backslash"),
    "a link": ([(entry("link", stat.S_IFLNK | 0o777), b"/etc")], "not a regular file"),
    "a device": ([(entry("null", stat.S_IFCHR | 0o666), b"")], "not a regular file"),
    "a pipe": ([(entry("pipe", stat.S_IFIFO | 0o666), b"")], "not a regular file"),
    "twice": ([("bot.py", b"1"), ("bot.py", b"2")], "twice"),
    "twice but for case": ([("bot.py", b"1"), ("BOT.py", b"2")], "upper and lower case"),
    "inside a file": ([("bot.py", b"1"), ("bot.py/inner", b"2")], "as a file and as a folder"),
    "deep": ([("d/" * 66 + "bot.py", b"")], "too deep"),
    "a long part": ([("x" * 256, b"")], "too long"),
    "a bomb": ([("bomb", b"\0" * 2**27)], "compressed more than"),
}


@pytest.mark.parametrize("what", HOSTILE_ZIPS)
def test_hostile_zip_archives_are_refused(tmp_path: Path, what: str) -> None:
    files, complaint = HOSTILE_ZIPS[what]
    inside = tmp_path / "far" / "inside"
    inside.mkdir(parents=True)
    archive = zipped(inside / "bot.zip", *files)
    with pytest.raises(BadSubmission, match=complaint):
        unpack(archive, inside / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far"]
    assert sorted(path.name for path in inside.iterdir()) == ["bot.zip", "out"]
    assert not any(path.is_symlink() for path in inside.rglob("*"))
    assert not Path("/arena-stolen").exists()


def test_a_zip_that_lies_about_its_files_is_refused(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "bot.zip", ("bot.py", b"x" * 1000)).read_bytes()
    directory = whole.index(b"PK\1\2")
    lies = {
        "smaller": (directory + 24, struct.pack("<L", 10)),
        "larger": (directory + 24, struct.pack("<L", 2000)),
        "encrypted": (directory + 8, struct.pack("<H", 1)),
        "lzma": (directory + 10, struct.pack("<H", zipfile.ZIP_LZMA)),
        "before its start": (whole.index(b"PK\5\6") + 16, struct.pack("<L", directory + 10)),
        "many files": (whole.index(b"PK\5\6") + 12, struct.pack("<L", 2**24)),
    }
    for name, (offset, data) in lies.items():
        changed = bytearray(whole)
        changed[offset : offset + len(data)] = data
        (tmp_path / f"{name}.zip").write_bytes(changed)
        with pytest.raises(BadSubmission, match="not a valid archive"):
            unpack(tmp_path / f"{name}.zip", tmp_path / name)


def test_a_truncated_zip_is_refused(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "bot.zip", ("bot.py", os.urandom(500)), ("folder/data", b"x" * 500)).read_bytes()
    for length in range(0, len(whole), 29):
        (tmp_path / "cut.zip").write_bytes(whole[:length])
        with pytest.raises(BadSubmission, match=r"cut.zip` is not a valid archive"):
            unpack(tmp_path / "cut.zip", tmp_path / f"out-{length}")
