"""What a player of Mantis may know (RULES 1.6), and what follows from it about the hidden cards.

Known to all: the fronts that were dealt, every card that was flipped, the back of the top card. Unknown: the backs of
the dealt cards and the rest of the draw pile. All orders of the deck that agree with what is known are equally likely,
which gives both the odds of the next flip and a uniform draw of a whole deck in closed form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

from arena.games.mantis.cards import EDITIONS, Action, Back, Card, Colour, Event, Flip, Front


class View(NamedTuple):
    """What one seat may know. In Mantis all seats know the same; only `seat` and `legal` differ."""

    seat: int
    seats: int
    edition: str
    goal: int
    to_move: int | None
    legal: tuple[Action, ...]
    """The legal actions of this seat; empty when it is not on turn."""
    tanks: tuple[tuple[int, ...], ...]
    """Per seat, the number of cards of each colour: `view.tanks[seat][Colour.RED]`."""
    scores: tuple[int, ...]
    pile: int
    """The number of cards in the draw pile."""
    top: Back | None
    """The back of the draw pile's top card; None when the pile is empty."""
    dealt: tuple[tuple[Front, ...], ...]
    """Per seat, the fronts of the cards that were dealt at set-up, in order. Their backs were never shown."""
    history: tuple[Event, ...]


class UnseenCards:
    """The cards whose place the owner of a view does not know: all but those that were flipped.

    Make it once for a view and draw from it any number of times.
    """

    def __init__(self, view: View) -> None:
        self.dealt = tuple([front for fronts in view.dealt for front in fronts])
        self.flipped = tuple([event.card for event in view.history if isinstance(event, Flip)])
        flipped = set(self.flipped)
        self.unseen = [card for card in EDITIONS[view.edition].cards if card not in flipped]
        self.top = view.top
        self.top_cards = [card for card in self.unseen if card.back == view.top]
        self.top_weights = [self._chance_not_dealt(card.front) for card in self.top_cards]

    def _chance_not_dealt(self, front: Front) -> float:
        """Return the probability that an unseen card with this front is in the draw pile.

        Of the unseen cards with the same front all are equally likely to be the dealt ones, whatever the other fronts.
        """
        unseen = sum(card.front is front for card in self.unseen)
        return (unseen - self.dealt.count(front)) / unseen

    def top_odds(self) -> dict[Colour, float]:
        """Return the exact probability of each colour of the next flip; empty when the draw pile is."""
        odds = dict.fromkeys(self.top or (), 0.0)
        total = sum(self.top_weights)
        for card, weight in zip(self.top_cards, self.top_weights, strict=True):
            odds[card.colour] += weight / total
        return odds

    def draw_deck(self, rng: Random) -> tuple[Card, ...]:
        """Return a whole deck, drawn uniformly from all that agree with the view."""
        random = rng.random
        unseen = self.unseen.copy()
        top: list[Card] = []
        if self.top_cards:
            top = rng.choices(self.top_cards, self.top_weights)
            unseen.remove(top[0])
        unseen.sort(key=lambda _: random())
        # In this random order, the first cards with the dealt fronts are a uniform draw of the dealt cards, and the
        # others are the rest of the draw pile in a uniform order.
        places: dict[Front, list[int]] = {}
        for place, front in enumerate(self.dealt):
            places.setdefault(front, []).append(place)
        dealt = unseen[: len(self.dealt)]
        pile: list[Card] = []
        for card in unseen:
            if open_places := places.get(card.front):
                dealt[open_places.pop()] = card
            else:
                pile.append(card)
        return (*dealt, *self.flipped, *top, *pile)


def chance_of_match(odds: Mapping[Colour, float], tank: Sequence[int]) -> float:
    """Return the probability that a card with these odds shows a colour that is in the tank."""
    return sum(chance for colour, chance in odds.items() if tank[colour])


def top_odds(view: View) -> dict[Colour, float]:
    """Return the exact probability of each colour of the next flip; empty when the draw pile is."""
    return UnseenCards(view).top_odds()
