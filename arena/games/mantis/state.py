"""The game of Mantis: set-up, turns, icons, end (RULES 1.2 to 1.5), and how to start it.

A tank is a list of counts indexed by colour. Score piles are face down, so only their sizes are kept. The draw pile is
a list with the top card last. The deck, whole and in order, is shared by all clones.

`apply` decides the speed of self-play and search: it handles the common steps in place and calls the rarer ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from random import Random
from typing import ClassVar, Self

from arena.errors import BadDeal, IllegalAction, choices
from arena.games import base
from arena.games.base import Json, Options, rank, shuffle
from arena.games.mantis.cards import (
    EDITIONS,
    PILFERS,
    SCORE,
    Action,
    Card,
    Colour,
    Edition,
    Event,
    Flip,
    Front,
    Icon,
    Pilfered,
    steal,
)
from arena.games.mantis.knowledge import UnseenCards, View

TANK_AT_SET_UP = 4
GOAL = 10
GOAL_OF_TWO_SEATS = 15


class Ending(base.Ending):
    GOAL = "a score pile reached the goal"
    GOAL_OF_FORFEITER = "the house reached the goal for a seat that had forfeited"
    EMPTY_DRAW_PILE = "the draw pile ran out before anybody reached the goal"
    ALL_FORFEITED = "every seat forfeited"


@dataclass(frozen=True, slots=True)
class Result(base.Result):
    score: tuple[int, ...]
    """Cards in the score pile, per seat."""
    tank: tuple[int, ...]
    """Cards in the tank, per seat."""

    def details(self) -> dict[str, Json]:
        return {"score": self.score, "tank": self.tank}


class PendingTurn:
    """Who decides next, and between which actions. Made once per seat, except for pilfer decisions."""

    __slots__ = ("after", "after_steal", "legal", "seat", "tank_of")

    def __init__(self, seat: int, legal: tuple[Action, ...], tank_of: Mapping[Action, int]) -> None:
        self.seat = seat
        self.legal = legal
        self.tank_of = tank_of
        """For each action that flips the top card, the seat whose tank it is flipped into."""
        self.after = self
        """The turn after this one: the next seat's, clockwise."""
        self.after_steal = self
        """The turn after a successful steal."""


def ordinary_turns(seats: int) -> tuple[PendingTurn, ...]:
    """Return each seat's turn: score, or steal from any other seat. There is no pass (RULES 1.3)."""
    turns = []
    for seat in range(seats):
        tank_of = {SCORE: seat} | {steal(other): other for other in range(seats) if other != seat}
        turns.append(PendingTurn(seat, tuple(tank_of), tank_of))
    for turn, next_turn in zip(turns, turns[1:] + turns[:1], strict=True):
        turn.after = next_turn
        # With two seats a successful steal gives the thief another full turn (RULES 1.4).
        turn.after_steal = turn if seats == 2 else next_turn
    return tuple(turns)


TURNS = {seats: ordinary_turns(seats) for seats in range(2, 7)}
GAME_OVER = PendingTurn(-1, (), {})

# Looked up once: on the hot path Icon.BANK and len(Colour) are Python-level calls, and so is Flip(...), which
# new_event(Flip, (...)) replaces.
AGAIN, PILFER, BANK = Icon
COLOURS = len(Colour)
new_event = tuple.__new__


