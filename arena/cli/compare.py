"""`arena compare`: is the new version stronger than the old one? Plays until a sequential test has decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from rich.live import Live
from rich.text import Text

from arena.cli.console import err, harmless, out, print_note
from arena.cli.location import HomeLocation
from arena.cli.options import AsJson, Jobs, PlayOptions, Seed, grouped
from arena.events import Activity, Note
from arena.games.brackets import DEFAULT_BRACKETS, Bracket
from arena.rating.sprt import Sprt, SprtDecision
from arena.requests import CompareRequest
from arena.tournament.comparison import ComparisonEvent, ComparisonResult

EXIT_NOT_BETTER = 1
DEFAULT_SEATS = ", ".join(f"{name} {Bracket.parse(name).comparison_seats}" for name in DEFAULT_BRACKETS)


@dataclass(frozen=True)
class ComparisonOptions:
    """What is played, and how sure the answer must be. The fields are named as in `CompareRequest`."""

    bracket: Annotated[str, typer.Option(help="The game and its options.")] = "mantis"
    seats: Annotated[
        int | None, typer.Option(min=2, help=f"Seats, taken by OLD and NEW alternately. Default: {DEFAULT_SEATS}.")
    ] = None
    elo: Annotated[float, typer.Option(min=1, max=500, help="The gain in Elo points that matters.")] = 20.0
    alpha: Annotated[
        float, typer.Option(min=0.001, max=0.4, help="Probability of a positive answer if there is no gain.")
    ] = 0.05
    beta: Annotated[
        float, typer.Option(min=0.001, max=0.4, help="Probability of a negative answer if there is such a gain.")
    ] = 0.05
    max_deals: Annotated[
        int, typer.Option("--most", min=10, max=10_000_000, help="Stop undecided after this number of deals.")
    ] = 50_000
    jobs: Jobs = None
    seed: Seed = None


@grouped
def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A bot: a name, my_bot@1, or a path.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="Another bot or version.")],
    options: ComparisonOptions,
    play: PlayOptions,
    location: HomeLocation,
    as_json: AsJson = False,
) -> None:
    """Test whether NEW is stronger than OLD, with given error rates, and stop as soon as the answer is known.

    The matches are stored but not rated. Exit code 0: it is stronger; 1: it is not, or the test is undecided.

    Example: arena compare my_bot@1 my_bot@2 --bracket mantis
    """
    request = CompareRequest(old=old, new=new, **vars(options), **play.values())
    with Live(console=err, transient=True, auto_refresh=False) as live:

        def show(event: ComparisonEvent) -> None:
            if isinstance(event, Note):
                print_note(event)
            else:
                text = Text(harmless(event.text)) if isinstance(event, Activity) else _state(event)
                live.update(text, refresh=err.is_terminal)

        result = location.arena.run(request, show)
    if as_json:
        out.print_json(data=result.to_dict())
    else:
        _print(result)
    if result.decision is not SprtDecision.BETTER:
        raise typer.Exit(EXIT_NOT_BETTER)


def _state(test: Sprt) -> Text:
    """Return the log-likelihood ratio between its bounds as a picture."""
    width = 40
    lower, upper = test.hypotheses.lower, test.hypotheses.upper
    place = (test.ratio - lower) / (upper - lower)
    mark = min(width - 1, max(0, round(place * width)))
    scale = "─" * mark + "●" + "─" * (width - 1 - mark)
    return Text(
        f"{test.blocks:,} deals · new takes {test.mean:.1%} of the points · "
        f"log-likelihood ratio {test.ratio:+.2f}\n"
        f"not better {lower:+.2f} {scale} {upper:+.2f} better"
    )


def _print(result: ComparisonResult) -> None:
    test, decision = result.test, result.decision
    old, new = harmless(result.old), harmless(result.new)
    low, high = result.elo_interval
    margin = (
        f"{result.elo:+.0f} Elo points, 95 % interval {low:+.0f} to {high:+.0f}, "
        f"after {test.blocks:,} deals ({result.matches:,} matches)"
    )
    bracket, rates = result.bracket, test.hypotheses
    if decision is SprtDecision.BETTER:
        answer = Text(f"{new} is stronger than {old} in {bracket}: {margin}.", style="bold green")
    elif decision is SprtDecision.NOT_BETTER:
        gain = f"a gain of {rates.elo1:g} Elo points"
        answer = Text(f"{new} is not stronger than {old} in {bracket} by {gain}: {margin}.", style="bold")
    else:
        answer = Text(f"{new} and {old} are too close to call in {bracket}: {margin}.", style="yellow")
    out.print(answer, soft_wrap=True)
    out.print(
        f"Sequential test, H0: +{rates.elo0:g}, H1: +{rates.elo1:g} Elo points, error rates {rates.alpha:.0%} and "
        f"{rates.beta:.0%}; log-likelihood ratio {test.ratio:+.2f} between {rates.lower:+.2f} and {rates.upper:+.2f}.",
        soft_wrap=True,
    )
    if result.faults:
        out.print(f"{result.faults} seats were forfeited: arena history --faults", style="bold red")
