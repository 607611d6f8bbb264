"""The refit: planted strengths come back, intervals hold what they promise, and no input makes it fail."""

from __future__ import annotations

from math import log10

import numpy as np
import pytest

import arena.rating.bradley_terry
from arena.rating.bradley_terry import ELO, MIN_BLOCKS, Floats, PairCollector, Pairs, StrengthFit, fit_strengths

PLANTED = np.array([-250.0, -100.0, -50.0, 0.0, 120.0, 280.0])


def pairs_of(*rows: tuple[int, int, int, float, float]) -> Pairs:
    """From rows of block, row, column, points and games."""
    block, row, column, points, games = (list(column) for column in zip(*rows, strict=True))
    return Pairs(
        np.array(block, dtype=np.intp),
        np.array(row, dtype=np.intp),
        np.array(column, dtype=np.intp),
        np.array(points, dtype=np.float64),
        np.array(games, dtype=np.float64),
    )


def duel(wins: float, losses: float, blocks: int = 10) -> Pairs:
    """Two bots that meet in so many blocks, each with these results."""
    return pairs_of(*((block, 0, 1, wins, wins + losses) for block in range(blocks)))


def tables(rng: np.random.Generator, strength: Floats, blocks: int, *, matches: int = 4, alike: bool = False) -> Pairs:
    """Blocks of matches at tables of four, drawn from the model. `alike`: all matches of a block end the same way."""
    seats = rng.permuted(np.tile(np.arange(len(strength)), (blocks, 1)), axis=1)[:, :4]
    points = np.zeros((blocks, 4, 4))
    for _ in range(1 if alike else matches):
        performance = strength[seats] / ELO + rng.gumbel(size=seats.shape)
        points += performance[:, :, None] > performance[:, None, :]
    one, other = np.triu_indices(4, 1)
    return Pairs(
        block=np.repeat(np.arange(blocks), 6),
        row=seats[:, one].ravel(),
        column=seats[:, other].ravel(),
        points=points[:, one, other].ravel() * (matches if alike else 1),
        games=np.full(blocks * 6, float(matches)),
    )


