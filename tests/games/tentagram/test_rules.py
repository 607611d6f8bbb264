"""One test for each paragraph of the rule book of Tentagram (arena/games/tentagram/RULES.md), named after it."""

from __future__ import annotations

import pytest

from arena.errors import BadSeatCount, IllegalAction
from arena.games import tentagram
from arena.games.tentagram import DECK, TABLE_CARDS, TENTAGRAM, Card, Ending, Laid, LaidCard, Revealed, State, TableCard
from arena.games.tentagram.cards import LAY
from arena.games.tentagram.scoring import highest_unshared, placements, score_pile


def pile(table: str, *cards: str) -> tentagram.Pile:
    """A scored pile: `pile("AB", "0:ABC", "1:CDE")`."""
    laid = [LaidCard(int(seat), Card(card)) for seat, card in (text.split(":") for text in cards)]
    return score_pile(TableCard(table), laid)


def lay(state: State, *tables: str) -> None:
    for table in tables:
        state.apply(LAY[TableCard(table)])


# 2.1 Cards and set-up


def test_2_1_the_ten_table_cards() -> None:
    assert TABLE_CARDS == ("AB", "AC", "AD", "AE", "BC", "BD", "BE", "CD", "CE", "DE")


def test_2_1_each_deck_has_every_card_of_rank_3_4_and_5_once() -> None:
    assert sorted(map(len, DECK)) == [3] * 10 + [4] * 5 + [5]
    assert len({frozenset(card) for card in DECK}) == 16
    state = tentagram.new(5, "seed")
    assert [sorted(deck) for deck in state.decks] == [sorted(DECK)] * 5


def test_2_1_decks_are_shuffled_each_by_itself() -> None:
    assert len(set(tentagram.new(16, "seed").decks)) == 16


@pytest.mark.parametrize("seats", [2, 17, 0, -1])
def test_2_1_three_to_sixteen_seats(seats: int) -> None:
    assert TENTAGRAM.seat_range() == range(3, 17)
    with pytest.raises(BadSeatCount, match="3 to 16"):
        tentagram.new(seats, "seed")


def test_2_1_every_seat_draws_its_top_card_as_its_hand() -> None:
    state = tentagram.new(4, "seed")
    assert [state.view(seat).hand for seat in range(4)] == [deck[0] for deck in state.decks]


# 2.2 A turn


def test_2_2_the_hand_is_laid_and_the_next_card_drawn() -> None:
    state = tentagram.new(3, "seed", "free")
    assert state.apply(LAY[TableCard("CE")]) == (Laid(0, TableCard("CE")),)
    view = state.view(0)
    assert view.own_laid == ((state.decks[0][0], "CE"),)
    assert view.hand == state.decks[0][1]


def test_2_2_clockwise_until_all_cards_lie() -> None:
    state = tentagram.new(3, "seed", "free")
    seats = []
    while (seat := state.to_move) is not None:
        seats.append(seat)
        lay(state, "AB")
    assert seats == [0, 1, 2] * 16


@pytest.mark.parametrize(("rank", "places"), [(3, 3), (4, 6), (5, 10)])
def test_2_2_a_placement_fits_if_both_symbols_are_on_the_card(rank: int, places: int) -> None:
    for card in DECK:
        if len(card) == rank:
            fitting = [table for table in TABLE_CARDS if table[0] in card and table[1] in card]
            assert [table for table in TABLE_CARDS if tentagram.fits(card, table)] == fitting
            assert len(fitting) == places


def test_2_2_free_placement_accepts_any_of_the_ten() -> None:
    state = tentagram.new(3, "seed", "free")
    for seat in range(3):
        assert [str(action) for action in state.legal()] == list(TABLE_CARDS)
        misfit = next(table for table in TABLE_CARDS if not tentagram.fits(state.decks[seat][0], table))
        lay(state, misfit)


def test_2_2_strict_placement_makes_a_misfit_illegal() -> None:
    state = tentagram.new(3, "seed", "strict")
    hand = state.decks[0][0]
    assert [str(action) for action in state.legal()] == [t for t in TABLE_CARDS if tentagram.fits(hand, t)]
    misfit = next(table for table in TABLE_CARDS if not tentagram.fits(hand, table))
    with pytest.raises(IllegalAction, match=f"must lay {hand} where it fits"):
        lay(state, misfit)
    assert state.history == []


def test_2_2_strict_placement_is_the_default() -> None:
    assert TENTAGRAM.complete({}) == {"placement": "strict"}
    assert tentagram.new(3, "seed").strict


@pytest.mark.parametrize("placement", ["free", "strict"])
def test_2_2_each_observation_marks_which_placements_fit(placement: str) -> None:
    state = tentagram.new(3, "seed", placement)
    for seat in range(3):
        hand = state.decks[seat][0]
        assert state.view(seat).fits == tuple(table for table in TABLE_CARDS if tentagram.fits(hand, table))


# 2.3 Scoring, pile by pile


def test_2_3_check_sets_misfits_aside() -> None:
    scored = pile("AB", "0:ABC", "1:ACD", "1:ABDE", "2:CDE")
    assert [laid.card for laid in scored.counted] == ["ABC", "ABDE"]
    assert [laid.card for laid in scored.set_aside] == ["ACD", "CDE"]


def test_2_3_count_most_cards_win_the_pile() -> None:
    scored = pile("AB", "0:ABC", "1:ABD", "1:ABE")
    assert (scored.winner, scored.taken) == (1, 3)


