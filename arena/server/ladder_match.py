"""A match of the ladder, and its file while the server is down.

A match that is in progress when the server stops continues when all its bots are connected again. Its file in the home
has a line about the seats, then the replay so far. The file is deleted before the match continues, so that no match
continues twice.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from arena import replay
from arena.errors import ArenaError, refusal
from arena.records import BlockRecord
from arena.referee.match import Limits, Match, MatchPlan
from arena.replay import Decision, Fault
from arena.tournament.planner import PlannedMatch

MAX_AGE = 7 * 24 * 3600.0
"""Seconds for which a match waits for its bots."""


@dataclass(slots=True, eq=False)
class LadderMatch:
    """A match, from its pairing to its end."""

    bracket: str
    planned: PlannedMatch
    entrants: tuple[int, ...]
    """The bots' numbers in the ladder, in seat order."""
    match: Match
    is_resumed: bool = False
    """Whether it was suspended before."""

    @property
    def name(self) -> str:
        return self.planned.plan.id

    @property
    def block(self) -> BlockRecord:
        """The block that consists of this match."""
        return BlockRecord(self.planned.block, "", self.planned.block + 1, self.entrants)

    @property
    def waits_for(self) -> list[int]:
        """The bot versions that have not forfeited."""
        lost = self.match.forfeited
        return [version for seat, version in enumerate(self.planned.versions) if seat not in lost]

    def lines(self) -> str:
        about = {
            "bracket": self.bracket,
            "block": self.planned.block,
            "entrants": self.entrants,
            "versions": self.planned.versions,
        }
        played = self.match.replay
        return "".join([json.dumps(about), "\n", *map(replay.dump_line, [played.header, *played.entries])])

    @classmethod
    def read(cls, data: bytes, limits: Limits) -> LadderMatch:
        first, second, *rest = data.splitlines()
        about, header = json.loads(first), replay.read_header(second)
        plan = MatchPlan(header.match, header.game, dict(header.options), header.seed, header.seats)
        entries = []
        for number, line in enumerate(rest, start=2):
            entry = replay.read_line(line, number, len(header.seats), is_last=False)
            assert isinstance(entry, Decision | Fault), "a match with a result has ended"
            entries.append(entry)
        match = Match(plan, limits)
        match.resume(entries)
        planned = PlannedMatch(about["block"], 0, plan, tuple(about["versions"]))
        return cls(plan.bracket, planned, tuple(about["entrants"]), match, is_resumed=True)


class SuspendedMatches:
    """The folder of the suspended matches. All methods wait for the disk."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, matches: Sequence[LadderMatch]) -> None:
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

    def load(self, limits: Limits) -> tuple[list[LadderMatch], list[str]]:
        """Return the stored matches, and the names of unusable files: too old, or not a match. These are renamed."""
        found, unusable = [], []
        for path in sorted(self.folder.glob("*.jsonl")):
            try:
                if time.time() - path.stat().st_mtime > MAX_AGE:
                    raise ValueError("too old")
                found.append(LadderMatch.read(path.read_bytes(), limits))
            except (OSError, ValueError, KeyError, TypeError, AssertionError, ArenaError):
                unusable.append(path.name)
                with suppress(OSError):
                    path.replace(path.with_suffix(".useless"))
        return found, unusable

    def delete(self, match: LadderMatch) -> None:
        """Delete the file of a match that continues. Raise `ArenaError` if that fails: it would continue twice."""
        try:
            self._path(match).unlink()
            self._sync()
        except OSError as error:
            raise ArenaError(f"Cannot delete the file of a resumed match: {refusal(error)}") from error

    def _path(self, match: LadderMatch) -> Path:
        return self.folder / f"{match.name}.jsonl"

    def _sync(self) -> None:
        folder = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
