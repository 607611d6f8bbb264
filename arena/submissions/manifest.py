"""A bot's manifest, arena.toml: its one reader and validator."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec

from arena.errors import BadSubmission, unknown
from arena.games.registry import GAMES
from arena.submissions.config import CONFIG

MANIFEST = "arena.toml"


class Manifest(msgspec.Struct, frozen=True):
    """The fields of an arena.toml."""

    command: tuple[str, ...]
    name: str = ""
    version: str = ""
    games: tuple[str, ...] = ()
    """The games that the bot plays; empty: those that its hello names."""
    build: tuple[str, ...] = ()
    """The command that builds the bot in its folder."""
    env: dict[str, str] = {}
    exclude: tuple[str, ...] = ()
    """Names, with * and ?, of files that are not part of the submission, such as those that the build makes."""


def read_manifest(folder: Path) -> Manifest:
    """Read and validate the arena.toml in a bot's folder. Raise `BadSubmission` if there is none or it is invalid."""
    path = folder / MANIFEST
    fields = _parse(path)
    known = ("name", "version", "games", "command", "build", "env", "exclude")
    for key in fields:
        if key not in known:
            raise BadSubmission(f"`{path}`: {unknown('key', key, known)}")
    if not fields.get("command"):
        raise BadSubmission(f'`{path}`: `command` is missing, for example `command = ["python", "bot.py"]`.')
    try:
        manifest = msgspec.convert(fields, Manifest)
    except msgspec.ValidationError as error:
        raise BadSubmission(f"`{path}`: {error}.") from error
    for key in ("name", "version"):
        if not getattr(manifest, key).isprintable():
            raise BadSubmission(f"`{path}`: `{key}` contains characters that cannot be printed.")
    for game in manifest.games:
        if game not in GAMES:
            raise BadSubmission(f"`{path}`: {unknown('game', game, GAMES)}")
    return manifest


def _parse(path: Path) -> dict[str, object]:
    if not path.is_file():
        hint = "Run `arena new my_bot` for an example."
        raise BadSubmission(f"`{path.parent}` has no {MANIFEST}, which says how to start the bot.", hint=hint)
    if path.stat().st_size > CONFIG.manifest_bytes:
        raise BadSubmission(f"`{path}` has more than {CONFIG.manifest_bytes // 1024} KiB.")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # also for very long numbers and deeply nested lists
        raise BadSubmission(f"`{path}` is not valid TOML: {error}.") from error
