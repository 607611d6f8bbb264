"""A bot's files as a parcel: what was packed comes out again, and what hostile archives hold stays inside them."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from arena.errors import BadSubmission
from arena.submissions import archive as parcels
from arena.submissions.archive import content_hash, pack, unpack

DEEP = "/".join(["folder with a long name"] * 8)


def packed(source: Path, target: Path) -> Path:
    with target.open("wb") as file:
        pack(source, file)
    return target


def test_what_was_packed_comes_out_again(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    (bot / DEEP).mkdir(parents=True)
    names = ["bot.py", f"{DEEP}/naïve.txt", os.fsdecode(b"no \xff text"), "empty", "exactly a block"]
    for size, name in zip((3, 700, 100_000, 0, 512), names, strict=True):
        (bot / name).write_bytes(os.urandom(size))
    (bot / "bot.py").chmod(0o700)
    (bot / "link").symlink_to("bot.py")
    os.link(bot / "bot.py", bot / "the same file")
    parcel = packed(bot, tmp_path / "parcel")
    unpack(parcel, tmp_path / "out")
    assert content_hash(tmp_path / "out") == content_hash(bot)
    assert not (tmp_path / "out" / "link").is_symlink()
    assert (tmp_path / "out" / "bot.py").stat().st_mode & 0o7777 == 0o755
    assert (tmp_path / "out" / "empty").stat().st_mode & 0o7777 == 0o644
    (bot / "bot.py").touch()
    assert packed(bot, tmp_path / "again").read_bytes() == parcel.read_bytes()


def test_a_parcel_that_is_cut_anywhere_is_none(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.py").write_bytes(os.urandom(2000))
    whole = packed(bot, tmp_path / "parcel").read_bytes()
    for number, length in enumerate(range(0, len(whole), 97)):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(BadSubmission, match="cut holds no bot"):
            unpack(tmp_path / "cut", tmp_path / f"out-{number}")


def member(name: str, kind: bytes = tarfile.REGTYPE, content: bytes = b"hello", **more: object) -> bytes:
    """A member of an archive, whatever it claims."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(content)
    for key, value in more.items():
        setattr(info, key, value)
    return info.tobuf(tarfile.GNU_FORMAT) + content + b"\0" * (-len(content) % 512)


def pax(content: bytes) -> bytes:
    return member("pax", tarfile.XHDTYPE, content) + member("bot.py")


HOSTILE: dict[str, tuple[Sequence[bytes], str]] = {
    "absolute": ([member("/arena-stolen")], "no name of a file"),
    "upwards": ([member("../stolen")], "no name of a file"),
    "upwards inside": ([member("folder/../../stolen")], "no name of a file"),
    "upwards with a long name": ([member(f"{DEEP}/{'../' * 9}stolen")], "no name of a file"),
    "no name": ([member("")], "no name of a file"),
    "here": ([member(".")], "no name of a file"),
    "a folder's name": ([member("folder/")], "no name of a file"),
    "a link": ([member("link", tarfile.SYMTYPE, b"", linkname="/etc")], "no plain file"),
    "a file behind a link": (
        [member("link", tarfile.SYMTYPE, b"", linkname=".."), member("link/stolen")],
        "no plain file",
    ),
    "a hard link": ([member("link", tarfile.LNKTYPE, b"", linkname="/etc/passwd")], "no plain file"),
    "a device": ([member("null", tarfile.CHRTYPE, b"", devmajor=1, devminor=3)], "no plain file"),
    "a pipe": ([member("pipe", tarfile.FIFOTYPE, b"")], "no plain file"),
    "a folder": ([member("folder", tarfile.DIRTYPE, b"")], "no plain file"),
    "holes": ([member("sparse", tarfile.GNUTYPE_SPARSE)], "no plain file"),
    "another name by pax": ([pax(b"20 path=../../stolen\n")], "no plain file"),
    "a long link": ([member("x", tarfile.GNUTYPE_LONGLINK, b"/etc/passwd\0")], "no plain file"),
    "twice": ([member("bot.py"), member("bot.py")], "twice"),
    "inside a file": ([member("bot.py"), member("bot.py/inner")], "inside a file"),
    "on a folder": ([member("folder/inner"), member("folder")], "twice"),
    "deep": ([member("d/" * 66 + "bot.py")], "too deep"),
    "a long part": ([member("x" * 256)], "too long"),
    "a long path": ([member("x/" * 1500 + "bot.py")], "too long"),
    "less than nothing": ([member("bot.py", content=b"", size=-1)], "more than"),
    "no header": ([b"x" * 512], "holds no bot"),
    "no end": ([member("bot.py"), b"\0" * 512, b"\0" * 2**20], "follows after its end"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_archives_create_nothing_elsewhere(tmp_path: Path, what: str) -> None:
    members, complaint = HOSTILE[what]
    inside = tmp_path / "far" / "inside"
    inside.mkdir(parents=True)
    parcel = inside / "parcel"
    parcel.write_bytes(gzip.compress(b"".join((*members, b"\0" * 1024)), 1))
    with pytest.raises(BadSubmission, match=complaint):
        unpack(parcel, inside / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["far"]
    assert sorted(path.name for path in inside.iterdir()) == ["out", "parcel"]
    assert not any(path.is_symlink() for path in inside.rglob("*"))
    assert not Path("/arena-stolen").exists()


def many(count: int) -> bytes:
    return b"".join(member(str(number), content=b"") for number in range(count))


@pytest.mark.parametrize(
    "make", [lambda: member("large", content=b"\0" * 2000), lambda: many(11)], ids=["large", "many"]
)
def test_there_is_an_end_to_what_a_parcel_may_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[], bytes]
) -> None:
    monkeypatch.setattr(parcels, "LARGEST", 1999)
    monkeypatch.setattr(parcels, "MOST_FILES", 10)
    (tmp_path / "parcel").write_bytes(gzip.compress(make() + b"\0" * 1024))
    with pytest.raises(BadSubmission, match="more than"):
        unpack(tmp_path / "parcel", tmp_path / "out")


def test_what_other_programs_pack_comes_out_too(tmp_path: Path) -> None:
    """Plain files in an archive of another program: the bits of the modes that nobody should get are not set."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz", format=tarfile.USTAR_FORMAT) as archive:
        info = tarfile.TarInfo("folder/bot.py")
        info.size, info.mode, info.uid = 5, 0o6777, 1000
        archive.addfile(info, io.BytesIO(b"hello"))
    (tmp_path / "parcel").write_bytes(target.getvalue())
    unpack(tmp_path / "parcel", tmp_path / "out")
    assert (tmp_path / "out" / "folder" / "bot.py").read_bytes() == b"hello"
    assert (tmp_path / "out" / "folder" / "bot.py").stat().st_mode & 0o7777 == 0o755
