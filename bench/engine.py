"""Measures our engines beside their peers: random self-play, and what clone, view and determinize cost.

Laws of the measurement:
- one core, one thread; the process is pinned where the system allows it;
- the machine may be shared and noisy, so all is measured in rounds in which each contestant has one slice of time. Two
  contestants are compared within each round, and the median of these ratios is what counts;
- everybody plays whole games, chooses by `actions[int(random() * len(actions))]` and counts the players' decisions;
- the start of a game counts, the one-time set-up of an engine (`load_game`, `make`) does not;
- a peer is driven by the loop that its documentation shows. leduc_poker, the yardstick, is measured in the leanest loop
  that OpenSpiel allows too, so that nobody takes the cost of a loop for that of the engine;
- an operation is repeated on one state, so what a game remembers from one call to the next, it remembers here;
- a peer that is missing or fails is listed with the reason. Reached or not, it is said, and the exit code is 0.
"""

from __future__ import annotations

import gc
import io
import os
import platform
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import count, repeat
from random import Random, random
from statistics import median
from time import perf_counter
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from arena.games import mantis, tentagram
from arena.games.base import AnyState

PEERS = ("open_spiel", "rlcard", "pettingzoo")
LEDUC = "OpenSpiel leduc_poker"
LEDUC_LEAN = "OpenSpiel leduc_poker, lean loop"
HEARTS_CLONE = "OpenSpiel hearts: clone"
SELF_PLAY_GOAL = 1.7
SELF_PLAY_MUST_REACH = ("Mantis classic, 4 seats", "Tentagram free, 4 seats")
CLONE_GOAL = 4.3
CALLS_AT_ONCE = 100
"""So many calls of an operation between two looks at the clock."""

Work = Callable[[], int]
"""Does a bit of work and returns its size: the decisions of one game, or the calls of an operation."""
NewGame = Callable[[int, str, str], AnyState]
Cells = Callable[["Contestant"], tuple[str, ...]]

out = Console(highlight=False)
err = Console(stderr=True)
seeds = count()


# Measuring


@dataclass(slots=True)
class Contestant:
    name: str
    start: Callable[[], Work]
    """The one-time set-up. Peers are imported here, so that one that is missing does not stop the others."""
    peer: bool = False
    work: Work | None = None
    rates: list[float] = field(default_factory=list)
    """Per round, decisions or calls in a second."""
    game_rates: list[float] = field(default_factory=list)
    """Per round, games in a second."""
    failure: str | None = None

    def prepare(self) -> None:
        """Sets up, and works once to see whether that goes well."""
        with self._care_of_peer() if self.peer else nullcontext():
            self.work = self.start()
            self.work()

    def measure(self, seconds: float) -> None:
        """Works for that long, and then on until the game under way is over."""
        if self.work is None or self.failure:
            return
        gc.collect()
        with self._care_of_peer() if self.peer else nullcontext():
            done = games = 0
            began = perf_counter()
            while (elapsed := perf_counter() - began) < seconds:
                done += self.work()
                games += 1
            self.rates.append(done / elapsed)
            self.game_rates.append(games / elapsed)

    @contextmanager
    def _care_of_peer(self) -> Iterator[None]:
        """Keeps the peer's warnings and chatter from the reader. Where the peer fails, the reason is noted."""
        with warnings.catch_warnings(), redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try:
                yield
            except Exception as error:  # noqa: BLE001, whatever a peer raises is why it could not be measured
                self.failure = str(error) or error.__class__.__name__


def run_rounds(title: str, contestants: Sequence[Contestant], rounds: int, seconds: float) -> dict[str, Contestant]:
    """Measures all contestants in turn, round after round, and returns them by name."""
    for contestant in contestants:
        contestant.prepare()
    gc.collect()
    gc.freeze()  # nobody pays for walking through the modules that others have loaded
    # Refreshed between the rounds only: no thread of the progress bar runs while anything is measured.
    with Progress(console=err, transient=True, auto_refresh=False, disable=not err.is_terminal) as progress:
        for _ in progress.track(range(rounds), description=title):
            for contestant in contestants:
                contestant.measure(seconds)
    return {contestant.name: contestant for contestant in contestants}


def ratio(contestant: Contestant, yardstick: Contestant) -> float | None:
    """The median over the rounds of the one's rate as a multiple of the other's, None if either was not measured."""
    if contestant.failure or yardstick.failure:
        return None
    return median(a / b for a, b in zip(contestant.rates, yardstick.rates, strict=True))


# Self-play: each function plays one game and returns the number of decisions


def play(new: NewGame, seats: int, variant: str) -> int:
    state = new(seats, str(next(seeds)), variant)
    decisions = 0
    while actions := state.legal():
        state.apply(actions[int(random() * len(actions))])
        decisions += 1
    return decisions


def play_openspiel(game: Any) -> int:
    state = game.new_initial_state()
    decisions = 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[int(random() * len(outcomes))][0])
        else:
            actions = state.legal_actions()
            state.apply_action(actions[int(random() * len(actions))])
            decisions += 1
    return decisions


