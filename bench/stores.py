"""Fill a store with invented matches, to measure what reads it.

The results are random, between bots of different strengths. They are counted and written as in a tournament, so the
store is complete: standings, results by seat, upsets, faults, strengths. All matches share the replay of one real game.

    python -m bench.stores HOME --matches 100000
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console

from arena import replay
from arena.games.brackets import Bracket
from arena.games.registry import find_game
from arena.rating.standings import Standings, pair_points
from arena.rating.trueskill import scale_of
from arena.records import BlockRecord, MatchRecord, SeatRecord
from arena.replay import simulate_game
from arena.store.home import Home
from arena.store.matches import Batch
from arena.store.schema import ALL
from arena.store.store import Store
from arena.store.strengths import update_strengths
from arena.tournament.options import TournamentOptions
from arena.tournament.planner import seating

BATCH = 1000
"""Matches per write."""
FAULT_RATE = 0.1
"""The share of matches whose last place is a forfeit."""


def invented(count: int, bots: int, seats: int, rng: Random) -> Iterator[tuple[tuple[int, ...], list[list[int]]]]:
    """Yield blocks between bots of different strengths: the entrants, and their placements in each rotation."""
    for _ in range(count):
        entrants = tuple(rng.sample(range(bots), seats))
        rotations = []
        for _ in range(seats):
            order = sorted(entrants, key=lambda entrant: -(entrant + rng.gauss(0, 3)))
            rotations.append([order.index(entrant) + 1 for entrant in entrants])
        yield entrants, rotations


def fill(
    home: Home,
    matches: int,
    *,
    bots: int = 8,
    seats: int = 4,
    brackets: Sequence[str] = ("mantis",),
    tournaments: int = 1,
    strengths: bool = True,
) -> None:
    """Create a store with this many matches, in equal parts in each of the tournaments and brackets."""
    games = sorted({Bracket.parse(bracket).game for bracket in brackets})
    with Store.open(home.database) as store:
        versions = [
            store.bots.register(f"bot{number}", None, f"hash {number}", f"{number}/", "python", games).id
            for number in range(bots)
        ]
        overall = {bracket: Standings(scale_of(Bracket.parse(bracket))) for bracket in brackets}
        blocks = max(1, matches // (seats * len(brackets) * tournaments))
        for number in range(tournaments):
            record = store.tournaments.begin(
                "", "round-robin", TournamentOptions().as_json(), "seed", versions, brackets
            )
            for bracket in brackets:
                # In the first tournament its own standings are those of all tournaments, as in the conductor.
                own = Standings(overall[bracket].scale) if number else overall[bracket]
                results = invented(blocks, bots, seats, Random(f"{number} {bracket}"))
                play(store, record.id, bracket, versions, results, own, overall[bracket])
                if strengths:
                    update_strengths(store, record.id, bracket)
                store.tournaments.end_bracket(record.id, bracket)
        for bracket in brackets if strengths else ():
            update_strengths(store, ALL, bracket)


def play(
    store: Store,
    tournament: int,
    bracket: str,
    versions: Sequence[int],
    results: Iterator[tuple[tuple[int, ...], list[list[int]]]],
    own: Standings,
    overall: Standings,
) -> None:
    """Play one bracket of a tournament with these results."""
    parsed = Bracket.parse(bracket)
    packed = b""
    rng = Random(f"faults {tournament} {bracket}")
    batch = Batch(tournament, bracket)
    for number, (entrants, rotations) in enumerate(results):
        if not packed:
            game = simulate_game(find_game(parsed.game), dict(parsed.options), len(entrants), "bench", "bench")
            packed = zlib.compress(replay.dumps(game.replay).encode(), 1)
        batch.blocks.append(BlockRecord(number, f"round {number // 1000 + 1}", number + 1, entrants))
        batch.pairs.append((batch.blocks[-1], pair_points(rotations)))
        for rotation, placements in enumerate(rotations):
            name = f"{tournament}-{bracket.replace('/', '.')}-{number + 1}-{rotation + 1}"
            places = dict(zip(entrants, placements, strict=True))
            faulty = rng.random() < FAULT_RATE
            seated = tuple(
                seat_of(versions[entrant], places[entrant], last=faulty and places[entrant] == len(entrants))
                for entrant in seating(entrants, rotation)
            )
            batch.matches.append(
                MatchRecord(number, rotation, name, "seed/1", "over", seated, packed, "2026-01-01 00:00:00")
            )
            own.fold(seated, name)
            if overall is not own:
                overall.fold(seated, name)
        if len(batch.matches) >= BATCH:
            write(store, batch, own, overall)
            batch = Batch(tournament, bracket)
    write(store, batch, own, overall)


def seat_of(version: int, place: int, *, last: bool) -> SeatRecord:
    fault, detail = ("timeout", "It has not answered within 1 s.") if last else (None, None)
    return SeatRecord(version, place, float(place == 1), 5.0, 15, fault, detail, 6.0, 5.0)


def write(store: Store, batch: Batch, own: Standings, overall: Standings) -> None:
    changes = own.take_changes()
    of_all = changes if overall is own else overall.take_changes()
    store.matches.write(batch, [(batch.tournament_id, own, changes), (ALL, overall, of_all)])


def main(
    home: Annotated[Path, typer.Argument(help="Where to; there must be no store yet.")],
    matches: Annotated[int, typer.Option(min=1, help="How many matches.")] = 100_000,
    bots: Annotated[int, typer.Option(min=2, help="How many bots.")] = 8,
    seats: Annotated[int, typer.Option(min=2, help="How many at a table.")] = 4,
    bracket: Annotated[list[str] | None, typer.Option(help="The brackets. Default: mantis.")] = None,
    tournaments: Annotated[int, typer.Option(min=1, help="How many tournaments.")] = 1,
) -> None:
    """Fill a store with invented matches."""
    place = Home(home)
    if place.exists:
        raise typer.BadParameter(f"{home} has a store already")
    began = perf_counter()
    fill(place, matches, bots=bots, seats=seats, brackets=bracket or ("mantis",), tournaments=tournaments)
    Console(highlight=False).print(f"{matches:,} matches written in {perf_counter() - began:.1f} s")


if __name__ == "__main__":
    typer.run(main)
