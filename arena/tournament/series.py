"""Play matches between bots that need not be submitted: the use case behind `Arena.match`. Nothing is stored."""

from __future__ import annotations

import math
import secrets
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from arena import interrupts, replay
from arena.events import Note
from arena.games.base import Json
from arena.games.registry import find_game
from arena.garbage import rare_collection
from arena.referee import Outcome, Referee, Settings
from arena.referee.launch import distinct
from arena.referee.series import plan_series, play_series
from arena.requests import MatchRequest
from arena.store.home import Home
from arena.submissions.build import build
from arena.submissions.submission import find_submission
from arena.tournament.config import CONFIG


@dataclass(frozen=True, slots=True)
class MatchProgress:
    """How far a series of matches is."""

    games: int
    total: int
    forfeits: int


@dataclass(frozen=True, slots=True)
class BotScore:
    """The results of one bot in a series."""

    bot: str
    matches: int = 0
    wins: float = 0.0
    """A win that n seats share counts 1/n."""
    places: int = 0
    """The sum of its placements."""
    think_ms: float = 0.0
    wall_ms: float = 0.0
    cpu_ms: float | None = None
    decisions: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    """Forfeits by kind."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Why it forfeited, the most frequent first."""

    def add(self, outcome: Outcome, seat: int) -> BotScore:
        """Return the score after another match, in which the bot had this seat, without faults."""
        result, cpu_ms = outcome.result, outcome.cpu_ms[seat]
        return BotScore(
            self.bot,
            self.matches + 1,
            self.wins + (1 / len(result.winners) if seat in result.winners else 0.0),
            self.places + result.placements[seat],
            self.think_ms + outcome.think_ms[seat],
            self.wall_ms + outcome.wall_ms[seat],
            self.cpu_ms if cpu_ms is None else (self.cpu_ms or 0.0) + cpu_ms,
            self.decisions + outcome.decisions[seat],
        )

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of its win rate (Wilson score)."""
        z = 1.959964
        count = self.matches
        share = self.wins / count
        centre = (share + z * z / (2 * count)) / (1 + z * z / count)
        half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count)) / (1 + z * z / count)
        return max(0.0, centre - half), min(1.0, centre + half)

    def to_dict(self) -> dict[str, Json]:
        """Return the score as a flat dictionary."""
        return {
            "bot": self.bot,
            "matches": self.matches,
            "wins": self.wins,
            "interval": self.interval,
            "mean_placement": self.places / self.matches,
            "ms_per_move": self._per_move(self.think_ms),
            "cpu_ms_per_move": self._per_move(self.cpu_ms),
            "wall_ms_per_move": self._per_move(self.wall_ms),
            "faults": dict(self.faults),
            "reasons": dict(islice(self.reasons.items(), 20)),
        }

    def _per_move(self, ms: float | None) -> float | None:
        return ms / self.decisions if self.decisions and ms is not None else None


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The results of a series of matches."""

    game: str
    options: Mapping[str, str]
    seed: str
    games: int
    rows: tuple[BotScore, ...]
    """In the order of the request."""
    sandbox: str
    """The tier that the bots ran in."""
    overhead_ms: float
    """What the games took besides the bots' turns."""
    games_while_overloaded: int
    """Games during which the machine was overloaded."""

    def to_dicts(self) -> list[dict[str, Json]]:
        """Return one dictionary for each bot, for pandas or polars."""
        return [score.to_dict() for score in self.rows]


def play_matches(home: Home, request: MatchRequest, notify: Callable[[Note | MatchProgress], None]) -> MatchResult:
    """Play a series of matches, each bot in a process of its own."""
    rules = find_game(request.game)
    options = rules.complete(dict(request.options))
    rules.check_seats(len(request.bots), **options)
    submissions = [find_submission(bot) for bot in request.bots]
    for submission in dict.fromkeys(submissions):
        build(submission)
    launches = [submission.launch for submission in submissions]
    settings = Settings(
        matches_at_once=request.at_once,
        address=request.listen,
        logs=home.writable_logs(notify),
        sandbox=request.choose_sandbox(notify),
        ponder=request.may_ponder(len(launches)),
    )
    folder = None if request.replays is None else Path(request.replays)
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    seed = request.seed if request.seed is not None else secrets.token_hex(8)
    labels = distinct([launch.label for launch in launches])
    series = list(plan_series(rules.name, options, labels, request.games, seed, rotate=request.rotate))
    scores = [BotScore(label) for label in labels]
    faults: list[Counter[str]] = [Counter() for _ in labels]
    reasons: list[Counter[str]] = [Counter() for _ in labels]
    overhead_ms, overloaded = 0.0, 0

    async def play() -> None:
        nonlocal overhead_ms, overloaded
        done, notified = 0, 0.0
        async with Referee(request.limits, settings) as referee:
            async for pairing, outcome in play_series(referee, iter(series), launches, request.at_once):
                for seat, entrant in enumerate(pairing.entrants):
                    scores[entrant] = scores[entrant].add(outcome, seat)
                for fault in outcome.faults:
                    entrant, kind = pairing.entrants[fault.seat], fault.fault.value
                    faults[entrant][kind] += 1
                    reasons[entrant][f"{kind}: {fault.detail}"] += 1
                overhead_ms += outcome.overhead_ms
                overloaded += outcome.overloaded
                if folder:
                    replay.write(outcome.replay, folder, pairing.name)
                done += 1
                now = time.monotonic()
                if now - notified > CONFIG.series_notice_interval or done == len(series):
                    notified = now
                    notify(MatchProgress(done, len(series), referee.faults.total()))

    with rare_collection():
        interrupts.run(play())
    rows = tuple(
        replace(score, faults=dict(kinds), reasons=dict(why.most_common()))
        for score, kinds, why in zip(scores, faults, reasons, strict=True)
    )
    return MatchResult(rules.name, options, seed, request.games, rows, settings.sandbox.tier, overhead_ms, overloaded)
