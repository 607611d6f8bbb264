"""The cards of Mantis (RULES 1.1, and the icons of 1.5), its actions and their public events (1.3, 1.5, 1.6).

The deck of an edition is built once and shared by all its games.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

from arena.games.base import OneOfAKind


class Colour(enum.IntEnum):
    """The colours in rule-book order; a tank is a list of counts indexed by them."""

    RED = 0
    ORANGE = 1
    YELLOW = 2
    GREEN = 3
    BLUE = 4
    PURPLE = 5
    PINK = 6

    @property
    def letter(self) -> str:
        """The colour in replay notation. Purple has P, so pink is K."""
        return "ROYGBPK"[self]


class Icon(enum.Enum):
    """The extra effect of a steal whose flipped card carries the icon (RULES 1.5)."""

    AGAIN = "again"
    PILFER = "pilfer"
    BANK = "bank"


Back = tuple[Colour, Colour, Colour]
"""Three different colours in colour order, one of them the front's."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Front(OneOfAKind):
    """The face of a card: its colour and its icon, if any. Notation: `G`, `R+bank`."""

    notation: str
    colour: Colour
    icon: Icon | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Card(OneOfAKind):
    """A card. Notation, the one of the replay: `G:YGP`, `R:RYB+bank`."""

    notation: str
    front: Front
    back: Back
    colour: Colour
    """The front's colour."""
    icon: Icon | None
    """The front's icon."""


def letters(back: Back) -> str:
    """Return a back in replay notation: `YGP`."""
    return "".join(colour.letter for colour in back)


def every_front_and_back(colours: Sequence[Colour]) -> tuple[tuple[Colour, Back], ...]:
    """Return every pair (front, back) with the front's colour on the back, exactly once (RULES 1.1)."""
    return tuple((colour, back) for back in combinations(colours, 3) for colour in back)


def where_the_icons_are() -> dict[tuple[Colour, Back], Icon]:
    """Return the cards with icons: one of each icon per colour, at most one per back (RULES 1.5)."""

    def colour(number: int) -> Colour:
        return Colour(number % len(Colour))

    def back(*numbers: int) -> Back:
        first, second, third = sorted(map(colour, numbers))
        return first, second, third

    icons: dict[tuple[Colour, Back], Icon] = {}
    for i in Colour:
        icons[colour(i + 1), back(i, i + 1, i + 2)] = Icon.AGAIN
        icons[colour(i), back(i, i + 1, i + 3)] = Icon.PILFER
        icons[colour(i), back(i, i + 2, i + 4)] = Icon.BANK
    return icons


def make_card(colour: Colour, back: Back, icon: Icon | None = None) -> Card:
    plus_icon = f"+{icon.value}" if icon else ""
    front = f"{colour.letter}{plus_icon}"
    return Card(
        notation=f"{colour.letter}:{letters(back)}{plus_icon}",
        front=Front.find(front) or Front(front, colour, icon),
        back=back,
        colour=colour,
        icon=icon,
    )


SEVEN_COLOURS = tuple(Colour)
SIX_COLOURS = SEVEN_COLOURS[: Colour.PINK]
PLAIN_CARDS = {(colour, back): make_card(colour, back) for colour, back in every_front_and_back(SEVEN_COLOURS)}
ICON_CARDS = {(colour, back): make_card(colour, back, icon) for (colour, back), icon in where_the_icons_are().items()}


@dataclass(frozen=True, slots=True)
class Edition:
    """A printed edition: its cards and numbers of seats."""

    name: str
    meaning: str
    cards: tuple[Card, ...]
    seats: range


CLASSIC = Edition(
    "classic",
    "105 cards in seven colours",
    tuple(PLAIN_CARDS.values()),
    range(2, 7),
)
ICONS = Edition(
    "icons",
    "the classic cards, 21 of them with an icon that rewards a successful steal",
    tuple((PLAIN_CARDS | ICON_CARDS).values()),
    range(2, 7),
)
GRAB = Edition(
    "grab",
    "Grab & Game: 60 cards in six colours",
    tuple(PLAIN_CARDS[pair] for pair in every_front_and_back(SIX_COLOURS)),
    range(2, 5),
)
EDITIONS = {edition.name: edition for edition in (CLASSIC, ICONS, GRAB)}


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
