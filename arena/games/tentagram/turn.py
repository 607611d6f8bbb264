"""A turn of Tentagram, with answers to the questions that every author of a bot has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from arena.games.tentagram.cards import DECK, LAY, TABLE_CARDS, Action, Card, TableCard, fits
from arena.games.tentagram.knowledge import View
from arena.games.tentagram.state import State
from arena.games.turn import Turn, cached


class TentagramTurn(Turn[View, Action]):
    """Your turn in a game of Tentagram: lay your hand on one of the table cards.

    >>> from arena.games.tentagram import new
    >>> turn = TentagramTurn(new(seats=3, seed="example").view(0))
    >>> turn.hand, turn.fits
    ('ABE', ('AB', 'AE', 'BE'))
    >>> len(turn.legal), len(turn.to_come), turn.cards_left(1)
    (3, 15, 16)
    >>> turn.count("BC", 1)
    0
    """

    @property
    def hand(self) -> Card:
        """The card to be laid."""
        hand = self.view.hand
        if hand is None:
            raise ValueError("all cards are laid")
        return hand

    @property
    def fits(self) -> tuple[TableCard, ...]:
        """The table cards that the hand fits."""
        return self.view.fits

    @property
    def to_come(self) -> tuple[Card, ...]:
        """Your own cards still to be drawn, in no particular order."""
        return self.view.to_come

    def action(self, table: TableCard) -> Action:
        """Return the action of laying the hand on this table card."""
        return LAY[table]

    @cached
    def laid(self) -> Mapping[TableCard, Counter[int]]:
        """For each table card, how many cards each seat has laid on it, fitting or not."""
        piles: dict[TableCard, Counter[int]] = {table: Counter() for table in TABLE_CARDS}
        for event in self.view.history:
            piles[event.table][event.seat] += 1
        return piles

    def count(self, table: TableCard, seat: int) -> int:
        """Return how many cards the seat has laid on the table card; of your own only those that fit."""
        if seat != self.view.seat:
            return self.laid[table][seat]
        return sum(where == table and fits(card, table) for card, where in self.view.own_laid)

    def cards_left(self, seat: int) -> int:
        """Return how many cards the seat has still to lay, including its hand."""
        return len(DECK) - sum(event.seat == seat for event in self.view.history)

    def sample(self) -> State:
        """Return a full state of the game, drawn uniformly from all that agree with what this seat knows.

        With `free` placement that is any deck of the others: cards that fit are not more likely than misfits.
        """
        return State.determinize(self.view, self.rng)
