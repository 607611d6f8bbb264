"""Many matches between the same bots, several at a time.

Deals come in blocks: each is played once for every rotation of the bots around the table, so that nobody has the better
seat or the better cards.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from arena.referee.launch import Launch
from arena.referee.match import MatchPlan, Outcome
from arena.referee.referee import Referee


@dataclass(frozen=True, slots=True)
class Pairing:
    """A match of a series: its plan, and which of the series' bots sits where."""

    plan: MatchPlan
    entrants: tuple[int, ...]
    """For each seat, the number of the bot in the series."""


def pairings(
    game: str, options: dict[str, str], labels: Sequence[str], games: int, seed: str, *, rotate: bool = True
) -> Iterator[Pairing]:
    """The matches of a series: every deal once for each rotation, until there are as many as wanted."""
    seats = len(labels)
    for number in range(games):
        deal, turn = divmod(number, seats) if rotate else (number, 0)
        entrants = tuple((seat + turn) % seats for seat in range(seats))
        plan = MatchPlan(
            id=f"{game}-{seed}-{number + 1:0{len(str(games))}}",
            game=game,
            options=options,
            seed=f"{seed}/{deal + 1}",
            bots=tuple(labels[entrant] for entrant in entrants),
        )
        yield Pairing(plan, entrants)


async def play_series(
    referee: Referee, series: Iterator[Pairing], programs: Sequence[Launch], at_once: int
) -> AsyncIterator[tuple[Pairing, Outcome]]:
    """Plays the matches, that many at a time, and yields each as it ends."""
    ended: asyncio.Queue[tuple[Pairing, Outcome] | None] = asyncio.Queue()

    async def play_one_after_another() -> None:
        try:
            for pairing in series:  # shared by all of them: each takes the next match that nobody has taken
                contestants = [programs[entrant] for entrant in pairing.entrants]
                ended.put_nowait((pairing, await referee.play(pairing.plan, contestants)))
        finally:
            ended.put_nowait(None)

    tables = [asyncio.create_task(play_one_after_another()) for _ in range(at_once)]
    try:
        open_tables = len(tables)
        while open_tables:
            item = await ended.get()
            if item is None:
                open_tables -= 1
            else:
                yield item
        await asyncio.gather(*tables)  # raises what went wrong, if anything did
    finally:
        for table in tables:
            table.cancel()
