"""The win-probability curve: shares of playouts, the same every time, that end where the match did."""

from __future__ import annotations

import json
from random import Random

import pytest

from arena.games import mantis, tentagram
from arena.games.registry import profile_of
from arena.replay import Decision, Fault, Replay
from arena.web.viewer.chances import chances_at, chances_of
from tests.support.films import match_with_faults, random_match, variant

NAMES = ["mantis-classic-2", "mantis-icons-6", "tentagram-free-3", "tentagram-strict-4"]
MOVES = 3_000


@pytest.mark.parametrize("name", NAMES)
def test_shares_of_one_that_end_at_the_result(name: str) -> None:
    seat = None if name in NAMES[1::2] else 1
    replay = random_match(variant(name))
    chances = chances_of(replay, seat, MOVES)
    assert chances["steps"][0] == 0
    assert chances["steps"][-1] == len(replay.entries)
    assert chances["steps"] == sorted(set(chances["steps"]))
    for shares in chances["shares"]:
        assert len(shares) == len(replay.header.seats)
        assert all(0 <= share <= 1 for share in shares)
        assert sum(shares) == pytest.approx(1, abs=0.02) or (sum(shares) < 1 and replay.header.game == "tentagram")
    winners = replay.result["winners"]
    assert isinstance(winners, tuple)
    assert chances["shares"][-1] == [
        pytest.approx((each in winners) / len(winners), abs=1e-3) for each in range(len(replay.header.seats))
    ]
    assert chances == chances_of(replay, seat, MOVES)
    assert len(json.dumps(chances)) < 8_000


def test_whoever_has_forfeited_cannot_win() -> None:
    for name in ("mantis-classic-3", "tentagram-free-3"):
        replay = match_with_faults(name, "1", {7: 1})
        fault = next(step for step, entry in enumerate(replay.entries) if isinstance(entry, Fault))
        chances = chances_of(replay, None, MOVES)
        before = chances["steps"].index(fault)
        assert chances["steps"][before + 1] == fault + 1
        assert chances["shares"][before][1] > 0
        assert {shares[1] for shares in chances["shares"][before + 1 :]} == {0.0}


def test_a_won_position_is_seen_as_won() -> None:
    state = mantis.new(3, "any")
    state.scores = [9, 0, 0]
    state.tanks[0] = [3] * 7
    assert chances_at(state, [], profile_of("mantis"), Random(1), 2_000)[0] > 0.8
    laying = tentagram.new(3, "any", "free")
    for _ in range(5):  # seat 0 has ten cards where nobody else has any
        for table in ("AB", "CD", "CE"):
            laying.apply(tentagram.LAY[tentagram.TableCard(table)])
    assert sum(chances_at(laying, [], profile_of("tentagram"), Random(1), 2_000)) <= 1


def test_the_curve_of_a_seat_does_not_know_the_others_cards() -> None:
    """Swapping what is hidden changes the curve of everything, but not what the seat could have known."""
    replay = random_match(variant("tentagram-free-3"))
    first = Replay(replay.header, replay.entries[:1], {})
    other = random_match(variant("tentagram-free-3"), "8")
    decks = replay.header.deal
    others = other.header.deal
    assert isinstance(decks, tuple)
    assert isinstance(others, tuple)
    state = tentagram.State((decks[0], decks[1], decks[2]), strict=False)
    swapped = tentagram.State((decks[0], others[1], others[2]), strict=False)
    assert isinstance(first.entries[0], Decision)
    for each in (state, swapped):
        each.apply(tentagram.LAY[tentagram.TableCard(first.entries[0].action)])

    def chances(of: tentagram.State, seat: int | None = None) -> list[float]:
        return chances_at(of, [], profile_of("tentagram"), Random(1), MOVES, seat)

    assert chances(state, seat=0) == chances(swapped, seat=0)
    assert chances(state) != chances(swapped)
