"""Choices and results in words. Names are not escaped: the browser shows them as text, never as markup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from arena.games.registry import words_of
from arena.games.words import ActionChoice
from arena.referee import Outcome


class FinalPlace(TypedDict):
    seat: int
    place: int
    name: str
    own: bool
    detail: str


class EndingInWords(TypedDict):
    """How the game ended."""

    won: bool
    headline: str
    why: str
    places: list[FinalPlace]


def choices(game: str, view: Any, names: Sequence[str], *, hints: bool) -> list[ActionChoice]:
    """Return what the seat on turn can do."""
    words = words_of(game)
    return [words.choice(view, action, names, hints=hints) for action in view.legal]


def ending(outcome: Outcome, seat: int) -> EndingInWords:
    """Return the result as the person on this seat reads it."""
    result = outcome.result
    words = words_of(outcome.plan.game)
    names = ["You" if each == seat else name for each, name in enumerate(outcome.plan.bots)]
    faults = {fault.seat: fault for fault in outcome.faults}
    places: list[FinalPlace] = [
        {
            "seat": each,
            "place": result.placements[each],
            "name": names[each],
            "own": each == seat,
            "detail": words.score(result, each)
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
