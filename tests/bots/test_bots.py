"""The bots that ship, under the real referee: they play every game without a fault, and each beats the one before.

How much they beat each other by is measured by bench/strength.py; here a few games show that the order holds.
"""

from __future__ import annotations

import pytest

from arena.referee import Limits, Outcome, Referee
from arena.referee.series import plan_series, play_series
from arena.submissions.submission import find_launch
from tests.support.referees import check_outcome, run

LIMITS = Limits(start=60.0, turn=60.0)


def series(names: list[str], games: int, game: str, **options: str) -> list[Outcome]:
    async def job(referee: Referee) -> list[Outcome]:
        programs = [find_launch(name) for name in names]
        matches = plan_series(game, options, [f"{name} #{number}" for number, name in enumerate(names)], games, "ship")
        return [outcome async for _, outcome in play_series(referee, matches, programs, 32)]

    return run(job, LIMITS)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("mantis", {"edition": "classic"}),
        ("mantis", {"edition": "icons"}),
        ("mantis", {"edition": "grab"}),
        ("tentagram", {"placement": "free"}),
        ("tentagram", {"placement": "strict"}),
    ],
)
def test_all_of_them_play_without_a_fault(game: str, options: dict[str, str]) -> None:
    for outcome in series(["random", "greedy", "counter", "searcher"], 4, game, **options):
        check_outcome(outcome)
        assert outcome.faults == ()


@pytest.mark.parametrize("game", ["mantis", "tentagram"])
@pytest.mark.parametrize(("better", "worse"), [("greedy", "random"), ("counter", "random"), ("counter", "greedy")])
def test_each_beats_the_one_before(better: str, worse: str, game: str) -> None:
    """Two seats each at a table of four, where an even bot would win half. The seed makes it the same each time."""
    outcomes = series([better, worse, better, worse], 200, game)
    won = sum(
        outcome.plan.bots[seat].startswith(better) / len(outcome.result.winners)
        for outcome in outcomes
        for seat in outcome.result.winners
    )
    decided = sum(bool(outcome.result.winners) for outcome in outcomes)
    assert won > decided / 2
