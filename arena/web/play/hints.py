"""Hints: what a good bot would do. A real process is asked about a copy of the position; its answer is never played.

The copy is a match of its own, dealt and played like the real one up to now; the bot sits on the person's seat there,
and is told what that seat may know. It is not one of the processes that play at the real table.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from functools import cache

from arena.errors import ArenaError
from arena.games.registry import find_game
from arena.protocol.clock import Spent
from arena.referee import Launch, Limits, Referee
from arena.referee.match import Match
from arena.referee.seats import Seat
from arena.replay import Decision, FaultKind
from arena.submissions.submission import bundled_submission
from arena.v1 import referee_pb2 as pb

ADVISER = "counter"
PATIENCE = 3.0
"""Seconds that the bot has. Later nobody needs its advice any more."""


@dataclass(slots=True, eq=False)
class AdviceSeat(Seat):
    """A seat whose answer is not played but returned as advice."""

    advice: asyncio.Future[int | None] = field(kw_only=True)

    def answer(self, action: int, spent: Spent) -> None:
        del spent
        self._resolve(action)

    def forfeit(self, kind: FaultKind, detail: str) -> None:
        del kind, detail
        self._resolve(None)

    def _resolve(self, action: int | None) -> None:
        if not self.advice.done():
            self.advice.set_result(action)


@cache
def adviser() -> Launch:
    """The bot that is asked: a program of its own, so that it shares no process with a bot at a table."""
    return replace(bundled_submission(ADVISER).launch, name=f"{ADVISER} for hints")


async def advice(referee: Referee, match: Match, seat: int) -> str | None:
    """What the bot would do, in the notation of replays; None where it does not say."""
    copy = _copy(match)
    said: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
    try:
        async with referee.pool.lease(adviser()) as process:
            asked = AdviceSeat(copy, seat, process.session, advance=lambda: None, advice=said)
            process.session.start_match(asked)
            try:
                process.session.ask(asked)
                code = await asyncio.wait_for(said, PATIENCE)
            finally:
                # How the copy would have ended is nobody's business.
                process.session.end_match(asked, pb.MatchEnd(placements=bytes([1] * copy.state.seats)))
    except (ArenaError, TimeoutError):
        return None
    action = None if code is None else copy.encoder.action(code)
    return str(action) if action in copy.state.legal() else None


def _copy(match: Match) -> Match:
    """The same match once more, up to the same decision."""
    copy = Match(match.plan, Limits(turn=PATIENCE))
    game = find_game(match.plan.game)
    for entry in match.replay.entries:
        if isinstance(entry, Decision):
            copy.encoder.record(copy.state.apply(game.parse_action(entry.action)))
            copy.turn += 1
    return copy
