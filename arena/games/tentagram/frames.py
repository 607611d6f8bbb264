"""Tentagram as JSON for the browser.

The frames follow from the entries and from the known part of the decks, so a film holds only those, and the browser
builds the frames. People who play get frames of their own seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from arena.games import base
from arena.games.frames import Entry, Film, FilmResult, Frames, More, PileResult
from arena.games.tentagram import DECK, Laid, Pile, Result, State, View


class TentagramFrame(TypedDict):
    turn: int | None
    laid: list[tuple[int, str, str | None]]
    """Every card laid, in order: the seat, the table card, and the card itself if it may be known."""
    hands: list[str | None]
    """Per seat, the hand, if it may be known."""
    left: list[int]
    """Per seat, how many cards it has still to lay, including the hand."""
    to_come: list[list[str] | None]
    """Per seat, which cards are still to be drawn, sorted, if it may be known."""
    legal: NotRequired[list[str]]
    """What the seat may do; only in the frame of a seat that is on turn."""


class TentagramFrames(Frames):
    def __init__(self) -> None:
        """Do nothing: the browser draws the game and has its own words."""

    def frame(self, state: State, seat: int | None = None) -> TentagramFrame:
        if seat is not None:
            return frame_of(state.view(seat))
        to_come = [list(map(str, state.view(each).to_come)) for each in range(state.seats)]
        return _frame(state.to_move, state.history, state.decks, to_come)

    def begin(self, film: Film, state: State) -> None:
        film["decks"] = known_decks(state, film["seat"])

    def extend(self, film: Film, more: More, state: State, *, over: bool) -> None:
        if film["seat"] is not None or over:
            more["decks"] = film["decks"] = known_decks(state, None if over else film["seat"])

    def describe(self, entry: Entry, events: Sequence[object], names: Sequence[str]) -> None:
        """Add nothing: the action says it all."""

    def conclude(self, made: FilmResult, result: base.Result) -> None:
        assert isinstance(result, Result)
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


def frame_of(view: View) -> TentagramFrame:
    if view.revealed is not None:
        return _frame(view.to_move, view.history, view.revealed, [[] for _ in range(view.seats)])
    own = [card for card, _ in view.own_laid] + ([view.hand] if view.hand else [])
    known = [own if seat == view.seat else [] for seat in range(view.seats)]
    to_come = [list(map(str, view.to_come)) if seat == view.seat else None for seat in range(view.seats)]
    made = _frame(view.to_move, view.history, known, to_come)
    if view.legal:
        made["legal"] = [str(action) for action in view.legal]
    return made


def _frame(
    turn: int | None,
    history: Sequence[Laid],
    known: Sequence[Sequence[str]],
    to_come: Sequence[list[str] | None],
) -> TentagramFrame:
    """Return the frame from each seat's first cards, as far as they are known."""
    counts = [0] * len(known)
    laid: list[tuple[int, str, str | None]] = []
    for seat, table in history:
        laid.append((seat, table, _card(known[seat], counts[seat])))
        counts[seat] += 1
    return {
        "turn": turn,
        "laid": laid,
        "hands": [_card(cards, count) for cards, count in zip(known, counts, strict=True)],
        "left": [len(DECK) - count for count in counts],
        "to_come": list(to_come),
    }


def _card(cards: Sequence[str], place: int) -> str | None:
    return cards[place] if place < len(cards) else None


FRAMES = TentagramFrames()
