"""Hints: ask a bot process about a copy of the match. Its answer is never played.

The copy has the same deal and moves. The bot has the person's seat there and gets what that seat may know. It is not
one of the bot processes of the real match.
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
from arena.web.config import CONFIG

ADVISER = "counter"


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
    """Return the bot that gives hints. Its own name keeps it from sharing a process with an opponent."""
    return replace(bundled_submission(ADVISER).launch, name=f"{ADVISER} for hints")


async def advice(referee: Referee, match: Match, seat: int) -> str | None:
    """Return what the bot would do, in the notation of replays; None if it does not answer."""
    copy = _copy(match)
    said: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
    try:
        async with referee.pool.lease(adviser()) as process:
            asked = AdviceSeat(copy, seat, process.session, advance=lambda: None, advice=said)
            process.session.start_match(asked)
            try:
                process.session.ask(asked)
                code = await asyncio.wait_for(said, CONFIG.hint_timeout)
            finally:
                process.session.withdraw(asked)
                process.session.end_match(asked)  # on the cards as they lie
    except (ArenaError, TimeoutError):
        return None
    action = None if code is None else copy.actions.get(code)
    return str(action) if action in copy.state.legal() else None


def _copy(match: Match) -> Match:
    """Return a copy of the match, up to the current decision."""
    copy = Match(match.plan, Limits(turn=CONFIG.hint_timeout))
    game = find_game(match.plan.game)
    for entry in match.entries():
        if isinstance(entry, Decision):
            copy.encoder.record(copy.state.apply(game.parse_action(entry.action)))
            copy.turn += 1
    return copy
