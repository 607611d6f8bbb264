"""A series of matches between the same bots. Every deal is played once per rotation of the seats, for fairness."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass

from arena.referee.launch import Launch
from arena.referee.match import MatchPlan, Outcome
from arena.referee.referee import Referee


@dataclass(frozen=True, slots=True)
class SeriesMatch:
    """A match of a series."""

    plan: MatchPlan
    entrants: tuple[int, ...]
    """For each seat, the index of its bot in the series."""


def plan_series(
    game: str, options: dict[str, str], labels: Sequence[str], games: int, seed: str, *, rotate: bool = True
) -> Iterator[SeriesMatch]:
    """Yield the `games` matches of a series."""
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
        yield SeriesMatch(plan, entrants)


async def play_series(
    referee: Referee, series: Iterator[SeriesMatch], launches: Sequence[Launch], at_once: int
) -> AsyncIterator[tuple[SeriesMatch, Outcome]]:
    """Play the matches, `at_once` at the same time, and yield each as it ends."""
    ended: asyncio.Queue[tuple[SeriesMatch, Outcome] | None] = asyncio.Queue()

    async def play_matches() -> None:
        try:
            for match in series:  # shared by all tasks: each takes the next match
                contestants = [launches[entrant] for entrant in match.entrants]
                ended.put_nowait((match, await referee.play(match.plan, contestants)))
        finally:
            ended.put_nowait(None)

    tasks = [asyncio.create_task(play_matches()) for _ in range(at_once)]
    try:
        running = len(tasks)
        while running:
            item = await ended.get()
            if item is None:
                running -= 1
            else:
                yield item
        await asyncio.gather(*tasks)  # raises a task's exception
    finally:
        for task in tasks:
            task.cancel()
