"""The archive of a bot as a client uploads it, in parts."""

from __future__ import annotations

from pathlib import Path

from arena.errors import BadSubmission, refusal
from arena.v1 import desk_pb2 as pb


class Upload:
    """Writes the parts of an archive to a file in a new folder. All methods may block on the disk."""

    def __init__(self, folder: Path, header: pb.SubmitHeader, most_bytes: int) -> None:
        """Raise `BadSubmission` if the announced size is not allowed."""
        if not 0 < header.size <= most_bytes:
            raise BadSubmission(
                f"The archive has {header.size:,} bytes; this server accepts up to {most_bytes:,}. "
                "Leave out what the bot does not need: name it in `exclude` in arena.toml."
            )
        self.header = header
        self.archive = folder / "bot.tar.gz"
        self._left: int = header.size
        folder.mkdir(parents=True)
        self._file = self.archive.open("xb")

    def add(self, part: pb.SubmitRequest) -> None:
        """Write the next part. Raise `BadSubmission` if it is not one."""
        if not part.HasField("data"):
            raise BadSubmission("After the header, every part of a submission must be data.")
        self._left -= len(part.data)
        if self._left < 0:
            raise BadSubmission("The archive is larger than announced.")
        try:
            self._file.write(part.data)
        except OSError as error:
            raise BadSubmission(f"The server cannot store the archive: {refusal(error)}") from error

    def finish(self) -> None:
        """Close the archive. Raise `BadSubmission` if it is not complete."""
        try:
            self.close()
        except OSError as error:
            raise BadSubmission(f"The server cannot store the archive: {refusal(error)}") from error
        if self._left:
            raise BadSubmission("The archive is smaller than announced.")

    def close(self) -> None:
        self._file.close()
