"""What a bot is asked: a turn of Mantis or of Tentagram, with answers to the questions that every author has.

A turn knows the view of its seat and nothing else, so it can be made from any state of the engine, without a referee:
`MantisTurn(state.view(seat))`. That is how to try a bot out, or to test it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

from arena.games import mantis, tentagram
from arena.games.mantis import Colour, UnseenCards
from arena.games.tentagram import TABLE_CARDS, Card, TableCard


@dataclass(frozen=True, slots=True)
class Clock:
    """How long the bot may still think."""

    ends: float = float("inf")
    """When the answer is due, on the scale of time.monotonic()."""

    @property
    def seconds_left(self) -> float:
        """Seconds until this turn must be answered; infinite where nothing limits it."""
        return max(0.0, self.ends - time.monotonic())


NO_LIMIT = Clock()


class MantisTurn:
    """It is your turn in a game of Mantis.

    >>> turn = MantisTurn(mantis.new(seats=2, seed="example").view(0))
    >>> turn.legal
    (<Action score>, <Action steal 1>)
    >>> sorted(colour.name for colour in turn.odds)
    ['GREEN', 'ORANGE', 'RED']
    >>> round(sum(turn.odds.values()), 9)
    1.0
    >>> 0 <= turn.chance_of_match(turn.me) <= 1
    True
    """

    def __init__(self, view: mantis.View, clock: Clock = NO_LIMIT, rng: Random | None = None) -> None:
        self.view = view
        """All that this seat may know: tanks, score piles, history, the back of the top card."""
        self.legal = view.legal
        """The actions to choose from: SCORE, steal(seat), or after a pilfer icon pilfer(seat)."""
        self.clock = clock
        self.rng = rng or Random()
        """A source of randomness that the referee seeds, so that the same match can be played again."""

    @classmethod
    def lazy(
        cls, legal: tuple[mantis.Action, ...], view: Callable[[], mantis.View], ends: float, rng: Random
    ) -> MantisTurn:
        """A turn that makes its view and its clock only when they are asked for: many bots look at `legal` alone."""
        turn = _LazyMantisTurn.__new__(_LazyMantisTurn)
        turn.legal = legal
        turn.make_view = view
        turn.ends = ends
        turn.rng = rng
        return turn

    @property
    def me(self) -> int:
        """The own seat."""
        return self.view.seat

    @property
    def others(self) -> list[int]:
        """The other seats, clockwise from the own."""
        return [(self.view.seat + step) % self.view.seats for step in range(1, self.view.seats)]

    @property
    def pilfering(self) -> bool:
        """Whether the decision is whom to pilfer, not what to do with the top card."""
        return self.legal[0].kind == "pilfer"

    def tank(self, seat: int) -> Mapping[Colour, int]:
        """How many cards of each colour the seat has in its tank."""
        return {colour: count for colour, count in zip(Colour, self.view.tanks[seat], strict=True) if count}

    def score_pile(self, seat: int) -> int:
        """How many cards the seat has in its score pile."""
        return self.view.scores[seat]

    @cached_property
    def unseen(self) -> UnseenCards:
        """The cards that were never flipped, the dealt ones with their unknown backs included."""
        return UnseenCards(self.view)

    @cached_property
    def odds(self) -> Mapping[Colour, float]:
        """The exact probability of each of the three colours that the top card can show, given everything seen."""
        return self.unseen.top_odds()

    def chance_of_match(self, seat: int) -> float:
        """The probability that the top card shows a colour that the seat has in its tank."""
        return sum(odds for colour, odds in self.odds.items() if self.view.tanks[seat][colour])

    def sample(self) -> mantis.State:
        """A full state of the game, drawn fairly from all that agree with what this seat knows: play it on at will."""
        return mantis.State.from_view(self.view, self.unseen.draw_deck(self.rng))


class _LazyMantisTurn(MantisTurn):
    make_view: Callable[[], mantis.View]
    ends: float

    @cached_property
    def clock(self) -> Clock:  # type: ignore[override]
        return Clock(self.ends)

    @cached_property
    def view(self) -> mantis.View:  # type: ignore[override]
        return self.make_view()


class TentagramTurn:
    """It is your turn in a game of Tentagram.

    >>> turn = TentagramTurn(tentagram.new(seats=3, seed="example").view(0))
    >>> turn.hand, turn.fits
    ('ABE', ('AB', 'AE', 'BE'))
    >>> len(turn.legal), len(turn.to_come), turn.cards_left(1)
    (10, 15, 16)
    >>> turn.count("BC", 1)
    0
    """

    def __init__(self, view: tentagram.View, clock: Clock = NO_LIMIT, rng: Random | None = None) -> None:
        self.view = view
        """All that this seat may know: its hand, its own cards, and who laid where."""
        self.clock = clock
        self.rng = rng or Random()
        """A source of randomness that the referee seeds, so that the same match can be played again."""

    @property
    def legal(self) -> tuple[tentagram.Action, ...]:
        """The actions to choose from, one for each table card that is allowed."""
        return self.view.legal

    @property
    def me(self) -> int:
        """The own seat."""
        return self.view.seat

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
        """The own cards still to be drawn, in no particular order."""
        return self.view.to_come

    def action(self, table: TableCard) -> tentagram.Action:
        """The action of laying the hand on this table card."""
        return tentagram.LAY[table]

    @cached_property
    def laid(self) -> Mapping[TableCard, Counter[int]]:
        """For each table card, how many cards each seat has laid on it, fitting or not."""
        piles: dict[TableCard, Counter[int]] = {table: Counter() for table in TABLE_CARDS}
        for event in self.view.history:
            piles[event.table][event.seat] += 1
        return piles

    def count(self, table: TableCard, seat: int) -> int:
        """How many cards the seat has laid on the table card. For the own seat only those that fit."""
        if seat != self.view.seat:
            return self.laid[table][seat]
        return sum(where == table and tentagram.fits(card, table) for card, where in self.view.own_laid)

    def cards_left(self, seat: int) -> int:
        """How many cards the seat has still to lay, its hand included."""
        return len(tentagram.DECK) - sum(event.seat == seat for event in self.view.history)

    def sample(self) -> tentagram.State:
        """A full state of the game, drawn fairly from all that agree with what this seat knows: play it on at will."""
        return tentagram.State.determinize(self.view, self.rng)
