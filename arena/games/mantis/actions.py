"""The actions of Mantis and their public events (RULES 1.3, 1.5, 1.6). All of them are frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from arena.errors import BadActionText
from arena.games.base import OneOfAKind
from arena.games.mantis.cards import Card, Icon


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Action(OneOfAKind):
    """A decision. Notation, the one of the replay: `score`, `steal 2`, `pilfer 0`."""

    notation: str
    kind: Literal["score", "steal", "pilfer"]
    target: int | None = None
    """The seat to steal or pilfer from; None for a score."""


SCORE = Action("score", "score")
STEALS = tuple(Action(f"steal {seat}", "steal", seat) for seat in range(10))
PILFERS = tuple(Action(f"pilfer {seat}", "pilfer", seat) for seat in range(10))


def steal(target: int) -> Action:
    return STEALS[target]


def pilfer(target: int) -> Action:
    return PILFERS[target]


def parse_action(text: str) -> Action:
    """Return the action of the notation, legal now or not."""
    action = Action.find(text)
    if action is None:
        raise BadActionText(
            f"{text!r} is not a Mantis action: write 'score', 'steal N' or 'pilfer N', where N is the number of a seat."
        )
    return action


class Flip(NamedTuple):
    """The top card was flipped, to score or to steal."""

    seat: int
    action: Action
    card: Card
    moved: int
    """How many cards matched and moved, including the flipped one; 0: the card stayed where it was flipped."""
    icon: Icon | None
    """The card's icon, if it took effect."""

    @property
    def into_score_pile(self) -> bool:
        """Whether the cards went to the seat's score pile and not to its tank."""
        return self.action.kind == "score" or self.icon is Icon.BANK


class Pilfered(NamedTuple):
    """One card moved from the target's score pile to the seat's own."""

    seat: int
    target: int


Event = Flip | Pilfered
