"""The interface between a conductor and what plays its matches, on this machine or on a cluster."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Self

from arena.errors import HostFault
from arena.records import MatchRecord
from arena.tournament.config import CONFIG
from arena.tournament.outcome import WorkerPace
from arena.tournament.planner import PlannedMatch
from arena.tournament.runners.worker import WorkerSetup


class Runner(ABC):
    """Plays matches. A match that the host spoils is played again."""

    def __init__(self, size: int, at_once: int) -> None:
        self.size = size
        """The number of cores that play."""
        self.at_once = at_once
        """The number of concurrent matches on each core."""
        self.spoiled = 0
        """Matches that the host has spoiled and that are played again."""
        self.last_trouble = ""
        self.notice = ""
        """A message for the user."""
        self.left: int | None = None
        """The largest number of matches that are still to be reported, where it is known."""
        self._reruns: list[tuple[float, PlannedMatch]] = []

    @abstractmethod
    def __enter__(self) -> Self: ...

    def __exit__(self, *error: object) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None:
        """End what plays the matches."""

    @property
    @abstractmethod
    def has_room(self) -> bool:
        """Whether more matches can be taken."""

    @abstractmethod
    def play(self, matches: Sequence[PlannedMatch]) -> None:
        """Take the matches of one block, or matches that are played again."""

    @abstractmethod
    def reports(self, timeout: float) -> Iterator[MatchRecord]:
        """Return matches that have ended, each once. Wait up to `timeout` seconds for the first."""

    def keep_pace(self, matches_per_second: float, seconds: float, least: float, most: float) -> None:
        """Set the number of concurrent matches of a core to those that end in `seconds`, within limits."""
        self.at_once = round(min(most, max(least, seconds * matches_per_second / self.size)))

    def paces(self) -> list[WorkerPace]:
        """Return the speed of each worker on other machines."""
        return []

    def _note_spoiled(self, match: PlannedMatch, reason: str) -> None:
        """Play a match again later. Raise `HostFault` if it was spoiled too often."""
        self.spoiled += 1
        self.last_trouble = reason
        if match.reruns >= CONFIG.max_reruns:
            raise HostFault(f"Match `{match.plan.id}` was spoiled by the host {match.reruns + 1} times: {reason}")
        self._reruns.append((time.monotonic() + CONFIG.rerun_delay, match._replace(reruns=match.reruns + 1)))

    def _play_reruns(self) -> None:
        """Play spoiled matches again when the host has had time to recover."""
        now = time.monotonic()
        due = [match for when, match in self._reruns if when <= now]
        if due:
            self._reruns = [(when, match) for when, match in self._reruns if when > now]
            self.play(due)


MakeRunner = Callable[[WorkerSetup, int, int], Runner]
"""Makes a runner from the setup of its workers, their number, and the concurrent matches of each at first."""
