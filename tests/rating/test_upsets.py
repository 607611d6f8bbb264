"""The matches that surprised."""

from __future__ import annotations

from random import Random

from arena.rating.standings import Standings
from arena.rating.trueskill import Rating, Scale, chance_to_win
from arena.rating.upsets import MAX_UPSETS, Upset, Upsets
from arena.records import SeatRecord

STRONG, MIDDLING, WEAK = Rating(30.0, 1.0), Rating(25.0, 1.0), Rating(20.0, 1.0)


def table(*won: float) -> list[SeatRecord]:
    return [SeatRecord(number, 1 if won else 2, won, 1.0, 1, None, None) for number, won in enumerate(won, start=1)]


def test_who_wins_against_a_favourite_has_surprised_and_so_has_the_favourite() -> None:
    upsets = Upsets()
    assert upsets.note(table(0, 0, 1), [STRONG, MIDDLING, WEAK], "m") == [(3, True), (1, False)]
    chances = [chance_to_win([STRONG, MIDDLING, WEAK], player) for player in range(3)]
    assert upsets.wins == {3: [Upset(chances[2], "m")]}
    assert upsets.losses == {1: [Upset(chances[0], "m")]}
    upsets.note(table(0, 1, 0), [STRONG, MIDDLING, WEAK], "n")
    assert upsets.greatest(9) == [(3, Upset(chances[2], "m")), (2, Upset(chances[1], "n"))]
    assert upsets.greatest(1) == [(3, Upset(chances[2], "m"))]


def test_a_shared_win_surprises_for_each_winner() -> None:
    upsets = Upsets()
    assert upsets.note(table(0, 0.5, 0.5), [STRONG, MIDDLING, WEAK], "m") == [(2, True), (3, True), (1, False)]


def test_there_is_no_surprise_when_a_favourite_wins_or_nobody_does() -> None:
    upsets = Upsets()
    assert upsets.note(table(1, 0, 0), [STRONG, MIDDLING, WEAK], "m") == []
    assert upsets.note(table(0.5, 0, 0.5), [STRONG, MIDDLING, WEAK], "m") == []
    assert upsets.note(table(0, 0, 0), [STRONG, MIDDLING, WEAK], "m") == []
    assert upsets.note(table(0, 1, 0), [Rating(), Rating(), WEAK], "m") == []  # two are favourites
    assert (upsets.wins, upsets.losses) == ({}, {})


def test_those_that_are_kept_are_the_most_surprising_of_all() -> None:
    """The bounds that save work must not leave one out."""
    rng = Random("upsets")
    for seats in (2, 3, 4, 6):
        upsets = Upsets()
        wins: list[Upset] = []
        losses: list[Upset] = []
        for number in range(400):
            ratings = [Rating(rng.gauss(25, 4), rng.uniform(0.5, 8)) for _ in range(seats)]
            winner = rng.randrange(seats)
            favourite = max(range(seats), key=lambda player: ratings[player].mu)
            upsets.note(
                # Whoever wins is number 1, and the favourite number 2.
                [
                    SeatRecord(1 if player == winner else 2, 1, float(player == winner), 1.0, 1, None, None)
                    for player in range(seats)
                ],
                ratings,
                str(number),
            )
            if winner != favourite:
                wins.append(Upset(chance_to_win(ratings, winner), str(number)))
                losses.append(Upset(chance_to_win(ratings, favourite), str(number)))
        assert upsets.wins[1] == sorted(wins, key=lambda surprise: surprise.chance)[:MAX_UPSETS]
        assert upsets.losses[2] == sorted(losses, key=lambda surprise: -surprise.chance)[:MAX_UPSETS]


def test_of_two_that_are_alike_the_earlier_is_kept() -> None:
    upsets = Upsets()
    for number in range(MAX_UPSETS + 3):
        upsets.note(table(0, 1), [STRONG, WEAK], str(number))
    assert [surprise.match for surprise in upsets.wins[2]] == [str(number) for number in range(MAX_UPSETS)]
    assert [surprise.match for surprise in upsets.losses[1]] == [str(number) for number in range(MAX_UPSETS)]


def test_the_chances_are_those_of_just_before_the_match() -> None:
    scale = Scale(0.05)
    standings = Standings(scale)
    standings.fold(table(1, 0), "first")
    assert not standings.take_changes().upsets
    before = [standings.rating(1), standings.rating(2)]
    standings.fold(table(0, 1), "second")
    assert standings.take_changes().upsets == {(2, True), (1, False)}
    assert standings.upsets.wins[2] == [Upset(chance_to_win(before, 1), "second")]
