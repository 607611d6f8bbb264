"""Tentagram as JSON for the browser.

The frames follow from the entries and from the known part of the decks, so a film holds only those, and the browser
builds the frames (arena/web/viewer/static/film.js).
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.frames import Entry, Film, FilmResult, Frames, More, PileResult
from arena.games.tentagram import Pile, Result, State
from arena.games.tentagram.words import WORDS


class TentagramFrames(Frames):
    def begin(self, film: Film, state: State) -> None:
        film["decks"] = known_decks(state, film["seat"])

    def extend(self, film: Film, more: More, state: State, *, over: bool) -> None:
        if film["seat"] is not None or over:
            more["decks"] = film["decks"] = known_decks(state, None if over else film["seat"])

    def describe(self, entry: Entry, events: Sequence[object], names: Sequence[str]) -> None:
        """Add nothing: the action says it all."""

    def conclude(self, made: FilmResult, result: Result) -> None:
        made["cards"] = list(result.cards)
        made["piles"] = [_pile(pile) for pile in result.piles]


def known_decks(state: State, seat: int | None) -> list[list[str]]:
    """Return every seat's first cards, as far as the seat knows them; all cards if no seat is given."""
    if seat is None:
        return [list(map(str, deck)) for deck in state.decks]
    view = state.view(seat)
    own = [str(card) for card, _ in view.own_laid] + ([str(view.hand)] if view.hand else [])
    return [own if each == seat else [] for each in range(state.seats)]


def _pile(pile: Pile) -> PileResult:
    return {
        "table": pile.table,
        "counted": [f"{laid.seat}:{laid.card}" for laid in pile.counted],
        "aside": [f"{laid.seat}:{laid.card}" for laid in pile.set_aside],
        "winner": pile.winner,
        "taken": pile.taken,
    }


FRAMES = TentagramFrames(WORDS)
