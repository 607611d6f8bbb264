"""`arena compare`: is the new version stronger than the old one? Plays until a sequential test has decided."""

from __future__ import annotations

import json
import os
import secrets
from typing import Annotated

import typer
from rich.live import Live
from rich.text import Text

from arena.cli.console import err, harmless, out, print_note
from arena.cli.options import DEFAULT_HOME, AsJson, Seed, StoreUrl, TimeLimit, seconds
from arena.cli.options import Home as HomeOption
from arena.cli.sandboxes import LimitOptions, PonderOption, SandboxMode, may_ponder, sandbox_for
from arena.events import Activity, Note
from arena.games.brackets import Bracket
from arena.rating.sprt import Decision, Hypotheses, Sprt, elo_of
from arena.referee import Limits
from arena.store.home import Home
from arena.store.store import Store
from arena.tournament.comparison import Comparison, ComparisonResult
from arena.tournament.comparison import compare as play
from arena.tournament.entrants import find_entrant

EXIT_NOT_BETTER = 1


def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="As for arena tournament: my_bot@1, a name, or a path.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The same.")],
    bracket: Annotated[str, typer.Option(help="Where they meet.")] = "mantis",
    seats: Annotated[
        int | None,
        typer.Option(min=2, help="Seats, taken by old and new in turn. Default: 2, Tentagram 4.", show_default=False),
    ] = None,
    elo: Annotated[float, typer.Option(min=1, max=500, help="The gain in Elo points that matters.")] = 20.0,
    alpha: Annotated[float, typer.Option(min=0.001, max=0.4, help="Chance to call no gain a gain.")] = 0.05,
    beta: Annotated[float, typer.Option(min=0.001, max=0.4, help="Chance to miss such a gain.")] = 0.05,
    most: Annotated[int, typer.Option(min=10, max=10_000_000, help="Give up after so many deals.")] = 50_000,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, max=256, help="Worker processes. Default: one for each core.", show_default=False),
    ] = None,
    seed: Seed = None,
    time_per_move: TimeLimit = "1s",
    time_to_start: TimeLimit = "10s",
    ponder: PonderOption = None,
    sandbox: SandboxMode = "auto",
    limit: LimitOptions = None,
    as_json: AsJson = False,
    home: HomeOption = DEFAULT_HOME,
    store_url: StoreUrl = None,
) -> None:
    """Tell whether NEW is stronger than OLD, with stated error rates, and stop as soon as that is known.

    The matches are kept but not rated. Exit code 0: it is; 1: it is not, or it is too close to call.

    Example: arena compare my_bot@1 my_bot@2 --bracket mantis
    """
    place = Home(home, store_url)
    where = Bracket.parse(bracket)
    table = seats or (2 if where.fewest == 2 else 4)
    where.rules.check_seats(table, **dict(where.options))
    limits = Limits(seconds(time_to_start) or 60.0, seconds(time_per_move))
    box = sandbox_for(sandbox, limit)
    with place.conducting(), Store.open(place.database) as store:
        older, newer = (find_entrant(place, store, named, limits, box, _show) for named in (old, new))
        comparison = Comparison(
            older,
            newer,
            where,
            table,
            Hypotheses(0.0, elo, alpha, beta),
            most,
            limits,
            box,
            may_ponder(ponder, limits, table, cores=1),
            seed if seed is not None else secrets.token_hex(16),
        )
        workers = jobs or len(os.sched_getaffinity(0))
        with Live(console=err, transient=True, auto_refresh=False) as live:
            result = play(
                place,
                store,
                comparison,
                jobs=workers,
                on_progress=lambda test: live.update(_state(test), refresh=err.is_terminal),
            )
    if as_json:
        out.print_json(json.dumps(_as_json(result)))
    else:
        _print(result)
    if result.decision is not Decision.BETTER:
        raise typer.Exit(EXIT_NOT_BETTER)


def _show(event: Note | Activity) -> None:
    if isinstance(event, Note):
        print_note(event)


def _state(test: Sprt) -> Text:
    """The log-likelihood ratio between its bounds, as it stands now."""
    bounds = test.hypotheses
    width = 40
    place = (test.ratio - bounds.lower) / (bounds.upper - bounds.lower)
    mark = min(width - 1, max(0, round(place * width)))
    scale = "─" * mark + "●" + "─" * (width - 1 - mark)
    return Text(
        f"{test.blocks:,} deals · new takes {test.mean:.1%} of the points · "
        f"log-likelihood ratio {test.ratio:+.2f}\nno better {bounds.lower:+.2f} {scale} {bounds.upper:+.2f} better"
    )


def _print(result: ComparisonResult) -> None:
    test, comparison, decision = result.test, result.comparison, result.decision
    old, new = harmless(comparison.old.label), harmless(comparison.new.label)
    low, high = test.interval
    margin = (
        f"{elo_of(test.mean):+.0f} Elo points, 95 % interval {elo_of(low):+.0f} to {elo_of(high):+.0f}, "
        f"after {test.blocks:,} deals ({result.matches:,} matches)"
    )
    if decision is Decision.BETTER:
        answer = Text(f"{new} is stronger than {old} in {comparison.bracket.name}: {margin}.", style="bold green")
    elif decision is Decision.NOT_BETTER:
        gain = f"a gain of {comparison.hypotheses.elo1:g} Elo points"
        answer = Text(
            f"{new} is not stronger than {old} in {comparison.bracket.name} by {gain}: {margin}.", style="bold"
        )
    else:
        answer = Text(f"{new} and {old} are too close to call in {comparison.bracket.name}: {margin}.", style="yellow")
    out.print(answer, soft_wrap=True)
    rates = comparison.hypotheses
    out.print(
        f"Sequential test, H0: +{rates.elo0:g}, H1: +{rates.elo1:g} Elo points, error rates {rates.alpha:.0%} and "
        f"{rates.beta:.0%}; log-likelihood ratio {test.ratio:+.2f} between {rates.lower:+.2f} and {rates.upper:+.2f}.",
        highlight=False,
        soft_wrap=True,
    )
    if result.faults:
        out.print(f"{result.faults} seats were forfeited: arena history --faults", style="bold red")


def _as_json(result: ComparisonResult) -> dict[str, object]:
    test, comparison = result.test, result.comparison
    return {
        "old": comparison.old.label,
        "new": comparison.new.label,
        "bracket": comparison.bracket.name,
        "decision": result.decision.name.lower(),
        "blocks": test.blocks,
        "matches": result.matches,
        "share": test.mean,
        "interval": test.interval,
        "elo": elo_of(test.mean),
        "log_likelihood_ratio": test.ratio,
        "bounds": [test.hypotheses.lower, test.hypotheses.upper],
        "faults": result.faults,
        "tournament": result.tournament,
    }