def play_openspiel_lean(game: Any) -> int:
    """The same in fewer calls: the legal actions of chance are its outcomes, and at the end there are none."""
    state = game.new_initial_state()
    decisions = 0
    while actions := state.legal_actions():
        if state.current_player() >= 0:
            decisions += 1
        state.apply_action(actions[int(random() * len(actions))])
    return decisions


def play_rlcard(env: Any) -> int:
    state, _ = env.reset()
    decisions = 0
    while not env.is_over():
        actions = list(state["legal_actions"])
        state, _ = env.step(actions[int(random() * len(actions))])
        decisions += 1
    return decisions


def play_pettingzoo(env: Any) -> int:
    env.reset()
    decisions = 0
    for _ in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
        else:
            actions = observation["action_mask"].nonzero()[0]
            env.step(actions[int(random() * len(actions))])
            decisions += 1
    return decisions


def start_openspiel(name: str, play_one: Callable[[Any], int] = play_openspiel) -> Work:
    import pyspiel

    return partial(play_one, pyspiel.load_game(name))


def start_rlcard(name: str) -> Work:
    import rlcard

    return partial(play_rlcard, rlcard.make(name))


def start_pettingzoo() -> Work:
    from pettingzoo.classic import leduc_holdem_v4

    return partial(play_pettingzoo, leduc_holdem_v4.env())


def ready(work: Work) -> Callable[[], Work]:
    """The set-up of what needs none."""
    return lambda: work


def self_play_contestants() -> list[Contestant]:
    def ours(game: str, new: NewGame, variant: str, seats: int) -> Contestant:
        return Contestant(f"{game} {variant}, {seats} seats", ready(partial(play, new, seats, variant)))

    return [
        *(ours("Mantis", mantis.new, "classic", seats) for seats in (2, 4, 6)),
        ours("Mantis", mantis.new, "icons", 4),
        *(ours("Mantis", mantis.new, "grab", seats) for seats in (2, 4)),
        *(ours("Tentagram", tentagram.new, "free", seats) for seats in (3, 4, 16)),
        ours("Tentagram", tentagram.new, "strict", 4),
        Contestant(LEDUC, partial(start_openspiel, "leduc_poker"), peer=True),
        Contestant(LEDUC_LEAN, partial(start_openspiel, "leduc_poker", play_openspiel_lean), peer=True),
        Contestant("OpenSpiel hearts", partial(start_openspiel, "hearts"), peer=True),
        Contestant("OpenSpiel gin_rummy", partial(start_openspiel, "gin_rummy"), peer=True),
        Contestant("RLCard leduc-holdem", partial(start_rlcard, "leduc-holdem"), peer=True),
        Contestant("RLCard gin-rummy", partial(start_rlcard, "gin-rummy"), peer=True),
        Contestant("PettingZoo leduc_holdem_v4", start_pettingzoo, peer=True),
    ]


# Operations on a game in the middle


def call_often(operation: Callable[[], object]) -> int:
    for _ in repeat(None, CALLS_AT_ONCE):
        operation()
    return CALLS_AT_ONCE


def mid_game(new: NewGame, variant: str, decisions: int) -> AnyState:
    """A game of four that goes on after that many decisions."""
    while True:
        state = new(4, str(next(seeds)), variant)
        left = decisions
        while left and (actions := state.legal()):
            state.apply(actions[int(random() * len(actions))])
            left -= 1
        if state.to_move is not None:
            return state


def start_openspiel_clone(name: str, decisions: int) -> Work:
    """Copies a game that goes on after that many decisions."""
    import pyspiel

    game = pyspiel.load_game(name)
    while True:
        state = game.new_initial_state()
        left = decisions
        while left and (actions := state.legal_actions()):
            left -= state.current_player() >= 0
            state.apply_action(actions[int(random() * len(actions))])
        if not state.is_terminal():
            return partial(call_often, state.clone)


def operation_contestants() -> list[Contestant]:
    def ours(game: str, state: AnyState) -> Iterator[Contestant]:
        seat = state.to_move
        assert seat is not None, "a game in the middle is not over"
        determinize = partial(state.determinize, state.view(seat), Random(0))
        yield Contestant(f"{game}: clone", ready(partial(call_often, state.clone)))
        yield Contestant(f"{game}: view", ready(partial(call_often, partial(state.view, seat))))
        yield Contestant(f"{game}: determinize", ready(partial(call_often, determinize)))

    return [
        *ours("Mantis classic, 4 seats", mid_game(mantis.new, "classic", 30)),
        *ours("Tentagram free, 4 seats", mid_game(tentagram.new, "free", 32)),
        *ours("Tentagram strict, 4 seats", mid_game(tentagram.new, "strict", 32)),
        Contestant(HEARTS_CLONE, partial(start_openspiel_clone, "hearts", 20), peer=True),
        Contestant("OpenSpiel leduc_poker: clone", partial(start_openspiel_clone, "leduc_poker", 2), peer=True),
    ]


