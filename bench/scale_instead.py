"""Two of the replacements that docs/scale.md proposes, small enough to try: a sparse refit, and a ladder in shards.

Neither is part of the arena. They show that what the document proposes gives the same results, and what it would cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from statistics import correlation
from time import process_time

from arena.games.brackets import USUAL_SEATS
from arena.rating.arrays import np
from arena.rating.bradley_terry import ELO, Floats, Ints, Pairs, refit
from arena.rating.trueskill import BETA, MU, Rating, Scale
from arena.tournament.formats import Ladder
from arena.tournament.formats.base import Field
from bench.scale_laws import Point
from bench.scale_probes import Found
from bench.scale_rehearsal import SPREAD

NEAR_ENOUGH = 1e-6
"""How long the last of Newton's steps may be, in the unit of the model: far less than an Elo point."""
MOST_STEPS, MOST_TURNS = 50, 2000
OPPONENTS = 40
DRAW_PROBABILITY = 0.05


# The refit on the pairs that met


def ladder_pairs(bots: int, opponents: int = OPPONENTS) -> Pairs:
    """Blocks of pairs that are near each other in strength, with results by planted strengths; each pair once."""
    rng = np.random.default_rng(bots)
    strength = np.linspace(-400, 400, bots)
    near = np.arange(1, opponents // 2 + 1)
    row = np.repeat(np.arange(bots), len(near))
    column = (row + np.tile(near, bots)) % bots
    kept = row < column  # not around the end: the best does not meet the worst
    row, column = row[kept], column[kept]
    chance = 1 / (1 + 10 ** ((strength[column] - strength[row]) / 400))
    points = rng.binomial(USUAL_SEATS, chance).astype(np.float64)
    return Pairs(np.arange(len(row)), row, column, points, np.full(len(row), float(USUAL_SEATS)))


def sparse_fit(count: int, pairs: Pairs) -> Floats:
    """The strengths of `arena.rating.bradley_terry`, without replicates, in memory that grows with the pairs that met.

    Newton's method as there; each step is solved by conjugate gradients, which only multiply by the curvature.
    """
    row, column, games = pairs.row, pairs.column, pairs.games
    won = np.bincount(row, pairs.points, count) + np.bincount(column, games - pairs.points, count)
    strength = np.zeros(count)
    for _ in range(MOST_STEPS):
        expected = 0.5 + 0.5 * np.tanh((strength[row] - strength[column]) / 2)
        of_prior = 0.5 + 0.5 * np.tanh(strength / 2)
        lost_to = np.bincount(row, games * expected, count) + np.bincount(column, games * (1 - expected), count)
        slope = won - lost_to + 0.5 - of_prior
        weight = games * expected * (1 - expected)
        diagonal = np.bincount(row, weight, count) + np.bincount(column, weight, count) + of_prior * (1 - of_prior)
        step = _solved(row, column, weight, diagonal, slope)
        length = max(float(step.max()), 0.0) - min(float(step.min()), 0.0)
        strength += step * (np.log1p(length) / length if length else 1.0)
        if length < NEAR_ENOUGH:
            break
    centred: Floats = ELO * (strength - strength.mean())
    return centred


def _solved(row: Ints, column: Ints, weight: Floats, diagonal: Floats, wanted: Floats) -> Floats:
    """Conjugate gradients, with the diagonal as a first guess at the inverse."""
    count = len(diagonal)
    found, rest = np.zeros(count), wanted.copy()
    scaled = rest / diagonal
    direction, size = scaled.copy(), float(rest @ scaled)
    enough = size * NEAR_ENOUGH**2
    for _ in range(MOST_TURNS):
        if size <= enough:
            break
        turned = diagonal * direction
        turned -= np.bincount(row, weight * direction[column], count)
        turned -= np.bincount(column, weight * direction[row], count)
        along = size / float(direction @ turned)
        found += along * direction
        rest -= along * turned
        scaled = rest / diagonal
        size, before = float(rest @ scaled), size
        direction = scaled + size / before * direction
    return found


def measure_sparse_refit(found: Found, compared: int, sizes: Sequence[int]) -> None:
    """How far it is from the refit, in Elo points, and what it costs for sizes that the refit does not reach."""
    pairs = ladder_pairs(compared)
    apart = np.abs(sparse_fit(compared, pairs) - refit(compared, pairs, replicates=0).strength).max()
    found.units["sparse_apart"] = float(apart)
    found.series["sparse_refit"] = []
    for size in sizes:
        pairs = ladder_pairs(size)
        began = process_time()
        sparse_fit(size, pairs)
        found.series["sparse_refit"].append(Point(size, process_time() - began))


# A ladder in shards


def sharded_ladder(
    bots: int, rounds: int, shards: int, *, regroup: int, backwards: bool = False
) -> tuple[list[float], list[Rating]]:
    """The planted skills, and the ratings of a ladder that is played in shards; one shard is the ladder as it is.

    Every `regroup` rounds the bots are divided anew, by rating: neighbours play in one shard. Until then shards know
    nothing of each other, so it does not matter which one is played first; `backwards` plays them the other way round.
    """
    draw = Random(f"skills of {bots}")
    skills = [draw.gauss(MU, SPREAD) for _ in range(bots)]
    ratings = [Rating()] * bots
    for epoch in range(rounds // regroup):
        order = sorted(range(bots), key=lambda bot: (ratings[bot].mu, bot))
        parts = [order[bots * each // shards : bots * (each + 1) // shards] for each in range(shards)]
        numbered = list(enumerate(parts))
        for number, part in reversed(numbered) if backwards else numbered:
            play_shard(part, f"epoch {epoch} shard {number}", regroup, skills, ratings)
    return skills, ratings


def play_shard(part: Sequence[int], seed: str, rounds: int, skills: Sequence[float], ratings: list[Rating]) -> None:
    """A ladder among some of the bots; it reads and changes the ratings of no others."""
    lots, scale = Random(seed), Scale(DRAW_PROBABILITY)
    ladder = Ladder(Field(len(part), USUAL_SEATS, 2, seed))
    for _ in range(rounds):
        drawn = ladder.next_round(lambda place: (ratings[part[place]].mu, ratings[part[place]].sigma))
        assert drawn
        for meeting in drawn.meetings:
            table = sorted(part[place] for place in meeting.entrants)
            for _ in table:  # a match for each rotation
                _play(table, skills, ratings, scale, lots)


def _play(table: Sequence[int], skills: Sequence[float], ratings: list[Rating], scale: Scale, lots: Random) -> None:
    scores = [lots.gauss(skills[bot], BETA) for bot in table]
    placements = [1 + sum(other > score for other in scores) for score in scores]
    for bot, rating in zip(table, scale.rate([ratings[bot] for bot in table], placements), strict=True):
        ratings[bot] = rating


def likeness(skills: Sequence[float], ratings: Sequence[Rating]) -> float:
    """How well the ratings order the bots: the rank correlation with the skills that were planted."""
    by_skill, by_rating = (np.argsort(np.argsort(each)) for each in (skills, [rating.mu for rating in ratings]))
    return correlation(by_skill.tolist(), by_rating.tolist())


def measure_shards(found: Found, bots: int, rounds: int, shards: int) -> None:
    one = sharded_ladder(bots, rounds, 1, regroup=rounds)
    several = sharded_ladder(bots, rounds, shards, regroup=max(1, rounds // 5))
    again = sharded_ladder(bots, rounds, shards, regroup=max(1, rounds // 5), backwards=True)
    assert several == again, "the order in which shards are played must not matter"
    found.units["likeness_one"], found.units["likeness_shards"] = likeness(*one), likeness(*several)
