"""The game of Mantis: its options and how to start it."""

from __future__ import annotations

from arena.errors import BadDeal
from arena.games.base import Game, Json, Option, OptionValue, shuffle
from arena.games.mantis.actions import Action, Event, parse_action
from arena.games.mantis.cards import EDITIONS, Card, Edition
from arena.games.mantis.knowledge import View
from arena.games.mantis.state import State


class Mantis(Game[Action, Event, View]):
    name = "mantis"
    title = "Mantis"
    summary = (
        "Flip a card to score from your own tank or to steal from another, knowing three colours that it may have."
    )
    options = (Option("edition", tuple(OptionValue(edition.name, edition.meaning) for edition in EDITIONS.values())),)

    def seat_range(self, **options: str) -> range:
        return self._edition(options).seats

    def new(self, seats: int, seed: str, **options: str) -> State:
        edition = self._edition(options)
        if seats not in edition.seats:
            self.check_seats(seats, **options)
        return State(edition, seats, shuffle(edition.cards, f"mantis {edition.name} {seed}"))

    def from_deal(self, deal: Json, seats: int, **options: str) -> State:
        self.check_seats(seats, **options)
        edition = self._edition(options)
        return State(edition, seats, read_deck(deal, edition))

    def parse_action(self, text: str) -> Action:
        return parse_action(text)

    def _edition(self, options: dict[str, str]) -> Edition:
        return EDITIONS[self.complete(options)["edition"]]


def read_deck(deal: Json, edition: Edition) -> tuple[Card, ...]:
    """Return the deck of a replay's deal."""
    if not isinstance(deal, list | tuple) or len(deal) != len(edition.cards):
        raise BadDeal(f"the deal is not a list of the {len(edition.cards)} cards of the edition {edition.name!r}.")
    deck: dict[Card, None] = {}
    for notation in deal:
        card = Card.find(str(notation))
        if card is None or card not in edition.cards:
            raise BadDeal(f"{notation!r} is not a card of the edition {edition.name!r}.")
        if card in deck:
            raise BadDeal(f"the card {notation!r} is dealt twice.")
        deck[card] = None
    return tuple(deck)
