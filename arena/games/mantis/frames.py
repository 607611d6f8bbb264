"""Mantis as JSON for the browser: every frame is written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from arena.games.frames import Entry, Film, FilmResult, Frames
from arena.games.mantis import Flip, Result, State, top_odds
from arena.games.mantis.cards import letters
from arena.games.mantis.words import WORDS


class MantisFrame(TypedDict):
    turn: int | None
    """The seat on turn; None at the end of the game."""
    tanks: list[list[int]]
    """Per seat, the number of cards of each colour, in the order ROYGBPK."""
    scores: list[int]
    pile: int
    top: str | None
    """The colours on the back of the top card: `ROY`."""
    odds: list[float]
    """The exact probability of each of these colours, given everything that was shown."""
    pilfering: NotRequired[bool]
    """The seat on turn must choose whom to pilfer."""
    next: NotRequired[str]
    """The front of the top card, `G` or `R+bank`; never in the frame of a seat."""


class MantisFrames(Frames):
    def frame(self, state: State, seat: int | None = None) -> MantisFrame:
        """Return the table. All seats know the same; only the top of the draw pile is hidden."""
        view = state.view(0 if seat is None else seat)
        made: MantisFrame = {
            "turn": view.to_move,
            "tanks": [list(tank) for tank in view.tanks],
            "scores": list(view.scores),
            "pile": view.pile,
            "top": letters(view.top) if view.top else None,
            "odds": [round(chance, 4) for chance in top_odds(view).values()],
        }
        if state.pilfering:
            made["pilfering"] = True
        if seat is None and state.pile:
            made["next"] = str(state.pile[-1].front)
        return made

    def begin(self, film: Film, state: State) -> None:
        film["same_view"] = True
        film["goal"] = state.goal
        film["colours"] = "ROYGBP" if state.edition.name == "grab" else "ROYGBPK"
        super().begin(film, state)

    def describe(self, entry: Entry, events: Sequence[object], names: Sequence[str]) -> None:
        del names
        for event in events:
            if isinstance(event, Flip):
                target = event.action.target
                entry["flip"] = str(event.card)
                entry["into"] = event.seat if target is None else target
                entry["moved"] = event.moved
                if event.moved:
                    entry["to"] = "score" if event.into_score_pile else "tank"
                if event.icon:
                    entry["icon"] = event.icon.value

    def conclude(self, made: FilmResult, result: Result) -> None:
        made["score"] = list(result.score)
        made["tank"] = list(result.tank)


FRAMES = MantisFrames(WORDS)
