"""Any upload and any archive: its files are below their folder and within the limits, or it is refused.

The first byte selects what follows: `t` a tar archive (compressed here: a random checksum is never right), `z` a
.zip, anything else the messages of an upload.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import tempfile
import zipfile
from pathlib import Path

from google.protobuf.message import DecodeError

from arena.errors import BadSubmission
from arena.server.config import ServerConfig
from arena.server.upload import Upload
from arena.submissions.archive import pack, unpack
from arena.submissions.config import SubmissionConfig
from arena.v1 import desk_pb2 as pb

LIMITS = SubmissionConfig(most_bytes=10_000, most_files=5, archive_header=20_000)
MARK = b"\x00part\x00"
"""Between two messages."""


def check(data: bytes) -> None:
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as place:
        folder = Path(place) / "here" / "files"
        folder.parent.mkdir()
        archive = Path(place) / ("bot.zip" if data[:1] == b"z" else "bot.tar.gz")
        try:
            if data[:1] == b"t":
                archive.write_bytes(gzip.compress(data[1:], 1))
            elif data[:1] == b"z":
                archive.write_bytes(data[1:])
            else:
                archive = _receive(Path(place) / "upload", data)
            unpack(archive, folder, LIMITS)
        except (BadSubmission, DecodeError) as error:
            str(error).encode(errors="surrogateescape")
        found = [Path(parent) / name for parent, _, names in os.walk(folder) for name in names]
        assert not any(path.is_symlink() for path in found)
        assert len(found) <= LIMITS.most_files
        assert sum(path.stat().st_size for path in found) <= LIMITS.most_bytes
        assert set(os.listdir(place)) <= {"here", "upload", "bot.zip", "bot.tar.gz"}  # noqa: PTH208
        assert set(os.listdir(folder.parent)) <= {"files"}  # noqa: PTH208


def _receive(folder: Path, data: bytes) -> Path:
    first, *others = [pb.SubmitRequest.FromString(part) for part in data.split(MARK)]
    upload = Upload(folder, first, ServerConfig(max_submission_bytes=LIMITS.most_bytes))
    for part in others:
        upload.add(part)
    upload.check_complete()
    assert upload.archive.stat().st_size == first.header.size
    return upload.archive


def seeds() -> list[bytes]:
    packed, zipped = io.BytesIO(), io.BytesIO()
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as place:
        (Path(place) / "bot.py").write_bytes(b"pass")
        (Path(place) / "data").mkdir()
        (Path(place) / "data" / "a").write_bytes(b"x")
        pack(Path(place), packed)
    content = packed.getvalue()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("bot.py", "data/a", "data/", "../x", "/y", "d\\e"):
            archive.writestr(name, b"x" * 50)
    parts = [
        pb.SubmitRequest(header=pb.SubmitHeader(name="a", version="1", content_hash="0" * 64, size=len(content))),
        pb.SubmitRequest(data=content[:20]),
        pb.SubmitRequest(data=content[20:]),
    ]
    tars = [b"t" + gzip.decompress(content)]
    for style in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        tar = io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w", format=style) as opened:
            for name, kind in {"a" * 90: tarfile.REGTYPE, "l" * 90: tarfile.SYMTYPE, "../x": tarfile.REGTYPE}.items():
                info = tarfile.TarInfo(name)
                info.type, info.linkname, info.mtime = kind, "/etc/passwd", 1.5
                opened.addfile(info)
        tars.append(b"t" + tar.getvalue().rstrip(b"\0") + b"\0" * 1024)
    return [MARK.join(part.SerializeToString() for part in parts), b"z" + zipped.getvalue(), *tars]