class State(base.State[Action, Event, View]):
    __slots__ = ("_dealt", "deck", "edition", "goal", "history", "pile", "scores", "seats", "tanks", "turn")

    def __init__(self, edition: Edition, seats: int, deck: tuple[Card, ...]) -> None:
        """Deal four cards face up to each seat in turn; the rest is the draw pile (RULES 1.2)."""
        self.edition = edition
        self.seats = seats
        self.goal = GOAL_OF_TWO_SEATS if seats == 2 else GOAL
        self.deck = deck
        cards = iter(deck)
        self.tanks: list[list[int]] = []
        for _ in range(seats):
            tank = [0] * COLOURS
            for card in islice(cards, TANK_AT_SET_UP):
                tank[card.colour] += 1
            self.tanks.append(tank)
        self.pile = list(cards)
        self.pile.reverse()
        self.scores = [0] * seats
        self.history: list[Event] = []
        self.turn = TURNS[seats][0]
        self._dealt: tuple[tuple[Front, ...], ...] | None = None

    @property
    def to_move(self) -> int | None:
        return self.turn.seat if self.turn.legal else None

    @property
    def pilfering(self) -> bool:
        """Whether the seat on turn must choose whom to pilfer."""
        return bool(self.turn.legal) and not self.turn.tank_of

    def legal(self) -> tuple[Action, ...]:
        return self.turn.legal

    def apply(self, action: Action) -> tuple[Event, ...]:
        turn = self.turn
        owner = turn.tank_of.get(action)
        if owner is None:
            return self._pilfer(action)
        seat = turn.seat
        card = self.pile.pop()
        colour = card.colour
        tank = self.tanks[owner]
        moved = tank[colour]
        icon = None
        if not moved:  # the card stays in the tank it was flipped into
            tank[colour] = 1
            turn = turn.after
        else:
            moved += 1
            tank[colour] = 0
            if owner == seat:
                turn = self._score(seat, moved)
            elif card.icon is None or self.seats == 2:
                self.tanks[seat][colour] += moved
                turn = turn.after_steal
            else:
                icon, turn = self._steal_by_icon(seat, card, moved)
        if not self.pile and icon is not PILFER:  # a pilfer is still resolved (RULES 1.5)
            turn = GAME_OVER
        self.turn = turn
        event = new_event(Flip, (seat, action, card, moved, icon))
        self.history.append(event)
        return (event,)

    def _score(self, seat: int, moved: int) -> PendingTurn:
        """Move the cards to the seat's score pile, which may reach the goal (RULES 1.3, 1.4). Return the next turn."""
        self.scores[seat] += moved
        return GAME_OVER if self.scores[seat] >= self.goal else TURNS[self.seats][seat].after

    def _steal_by_icon(self, thief: int, card: Card, moved: int) -> tuple[Icon | None, PendingTurn]:
        """Resolve a steal by a card with an icon (RULES 1.5). Return the icon, if it took effect, and the next turn."""
        icon = card.icon
        if icon is BANK:
            return BANK, self._score(thief, moved)
        self.tanks[thief][card.colour] += moved
        own_turn = TURNS[self.seats][thief]
        if icon is AGAIN:
            return AGAIN, own_turn
        if targets := self._pilfer_targets(thief):
            return PILFER, PendingTurn(thief, targets, {})
        return None, own_turn.after

    def _pilfer_targets(self, thief: int) -> tuple[Action, ...]:
        """Return a pilfer from every other seat with a non-empty score pile."""
        return tuple([PILFERS[seat] for seat, score in enumerate(self.scores) if score and seat != thief])

    def _pilfer(self, action: Action) -> tuple[Event, ...]:
        """Move one card from the target's score pile to the thief's (RULES 1.5)."""
        thief, target = self.turn.seat, action.target
        if action not in self.turn.legal or target is None:
            raise self._illegal(action)
        self.scores[target] -= 1
        turn = self._score(thief, 1)
        self.turn = turn if self.pile else GAME_OVER
        event = Pilfered(thief, target)
        self.history.append(event)
        return (event,)

    def _illegal(self, action: Action) -> IllegalAction:
        seat, target = self.to_move, action.target
        if seat is None:
            return IllegalAction(f"'{action}' is not legal: the game is over.")
        if self.pilfering and action.kind != "pilfer":
            reason = "must now say whom it pilfers"
        elif not self.pilfering and action.kind == "pilfer":
            reason = "has nothing to pilfer now"
        elif target == seat:
            reason = f"cannot {action.kind} from itself"
        elif target is not None and target >= self.seats:
            reason = f"cannot {action.kind} from seat {target}, which is not at the table"
        else:
            reason = f"cannot pilfer seat {target}, whose score pile is empty"
        legal = choices(f"'{action}'" for action in self.legal())
        return IllegalAction(f"'{action}' is not legal: seat {seat} {reason}; it may play {legal}.")

    def view(self, seat: int) -> View:
        return View(
            seat=seat,
            seats=self.seats,
            edition=self.edition.name,
            goal=self.goal,
            to_move=self.to_move,
            legal=self.turn.legal if seat == self.turn.seat else (),
            tanks=tuple(map(tuple, self.tanks)),
            scores=tuple(self.scores),
            pile=len(self.pile),
            top=self.pile[-1].back if self.pile else None,
            dealt=self.dealt,
            history=tuple(self.history),
        )

    @property
    def dealt(self) -> tuple[tuple[Front, ...], ...]:
        """Per seat, the fronts of the cards it was dealt at set-up."""
        if self._dealt is None:
            fronts = iter([card.front for card in self.deck])
            self._dealt = tuple(tuple(islice(fronts, TANK_AT_SET_UP)) for _ in range(self.seats))
        return self._dealt

    def clone(self) -> Self:
        copy = self.__class__.__new__(self.__class__)
        copy.edition = self.edition
        copy.seats = self.seats
        copy.goal = self.goal
        copy.deck = self.deck
        copy.tanks = [tank.copy() for tank in self.tanks]
        copy.pile = self.pile.copy()
        copy.scores = self.scores.copy()
        copy.history = self.history.copy()
        copy.turn = self.turn
        copy._dealt = self._dealt
        return copy

    @classmethod
    def determinize(cls, view: View, rng: Random) -> Self:
        return cls.from_view(view, UnseenCards(view).draw_deck(rng))

    @classmethod
    def from_view(cls, view: View, deck: tuple[Card, ...]) -> Self:
        """Return the state of the view with this deck, which must agree with it."""
        state = cls(EDITIONS[view.edition], view.seats, deck)
        del state.pile[view.pile :]
        state.tanks = [list(tank) for tank in view.tanks]
        state.scores = list(view.scores)
        state.history = list(view.history)
        state.turn = state._turn_of(view.to_move)
        state._dealt = view.dealt
        return state

    def _turn_of(self, seat: int | None) -> PendingTurn:
        """Return the decision of the seat on turn, from the last event."""
        if seat is None:
            return GAME_OVER
        last = self.history[-1] if self.history else None
        if isinstance(last, Flip) and last.icon is PILFER:
            return PendingTurn(seat, self._pilfer_targets(seat), {})
        return TURNS[self.seats][seat]

    def result(self, forfeited: Sequence[int] = ()) -> Result:
        """Rank by cards in the score pile, then in the tank; equal on both is an equal place (RULES 1.4).

        A seat that reached the goal has more cards in its score pile than any other, so this order puts it first.
        """
        score = tuple(self.scores)
        tank = tuple(map(sum, self.tanks))
        placements = rank(list(zip(score, tank, strict=True)), forfeited)
        winners = tuple(seat for seat in range(self.seats) if placements[seat] == 1 and seat not in forfeited)
        return Result(placements, winners, self._ending(forfeited), score, tank)

    def _ending(self, forfeited: Sequence[int]) -> Ending:
        if self.turn.legal:
            return Ending.ALL_FORFEITED
        if max(self.scores) < self.goal:
            return Ending.EMPTY_DRAW_PILE
        return Ending.GOAL_OF_FORFEITER if self.scores.index(max(self.scores)) in forfeited else Ending.GOAL

    def deal(self) -> Json:
        return [card.notation for card in self.deck]


class Mantis(base.Game[Action, Event, View]):
    name = "mantis"
    title = "Mantis"
    summary = (
        "Flip a card to score from your own tank or to steal from another, knowing three colours that it may have."
    )
    options: ClassVar[Options] = {"edition": {name: edition.meaning for name, edition in EDITIONS.items()}}
    action_type = Action
    notation = "write 'score', 'steal N' or 'pilfer N', where N is the number of a seat"

    def seats_with(self, options: Mapping[str, str]) -> range:
        return EDITIONS[options["edition"]].seats

    def new(self, seats: int, seed: str, **options: str) -> State:
        edition = EDITIONS[self.check_seats(seats, **options)["edition"]]
        return State(edition, seats, shuffled_deck(edition.name, seed))

    def from_deal(self, deal: Json, seats: int, **options: str) -> State:
        edition = EDITIONS[self.check_seats(seats, **options)["edition"]]
        return State(edition, seats, read_deck(deal, edition))


@lru_cache(maxsize=1024)  # all rotations of a block have the same deal
def shuffled_deck(edition: str, seed: str) -> tuple[Card, ...]:
    return shuffle(EDITIONS[edition].cards, f"mantis {edition} {seed}")


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