# Reporting


def pin_to_one_cpu() -> str:
    """Pins the process where that can be done, and says what was done."""
    if not hasattr(os, "sched_setaffinity"):
        return "not pinned to a CPU, for which this system has no call"
    cpu = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpu})
    return f"pinned to CPU {cpu}"


def version_of(distribution: str) -> str:
    try:
        return f"{distribution} {version(distribution)}"
    except PackageNotFoundError:
        return f"{distribution} (not installed)"


def figure(multiple: float | None) -> str:
    return "?" if multiple is None else f"{multiple:.2f}" if multiple >= 0.1 else f"{multiple:.4f}"


def print_table(title: str, headings: Sequence[str], contestants: Iterable[Contestant], cells: Cells) -> None:
    """A row for each contestant, and below the table those that could not be measured."""
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    failed = []
    for contestant in contestants:
        if contestant.failure:
            failed.append(f"{contestant.name}: not measured: {contestant.failure}")
        else:
            table.add_row(contestant.name, *cells(contestant))
    out.print(table)
    out.print(*failed, sep="\n", end="\n\n" if failed else "", markup=False, soft_wrap=True)


def print_self_play(players: Mapping[str, Contestant]) -> None:
    def cells(player: Contestant) -> tuple[str, ...]:
        steps, games = median(player.rates), median(player.game_rates)
        return f"{steps:,.0f}", f"{games:,.0f}", figure(ratio(player, players[LEDUC]))

    print_table("Random self-play", ("game", "steps/s", "games/s", "/ leduc_poker"), players.values(), cells)


def print_costs(operations: Mapping[str, Contestant]) -> None:
    def cells(operation: Contestant) -> tuple[str, ...]:
        return f"{1e6 / median(operation.rates):.2f}", figure(ratio(operations[HEARTS_CLONE], operation))

    title = "Cost of a call in the middle of a game"
    print_table(title, ("operation", "µs", "/ hearts clone"), operations.values(), cells)


def print_verdict(claim: str, figures: Mapping[str, float | None], reached: Callable[[float], bool]) -> None:
    """The claim with the number of those that reach it, then each of them."""
    known = [multiple for multiple in figures.values() if multiple is not None]
    summary = f"reached by {sum(map(reached, known))} of {len(figures)}" if known else "not known"
    out.print(f"{claim}: [bold]{summary}[/]", soft_wrap=True)
    for name, multiple in figures.items():
        if multiple is None:
            verdict = "[yellow]not known  [/]"
        else:
            verdict = "[green]reached    [/]" if reached(multiple) else "[red]not reached[/]"
        out.print(f"  {verdict} {figure(multiple):>5}  {name}")


def print_verdicts(players: Mapping[str, Contestant], operations: Mapping[str, Contestant]) -> None:
    def fast(multiple: float) -> bool:
        return multiple >= SELF_PLAY_GOAL

    against = {name: ratio(player, players[LEDUC]) for name, player in players.items() if not player.peer}
    must = {name: against.pop(name) for name in SELF_PLAY_MUST_REACH}
    lean = {name: ratio(players[name], players[LEDUC_LEAN]) for name in SELF_PLAY_MUST_REACH}
    goal = f"steps / leduc_poker decisions >= {SELF_PLAY_GOAL}"
    print_verdict(f"Must reach: Mantis (classic, 4 seats) and Tentagram (free, 4 seats) {goal}", must, fast)
    print_verdict("For information, the same for the other configurations", against, fast)
    print_verdict("For information, the same beside leduc_poker in the lean loop", lean, fast)

    hearts = operations[HEARTS_CLONE]
    clones = {name: ratio(hearts, operations[name]) for name in operations if name.endswith("seats: clone")}
    goal = f"clone <= 3 µs where OpenSpiel's hearts takes 0.7 µs, that is a ratio <= {CLONE_GOAL}"
    print_verdict(f"Must reach: {goal}", clones, lambda multiple: multiple <= CLONE_GOAL)


def main(
    rounds: Annotated[int, typer.Option(min=1, help="How often each contestant is measured.")] = 15,
    seconds: Annotated[float, typer.Option("--slice", min=0.001, help="Seconds for each contestant in a round.")] = 0.1,
) -> None:
    """Measure the engine beside OpenSpiel, RLCard and PettingZoo."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    out.print(f"{python}, one core, {pin_to_one_cpu()}; {', '.join(map(version_of, PEERS))}.", soft_wrap=True)
    out.print(f"Rounds: {rounds}, {seconds:g} s for each contestant. Figures are medians over rounds.\n")
    players = run_rounds("self-play", self_play_contestants(), rounds, seconds)
    print_self_play(players)
    operations = run_rounds("operations", operation_contestants(), rounds, seconds)
    print_costs(operations)
    print_verdicts(players, operations)


if __name__ == "__main__":
    typer.run(main)
