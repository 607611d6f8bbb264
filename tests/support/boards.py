"""Boards like real ones, made up from a seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

from arena.rating.standings import THINK_MS_BOUNDS, Meetings
from arena.reports.board import (
    Board,
    BoardRow,
    HistoryPoint,
    OverallBoard,
    Strength,
)

Bot = tuple[str, str, str, float, float, dict[str, int]]

BOTS: tuple[Bot, ...] = (
    # name, version, language, strength, ms a move, faults
    ("searcher", "2.1.0", "Python", 1.0, 84.0, {"timeout": 12, "crash": 1}),
    ("counter", "1.0.0", "Python", 0.8, 0.42, {}),
    ("mantis_shrimp", "0.9.3-rc1", "C++", 0.72, 0.07, {"illegal": 2}),
    ("greedy", "1.0.0", "Python", 0.1, 0.21, {}),
    ("random_js", "1.0.0", "JavaScript", -1.1, 0.35, {}),
    ("random", "1.0.0", "Python", -1.15, 0.18, {"disconnect": 1, "start": 1}),
)


def board(
    bracket: str = "mantis", bots: Sequence[Bot] = BOTS, *, seats: int = 4, matches: int = 400, seed: int = 1
) -> Board:
    """A bracket after so many matches of each bot, at tables of so many seats."""
    random = Random(seed)
    made = [(_row(bot, seats, matches, random), bot) for bot in bots]
    made.sort(key=lambda pair: -pair[0].conservative)
    rows = [replace(row, rank=rank) for rank, (row, _) in enumerate(made, 1)]
    for index, (row, following) in enumerate(pairwise(rows)):
        assert row.strength
        assert following.strength
        rows[index] = replace(row, separated=row.strength.low > following.strength.elo)
    meetings = [[_meeting(one, other, matches) for _, other in made] for _, one in made]
    return Board(bracket, "spring-7", matches * len(bots) // seats, rows, meetings)


def _meeting(one: Bot, other: Bot, matches: int) -> Meetings | None:
    share = 1 / (1 + math.exp(1.4 * (other[3] - one[3])))
    return None if one is other else Meetings(share * matches, matches)


def _row(bot: Bot, seats: int, matches: int, random: Random) -> BoardRow:
    name, version, language, strength, think_ms, faults = bot
    history = []
    drift = 0.0
    for played in range(1, matches + 1):
        drift += (random.gauss(0, 3.5) - drift / 3) / math.sqrt(8 + played)
        if played % max(1, 2 ** (played.bit_length() - 1) // 16) == 0:
            sigma = 1 / math.sqrt(0.0144 + 0.012 * played)
            history.append(HistoryPoint(played, 25 + 6 * strength * (1 - math.exp(-played / 25)) + drift, sigma))
    weights = [math.exp(-strength * place) for place in range(seats)]
    placements = [round(matches * weight / sum(weights)) for weight in weights]
    placements[0] += matches - sum(placements)
    centre = sum(think_ms > bound for bound in THINK_MS_BOUNDS)
    think_times = [0] * (len(THINK_MS_BOUNDS) + 1)
    for _ in range(matches):
        think_times[min(max(round(random.gauss(centre, 0.9)), 0), len(THINK_MS_BOUNDS))] += 1
    elo = 120 * strength
    return BoardRow(
        rank=0,
        bot=name,
        version=version,
        language=language,
        mu=history[-1].mu,
        sigma=history[-1].sigma,
        strength=Strength(elo, elo - random.uniform(18, 34), elo + random.uniform(18, 34)),
        separated=None,
        matches=matches,
        wins=placements[0] - 0.5,
        mean_placement=sum(place * count for place, count in enumerate(placements, 1)) / matches,
        think_ms=think_ms,
        faults=faults,
        placements=placements,
        think_times=think_times,
        history=history,
    )


def overall(boards: Sequence[Board]) -> OverallBoard:
    """What the boards come to together."""
    return OverallBoard.across(boards)


def two_brackets() -> list[Board]:
    """Six bots at Mantis, five of them at Tentagram as well."""
    return [board(), board("tentagram", BOTS[1:], seats=5, matches=250, seed=2)]


def crowd(count: int) -> list[Bot]:
    """So many bots, each a little weaker than the one before."""
    return [(f"bot_{number:02}", f"1.{number}.0", "Rust", 1.5 - 3 * number / count, 1.5, {}) for number in range(count)]
