"""The order in which the blocks of a wave are played."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from arena.records import BlockRecord
from arena.tournament.waves import order_of_play


def block(number: int, entrants: tuple[int, ...]) -> BlockRecord:
    return BlockRecord(number, "", 0, entrants)


def bots_in_play(blocks: list[BlockRecord], at_once: int) -> float:
    """Return how many bots play at the same time on average, if the blocks are played in this order."""
    windows = [blocks[start : start + at_once] for start in range(0, len(blocks), at_once)]
    return sum(len({bot for each in window for bot in each.entrants}) for window in windows) / len(windows)


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=4, unique=True).map(tuple)), st.integers(1, 500))
def test_all_blocks_are_played_and_none_twice(pairings: list[tuple[int, ...]], at_once: int) -> None:
    wave = [block(number, pairing) for number, pairing in enumerate(pairings)]
    assert sorted(order_of_play(wave, 10, at_once), key=lambda each: each.number) == wave


def test_few_bots_play_at_the_same_time() -> None:
    pairings = [*combinations(range(40), 2)]
    wave = [block(number, pairing) for number, pairing in enumerate(pairings * 3)]
    before, after = bots_in_play(wave, 100), bots_in_play(order_of_play(wave, 40, 200), 100)
    assert after < before / 1.5


def test_a_small_wave_is_played_as_it_was_drawn() -> None:
    wave = [block(0, (3, 2)), block(1, (1, 0))]
    assert order_of_play(wave, 4, 64) == wave
