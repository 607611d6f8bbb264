"""Play matches between bots that need not be submitted: the use case behind `Arena.match`. Nothing is stored."""

from __future__ import annotations

import math
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from arena import interrupts, replay
from arena.events import Note
from arena.games.base import Json
from arena.games.registry import find_game
from arena.referee import Outcome, Referee, Settings
from arena.referee.launch import distinct
from arena.referee.series import plan_series, play_series
from arena.replay.view import file_name
from arena.requests import MatchRequest
from arena.store.home import Home
from arena.submissions.build import build
from arena.submissions.submission import find_submission


@dataclass(frozen=True, slots=True)
class MatchProgress:
    """How far a series of matches is."""

    games: int
    total: int
    forfeits: int


@dataclass(slots=True)
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
    faults: Counter[str] = field(default_factory=Counter)
    """Forfeits by kind."""
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome, seat: int) -> None:
        """Count a match in which the bot had this seat."""
        result = outcome.result
        self.matches += 1
        self.places += result.placements[seat]
        if seat in result.winners:
            self.wins += 1 / len(result.winners)
        self.think_ms += outcome.think_ms[seat]
        self.wall_ms += outcome.wall_ms[seat]
        if (cpu_ms := outcome.cpu_ms[seat]) is not None:
            self.cpu_ms = (self.cpu_ms or 0.0) + cpu_ms
        self.decisions += outcome.decisions[seat]
        for fault in outcome.faults:
            if fault.seat == seat:
                self.faults[fault.fault.value] += 1
                self.reasons[f"{fault.fault.value}: {fault.detail}"] += 1

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
            "reasons": dict(self.reasons.most_common(20)),
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
    scores: tuple[BotScore, ...]
    """In the order of the request."""
    sandbox: str
    """The tier that the bots ran in."""
    overhead_ms: float
    """What the games took besides the bots' turns."""
    games_while_overloaded: int
    """Games during which the machine was overloaded."""

    @property
    def rows(self) -> tuple[BotScore, ...]:
        return self.scores

    def to_dicts(self) -> list[dict[str, Json]]:
        """Return one dictionary for each bot, for pandas or polars."""
        return [score.to_dict() for score in self.scores]


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
    scores = tuple(BotScore(label) for label in labels)
    overhead_ms, overloaded = 0.0, 0

    async def play() -> None:
        nonlocal overhead_ms, overloaded
        done = 0
        async with Referee(request.limits, settings) as referee:
            async for pairing, outcome in play_series(referee, iter(series), launches, request.at_once):
                for seat, entrant in enumerate(pairing.entrants):
                    scores[entrant].add(outcome, seat)
                overhead_ms += outcome.overhead_ms
                overloaded += outcome.overloaded
                if folder:
                    replay.write(outcome.replay, folder / f"{file_name(pairing.plan.id)}.jsonl")
                done += 1
                notify(MatchProgress(done, len(series), referee.faults.total()))

    interrupts.run(play())
    return MatchResult(rules.name, options, seed, request.games, scores, settings.sandbox.tier, overhead_ms, overloaded)
