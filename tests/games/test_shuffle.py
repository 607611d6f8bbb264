"""The one source of randomness: reproducible everywhere, and fair."""

from __future__ import annotations

from collections import Counter

from arena.games.base import shuffle


def test_the_seed_decides_the_order_for_good() -> None:
    """A change here changes every game ever dealt from a seed."""
    assert shuffle("ABCDEFGHIJ", "arena") == tuple("DAHFGCEBJI")


def test_shuffle_keeps_the_cards() -> None:
    for seed in map(str, range(50)):
        assert sorted(shuffle(range(105), seed)) == list(range(105))


def test_every_order_is_equally_likely() -> None:
    """All 24 orders of four cards, 500 expected of each; the bound is the 1e-6 quantile of chi-square with 23 df."""
    counts = Counter(shuffle("ABCD", f"fair {number}") for number in range(12_000))
    assert len(counts) == 24
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 71.0
