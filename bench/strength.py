"""Measures how strong the example bots are: plays them against each other on the engine, without a referee.

Laws of the measurement:
- a bracket is a game, its variant and the number of seats: `mantis:2`, `mantis/icons:4`, `tentagram:3`;
- with two seats the first bot of a pair plays against the second, with more seats it plays alone against clones of it;
- every deal is played once for each seat that the first bot can sit on, so that neither seats nor deals favour anybody;
- a win that n seats share counts 1/n, a game that nobody wins counts nothing. The intervals are 95 % Wilson intervals;
- deals and the bots' random numbers follow from the seed. There is no time limit: what a bot does is the same every
  time, unless it looks at the clock of its own accord.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from math import ceil, sqrt
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from arena.bot import Bot, MantisTurn, TentagramTurn
from arena.games import mantis, tentagram
from arena.games.base import AnyState
from arena.games.registry import find_game

BOTS = Path(__file__).parent.parent / "bots"
BOTS_BY_STRENGTH = ("searcher", "counter", "greedy", "random")
EVERY_PAIR = [f"{bot}:{weaker}" for i, bot in enumerate(BOTS_BY_STRENGTH) for weaker in BOTS_BY_STRENGTH[i + 1 :]]
BRACKETS = ["mantis:2", "mantis:4", "tentagram:3", "tentagram:4"]
CHUNKS = 16
"""A pairing is handed to the processes in so many parts."""

out = Console(highlight=False)
out.width = max(out.width, 100)  # wide enough for the tables, wherever they are printed
err = Console(stderr=True)


@dataclass(frozen=True, slots=True)
class Bracket:
    """A game, its variant and the number of seats."""

    name: str
    game: str
    options: dict[str, str]
    seats: int

    @classmethod
    def parse(cls, text: str) -> Bracket:
        try:
            variant, seats_text = text.split(":")
            seats = int(seats_text)
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not a bracket: write 'mantis:2' or 'mantis/icons:4'.") from None
        name, _, value = variant.partition("/")
        game = find_game(name)
        options = {next(iter(game.options)): value} if value else {}
        game.check_seats(seats, **options)
        return cls(text, name, options, seats)

    def new(self, seed: str) -> AnyState:
        return find_game(self.game).new(self.seats, seed, **self.options)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a pairing: these deals, each once for every seat of the first bot."""

    bracket: Bracket
    bot: str
    against: str
    deals: range
    seed: str


@dataclass(slots=True)
class Tally:
    """What came of some games."""

    games: int = 0
    wins: float = 0.0
    decisions: Counter[str] = field(default_factory=Counter)
    """Per bot."""
    seconds: dict[str, float] = field(default_factory=dict)
    """Per bot, the time that these decisions took."""

    def add(self, other: Tally) -> None:
        self.games += other.games
        self.wins += other.wins
        self.decisions += other.decisions
        for bot, seconds in other.seconds.items():
            self.seconds[bot] = self.seconds.get(bot, 0.0) + seconds

    def wilson(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the share of wins."""
        z, n = 1.96, self.games
        share = self.wins / n
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        return middle - half, middle + half


@lru_cache
def load_bot(name: str) -> type[Bot]:
    """The bot's class. Its folder is importable while it is loaded, as it is where the bot runs on its own."""
    folder = BOTS / name
    spec = importlib.util.spec_from_file_location(f"bots_{name}", folder / "bot.py")
    if spec is None or spec.loader is None or not (folder / "bot.py").exists():
        raise typer.BadParameter(f"there is no bot {name!r} in {BOTS.name}/.")
    module = importlib.util.module_from_spec(spec)
    loaded = set(sys.modules)
    sys.path.insert(0, str(folder))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(folder))
        for other in set(sys.modules) - loaded:  # another bot may have a module of the same name
            if str(getattr(sys.modules[other], "__file__", None)).startswith(str(folder)):
                del sys.modules[other]
    classes = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Bot)]
    return next(bot for bot in classes if bot is not Bot)


def decide(bot: Bot, state: AnyState, seat: int, rng: Random) -> mantis.Action | tentagram.Action:
    if isinstance(state, mantis.State):
        return bot.mantis(MantisTurn(state.view(seat), rng=rng))  # type: ignore[attr-defined, no-any-return]
    return bot.tentagram(TentagramTurn(state.view(seat), rng=rng))  # type: ignore[attr-defined, no-any-return]


