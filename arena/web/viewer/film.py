"""A film: the JSON from which a browser shows a match, whether it is over or still going on.

A film has frames and entries: frame k is the table after k lines of the replay, entry k what happened between frames k
and k + 1. Mantis's frames are written out. Tentagram's follow from the entries and from the decks as far as they are
known, so only those are kept and the browser builds the frames.

A film of everything (`film_of`, or a `FilmMaker` without a seat) is for spectators: the browser can hide in it what a
seat could not know, but it is all there. For a person who plays, make the film with that person's seat: it is made from
frames of that seat alone until the game is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from arena.games import mantis, tentagram
from arena.games.base import AnyState, Result
from arena.replay import Decision, Fault, FaultKind, Header, Playback, Replay
from arena.web.viewer.frames import MantisFrame, frame

MS_DIGITS = 2


class Entry(TypedDict):
    """What happened between two frames; open to everybody in both games."""

    seat: int
    do: NotRequired[str]
    """The action as in the replay: `steal 2`, `AB`. A fault has none."""
    ms: NotRequired[float]
    """The think time."""
    house: NotRequired[bool]
    """The house played for a seat that had forfeited."""
    fault: NotRequired[str]
    why: NotRequired[str]
    """What this fault means: `did not answer in time`."""
    detail: NotRequired[str]
    flip: NotRequired[str]
    """Mantis: the flipped card, `G:YGP+bank`."""
    into: NotRequired[int]
    """The seat whose tank it was flipped into."""
    moved: NotRequired[int]
    """How many cards left that tank, the flipped one included; 0 where it stayed there."""
    to: NotRequired[str]
    """Where they went to: the `tank` or the `score` pile of the seat that acted."""
    icon: NotRequired[str]
    """The icon that took effect."""


class PileResult(TypedDict):
    """A scored pile of Tentagram. A card is written `2:ABD`: seat 2's."""

    table: str
    counted: list[str]
    aside: list[str]
    winner: int | None
    taken: int


class Outcome(TypedDict):
    placements: list[int]
    winners: list[int]
    ending: str
    """How the game came to its end, the sentence of the rules."""
    score: NotRequired[list[int]]
    tank: NotRequired[list[int]]
    cards: NotRequired[list[int]]
    """Tentagram: how many cards each seat won."""
    piles: NotRequired[list[PileResult]]


class More(TypedDict):
    """What is new in a film: `viewer.extend` in the browser takes it. Taking it twice changes nothing."""

    start: int
    """The number of the first entry in here."""
    entries: list[Entry]
    frames: NotRequired[list[MantisFrame]]
    """The frames after those entries."""
    decks: NotRequired[list[list[str]]]
    """Tentagram: every seat's first cards, as far as they are known, in the order they are laid."""
    result: NotRequired[Outcome]
    seed: NotRequired[str]


class Film(TypedDict):
    match: str
    game: str
    options: Mapping[str, str]
    seats: list[str]
    seat: int | None
    """The seat whose view it is made from; None: everything is in it."""
    goal: NotRequired[int]
    """Mantis: how many cards in the score pile win."""
    colours: NotRequired[str]
    """Mantis: the letters of the edition's colours."""
    frames: NotRequired[list[MantisFrame]]
    decks: NotRequired[list[list[str]]]
    entries: list[Entry]
    result: Outcome | None
    seed: NotRequired[str]
    """Only once the match is over: it tells every card."""


class FilmMaker:
    """Makes the film of a match line by line. `film` is the film so far; what `add` returns extends the browser's."""

    def __init__(self, header: Header, seat: int | None = None) -> None:
        self._playback = Playback(header)
        self._header = header
        self._seat = seat
        state = self._playback.state
        self.film: Film = {
            "match": header.match,
            "game": header.game,
            "options": header.options,
            "seats": list(header.seats),
            "seat": seat,
            "entries": [],
            "result": None,
        }
        if isinstance(state, mantis.State):
            self.film["goal"] = state.goal
            self.film["colours"] = "ROYGBP" if state.edition.name == "grab" else "ROYGBPK"
            self.film["frames"] = [frame(state, seat)]
        else:
            self.film["decks"] = self._known_decks()

    @property
    def state(self) -> AnyState:
        return self._playback.state

    @property
    def over(self) -> bool:
        return self._playback.over

    def add(self, entry: Decision | Fault) -> More:
        """Takes the next line of the replay. Raises ReplayMismatch where the rules do not allow it.

        The line that ends the match brings its result, too.
        """
        film = self.film
        made = _entry(entry, self._playback.play(entry))
        if made.get("fault") == FaultKind.ILLEGAL.value and self._seat not in (None, entry.seat):
            made["detail"] = ""  # why a move was not legal may tell the hand that it was made with
        more: More = {"start": len(film["entries"]), "entries": [made]}
        film["entries"].append(made)
        if isinstance(self.state, mantis.State):
            after = frame(self.state, self._seat)
            film["frames"].append(after)
            more["frames"] = [after]
        if self.over:
            more["result"] = film["result"] = _outcome(self.state.result(self._playback.forfeited))
            more["seed"] = film["seed"] = self._header.seed
        if isinstance(self.state, tentagram.State) and (self._seat is not None or self.over):
            more["decks"] = film["decks"] = self._known_decks()
        return more

    def _known_decks(self) -> list[list[str]]:
        state = self.state
        assert isinstance(state, tentagram.State)
        if self._seat is None or self.over:
            return [list(map(str, deck)) for deck in state.decks]
        view = state.view(self._seat)
        own = [str(card) for card, _ in view.own_laid] + ([str(view.hand)] if view.hand else [])
        return [own if seat == self._seat else [] for seat in range(state.seats)]


def film_of(replay: Replay) -> Film:
    """The film of a whole replay, with everything in it. Raises ReplayMismatch where the rules do not allow a line."""
    maker = FilmMaker(replay.header)
    for entry in replay.entries:
        maker.add(entry)
    return maker.film


def _entry(entry: Decision | Fault, events: Sequence[object]) -> Entry:
    if isinstance(entry, Fault):
        return {
            "seat": entry.seat,
            "fault": entry.fault.value,
            "why": entry.fault.meaning,
            "detail": entry.detail,
        }
    made: Entry = {"seat": entry.seat, "do": entry.action, "ms": round(entry.ms, MS_DIGITS)}
    if entry.by_house:
        made["house"] = True
    for event in events:
        if isinstance(event, mantis.Flip):
            target = event.action.target
            made["flip"] = str(event.card)
            made["into"] = event.seat if target is None else target
            made["moved"] = event.moved
            if event.moved:
                made["to"] = "score" if event.into_score_pile else "tank"
            if event.icon:
                made["icon"] = event.icon.value
    return made


def _outcome(result: Result) -> Outcome:
    made: Outcome = {
        "placements": list(result.placements),
        "winners": list(result.winners),
        "ending": result.ending.value,
    }
    if isinstance(result, mantis.Result):
        made["score"] = list(result.score)
        made["tank"] = list(result.tank)
    if isinstance(result, tentagram.Result):
        made["cards"] = list(result.cards)
        made["piles"] = [_pile(pile) for pile in result.piles]
    return made


def _pile(pile: tentagram.Pile) -> PileResult:
    return {
        "table": pile.table,
        "counted": [f"{laid.seat}:{laid.card}" for laid in pile.counted],
        "aside": [f"{laid.seat}:{laid.card}" for laid in pile.set_aside],
        "winner": pile.winner,
        "taken": pile.taken,
    }
