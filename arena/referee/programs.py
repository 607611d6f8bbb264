"""What can be a bot: a Python file, an executable, a .js file, a folder with arena.toml, or the name of a bundled bot.

`find_program` looks at what the user named and says how to start it, or why it cannot be started, in one sentence.
"""

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from arena.errors import BadSubmission, unknown
from arena.games.registry import GAMES

MANIFEST = "arena.toml"
LARGEST_MANIFEST = 64 * 1024
LAST_LINES = 12
"""How many lines of a bot's own output an error shows."""


@dataclass(frozen=True, slots=True)
class Program:
    """A bot that can be started."""

    name: str
    version: str
    folder: Path
    """Where it is started."""
    command: tuple[str, ...]
    games: tuple[str, ...] = ()
    """The games it claims; empty: whatever its hello says."""
    build: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict, hash=False)
    exclude: tuple[str, ...] = ()
    """What in its folder is made by the build and not submitted: names with * and ?."""
    file: Path | None = None
    """The single file that it consists of; None: the whole folder is its own."""

    @property
    def label(self) -> str:
        """Name and version, as they stand in replays."""
        return f"{self.name} {self.version}".strip()

    @property
    def log_name(self) -> str:
        """The name of its log file, which tells all labels apart."""
        return f"{log_stem(self.label)}.log"


def log_stem(label: str) -> str:
    """The label as a part of a file name: what such a part must not have is written as %2F."""
    return quote(label, safe=" ", errors="replace")[:150]


def distinct(labels: Sequence[str]) -> list[str]:
    """The labels, with a number behind those that occur more than once."""
    seen: Counter[str] = Counter()
    several = {label for label, count in Counter(labels).items() if count > 1}
    numbered = []
    for label in labels:
        seen[label] += 1
        numbered.append(f"{label} #{seen[label]}" if label in several else label)
    return numbered


def bundled_folder() -> Path:
    """Where the bots that ship with the arena are: inside an installed package, or beside it in the repository."""
    package = Path(__file__).parents[1]
    return package / "bots" if (package / "bots").is_dir() else package.parent / "bots"


def bundled_names() -> list[str]:
    return sorted(manifest.parent.name for manifest in bundled_folder().glob(f"*/{MANIFEST}"))


def protos_folder() -> Path:
    """Where the protocol is, for bots that generate their stubs when they are built."""
    return bundled_folder().parent / "protos"


def find_program(named: str) -> Program:
    """The program that the user means. Raises BadSubmission where there is none, or it cannot be started."""
    if "/" not in named and not _exists(Path(named)):
        if named in bundled_names():
            return _from_folder(bundled_folder() / named)
        hint = "A bot of your own is named by its path: ./my_bot.py"
        raise BadSubmission(f"{unknown('bot', named, bundled_names())} {hint}")
    if not _exists(Path(named)):
        raise BadSubmission(f"{named}: no such file or folder.")
    path = Path(named).resolve()
    if path.is_dir():
        return _from_folder(path)
    return Program(path.stem, "", path.parent, _command_for(path), file=path)


def _exists(path: Path) -> bool:
    """Whether it is there. What no file can be called, because it is too long or has a NUL, is not."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _command_for(path: Path) -> tuple[str, ...]:
    """How a single file is started."""
    if path.suffix == ".py":
        return (sys.executable, str(path))
    if path.suffix in (".js", ".mjs", ".cjs"):
        node = shutil.which("node")
        if node is None:
            raise BadSubmission(f"{path} needs node, which is not installed; install it: apt-get install nodejs")
        return (node, str(path))
    if not os.access(path, os.X_OK):
        raise BadSubmission(f"{path} is not executable; make it so: chmod +x {path}")
    return (str(path),)


def _from_folder(folder: Path) -> Program:
    manifest = folder / MANIFEST
    if not manifest.is_file():
        raise BadSubmission(f"{folder} has no {MANIFEST}, which says how to start the bot; see `arena new --help`.")
    if manifest.stat().st_size > LARGEST_MANIFEST:
        raise BadSubmission(f"{manifest} has more than {LARGEST_MANIFEST // 1024} KiB.")
    try:
        settings = tomllib.loads(manifest.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # also for numbers that are too long and lists that are too deep
        raise BadSubmission(f"{manifest} is not valid TOML: {error}.") from error
    known = ("name", "version", "games", "command", "build", "env", "exclude")
    for key in settings:
        if key not in known:
            raise BadSubmission(f"{manifest}: {unknown('key', key, known)}")
    games = _words(manifest, settings, "games")
    for game in games:
        if game not in GAMES:
            raise BadSubmission(f"{manifest}: {unknown('game', game, GAMES)}")
    command = _words(manifest, settings, "command")
    if not command:
        raise BadSubmission(f'{manifest}: \'command\' is missing, for instance: command = ["python", "bot.py"]')
    env = settings.get("env", {})
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        raise BadSubmission(f"{manifest}: 'env' must be a table of texts.")
    return Program(
        name=_text(manifest, settings, "name") or folder.name,
        version=_text(manifest, settings, "version"),
        folder=folder,
        command=resolved(command, folder),
        games=games,
        build=_words(manifest, settings, "build"),
        env=env,
        exclude=_words(manifest, settings, "exclude"),
    )


def _text(manifest: Path, settings: dict[str, object], key: str) -> str:
    value = settings.get(key, "")
    if not isinstance(value, str) or not value.isprintable():
        raise BadSubmission(f"{manifest}: '{key}' must be a text.")
    return value


def _words(manifest: Path, settings: dict[str, object], key: str) -> tuple[str, ...]:
    value = settings.get(key, [])
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise BadSubmission(f"{manifest}: '{key}' must be a list of texts.")
    return tuple(value)


def resolved(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """The command with this Python for "python", and a path into the folder for a program of its own."""
    first, *rest = command
    if first in ("python", "python3"):
        return (sys.executable, *rest)
    if "/" in first or (_exists(folder / first) and (folder / first).is_file()):
        return (str(folder / first), *rest)
    return command


def last_lines(output: str) -> str:
    """The end of a bot's own output, set off below a sentence; nothing where there is none."""
    lines = output.strip().splitlines()[-LAST_LINES:]
    return "".join(f"\n    | {line}" for line in lines)
