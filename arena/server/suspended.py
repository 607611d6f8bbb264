"""Matches in progress when the server stopped. They continue when all their bots are connected again.

Each is a file in the home: a line about the seats, then the replay so far. The file is deleted before its match
continues, so that no match continues twice.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arena import replay
from arena.errors import ArenaError, refusal
from arena.referee.match import Limits, Match, MatchPlan
from arena.replay import Decision, Fault

MAX_AGE = 7 * 24 * 3600.0
"""Seconds for which a match waits for its bots."""


@dataclass(frozen=True)
class SuspendedMatch:
    """A match that has not ended."""

    bracket: str
    block: int
    entrants: tuple[int, ...]
    """The bots' numbers in the ladder, in seat order."""
    versions: tuple[int, ...]
    header: replay.Header
    entries: Sequence[Decision | Fault]

    @cached_property
    def waits_for(self) -> set[int]:
        """The bot versions that must be connected for it to continue."""
        lost = {entry.seat for entry in self.entries if isinstance(entry, Fault)}
        return {version for seat, version in enumerate(self.versions) if seat not in lost}

    def match(self, plan: MatchPlan, limits: Limits) -> Match:
        """Return the match as it was. Raise `ArenaError` if the record does not belong to this plan."""
        match = Match(plan, limits)
        match.resume(self.entries)
        return match

    def lines(self) -> str:
        seats = {
            "bracket": self.bracket,
            "block": self.block,
            "entrants": self.entrants,
            "versions": self.versions,
        }
        return "".join(
            [json.dumps(seats), "\n", replay.header_line(self.header), *map(replay.entry_line, self.entries)]
        )

    @classmethod
    def read(cls, data: bytes) -> SuspendedMatch:
        first, second, *rest = data.splitlines()
        seats = json.loads(first)
        header = replay.read_header(second)
        entries = []
        for number, line in enumerate(rest, start=2):
            entry = replay.read_line(line, number, len(header.seats), is_last=False)
            assert isinstance(entry, Decision | Fault), "a match with a result has ended"
            entries.append(entry)
        return cls(
            seats["bracket"], seats["block"], tuple(seats["entrants"]), tuple(seats["versions"]), header, entries
        )


class SuspendedMatches:
    """The folder with these matches. All methods wait for the disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, matches: Sequence[SuspendedMatch]) -> None:
        """Write the matches and sync them to disk."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            for match in matches:
                path = self._path(match)
                part = path.with_suffix(".part")
                with part.open("w", encoding="utf-8") as file:
                    file.write(match.lines())
                    file.flush()
                    os.fsync(file.fileno())
                part.replace(path)
            self._sync()
        except OSError as error:
            raise ArenaError(f"Cannot store suspended matches: {refusal(error)}") from error

    def load(self) -> tuple[list[SuspendedMatch], list[str]]:
        """Return the stored matches, and the names of unusable files: too old, or not a match. These are renamed."""
        found, unusable = [], []
        with suppress(FileNotFoundError):
            for path in sorted(self.folder.iterdir()):
                if path.suffix != ".jsonl":
                    continue
                try:
                    if time.time() - path.stat().st_mtime > MAX_AGE:
                        raise ValueError("too old")
                    found.append(SuspendedMatch.read(path.read_bytes()))
                except (OSError, ValueError, KeyError, TypeError, AssertionError, ArenaError):
                    unusable.append(path.name)
                    with suppress(OSError):
                        path.replace(path.with_suffix(".useless"))
        return found, unusable

    def delete(self, match: SuspendedMatch) -> None:
        """Delete the file of a match that continues. Raise `ArenaError` if that fails: it would continue twice."""
        try:
            self._path(match).unlink()
            self._sync()
        except OSError as error:
            raise ArenaError(f"Cannot delete the file of a resumed match: {refusal(error)}") from error

    def _path(self, match: SuspendedMatch) -> Path:
        return self.folder / f"{match.header.match}.jsonl"

    def _sync(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
