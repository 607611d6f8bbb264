"""Whatever an arena.toml says: the folder is a bot, or it is refused with a BadSubmission."""

from __future__ import annotations

import tempfile
from pathlib import Path

from arena.errors import BadSubmission
from arena.submissions.manifest import MANIFEST
from arena.submissions.submission import bundled_folder, bundled_names, find_launch


def check(data: bytes) -> None:
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as folder:
        (Path(folder) / MANIFEST).write_bytes(data)
        try:
            program = find_launch(folder)
        except BadSubmission as error:
            _is_a_sentence(str(error))
            return
        assert program.command
        assert "/" not in program.log_name
        hash(program)
        program.label.encode()


def _is_a_sentence(text: str) -> None:
    """It can be printed, in one line."""
    assert "\n" not in text
    text.encode()


def seeds() -> list[bytes]:
    bundled = [(bundled_folder() / name / MANIFEST).read_bytes() for name in bundled_names()]
    everything = b"""name = "clever"
version = "1.2"
games = ["tentagram", "mantis"]
command = ["./bot", "-x", '''raw''', "\\u00e9"] # a comment
build = ["make", "-j2"]
exclude = ["*.o"]
[env]
DEPTH = "7"
"""
    other_types = (
        b"name = 1_000\nversion = 1979-05-27T07:32:00Z\ngames = [1e5, inf, 0x1f, true]\ncommand = {a.b = 07:32:00}\n"
    )
    return [*bundled, everything, other_types, b'[[env]]\n"a b" = [[], {}]\n[env.c]\n']
