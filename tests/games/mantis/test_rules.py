"""One test for each paragraph of the rule book of Mantis (arena/games/mantis/RULES.md), named after it."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from arena.errors import IllegalAction
from arena.games import mantis
from arena.games.mantis import EDITIONS, SCORE, Colour, Flip, Icon, Pilfered, State, pilfer, steal
from arena.games.mantis.state import TURNS, Ending
from tests.games.mantis.positions import find, position, tanks

FILLER = ["R:ROY", "O:ROY", "Y:ROY"]
"""Cards that keep the draw pile from running out."""


# 1.1 Editions


@pytest.mark.parametrize(
    ("edition", "cards", "of_each", "colours", "seats"),
    [("classic", 105, 15, 7, range(2, 7)), ("icons", 105, 15, 7, range(2, 7)), ("grab", 60, 10, 6, range(2, 5))],
)
def test_1_1_editions(edition: str, cards: int, of_each: int, colours: int, seats: range) -> None:
    deck = EDITIONS[edition].cards
    assert len(deck) == cards
    assert Counter(card.colour for card in deck) == dict.fromkeys(list(Colour)[:colours], of_each)
    assert EDITIONS[edition].seats == seats


@pytest.mark.parametrize("edition", EDITIONS)
def test_1_1_every_front_with_every_back_that_has_it_exactly_once(edition: str) -> None:
    deck = EDITIONS[edition].cards
    backs = {card.back for card in deck}
    colours = sorted({card.colour for card in deck})
    assert backs == set(combinations(colours, 3))
    assert sorted((card.colour, card.back) for card in deck) == sorted((c, back) for back in backs for c in back)


def test_1_1_icons_are_on_21_cards_of_the_icons_edition_only() -> None:
    assert sum(card.icon is not None for card in EDITIONS["icons"].cards) == 21
    assert not any(card.icon for name in ("classic", "grab") for card in EDITIONS[name].cards)


# 1.2 Set-up


@pytest.mark.parametrize("edition", EDITIONS)
def test_1_2_set_up_deals_four_cards_to_each_seat_in_turn(edition: str) -> None:
    state = mantis.new(3, "seed", edition)
    for seat in range(3):
        dealt = Counter(card.colour for card in state.deck[4 * seat : 4 * seat + 4])
        assert state.tanks[seat] == [dealt[colour] for colour in Colour]
    assert state.scores == [0, 0, 0]
    assert state.to_move == 0


def test_1_2_set_up_the_next_card_is_the_top_of_the_draw_pile() -> None:
    state = mantis.new(3, "seed")
    assert len(state.pile) == 105 - 12
    assert state.view(0).top == state.deck[12].back
    (event,) = state.apply(SCORE)
    assert isinstance(event, Flip)
    assert event.card is state.deck[12]


# 1.3 A turn


def test_1_3_the_back_of_the_top_card_is_visible_to_everyone() -> None:
    state = position("", "", "", pile=["G:YGP", *FILLER])
    assert [state.view(seat).top for seat in range(3)] == [(Colour.YELLOW, Colour.GREEN, Colour.PURPLE)] * 3


def test_1_3_score_with_a_match_moves_all_of_the_colour_to_the_score_pile() -> None:
    state = position("GGR", "G", "", pile=["G:YGP", *FILLER])
    assert state.apply(SCORE) == (Flip(0, SCORE, find("G:YGP"), 3, None),)
    assert tanks(state) == ["R", "G", ""]
    assert state.scores == [3, 0, 0]


def test_1_3_score_without_a_match_leaves_the_card_in_the_tank() -> None:
    state = position("RR", "G", "", pile=["G:YGP", *FILLER])
    assert state.apply(SCORE) == (Flip(0, SCORE, find("G:YGP"), 0, None),)
    assert tanks(state) == ["RRG", "G", ""]
    assert state.scores == [0, 0, 0]


def test_1_3_steal_with_a_match_moves_all_of_the_colour_to_the_thiefs_tank() -> None:
    state = position("GR", "", "GGY", pile=["G:YGP", *FILLER])
    assert state.apply(steal(2)) == (Flip(0, steal(2), find("G:YGP"), 3, None),)
    assert tanks(state) == ["RGGGG", "", "Y"]
    assert state.scores == [0, 0, 0]


def test_1_3_steal_without_a_match_gives_the_card_to_the_target() -> None:
    state = position("GGG", "", "Y", pile=["G:YGP", *FILLER])
    assert state.apply(steal(2)) == (Flip(0, steal(2), find("G:YGP"), 0, None),)
    assert tanks(state) == ["GGG", "", "YG"]


def test_1_3_the_target_is_any_other_seat_and_there_is_no_pass() -> None:
    state = position("", "", "", "", pile=FILLER, to_move=2)
    assert state.legal() == (SCORE, steal(0), steal(1), steal(3))
    for illegal in (steal(2), steal(4), pilfer(0)):
        with pytest.raises(IllegalAction):
            state.apply(illegal)


def test_1_3_an_empty_tank_is_no_special_case() -> None:
    state = position("", "", "", pile=["G:YGP", "R:ROY", *FILLER])
    state.apply(SCORE)
    state.apply(steal(2))
    assert tanks(state) == ["G", "", "R"]


def test_1_3_the_turn_passes_clockwise() -> None:
    state = position("G", "", "", pile=["G:YGP", "R:ROY", "R:ROG", "R:ROB"])
    turns = []
    for action in (SCORE, steal(0), SCORE):
        turns.append(state.to_move)
        state.apply(action)
    assert [*turns, state.to_move] == [0, 1, 2, 0]


# 1.4 End of the game


@pytest.mark.parametrize(("before", "over"), [(7, False), (8, True)])
def test_1_4_goal_is_ten_cards_in_the_score_pile(before: int, over: bool) -> None:
    state = position("G", "", "", pile=["G:YGP", *FILLER], scores=[before, 0, 0])
    state.apply(SCORE)
    assert (state.to_move is None) == over


def test_1_4_goal_wins_at_once_however_far_it_is_passed() -> None:
    state = position("GGG", "", "", pile=["G:YGP", *FILLER], scores=[9, 9, 9])
    state.apply(SCORE)
    result = state.result()
    assert state.legal() == ()
    assert (result.winners, result.score, result.ending) == ((0,), (13, 9, 9), Ending.GOAL)


@pytest.mark.parametrize(("before", "over"), [(12, False), (13, True)])
def test_1_4_goal_is_fifteen_with_two_seats(before: int, over: bool) -> None:
    state = position("G", "", pile=["G:YGP", *FILLER], scores=[before, 0])
    state.apply(SCORE)
    assert (state.to_move is None) == over


def test_1_4_tanks_do_not_count_towards_the_goal() -> None:
    state = position("", "GGGGGGGGGGG", "", pile=["G:YGP", *FILLER])
    state.apply(steal(1))
    assert state.to_move == 1


def test_1_4_empty_draw_pile_ends_the_game_and_most_in_the_score_pile_wins() -> None:
    state = position("R", "O", "YYYY", pile=["G:YGP"], scores=[3, 5, 4])
    state.apply(SCORE)
    result = state.result()
    assert state.to_move is None
    assert (result.winners, result.placements, result.ending) == ((1,), (3, 1, 2), Ending.EMPTY_DRAW_PILE)


def test_1_4_empty_draw_pile_ties_are_broken_by_the_tank() -> None:
    state = position("R", "OO", "Y", pile=["G:YGP"], scores=[5, 5, 4])
    state.apply(steal(2))
    assert state.result().winners == (1,)
    assert state.result().tank == (1, 2, 2)


def test_1_4_empty_draw_pile_still_tied_seats_share_the_win() -> None:
    state = position("R", "OO", "YY", pile=["G:YGP"], scores=[5, 5, 4])
    state.apply(SCORE)
    assert state.result().winners == (0, 1)
    assert state.result().placements == (1, 1, 3)


def test_1_4_the_goal_reached_with_the_last_card_wins() -> None:
    state = position("G", "OO", "Y", pile=["G:YGP"], scores=[8, 9, 4])
    state.apply(SCORE)
    assert (state.result().winners, state.result().ending) == ((0,), Ending.GOAL)


def test_1_4_two_seats_a_successful_steal_gives_another_turn_as_often_as_it_succeeds() -> None:
    state = position("", "GR", pile=["G:YGP", "R:ROY", "B:GBP", *FILLER])
    state.apply(steal(1))
    assert state.to_move == 0
    state.apply(steal(1))
    assert state.to_move == 0
    state.apply(steal(1))
    assert state.to_move == 1
    assert tanks(state) == ["RRGG", "B"]


@pytest.mark.parametrize("tank", ["G", "R"], ids=["successful", "not successful"])
def test_1_4_two_seats_any_score_ends_the_turn(tank: str) -> None:
    state = position(tank, "", pile=["G:YGP", *FILLER])
    state.apply(SCORE)
    assert state.to_move == 1


def test_1_4_three_seats_a_successful_steal_ends_the_turn() -> None:
    state = position("", "G", "", pile=["G:YGP", *FILLER])
    state.apply(steal(1))
    assert state.to_move == 1


def test_1_4_placements_by_score_pile_then_tank_with_equal_places() -> None:
    state = position("R", "RR", "RR", "R", pile=["G:YGP"], scores=[4, 4, 4, 9])
    state.apply(SCORE)
    assert state.result().placements == (2, 2, 2, 1)
    state = position("", "RR", "RR", "R", pile=["G:YGP"], scores=[4, 4, 4, 9])
    state.apply(SCORE)
    assert state.result().placements == (4, 2, 2, 1)


# 1.5 Icons


def icons_position(top: str, *after: str, scores: list[int] | None = None, target: str = "") -> State:
    """Seat 0 is about to steal from seat 1, who holds the colour of the top card."""
    return position("", target or top[0], "", pile=[top, *after], scores=scores, edition="icons")


AGAIN, PILFER, BANK = "O:ROY+again", "R:ROG+pilfer", "R:RYB+bank"


def test_1_5_where_the_icons_are() -> None:
    cards = {str(card) for card in EDITIONS["icons"].cards if card.icon}
    assert {AGAIN, PILFER, BANK, "R:ROK+again", "K:ROK+again"} & cards == {AGAIN, PILFER, BANK, "R:ROK+again"}
    fronts = Counter((card.colour, card.icon) for card in EDITIONS["icons"].cards if card.icon)
    assert fronts == {(colour, icon): 1 for colour in Colour for icon in Icon}
    backs = Counter(card.back for card in EDITIONS["icons"].cards if card.icon)
    assert set(backs.values()) == {1}


def test_1_5_again_gives_another_full_turn() -> None:
    state = icons_position(AGAIN, *FILLER)
    assert state.apply(steal(1)) == (Flip(0, steal(1), find(AGAIN), 2, Icon.AGAIN),)
    assert state.to_move == 0
    assert state.legal() == (SCORE, steal(1), steal(2))
    state.apply(SCORE)
    assert state.to_move == 1


def test_1_5_bank_sends_the_cards_to_the_score_pile() -> None:
    state = icons_position(BANK, *FILLER, target="RRG")
    (event,) = state.apply(steal(1))
    assert event == Flip(0, steal(1), find(BANK), 3, Icon.BANK)
    assert isinstance(event, Flip)
    assert event.into_score_pile
    assert (state.scores, tanks(state)) == ([3, 0, 0], ["", "G", ""])
    assert state.to_move == 1


def test_1_5_pilfer_is_a_second_decision_among_others_with_a_score_pile() -> None:
    state = icons_position(PILFER, *FILLER, scores=[3, 0, 2])
    assert state.apply(steal(1)) == (Flip(0, steal(1), find(PILFER), 2, Icon.PILFER),)
    assert tanks(state) == ["RR", "", ""]
    assert state.to_move == 0
    assert state.pilfering
    assert state.legal() == (pilfer(2),)
    for illegal in (SCORE, steal(1), pilfer(0), pilfer(1), pilfer(3)):
        with pytest.raises(IllegalAction):
            state.apply(illegal)
    assert state.apply(pilfer(2)) == (Pilfered(0, 2),)
    assert state.scores == [4, 0, 1]
    assert state.to_move == 1


def test_1_5_pilfer_has_no_effect_where_nobody_else_has_a_score_pile() -> None:
    state = icons_position(PILFER, *FILLER, scores=[3, 0, 0])
    assert state.apply(steal(1)) == (Flip(0, steal(1), find(PILFER), 2, None),)
    assert state.to_move == 1
    assert not state.pilfering


@pytest.mark.parametrize("card", [AGAIN, PILFER, BANK])
def test_1_5_icons_are_ignored_with_two_seats(card: str) -> None:
    state = position("", card[0], pile=[card, *FILLER], scores=[1, 1], edition="icons")
    assert state.apply(steal(1)) == (Flip(0, steal(1), find(card), 2, None),)
    assert (tanks(state), state.scores, state.to_move) == ([card[0] * 2, ""], [1, 1], 0)
    assert state.legal() == (SCORE, steal(1))


@pytest.mark.parametrize("card", [AGAIN, PILFER, BANK])
def test_1_5_icons_on_a_card_flipped_to_score_are_ignored(card: str) -> None:
    state = position(card[0], "", "", pile=[card, *FILLER], scores=[1, 1, 1], edition="icons")
    assert state.apply(SCORE) == (Flip(0, SCORE, find(card), 2, None),)
    assert (state.scores, state.to_move, state.pilfering) == ([3, 1, 1], 1, False)


@pytest.mark.parametrize("card", [AGAIN, PILFER, BANK])
def test_1_5_icons_on_a_steal_that_fails_are_ignored(card: str) -> None:
    state = position("", "G", "", pile=[card, *FILLER], scores=[1, 1, 1], edition="icons")
    assert state.apply(steal(1)) == (Flip(0, steal(1), find(card), 0, None),)
    assert (state.scores, state.to_move, state.pilfering) == ([1, 1, 1], 1, False)


def test_1_5_icons_on_cards_taken_along_are_ignored() -> None:
    state = position("", "", "", pile=[BANK, "R:ROY", *FILLER], edition="icons")
    state.apply(steal(1))
    assert tanks(state) == ["", "R", ""]  # seat 1 now holds the card with the icon
    state.turn = TURNS[3][2]
    state.apply(steal(1))
    assert (tanks(state), state.scores) == (["", "", "RR"], [0, 0, 0])


def test_1_5_the_goal_is_checked_after_bank() -> None:
    state = icons_position(BANK, *FILLER, scores=[8, 0, 0])
    state.apply(steal(1))
    assert (state.to_move, state.result().winners) == (None, (0,))


def test_1_5_the_goal_is_checked_after_pilfer() -> None:
    state = icons_position(PILFER, *FILLER, scores=[9, 0, 9])
    state.apply(steal(1))
    assert state.pilfering
    state.apply(pilfer(2))
    assert (state.to_move, state.result().winners, state.scores) == (None, (0,), [10, 0, 8])


def test_1_5_a_pilfer_by_the_last_card_is_still_resolved() -> None:
    state = icons_position(PILFER, scores=[3, 0, 4])
    state.apply(steal(1))
    assert state.legal() == (pilfer(2),)
    state.apply(pilfer(2))
    assert (state.to_move, state.scores, state.result().ending) == (None, [4, 0, 3], Ending.EMPTY_DRAW_PILE)


def test_1_5_an_again_by_the_last_card_has_nothing_to_draw() -> None:
    state = icons_position(AGAIN)
    state.apply(steal(1))
    assert state.to_move is None


def test_1_5_a_bank_by_the_last_card_counts() -> None:
    state = icons_position(BANK, scores=[0, 1, 1])
    state.apply(steal(1))
    assert (state.to_move, state.result().winners, state.scores) == (None, (0,), [2, 1, 1])


# 1.6 What a player may know


def test_1_6_public_are_tanks_score_sizes_draw_pile_size_top_back_and_history() -> None:
    state = mantis.new(4, "seed")
    events = [*state.apply(SCORE), *state.apply(steal(0))]
    view = state.view(3)
    assert view.tanks == tuple(map(tuple, state.tanks))
    assert view.scores == tuple(state.scores)
    assert view.pile == len(state.pile)
    assert view.top == state.pile[-1].back
    assert view.history == tuple(events)
    assert view.dealt == tuple(tuple(card.front for card in state.deck[4 * s : 4 * s + 4]) for s in range(4))


def test_1_6_every_seat_knows_the_same() -> None:
    state = mantis.new(4, "seed", "icons")
    state.apply(SCORE)
    views = {state.view(seat)._replace(seat=0, legal=()) for seat in range(4)}
    assert len(views) == 1
    assert [bool(state.view(seat).legal) for seat in range(4)] == [False, True, False, False]
