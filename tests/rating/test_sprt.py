"""The sequential test: right as often as it says."""

from __future__ import annotations

from random import Random

import pytest

from arena.rating.sprt import Hypotheses, Sprt, SprtDecision, elo_of, expected_share


def decide(elo: float, rng: Random, hypotheses: Hypotheses) -> SprtDecision:
    """The test's word on a bot that is stronger by so much, whose blocks have two matches."""
    test = Sprt(hypotheses)
    chance = expected_share(elo)
    while test.decision is SprtDecision.OPEN:
        test = test.add(sum(rng.random() < chance for _ in range(2)) / 2)
    return test.decision


@pytest.mark.parametrize(("elo", "wrong"), [(0.0, SprtDecision.BETTER), (60.0, SprtDecision.NOT_BETTER)])
def test_it_errs_about_as_often_as_stated(elo: float, wrong: SprtDecision) -> None:
    hypotheses = Hypotheses(0.0, 60.0, alpha=0.1, beta=0.1)
    rng = Random(f"sprt {elo}")
    errors = sum(decide(elo, rng, hypotheses) is wrong for _ in range(400))
    assert 0.02 <= errors / 400 <= 0.15


def test_a_much_stronger_bot_is_found_out_soon() -> None:
    test = Sprt(Hypotheses())
    while test.decision is SprtDecision.OPEN:
        test = test.add(1.0)
    assert test.decision is SprtDecision.BETTER
    assert test.blocks < 50


def test_the_ratio_lies_between_the_bounds_while_it_is_open() -> None:
    test = Sprt(Hypotheses())
    assert (test.decision, test.ratio, test.mean) == (SprtDecision.OPEN, 0.0, 0.5)
    assert test.hypotheses.lower == pytest.approx(-2.944, abs=0.001)
    assert test.hypotheses.upper == pytest.approx(2.944, abs=0.001)
    for _ in range(9):
        test = test.add(0.0)
    assert test.decision is SprtDecision.OPEN  # too early, whatever was seen


def test_versions_that_seldom_differ_are_played_until_ten_blocks_are_uneven() -> None:
    """Ten even blocks in a row looked as if the new version were no better: one in five such verdicts was wrong."""
    test = Sprt(Hypotheses())
    for _ in range(5000):
        test = test.add(0.5)
    assert (test.decision, test.uneven) == (SprtDecision.OPEN, 0)
    for number in range(10):
        assert test.decision is SprtDecision.OPEN
        test = test.add(1.0 if number % 2 else 0.0)
    assert test.decision is SprtDecision.NOT_BETTER


def test_the_stated_error_rate_holds_for_versions_that_seldom_differ() -> None:
    rng, errors = Random("seldom"), 0
    share = expected_share(20.0)
    for _ in range(200):
        test = Sprt(Hypotheses())
        while test.decision is SprtDecision.OPEN:  # one block in 15 is uneven
            test = test.add(0.5 if rng.random() < 14 / 15 else float(rng.random() < 0.5 + 15 * (share - 0.5)))
        errors += test.decision is SprtDecision.NOT_BETTER
    assert errors / 200 <= 0.1


def test_elo_points_and_shares() -> None:
    assert expected_share(0) == 0.5
    assert expected_share(400) == pytest.approx(10 / 11)
    assert elo_of(expected_share(37.0)) == pytest.approx(37.0)
    assert elo_of(1.0) > 1000
