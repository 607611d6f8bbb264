"""The table at one moment, as JSON for a browser: for one seat, or with everything that lies.

Secrets leave through `frame` and through nothing else: the frame of a seat is made from `state.view(seat)` alone, so it
is the same whatever is hidden from that seat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict, overload

from arena.games import mantis, tentagram
from arena.games.base import AnyState
from arena.games.mantis.cards import letters

ODDS_DIGITS = 4


class MantisFrame(TypedDict):
    turn: int | None
    """The seat on turn; None when the game is over."""
    tanks: list[list[int]]
    """Per seat, the number of cards of each colour, in the order ROYGBPK."""
    scores: list[int]
    pile: int
    top: str | None
    """The colours on the back of the top card: `ROY`."""
    odds: list[float]
    """How likely the top card shows each of these colours, for whoever remembers all that was ever seen."""
    pilfering: NotRequired[bool]
    """The seat on turn must say whom it pilfers."""
    next: NotRequired[str]
    """The front of the top card, `G` or `R+bank`; never in the frame of a seat."""
    legal: NotRequired[list[str]]
    """What the seat may do; only in the frame of a seat that is on turn."""


class TentagramFrame(TypedDict):
    turn: int | None
    laid: list[tuple[int, str, str | None]]
    """Every card that lies, in order: by whom, on which table card, and its face where it may be known."""
    hands: list[str | None]
    """Per seat, the hand, where it may be known."""
    left: list[int]
    """Per seat, how many cards it has still to lay, the hand included."""
    to_come: list[list[str] | None]
    """Per seat, which cards are still to be drawn, in an order that tells nothing, where it may be known."""
    legal: NotRequired[list[str]]
    """What the seat may do; only in the frame of a seat that is on turn."""


Frame = MantisFrame | TentagramFrame


@overload
def frame(state: mantis.State, seat: int | None = None) -> MantisFrame: ...
@overload
def frame(state: tentagram.State, seat: int | None = None) -> TentagramFrame: ...
@overload
def frame(state: AnyState, seat: int | None = None) -> Frame: ...
def frame(state: AnyState, seat: int | None = None) -> Frame:
    """The table as the seat may know it, or with everything that lies if no seat is named."""
    if isinstance(state, mantis.State):
        return _mantis(state, seat)
    assert isinstance(state, tentagram.State)
    return _tentagram_everything(state) if seat is None else _tentagram_of(state.view(seat))


def _mantis(state: mantis.State, seat: int | None) -> MantisFrame:
    """All seats know the same of Mantis; only what lies on top of the draw pile is hidden."""
    made = _mantis_of(state.view(0 if seat is None else seat))
    if seat is None:
        made.pop("legal", None)
        if state.pile:
            made["next"] = str(state.pile[-1].front)
    return made


def _mantis_of(view: mantis.View) -> MantisFrame:
    odds = mantis.top_odds(view)
    made: MantisFrame = {
        "turn": view.to_move,
        "tanks": [list(tank) for tank in view.tanks],
        "scores": list(view.scores),
        "pile": view.pile,
        "top": letters(view.top) if view.top else None,
        "odds": [round(chance, ODDS_DIGITS) for chance in odds.values()],
    }
    last = view.history[-1] if view.history else None
    if isinstance(last, mantis.Flip) and last.icon is mantis.Icon.PILFER and view.to_move is not None:
        made["pilfering"] = True
    if view.legal:
        made["legal"] = [str(action) for action in view.legal]
    return made


def _tentagram_of(view: tentagram.View) -> TentagramFrame:
    if view.revealed is not None:
        return _tentagram(view.to_move, view.history, view.revealed, [[] for _ in range(view.seats)])
    own = [card for card, _ in view.own_laid] + ([view.hand] if view.hand else [])
    known = [own if seat == view.seat else [] for seat in range(view.seats)]
    to_come = [list(map(str, view.to_come)) if seat == view.seat else None for seat in range(view.seats)]
    made = _tentagram(view.to_move, view.history, known, to_come)
    if view.legal:
        made["legal"] = [str(action) for action in view.legal]
    return made


def _tentagram_everything(state: tentagram.State) -> TentagramFrame:
    to_come = [list(map(str, state.view(seat).to_come)) for seat in range(state.seats)]
    return _tentagram(state.to_move, state.history, state.decks, to_come)


def _tentagram(
    turn: int | None,
    history: Sequence[tentagram.Laid],
    known: Sequence[Sequence[str]],
    to_come: Sequence[list[str] | None],
) -> TentagramFrame:
    """The frame from each seat's first cards, as far as they are known."""
    counts = [0] * len(known)
    laid: list[tuple[int, str, str | None]] = []
    for seat, table in history:
        laid.append((seat, table, _card(known[seat], counts[seat])))
        counts[seat] += 1
    return {
        "turn": turn,
        "laid": laid,
        "hands": [_card(cards, count) for cards, count in zip(known, counts, strict=True)],
        "left": [len(tentagram.DECK) - count for count in counts],
        "to_come": list(to_come),
    }


def _card(cards: Sequence[str], place: int) -> str | None:
    return cards[place] if place < len(cards) else None
