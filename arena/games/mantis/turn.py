"""A turn of Mantis, with answers to the questions that every author of a bot has."""

from __future__ import annotations

from collections.abc import Mapping

from arena.games.mantis.cards import Action, Colour
from arena.games.mantis.knowledge import UnseenCards, View, chance_of_match
from arena.games.mantis.state import State
from arena.games.turn import Turn, cached


class MantisTurn(Turn[View, Action]):
    """Your turn in a game of Mantis: SCORE, steal(seat), or after a pilfer icon pilfer(seat).

    >>> from arena.games.mantis import new
    >>> turn = MantisTurn(new(seats=2, seed="example").view(0))
    >>> turn.legal
    (<Action score>, <Action steal 1>)
    >>> sorted(colour.name for colour in turn.odds)
    ['GREEN', 'ORANGE', 'RED']
    >>> round(sum(turn.odds.values()), 9)
    1.0
    >>> 0 <= turn.chance_of_match(turn.me) <= 1
    True
    """

    @cached
    def others(self) -> list[int]:
        """The other seats, clockwise from your own."""
        return [(self.view.seat + step) % self.view.seats for step in range(1, self.view.seats)]

    @property
    def pilfering(self) -> bool:
        """Whether the decision is whom to pilfer, not what to do with the top card."""
        return self.legal[0].kind == "pilfer"

    def tank(self, seat: int) -> Mapping[Colour, int]:
        """Return how many cards of each colour the seat has in its tank."""
        return {colour: count for colour, count in zip(Colour, self.view.tanks[seat], strict=True) if count}

    def score_pile(self, seat: int) -> int:
        """Return the number of cards in the seat's score pile."""
        return self.view.scores[seat]

    @cached
    def unseen(self) -> UnseenCards:
        """The cards that were never flipped, including the dealt ones, whose backs are unknown."""
        return UnseenCards(self.view)

    @cached
    def odds(self) -> Mapping[Colour, float]:
        """The exact probability of each of the three colours that the top card can show, given everything seen."""
        return self.unseen.top_odds()

    def chance_of_match(self, seat: int) -> float:
        """Return the probability that the top card shows a colour that the seat has in its tank."""
        return chance_of_match(self.odds, self.view.tanks[seat])

    def sample(self) -> State:
        """Return a full state of the game, drawn uniformly from all that agree with what this seat knows."""
        return State.from_view(self.view, self.unseen.draw_deck(self.rng))
