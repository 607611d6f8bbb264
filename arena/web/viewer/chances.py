"""The win-probability curve: how often each seat would win from here, if simple players played the game out.

At some of a match's frames the cards that nobody has seen are drawn anew and the game is played to its end, many times;
the share of these playouts that a seat wins is its chance. The players of the playouts are all alike: cheap, sensible,
a little random. They are not the bots of the match, whose strength the curve knows nothing about; it tells how the
cards lie.

The curve of everything that lies (no seat named) knows all cards on the table and in the hands, but not the order of
those still to come. The curve of a seat knows what that seat knows. Shared wins count 1/n; what the seats' chances lack
to 1 is the chance that nobody wins. A seat that has forfeited cannot win. The curve ends at the result of the match.

The work is bounded by how many moves the playouts have, not by a clock, and the random numbers come from the match's
name: the same match has the same curve everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import TypedDict

from arena.games import mantis, tentagram
from arena.games.base import AnyState
from arena.games.mantis import UnseenCards
from arena.games.tentagram import LAY, TABLE_CARDS
from arena.games.tentagram.cards import FITTING_TABLES
from arena.games.tentagram.knowledge import shuffled
from arena.replay import Fault, Playback, Replay

MOVES = {"mantis": 150_000, "tentagram": 80_000}
"""How many moves all playouts of a match may have together: about a second."""
SAMPLES = {"mantis": 40, "tentagram": 24}
"""At how many frames, at most, the chances are worked out; between them the curve is straight."""
MOST_PLAYOUTS = 400
LEAST_PLAYOUTS = 16
DIGITS = 3


class Chances(TypedDict):
    seat: int | None
    """The seat that could have known them; None: they come from everything that lies."""
    steps: list[int]
    """The frames at which the chances were worked out, ascending; the first and the last are among them."""
    shares: list[list[float]]
    """For each of them, the chance of each seat."""


def chances_of(replay: Replay, seat: int | None = None, moves: int | None = None) -> Chances:
    """The curve of a finished match, as the seat could have known it, or for whoever sees everything that lies."""
    game = replay.header.game
    last = len(replay.entries)
    samples = min(last, SAMPLES[game])
    moves_each = (MOVES[game] if moves is None else moves) // max(samples, 1)
    wanted = {number * last // samples for number in range(samples)}
    for step, entry in enumerate(replay.entries):
        if isinstance(entry, Fault):  # a forfeit changes everything at once
            wanted |= {step, step + 1}
    rng = Random(f"chances {replay.header.match}")
    playback = Playback(replay.header)
    steps: list[int] = []
    shares: list[list[float]] = []
    for step, entry in enumerate(replay.entries):
        if step in wanted:
            steps.append(step)
            shares.append(chances_at(playback.state, playback.forfeited, rng, moves_each, seat))
        playback.play(entry)
    winners = playback.state.result(playback.forfeited).winners
    steps.append(last)
    shares.append([round((each in winners) / max(len(winners), 1), DIGITS) for each in range(playback.state.seats)])
    return {"seat": seat, "steps": steps, "shares": shares}


def chances_at(
    state: AnyState, forfeited: Sequence[int], rng: Random, moves: int, seat: int | None = None
) -> list[float]:
    """The chance of each seat, from playouts that have about so many moves together."""
    draw, play = _tools(state, seat, rng)
    wins = [0.0] * state.seats
    playouts = played = 0
    while playouts < LEAST_PLAYOUTS or (played < moves and playouts < MOST_PLAYOUTS):
        drawn = draw()
        played += play(drawn, rng)
        playouts += 1
        winners = drawn.result(forfeited).winners
        for winner in winners:
            wins[winner] += 1 / len(winners)
    return [round(won / playouts, DIGITS) for won in wins]


def _tools(
    state: AnyState, seat: int | None, rng: Random
) -> tuple[Callable[[], AnyState], Callable[[AnyState, Random], int]]:
    """What draws a state with a future that may be, and what plays it to its end and counts the moves."""
    if isinstance(state, mantis.State):
        view = state.view(seat or 0)  # all seats know the same
        unseen = UnseenCards(view)
        return lambda: mantis.State.from_view(view, unseen.draw_deck(rng)), _play_mantis
    assert isinstance(state, tentagram.State)
    if seat is None:
        return lambda: _with_other_cards_to_come(state, rng), _play_tentagram
    known = state.view(seat)
    return lambda: tentagram.State.determinize(known, rng), _play_tentagram


def _with_other_cards_to_come(state: tentagram.State, rng: Random) -> tentagram.State:
    """The same cards on the table and in the hands; those still to come in another order."""
    drawn = state.clone()
    drawn.decks = tuple(
        (*deck[: state.laid_cards(seat) + 1], *shuffled(deck[state.laid_cards(seat) + 1 :], rng))
        for seat, deck in enumerate(state.decks)
    )
    return drawn


# Mantis: each colour that the top card may show adds what it would bring, by how many cards of it lie in the tank.

TANK_CARD = 0.35
"""What a card in a tank is worth, where one in the score pile is worth 1."""
LUCK = 0.08
"""How often a player does anything at all, because they are not all alike."""
GOAL = 12.0
"""To reach the goal is worth more than any cards."""
MOST_CARDS = 16
OF_SCORE = [TANK_CARD] + [1 + cards * (1 - TANK_CARD) for cards in range(1, MOST_CARDS)]
OF_STEAL = [-TANK_CARD / 2] + [(1 + 1.4 * cards) * TANK_CARD for cards in range(1, MOST_CARDS)]


def _play_mantis(state: AnyState, rng: Random) -> int:
    assert isinstance(state, mantis.State)
    random = rng.random
    tanks, scores, pile, goal = state.tanks, state.scores, state.pile, state.goal
    moves = 0
    while legal := state.turn.legal:
        moves += 1
        if not state.turn.tank_of:
            state.apply(max(legal, key=lambda action: scores[action.target or 0]))
            continue
        if random() < LUCK:
            state.apply(legal[int(random() * len(legal))])
            continue
        one, two, three = pile[-1].back
        missing = goal - 1 - scores[state.turn.seat]
        best, chosen = -1.0, legal[0]
        for action, owner in state.turn.tank_of.items():
            tank = tanks[owner]
            if action is mantis.SCORE:
                worth = OF_SCORE[tank[one]] + OF_SCORE[tank[two]] + OF_SCORE[tank[three]]
                worth += GOAL * ((tank[one] >= missing) + (tank[two] >= missing) + (tank[three] >= missing))
            else:
                worth = OF_STEAL[tank[one]] + OF_STEAL[tank[two]] + OF_STEAL[tank[three]]
            worth += TANK_CARD * random()
            if worth > best:
                best, chosen = worth, action
        state.apply(chosen)
    return moves


# Tentagram: a card goes where it fits, best to take or keep the lead in a big pile, else to the own cards.

OWN_CARD = 0.4
"""What an own card in a pile adds to it, to keep them together."""
TIE = 0.4
"""What a pile counts for whose lead is shared by the card, where it counts 1 if the card takes the lead."""


def _play_tentagram(state: AnyState, rng: Random) -> int:
    assert isinstance(state, tentagram.State)
    random = rng.random
    counts = {table: [0] * state.seats for table in TABLE_CARDS}
    for laid in state.history:
        counts[laid.table][laid.seat] += 1
    moves = 0
    while (seat := state.to_move) is not None:
        moves += 1
        best, chosen = -1.0, TABLE_CARDS[0]
        for table in FITTING_TABLES[state.decks[seat][state.round]]:
            pile = counts[table]
            own = pile[seat]
            most = max(pile)
            worth = OWN_CARD * own + 2 * random()
            if own + 1 > most:
                worth += sum(pile)
            elif own + 1 == most:
                worth += TIE * sum(pile)
            if worth > best:
                best, chosen = worth, table
        counts[chosen][seat] += 1
        state.apply(LAY[chosen])
    return moves
