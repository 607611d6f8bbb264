"""Boards from the store. Only standings are read, never matches, so it takes the same time after a million of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.leaderboard.board import Board, HeadToHead, Overall, OverallRow, RatingPoint, Refit, Row
from arena.standings import Standing
from arena.store.bots import BotVersion
from arena.store.schema import ALL
from arena.store.standings import RefitRecord
from arena.store.store import Store


def build_board(store: Store, bracket: str, tournament: int | None = None) -> Board:
    """The board of a bracket, in one tournament or in all."""
    scope = ALL if tournament is None else tournament
    standings = store.standings.load(scope, bracket)
    refits = store.standings.refits(scope, bracket)
    history = store.standings.history(scope, bracket)
    order = standings.ranking()
    versions = store.bots.by_id(order)
    rows = [
        _row(
            rank,
            versions[version],
            standings.bots[version],
            refits.get(version),
            refits.get(order[rank]) if rank < len(order) else None,
            [RatingPoint(point.matches, point.mu, point.sigma) for point in history.get(version, ())],
        )
        for rank, version in enumerate(order, start=1)
    ]
    head_to_head = [
        [
            None
            if one == other
            else HeadToHead(meetings.points, meetings.matches)
            if (meetings := standings.head_to_head.get((one, other)))
            else HeadToHead(0.0, 0)
            for other in order
        ]
        for one in order
    ]
    matches = store.standings.matches(scope, bracket)
    return Board(bracket, None if tournament is None else str(tournament), matches, rows, head_to_head)


def _row(
    rank: int,
    version: BotVersion,
    standing: Standing,
    refit: RefitRecord | None,
    next_refit: RefitRecord | None,
    history: Sequence[RatingPoint],
) -> Row:
    interval = None
    if refit is not None and refit.low is not None and refit.high is not None:
        interval = Refit(refit.strength, refit.low, refit.high)
    separated = None
    if refit is not None and next_refit is not None:
        # Where the refit has the two the other way round, it does not speak for the order that is shown.
        in_this_order = refit.strength > next_refit.strength
        separated = in_this_order and next_refit.version_id in refit.separated_from
    return Row(
        rank=rank,
        bot=version.bot,
        version=version.version,
        language=version.language,
        mu=standing.rating.mu,
        sigma=standing.rating.sigma,
        refit=interval,
        separated=separated,
        matches=standing.matches,
        wins=standing.wins,
        mean_placement=sum(place * count for place, count in enumerate(standing.placements, 1)) / standing.matches,
        think_ms=standing.think_ms / standing.decisions if standing.decisions else None,
        faults=standing.faults,
        placements=standing.placements,
        think_times=standing.think_times,
        history=history,
    )


def build_overall(boards: Sequence[Board]) -> Overall:
    """The board across these brackets."""
    by_bot: dict[tuple[str, str], dict[str, Row]] = {}
    for board in boards:
        for row in board.rows:
            by_bot.setdefault((row.bot, row.version), {})[board.bracket] = row

    def rating(rows: Mapping[str, Row]) -> float:
        return sum(row.conservative for row in rows.values()) / len(boards)

    ranked = sorted(by_bot.items(), key=lambda item: (-rating(item[1]), item[0]))
    return Overall(
        brackets=[board.bracket for board in boards],
        rows=[
            OverallRow(
                rank=rank,
                bot=bot,
                version=version,
                conservative=rating(rows),
                by_bracket={bracket: row.conservative for bracket, row in rows.items()},
                matches=sum(row.matches for row in rows.values()),
            )
            for rank, ((bot, version), rows) in enumerate(ranked, start=1)
        ],
    )