def play_game(bracket: Bracket, names: Sequence[str], seed: str, tally: Tally) -> tuple[int, ...]:
    """Plays one game and returns the winners."""
    state = bracket.new(seed)
    bots = [load_bot(name)() for name in names]
    rngs = [Random(f"{seed} {names} seat {seat}") for seat in range(bracket.seats)]
    while (seat := state.to_move) is not None:
        began = perf_counter()
        action = decide(bots[seat], state, seat, rngs[seat])
        tally.seconds[names[seat]] = tally.seconds.get(names[seat], 0.0) + perf_counter() - began
        tally.decisions[names[seat]] += 1
        state.apply(action)
    return state.result().winners


def play_chunk(chunk: Chunk) -> Tally:
    tally = Tally()
    for deal in chunk.deals:
        for seat in range(chunk.bracket.seats):
            names = [chunk.against] * chunk.bracket.seats
            names[seat] = chunk.bot
            winners = play_game(chunk.bracket, names, f"{chunk.seed} {deal}", tally)
            tally.games += 1
            tally.wins += (seat in winners) / max(1, len(winners))
    return tally


def chunks_of(bracket: Bracket, pair: str, games: int, seed: str) -> Iterator[Chunk]:
    bot, colon, against = pair.partition(":")
    if not colon:
        raise typer.BadParameter(f"{pair!r} is not a pair: write 'counter:greedy'.")
    load_bot(bot), load_bot(against)
    deals = ceil(games / bracket.seats)
    size = ceil(deals / CHUNKS)
    for start in range(0, deals, size):
        yield Chunk(bracket, bot, against, range(start, min(start + size, deals)), seed)


def print_strength(results: dict[tuple[str, str], Tally], brackets: dict[str, Bracket]) -> None:
    table = Table(box=box.SIMPLE_HEAD, title="Share of wins", title_justify="left", title_style="bold")
    for heading in ("bracket", "bot", "against", "games", "wins", "95 %", "even"):
        table.add_column(heading, justify="left" if heading in ("bracket", "bot", "against") else "right")
    for (bracket, pair), tally in results.items():
        bot, _, against = pair.partition(":")
        low, high = tally.wilson()
        seats = brackets[bracket].seats
        table.add_row(
            bracket,
            bot,
            against if seats == 2 else f"{seats - 1} x {against}",
            f"{tally.games:,}",
            f"{100 * tally.wins / tally.games:.1f} %",
            f"{100 * low:.1f} to {100 * high:.1f}",
            f"{100 / seats:.0f} %",
        )
    out.print(table)


def print_speed(results: dict[tuple[str, str], Tally], brackets: dict[str, Bracket]) -> None:
    totals = {name: Tally() for name in brackets}
    for (name, _), tally in results.items():
        totals[name].add(tally)
    table = Table(box=box.SIMPLE_HEAD, title="Decisions in a second", title_justify="left", title_style="bold")
    table.add_column("bot")
    for name in totals:
        table.add_column(name, justify="right")
    for bot in sorted({bot for total in totals.values() for bot in total.seconds}):
        rates = [total.decisions[bot] / total.seconds[bot] if bot in total.seconds else 0 for total in totals.values()]
        table.add_row(bot, *(f"{rate:,.0f}" if rate else "" for rate in rates))
    out.print(table)


def main(
    games: Annotated[int, typer.Option(min=1, help="Games of each pairing, rounded up to whole rotations.")] = 1000,
    pair: Annotated[list[str], typer.Option(help="Who against whom; may be repeated.")] = EVERY_PAIR,
    bracket: Annotated[list[str], typer.Option(help="What is played; may be repeated.")] = BRACKETS,
    seed: Annotated[str, typer.Option(help="What deals and random numbers follow from.")] = "strength",
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; without it, one for each core.")] = None,
) -> None:
    """Play bots against each other and print how often they win.

    Example: python bench/strength.py --games 2000 --pair counter:greedy --bracket mantis:4
    """
    brackets = {name: Bracket.parse(name) for name in bracket}
    work = {(name, p): list(chunks_of(brackets[name], p, games, seed)) for name in brackets for p in pair}
    results = {key: Tally() for key in work}
    with (
        ProcessPoolExecutor(jobs) as pool,
        Progress(console=err, transient=True, disable=not err.is_terminal) as progress,
    ):
        bar = progress.add_task("playing", total=sum(map(len, work.values())))
        parts = {key: pool.map(play_chunk, chunks) for key, chunks in work.items()}
        for key, tallies in parts.items():
            for tally in tallies:
                results[key].add(tally)
                progress.advance(bar)
    print_strength(results, brackets)
    print_speed(results, brackets)


if __name__ == "__main__":
    typer.run(main)
