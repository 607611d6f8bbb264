"""Whatever somebody sends as a bot's files: they lie in their folder, no more than were announced, or it is refused."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from google.protobuf.message import DecodeError

from arena.errors import BadSubmission
from arena.server.upload import Upload
from arena.submissions.files import content_hash
from arena.v1 import desk_pb2 as pb

LARGEST, MOST_FILES = 10_000, 5
MARK = b"\x00part\x00"
"""Between two messages."""


def check(data: bytes) -> None:
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as place:
        folder = Path(place) / "here" / "files"
        try:
            _receive(folder, data)
        except (BadSubmission, DecodeError) as error:
            str(error).encode()
        found = [Path(parent) / name for parent, _, names in os.walk(place) for name in names]
        assert all(path.is_relative_to(folder) and not path.is_symlink() for path in found)
        assert len(found) <= MOST_FILES
        assert sum(path.stat().st_size for path in found) <= LARGEST
        assert os.listdir(place) in ([], ["here"])  # noqa: PTH208, the names are what counts


def _receive(folder: Path, data: bytes) -> None:
    first, *others = [pb.SubmitRequest.FromString(part) for part in data.split(MARK)]
    upload = Upload(folder, first.header, largest=LARGEST, most_files=MOST_FILES)
    try:
        for part in others:
            upload.take(part)
        upload.finish()
    finally:
        upload.close()
    assert content_hash(folder) == first.header.content_hash


def seeds() -> list[bytes]:
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as place:
        (Path(place) / "bot.py").write_bytes(b"pass")
        (Path(place) / "data").mkdir()
        (Path(place) / "data" / "a").write_bytes(b"x")
        content = content_hash(Path(place))
    header = pb.SubmitHeader(name="a", version="1", program="bot.py", content_hash=content, files=2, size=5)
    bot = pb.SubmitFile(path="bot.py")
    parts = [
        pb.SubmitRequest(header=header),
        pb.SubmitRequest(file=bot),
        pb.SubmitRequest(data=b"pa"),
        pb.SubmitRequest(data=b"ss"),
        pb.SubmitRequest(file=pb.SubmitFile(path="data/a")),
        pb.SubmitRequest(data=b"x"),
    ]
    lies = [
        pb.SubmitRequest(file=pb.SubmitFile(path=path, executable=True))
        for path in ("../bot.py", "/bot.py", "data/../../x", "./a", "a/", "a//b", "data", ".")
    ]
    whole = MARK.join(part.SerializeToString() for part in parts)
    return [whole, *(MARK.join(part.SerializeToString() for part in [parts[0], lie, parts[5]]) for lie in lies)]
