"""Matches that were under way when the server stopped: they go on as soon as all their bots are here again.

Each is a file in the home: a line about the seats, and then the replay so far. A file is taken away before its match
goes on, so that no match is played on twice.
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

KEPT_FOR = 7 * 24 * 3600.0
"""Seconds for which a match waits for its bots."""


@dataclass(frozen=True)
class Suspended:
    """A match that is not over."""

    bracket: str
    block: int
    entrants: tuple[int, ...]
    """The numbers of its bots in the ladder, in seat order."""
    versions: tuple[int, ...]
    header: replay.Header
    entries: Sequence[Decision | Fault]

    @cached_property
    def waits_for(self) -> set[int]:
        """The versions that must be here for it to go on."""
        lost = {entry.seat for entry in self.entries if isinstance(entry, Fault)}
        return {version for seat, version in enumerate(self.versions) if seat not in lost}

    def match(self, plan: MatchPlan, limits: Limits) -> Match:
        """The match as it was. Raises where its record is not one of this match."""
        match = Match(plan, limits)
        match.go_on_after(self.entries)
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
    def read(cls, data: bytes) -> Suspended:
        first, second, *rest = data.splitlines()
        seats = json.loads(first)
        header = replay.read_header(second)
        entries = []
        for number, line in enumerate(rest, start=2):
            entry = replay.read_line(line, number, len(header.seats), is_last=False)
            assert isinstance(entry, Decision | Fault), "a match with a result is over"
            entries.append(entry)
        return cls(
            seats["bracket"], seats["block"], tuple(seats["entrants"]), tuple(seats["versions"]), header, entries
        )


class Unfinished:
    """The folder with these matches."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, matches: Sequence[Suspended]) -> None:
        """Writes them. Then they are on disk."""
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
            raise ArenaError(f"matches that are not over cannot be kept: {refusal(error)}") from error

    def load(self) -> tuple[list[Suspended], list[str]]:
        """Those that are here, and the names of files that are too old, or are no matches: they are put aside."""
        found, useless = [], []
        with suppress(FileNotFoundError):
            for path in sorted(self.folder.iterdir()):
                if path.suffix != ".jsonl":
                    continue
                try:
                    if time.time() - path.stat().st_mtime > KEPT_FOR:
                        raise ValueError("too old")
                    found.append(Suspended.read(path.read_bytes()))
                except (OSError, ValueError, KeyError, TypeError, AssertionError, ArenaError):
                    useless.append(path.name)
                    with suppress(OSError):
                        path.replace(path.with_suffix(".useless"))
        return found, useless

    def forget(self, match: Suspended) -> None:
        """It goes on. Raises where its file cannot be taken away, because then it would go on again and again."""
        try:
            self._path(match).unlink()
            self._sync()
        except OSError as error:
            raise ArenaError(f"a match that goes on cannot be taken away: {refusal(error)}") from error

    def _path(self, match: Suspended) -> Path:
        return self.folder / f"{match.header.match}.jsonl"

    def _sync(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