def chosen(pairs: Pairs, rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Pairs:
    return Pairs(pairs.block[rows], pairs.row[rows], pairs.column[rows], pairs.points[rows], pairs.games[rows])


def same(one: StrengthFit, other: StrengthFit) -> bool:
    """Whether two refits are equal but for rounding."""
    return all(
        np.allclose(getattr(one, name), getattr(other, name), rtol=0, atol=1e-9)
        for name in ("strength", "low", "high", "replicates", "blocks", "group")
    )


# Strengths


def test_planted_strengths_come_back() -> None:
    refitted = fit_strengths(6, tables(np.random.default_rng(1), PLANTED, 4000))
    assert refitted.strength == pytest.approx(PLANTED, abs=8)
    assert refitted.strength.mean() == pytest.approx(0, abs=1e-9)
    assert all(refitted.separated(bot, bot + 1) for bot in range(5))


def test_the_strength_of_two_is_the_odds_of_their_results() -> None:
    """Three wins to one are 191 Elo points, and the prior's two games matter little beside 40,000."""
    one, other = fit_strengths(2, duel(3000, 1000), replicates=0).strength
    assert one - other == pytest.approx(400 * log10(3), abs=0.1)


def test_a_tie_counts_half_for_each() -> None:
    assert fit_strengths(2, duel(2.5, 1.5)).strength == pytest.approx(fit_strengths(2, duel(25, 15, 1)).strength)
    assert fit_strengths(2, duel(2, 2)).strength == pytest.approx([0, 0])


def test_the_prior_is_one_drawn_game_with_a_bot_of_strength_0() -> None:
    """After a single win, 1 - p(2s) + 1/2 - p(s) is 0 where the winner has the strength s and the loser -s."""
    winner, loser = fit_strengths(2, duel(1, 0, 1)).strength / ELO
    assert winner == pytest.approx(-loser)
    chance = 1 / (1 + np.exp(-np.array([winner - loser, winner])))
    assert 1 - chance[0] + 0.5 - chance[1] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("games", [1, 100, 1_000_000])
def test_a_bot_that_wins_everything_stays_finite(games: int) -> None:
    rows = [(block, 0, other, float(games), games) for block in range(10) for other in (1, 2)]
    rows += [(block, 1, 2, games / 2, games) for block in range(10)]
    refitted = fit_strengths(3, pairs_of(*rows))
    assert np.isfinite(refitted.strength).all()
    assert np.isfinite(refitted.low).all()
    assert np.isfinite(refitted.high).all()
    assert refitted.strength[0] > refitted.high[1]
    assert refitted.high[0] - refitted.low[0] > 50  # it has lost no game, so how much stronger it is, is not known
    assert refitted.separated(0, 1)
    assert not refitted.separated(1, 2)


def test_unequal_schedules_are_fair() -> None:
    """Who meets only the strongest has lost most of its games, and is not the weakest for that."""
    rng = np.random.default_rng(2)
    strength = np.array([400.0, 0.0, -200.0, -200.0])
    rows = []
    for block, (one, other) in enumerate([(0, 1), (2, 3), (0, 2), (0, 3)] * 300):
        wins = rng.binomial(4, 1 / (1 + 10 ** ((strength[other] - strength[one]) / 400)))
        rows.append((block, one, other, float(wins), 4.0))
    assert fit_strengths(4, pairs_of(*rows)).strength == pytest.approx(strength - strength.mean(), abs=60)


# Intervals


@pytest.mark.parametrize(("blocks", "alike"), [(10, False), (60, False), (60, True)])
def test_intervals_cover_the_truth(blocks: int, alike: bool) -> None:
    """Nearly as often as they say, even where all matches of a block are copies of one, because blocks are drawn."""
    rng = np.random.default_rng(3)
    covered = []
    for seed in range(60):
        refitted = fit_strengths(6, tables(rng, PLANTED, blocks, alike=alike), seed=seed)
        covered.append((refitted.low <= PLANTED) & (refitted.high >= PLANTED))
    assert 0.88 <= np.mean(covered) <= 0.99


def test_equals_are_seldom_told_apart() -> None:
    rng = np.random.default_rng(4)
    wrong = [fit_strengths(4, tables(rng, np.zeros(4), 30), seed=seed).separated(0, 1) for seed in range(100)]
    assert sum(map(bool, wrong)) <= 12


def test_a_higher_level_separates_less() -> None:
    refitted = fit_strengths(6, tables(np.random.default_rng(5), PLANTED / 4, 60))
    told_apart = [
        sum(bool(refitted.separated(one, other, level)) for one in range(6) for other in range(6))
        for level in (0.5, 0.8, 0.95, 0.99)
    ]
    assert told_apart == sorted(told_apart, reverse=True)
    assert told_apart[0] > told_apart[-1]


def test_separation_looks_both_ways() -> None:
    refitted = fit_strengths(2, duel(3, 1, 40))
    assert refitted.separated(0, 1)
    assert refitted.separated(1, 0)
    assert not refitted.separated(0, 0)


@pytest.mark.parametrize("blocks", [1, MIN_BLOCKS - 1])
def test_too_few_blocks_tell_nothing(blocks: int) -> None:
    refitted = fit_strengths(2, duel(4, 0, blocks))
    assert refitted.strength[0] > refitted.strength[1]
    assert list(refitted.low) == [-np.inf] * 2
    assert list(refitted.high) == [np.inf] * 2
    assert refitted.separated(0, 1) is None
    assert len(refitted.replicates) == 0


def test_blocks_with_the_same_deal_are_one() -> None:
    own, shared = PairCollector(), PairCollector()
    for block in range(40):
        outcome = bytes([0, 3, 1, 0]) if block % 10 < 7 else bytes([0, 0, 4, 0])
        own.add((7, 8), outcome)
        shared.add((7, 8), outcome, block % 10)
    one, other = own.fit(), shared.fit()
    assert one.strength == pytest.approx(other.strength)
    assert (list(one.blocks), list(other.blocks)) == ([40, 40], [10, 10])
    assert other.high[0] - other.low[0] > 1.5 * (one.high[0] - one.low[0])


def test_where_only_wins_count_pairs_of_losers_have_not_met() -> None:
    collector = PairCollector()
    for _ in range(10):
        collector.add((1, 2, 3), bytes([0, 6, 6, 0, 0, 0, 0, 0, 0]))
    strength = collector.fit().strength
    assert strength[0] > strength[1] == pytest.approx(strength[2])


def test_a_newcomer_among_many_is_not_known_yet() -> None:
    rows = [(block, 0, 1, 3.0, 4.0) for block in range(50)] + [(50, 2, 0, 4.0, 4.0)]
    refitted = fit_strengths(3, pairs_of(*rows))
    assert list(refitted.blocks) == [51, 50, 1]
    assert list(np.isfinite(refitted.low)) == [True, True, False]
    assert refitted.separated(0, 1)
    assert refitted.separated(0, 2) is None


# Laws


def test_the_order_of_the_rows_does_not_matter() -> None:
    rng = np.random.default_rng(6)
    pairs = tables(rng, PLANTED, 200)
    assert same(fit_strengths(6, pairs), fit_strengths(6, chosen(pairs, rng.permutation(len(pairs.block)))))


def test_it_does_not_matter_which_of_two_is_the_row() -> None:
    pairs = tables(np.random.default_rng(7), PLANTED, 200)
    turned = Pairs(pairs.block, pairs.column, pairs.row, pairs.games - pairs.points, pairs.games)
    assert same(fit_strengths(6, pairs), fit_strengths(6, turned))


def test_the_same_results_give_the_same_bits() -> None:
    pairs = tables(np.random.default_rng(8), PLANTED, 50)
    one, other = fit_strengths(6, pairs), fit_strengths(6, pairs)
    assert (one.replicates == other.replicates).all()
    assert (one.low == other.low).all()
    assert not (one.replicates == fit_strengths(6, pairs, seed=1).replicates).all()


def test_groups_that_never_met_are_not_compared() -> None:
    rows = [(block, one, one + 1, 3.5, 4.0) for block in range(20) for one in (0, 2)]
    refitted = fit_strengths(5, pairs_of(*rows))
    assert list(refitted.group) == [0, 0, 2, 2, 4]
    assert refitted.separated(0, 1)
    assert refitted.separated(0, 3) is None
    assert refitted.strength[4] == pytest.approx(0, abs=1e-9)
    assert list(refitted.blocks) == [20, 20, 20, 20, 0]
    assert np.isfinite(refitted.strength).all()


def test_a_long_chain_is_one_group() -> None:
    rows = [(block, bot, bot + 1, 2.0, 4.0) for block in range(6) for bot in range(39)]
    assert set(fit_strengths(40, pairs_of(*rows)).group) == {0}


def test_no_results_at_all() -> None:
    nothing = chosen(duel(1, 1), np.array([], dtype=np.intp))
    refitted = fit_strengths(3, nothing)
    assert list(refitted.strength) == [0, 0, 0]
    assert refitted.separated(0, 1) is None


def test_a_large_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether its replicates are fitted all at once or in parts is all the same."""
    rng = np.random.default_rng(9)
    strength = rng.normal(0, 150, 60)
    pairs = tables(rng, strength, 1500)
    refitted = fit_strengths(60, pairs, replicates=50)
    assert np.corrcoef(refitted.strength, strength)[0, 1] > 0.97
    monkeypatch.setattr(arena.rating.bradley_terry, "MATRIX_CELLS", 60 * 60 * 7)
    assert same(refitted, fit_strengths(60, pairs, replicates=50))
