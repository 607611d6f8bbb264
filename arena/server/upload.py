"""The files of a bot as they arrive: into a folder of their own, so many of them, so large, and in no other place.

Nothing that comes is believed: neither names nor sizes. In the end the files must have the hash that was announced.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import IO

from arena.errors import BadSubmission, refusal
from arena.sandbox.files import MOST_LEVELS
from arena.submissions.files import content_hash
from arena.v1 import desk_pb2 as pb

LONGEST_PATH = 1000
LONGEST_PART = 255


class Upload:
    """Lays files out in a folder that it makes. All methods may wait for the disk."""

    def __init__(self, folder: Path, header: pb.SubmitHeader, *, largest: int, most_files: int) -> None:
        """Raises BadSubmission where there is too much to come."""
        if not 0 < header.files <= most_files or header.size > largest:
            raise BadSubmission(
                f"this bot has {header.files:,} files and {header.size:,} bytes; here it may have {most_files:,} files "
                f"and {largest:,} bytes. Leave out what it does not need ('exclude' in arena.toml)."
            )
        self.folder = folder
        self.header = header
        self.files_left: int = header.files
        self.bytes_left: int = header.size
        if header.program and len(_checked(header.program).parts) > 1:
            raise BadSubmission(f"{header.program!r} is not in the bot's own folder: hand in the file, or a folder.")
        self._file: IO[bytes] | None = None
        folder.mkdir(parents=True)

    def take(self, part: pb.SubmitRequest) -> None:
        """The next part. Raises BadSubmission where it does not belong there."""
        try:
            if part.HasField("file"):
                self._begin(part.file)
            elif part.HasField("data"):
                self._add(part.data)
            else:
                raise BadSubmission("a part of the submission is neither a file nor data: is the client newer than we?")
        except OSError as error:
            raise BadSubmission(f"the server could not keep the files: {error.strerror}.") from error

    def _begin(self, file: pb.SubmitFile) -> None:
        if not self.files_left:
            raise BadSubmission("there are more files than were announced: hand it in again.")
        path = _checked(file.path)
        self.files_left -= 1
        self.close()
        target = self.folder / path
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            self._file = target.open("xb")
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            raise BadSubmission(f"{file.path!r} is there twice.") from error
        target.chmod(0o755 if file.executable else 0o644)

    def _add(self, data: bytes) -> None:
        if self._file is None:
            raise BadSubmission("there is data before the first file: hand it in again.")
        if len(data) > self.bytes_left:
            raise BadSubmission("there are more bytes than were announced: hand it in again.")
        self.bytes_left -= len(data)
        self._file.write(data)

    def finish(self) -> None:
        """Everything has come. Raises BadSubmission unless it is what was announced."""
        try:
            self.close()
        except OSError as error:
            raise BadSubmission(f"the server could not keep the files: {refusal(error)}") from error
        if self.files_left or self.bytes_left:
            raise BadSubmission("not all that was announced has come: hand it in again.")
        if self.header.program and not (self.folder / self.header.program).is_file():
            raise BadSubmission(f"{self.header.program!r}, with which it is to be started, is not among its files.")
        if content_hash(self.folder) != self.header.content_hash:
            raise BadSubmission("what has come is not what was announced, by its hash: hand it in again.")

    def close(self) -> None:
        if self._file:
            self._file.close()
            self._file = None


def _checked(text: str) -> PurePosixPath:
    """A path below the folder, whoever has written it. Raises BadSubmission where it leads elsewhere."""
    parts = text.split("/")
    if (
        len(text.encode(errors="surrogatepass")) > LONGEST_PATH
        or len(parts) > MOST_LEVELS
        or any(part in ("", ".", "..") or "\0" in part for part in parts)
        or any(len(part.encode(errors="surrogatepass")) > LONGEST_PART for part in parts)
    ):
        raise BadSubmission(f"{text[:100]!r} is no name for a file of a bot.")
    return PurePosixPath(text)
