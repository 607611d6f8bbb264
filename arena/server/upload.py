"""The archive of a bot as a client uploads it, in parts."""

from __future__ import annotations

from pathlib import Path

from arena.errors import BadSubmission, refusal
from arena.server.config import ServerConfig
from arena.v1 import desk_pb2 as pb


class Upload:
    """Writes the parts of an archive to a file in a new folder. All methods may block on the disk."""

    def __init__(self, folder: Path, first: pb.SubmitRequest, config: ServerConfig) -> None:
        """Raise `BadSubmission` unless the first part is a header that is allowed."""
        if not first.HasField("header"):
            raise BadSubmission("A submission must start with a header.")
        header = first.header
        if max(len(header.name), len(header.version)) > config.max_submission_name:
            raise BadSubmission(f"The name or the version has more than {config.max_submission_name} characters.")
        if not header.notes.isprintable() or len(header.notes) > config.max_notes:
            raise BadSubmission(f"The notes must have at most {config.max_notes} printable characters.")
        if not 0 < header.size <= config.max_submission_bytes:
            raise BadSubmission(
                f"The archive has {header.size:,} bytes; this server accepts up to {config.max_submission_bytes:,}.",
                hint="Leave out what the bot does not need: name it in `exclude` in arena.toml.",
            )
        self.header = header
        self.archive = folder / "bot.tar.gz"
        self._left: int = header.size
        folder.mkdir(parents=True)
        self.archive.touch()

    def add(self, part: pb.SubmitRequest) -> None:
        """Write the next part. Raise `BadSubmission` if it is not one."""
        if not part.HasField("data"):
            raise BadSubmission("After the header, every part of a submission must be data.")
        self._left -= len(part.data)
        if self._left < 0:
            raise BadSubmission("The archive is larger than announced.")
        try:
            with self.archive.open("ab") as file:
                file.write(part.data)
        except OSError as error:
            raise BadSubmission(f"The server cannot store the archive: {refusal(error)}") from error

    def check_complete(self) -> None:
        """Raise `BadSubmission` if a part is missing."""
        if self._left:
            raise BadSubmission("The archive is smaller than announced.")