def test_2_3_count_misfits_do_not_count() -> None:
    scored = pile("AB", "0:ABC", "0:ABD", "1:ABE", "1:CDE", "1:ACD")
    assert scored.winner == 0


def test_2_3_count_a_shared_count_is_out_and_the_next_lower_one_decides() -> None:
    scored = pile("AB", "0:ABC", "0:ABD", "1:ABC", "1:ABD", "2:ABE")
    assert (scored.winner, scored.taken) == (2, 5)
    scored = pile("AB", "0:ABC", "0:ABD", "1:ABC", "1:ABD", "2:ABE", "3:ABE", "4:ABCDE")
    assert (scored.winner, scored.taken) == (None, 0)


def test_2_3_count_a_colour_with_no_counted_card_cannot_win() -> None:
    scored = pile("AB", "0:ABC", "1:ABC", "2:CDE")
    assert (scored.winner, scored.taken) == (None, 0)
    assert pile("AB", "2:CDE").winner is None
    assert pile("AB").winner is None


def test_2_3_award_all_counted_cards_and_the_misfits_of_others() -> None:
    scored = pile("AB", "0:ABC", "0:ABD", "0:CDE", "1:ABE", "1:ACD", "2:BCD")
    assert (scored.winner, scored.taken) == (0, 5)


def test_2_3_award_the_winners_own_misfits_go_to_nobody() -> None:
    scored = pile("AB", "0:ABC", "0:CDE", "0:ACD")
    assert (scored.winner, scored.taken) == (0, 1)


# 2.4 End of the game


@pytest.mark.parametrize(
    ("cards", "winner", "places"),
    [
        ((20, 10, 5), 0, (1, 2, 3)),
        ((20, 20, 8), 2, (2, 2, 1)),
        ((16, 16, 8, 8), None, (1, 1, 3, 3)),
        ((20, 20, 8, 5), 2, (2, 2, 1, 4)),
        ((9, 4, 9, 4, 1), 4, (2, 4, 2, 4, 1)),
        ((10, 10, 0), None, (1, 1, 3)),
        ((0, 0, 0), None, (1, 1, 1)),
        ((5, 0, 0), 0, (1, 2, 2)),
    ],
)
def test_2_4_the_highest_unshared_count_wins(
    cards: tuple[int, ...], winner: int | None, places: tuple[int, ...]
) -> None:
    assert placements(cards) == (winner, places)


def test_2_4_a_seat_that_won_no_cards_cannot_win() -> None:
    assert highest_unshared({0: 7, 1: 7, 2: 0}) is None


def test_2_4_each_seat_counts_the_cards_it_won() -> None:
    """Seat 0 lays all on AB, seat 1 on CD, seat 2 on DE: each pile has one colour, and its 7 fitting cards count."""
    state = tentagram.new(3, "seed", "free")
    while state.to_move is not None:
        lay(state, ("AB", "CD", "DE")[state.to_move])
    result = state.result()
    assert result.cards == (7, 7, 7)
    assert (result.winners, result.placements, result.ending) == ((), (1, 1, 1), Ending.NOBODY)
    assert {pile.table: pile.winner for pile in result.piles if pile.winner is not None} == {"AB": 0, "CD": 1, "DE": 2}


def test_2_4_most_cards_win() -> None:
    state = tentagram.new(3, "seed", "free")
    while state.to_move is not None:
        lay(state, ("AB", "CD", "AB")[state.to_move])
    assert state.result().winners == (1,)
    assert state.result().ending is Ending.MOST_CARDS


def test_2_4_a_shared_top_count_is_out() -> None:
    """Seats 0 and 1 get 8 cards each, seats 2 and 3 cancel each other on BE: what is left is seat 2's card on BC."""
    state = tentagram.new(4, "seed", "free")
    exceptions = {(2, "ABCDE"): "BC", (3, "ABCDE"): "AB", (3, "BCD"): "CD"}
    while (seat := state.to_move) is not None:
        lay(state, exceptions.get((seat, state.decks[seat][state.round]), ("AB", "CD", "BE", "BE")[seat]))
    result = state.result()
    assert result.cards == (8, 8, 1, 0)
    assert (result.winners, result.placements) == ((2,), (2, 2, 1, 4))
    assert result.ending is Ending.TOP_SHARED


# 2.5 What a player may know


def test_2_5_public_is_who_laid_on_which_table_card() -> None:
    state = tentagram.new(3, "seed", "free")
    lay(state, "AB", "CD", "AB", "DE")
    expected = ((0, "AB"), (1, "CD"), (2, "AB"), (0, "DE"))
    assert [state.view(seat).history for seat in range(3)] == [expected] * 3


def test_2_5_private_are_the_hand_the_own_cards_laid_and_the_set_of_those_to_come() -> None:
    state = tentagram.new(3, "seed", "free")
    lay(state, "AB", "CD", "AB", "DE")
    deck = state.decks[0]
    view = state.view(0)
    assert view.own_laid == ((deck[0], "AB"), (deck[1], "DE"))
    assert view.hand == deck[2]
    assert set(view.to_come) == set(deck[3:])
    assert list(view.to_come) == [card for card in DECK if card in deck[3:]]


def test_2_5_after_scoring_everything_is_shown() -> None:
    state = tentagram.new(3, "seed", "free")
    while state.to_move is not None:
        assert state.view(0).revealed is None
        events = state.apply(state.legal()[0])
    assert events == (Laid(2, TableCard("AB")), Revealed(state.decks))
    assert state.view(1).revealed == state.decks
    assert state.view(1).hand is None
