"""Choices and results in words. Names are put in as they are: the browser shows them as texts, never as markup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from arena.games import mantis, tentagram
from arena.referee import Outcome
from arena.web.play.hints import chance_of_match


class Choice(TypedDict):
    """One of the things that the person can do now."""

    action: str
    """In the notation of replays."""
    label: str
    short: str
    """The same, where there is little room and it is plain who is meant."""
    fits: NotRequired[bool]
    """Tentagram: whether the card fits there."""
    odds: NotRequired[float]
    """Mantis, with hints: the exact chance that the flipped card matches."""


class Place(TypedDict):
    seat: int
    place: int
    name: str
    own: bool
    detail: str


class Ending(TypedDict):
    """How the game came out."""

    won: bool
    headline: str
    why: str
    places: list[Place]


def choices(view: object, names: Sequence[str], *, hints: bool) -> list[Choice]:
    """What the seat on turn can do."""
    if isinstance(view, mantis.View):
        return [_mantis_choice(view, action, names, hints=hints) for action in view.legal]
    assert isinstance(view, tentagram.View)
    return [
        {
            "action": str(action),
            "label": f"Lay {view.hand} on {action.table}",
            "short": action.table,
            "fits": action.table in view.fits,
        }
        for action in view.legal
    ]


def _mantis_choice(view: mantis.View, action: mantis.Action, names: Sequence[str], *, hints: bool) -> Choice:
    match action.target, action.kind:
        case None, _:
            label = short = "Score"
        case target, "steal":
            label, short = f"Steal from {names[target]}", "Steal"
        case target, _:
            label, short = f"Take a scored card from {names[target]}", "Take a card"
    made: Choice = {"action": str(action), "label": label, "short": short}
    if hints and (odds := chance_of_match(view, action)) is not None:
        made["odds"] = round(odds, 4)
    return made


def ending(outcome: Outcome, seat: int) -> Ending:
    """The result as the person on this seat is told it."""
    result = outcome.result
    names = ["You" if each == seat else name for each, name in enumerate(outcome.plan.bots)]
    faults = {fault.seat: fault for fault in outcome.faults}
    places: list[Place] = [
        {
            "seat": each,
            "place": result.placements[each],
            "name": names[each],
            "own": each == seat,
            "detail": _cards(result, each)
            + (f"; forfeited: {faults[each].fault.meaning}" if each in faults and each != seat else "")
            + ("; you forfeited" if each in faults and each == seat else ""),
        }
        for each in sorted(range(len(names)), key=result.placements.__getitem__)
    ]
    why = result.ending.value
    return {
        "won": seat in result.winners,
        "headline": _headline(names, result.winners, seat),
        "why": f"{why[0].upper()}{why[1:]}.",
        "places": places,
    }


def _headline(names: Sequence[str], winners: Sequence[int], seat: int) -> str:
    if not winners:
        return "Nobody wins."
    if winners == (seat,):
        return "You win!"
    if len(winners) == 1:
        return f"{names[winners[0]]} wins."
    *others, last = [names[each] for each in sorted(winners, key=lambda each: each != seat)]
    return f"{', '.join(others)} and {last} share the win."


def _cards(result: object, seat: int) -> str:
    if isinstance(result, mantis.Result):
        return f"{result.score[seat]} scored, {result.tank[seat]} in the tank"
    assert isinstance(result, tentagram.Result)
    return f"{result.cards[seat]} cards won"
