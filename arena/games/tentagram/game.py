"""The game of Tentagram: its options and how to start it."""

from __future__ import annotations

from arena.errors import BadDeal
from arena.games.base import Game, Json, Option, OptionValue, shuffle
from arena.games.tentagram.cards import DECK, Action, Card, parse_action
from arena.games.tentagram.knowledge import Event, View
from arena.games.tentagram.state import SEATS, State


class Tentagram(Game[Action, Event, View]):
    name = "tentagram"
    title = "Tentagram"
    summary = "Lay cards face down on ten piles; the most cards win a pile, but equal counts are out."
    options = (
        Option(
            "placement",
            (
                OptionValue("free", "any of the ten table cards; misfits are set aside in scoring"),
                OptionValue("strict", "only where the card fits; a misfit is illegal"),
            ),
        ),
    )

    def seat_range(self, **options: str) -> range:
        self.complete(options)
        return SEATS

    def new(self, seats: int, seed: str, **options: str) -> State:
        self.check_seats(seats, **options)
        decks = tuple(shuffle(DECK, f"tentagram seat {seat} {seed}") for seat in range(seats))
        return State(decks, strict=self._strict(options))

    def from_deal(self, deal: Json, seats: int, **options: str) -> State:
        self.check_seats(seats, **options)
        if not isinstance(deal, list | tuple) or len(deal) != seats:
            raise BadDeal(f"the deal is not a list of {seats} decks, one for each seat.")
        return State(
            tuple(read_deck(deck, seat) for seat, deck in enumerate(deal)),
            strict=self._strict(options),
        )

    def parse_action(self, text: str) -> Action:
        return parse_action(text)

    def _strict(self, options: dict[str, str]) -> bool:
        return self.complete(options)["placement"] == "strict"


def read_deck(deck: Json, seat: int) -> tuple[Card, ...]:
    """Return a seat's deck of a replay's deal."""
    if not isinstance(deck, list | tuple) or sorted(map(str, deck)) != sorted(DECK):
        raise BadDeal(f"the deck of seat {seat} is not the {len(DECK)} cards of rank 3, 4 and 5, each once.")
    return tuple(Card(str(card)) for card in deck)
