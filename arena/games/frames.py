"""A game as JSON for the browser's viewer (arena/web/viewer). `Frames` are the plain ones: text instead of drawings.

Invariant: the frame of a seat is made from `state.view(seat)` alone, so nothing hidden from it can be in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from arena.games.words import Words

Frame = Mapping[str, object]
"""The table at one moment; each game has its own keys. `turn` is the seat on turn, None at the end of the game."""


class Entry(TypedDict):
    """What happened between two frames, all of it public."""

    seat: int
    do: NotRequired[str]
    """The action in the notation of replays; a fault has none."""
    ms: NotRequired[float]
    """The think time."""
    house: NotRequired[bool]
    """The house played for a seat that had forfeited."""
    fault: NotRequired[str]
    why: NotRequired[str]
    """What this fault means: `did not answer in time`."""
    detail: NotRequired[str]
    text: NotRequired[str]
    """In games that are not drawn: what happened, as a sentence."""
    flip: NotRequired[str]
    """Mantis: the flipped card, `G:YGP+bank`."""
    into: NotRequired[int]
    """Mantis: the seat whose tank it was flipped into."""
    moved: NotRequired[int]
    """Mantis: how many cards left that tank, including the flipped one; 0 if it stayed there."""
    to: NotRequired[str]
    """Mantis: where they went, the `tank` or the `score` pile of the seat that acted."""
    icon: NotRequired[str]
    """Mantis: the icon that took effect."""


class PileResult(TypedDict):
    """A scored pile of Tentagram. A card is written `2:ABD`: seat 2's."""

    table: str
    counted: list[str]
    aside: list[str]
    winner: int | None
    taken: int


class FilmResult(TypedDict):
    placements: list[int]
    winners: list[int]
    ending: str
    """How the game ended, as a sentence."""
    score: NotRequired[list[int]]
    tank: NotRequired[list[int]]
    cards: NotRequired[list[int]]
    """Tentagram: how many cards each seat won."""
    piles: NotRequired[list[PileResult]]


class FilmPart(TypedDict):
    entries: list[Entry]
    frames: NotRequired[list[Frame]]
    """The frames after those entries; in a film also the first one."""
    decks: NotRequired[list[list[str]]]
    """Tentagram: every seat's first cards, as far as they are known, in the order they are laid."""
    seed: NotRequired[str]
    """Only once the match is over: it determines every card."""


class More(FilmPart):
    """What is new in a film: `viewer.extend` in the browser takes it. Taking it twice changes nothing."""

    start: int
    """The number of the first entry in here."""
    result: NotRequired[FilmResult]


class Film(FilmPart):
    """A match as the browser shows it (arena/web/viewer/film.py)."""

    match: str
    game: str
    options: Mapping[str, str]
    seats: list[str]
    seat: int | None
    """The seat whose view it is made from; None: everything is in it."""
    same_view: NotRequired[bool]
    """All seats know the same."""
    goal: NotRequired[int]
    """Mantis: how many cards in the score pile win."""
    colours: NotRequired[str]
    """Mantis: the letters of the edition's colours."""
    result: FilmResult | None


class Frames:
    """Writes a game into a film: here as plain lines of text."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def frame(self, state: Any, seat: int | None = None) -> Frame:
        """Return the table as the seat may know it, or everything on it if no seat is given."""
        known = range(state.seats) if seat is None else [seat]
        return {"turn": state.to_move, "lines": {str(each): self.words.table(state.view(each)) for each in known}}

    def begin(self, film: Film, state: Any) -> None:
        """Add the game's keys to a new film."""
        film["frames"] = [self.frame(state, film["seat"])]

    def extend(self, film: Film, more: More, state: Any, *, over: bool) -> None:
        """Add what an entry changed, to the film and to what extends the browser's film."""
        del over
        after = self.frame(state, film["seat"])
        film["frames"].append(after)
        more["frames"] = [after]

    def describe(self, entry: Entry, events: Sequence[object], names: Sequence[str]) -> None:
        """Add the game's keys to an entry."""
        entry["text"] = " ".join(self.words.event(event, names) for event in events)

    def conclude(self, made: FilmResult, result: Any) -> None:
        """Add the game's keys to a result."""
