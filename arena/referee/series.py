"""A series of matches between the same bots. Every deal is played once per rotation of the seats, for fairness."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from arena.errors import HostFault
from arena.referee.launch import Launch
from arena.referee.match import MatchPlan, Outcome
from arena.referee.referee import Referee


@dataclass(frozen=True, slots=True)
class SeriesMatch:
    """A match of a series."""

    plan: MatchPlan
    name: str
    """The match's name for people, with the seed. Bots must not see it: they could compute all cards."""
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
        count = f"{number + 1:0{len(str(games))}}"
        plan = MatchPlan(
            id=f"{game}-{count}",
            game=game,
            options=options,
            seed=f"{seed}/{deal + 1}",
            bots=tuple(labels[entrant] for entrant in entrants),
        )
        yield SeriesMatch(plan, f"{game}-{seed}-{count}", entrants)


async def play_series(
    referee: Referee, series: Iterator[SeriesMatch], launches: Sequence[Launch], at_once: int
) -> AsyncIterator[tuple[SeriesMatch, Outcome]]:
    """Play the matches, `at_once` at the same time, and yield each as it ends. Raise `HostFault`."""
    ended: deque[tuple[SeriesMatch, Outcome | HostFault]] = deque()
    some_ended = asyncio.Event()
    waiting: set[asyncio.Task[None]] = set()
    under_way = 0

    def end(match: SeriesMatch, outcome: Outcome | HostFault) -> None:
        ended.append((match, outcome))
        some_ended.set()

    def start(count: int) -> None:
        nonlocal under_way
        for match in islice(series, count):
            under_way += 1
            bots = [launches[entrant] for entrant in match.entrants]
            if task := referee.play_soon(match.plan, bots, partial(end, match)):
                waiting.add(task)
                task.add_done_callback(waiting.discard)

    start(at_once)
    try:
        while under_way:
            await some_ended.wait()
            some_ended.clear()
            while ended:
                match, outcome = ended.popleft()
                under_way -= 1
                if isinstance(outcome, HostFault):
                    raise outcome
                start(1)
                yield match, outcome
    finally:
        for task in waiting:
            task.cancel()
