"""Builds boards from the store. Reads standings, never matches, so the time does not depend on their number."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from arena.errors import NotFound, choices
from arena.rating.standings import Meetings, SeatTally, Standing
from arena.reports.board import Board, BoardRow, HistoryPoint, Leaderboard, OverallBoard, Reached, Strength
from arena.reports.words import percent
from arena.store.bots import BotVersion
from arena.store.schema import ALL
from arena.store.standings import StrengthRecord
from arena.store.store import Store


@dataclass(frozen=True, slots=True)
class BoardFilter:
    """What a board shows; the default is all."""

    tournament: int | None = None
    latest_only: bool = False
    """Only the latest version of each bot."""
    seats: int | None = None
    """Only matches with this many seats."""
    first: int = 1
    """The first row, if the number of rows is limited."""

    @property
    def scope(self) -> int:
        return ALL if self.tournament is None else self.tournament


def build_boards(store: Store, brackets: Sequence[str], tournament: int | None) -> list[Board]:
    """Return the boards of these brackets, or of all. Raise `NotFound` if one has no matches."""
    played = store.standings.brackets(ALL if tournament is None else tournament)
    if not played:
        raise NotFound("No matches on record.", hint="Run `arena tournament`.")
    for name in brackets:
        if name not in played:
            raise NotFound(
                f"No `{name}` matches on record: expected {choices(played)}.",
                hint=f"Run `arena tournament --bracket {name}`.",
            )
    return [build_board(store, name, BoardFilter(tournament)) for name in brackets or played]


def build_leaderboard(
    store: Store, brackets: Sequence[str], tournament: str | int | None = None, *, highlights: bool = False
) -> Leaderboard:
    """Return the boards of these brackets, or of all, and the board across them."""
    number = None if tournament is None else store.tournaments.find(str(tournament)).id
    boards = build_boards(store, brackets, number)
    found = _highlights(store, boards, ALL if number is None else number) if highlights else {}
    return Leaderboard(tuple(boards), found)


def _highlights(store: Store, boards: Sequence[Board], scope: int) -> dict[str, str]:
    """Return matches worth watching: the greatest upset of each bracket, and the latest match of its leader."""
    found: dict[str, str] = {}
    for board in boards:
        for version, upset in store.standings.upsets(scope, board.bracket).greatest(1):
            winner = store.bots.by_id([version])[version].label
            found[upset.match] = f"{board.bracket}: won by {winner} against a chance of {percent(upset.chance)}"
        for version, *_ in store.standings.leaders(scope, board.bracket, 1):
            leader = board.rows[0]
            last = store.standings.load(scope, board.bracket, [version]).bots[version].last_match
            found.setdefault(last, f"{board.bracket}: the latest match of {leader.bot} {leader.version}")
    return found


def build_board(
    store: Store,
    bracket: str,
    wanted: BoardFilter = BoardFilter(),
    *,
    versions: Collection[int] | None = None,
    limit: int | None = None,
    with_history: bool = True,
) -> Board:
    """Return the board of a bracket.

    Only some rows are read and shown with `versions`, or else with a filter and `limit`. They keep their ranks among
    all bots.
    """
    scope, seats = wanted.scope, wanted.seats
    ranks = {version: rank for rank, (version, *_) in enumerate(store.standings.leaders(scope, bracket), start=1)}
    chosen = list(ranks)
    by_seat: Mapping[int, Mapping[int, Sequence[SeatTally]]] = {}
    if wanted.latest_only or seats or limit is not None:
        if wanted.latest_only:
            latest = set({version.bot: version.id for version in store.bots.all_versions()}.values())
            chosen = [version for version in chosen if version in latest]
        if seats:
            by_seat = store.standings.by_seat(scope, bracket)
            chosen = [version for version in chosen if seats in by_seat.get(version, {})]
        versions = chosen if limit is None else chosen[wanted.first - 1 :][:limit]
    standings = store.standings.load(scope, bracket, versions)
    strengths = store.standings.strengths(scope, bracket, versions)
    history = store.standings.history(scope, bracket, versions) if with_history else {}
    order = standings.ranking()
    named = store.bots.by_id(order)
    rows = [
        _row(
            ranks[version],
            named[version],
            standings.bots[version],
            strengths.get(version),
            # A row is compared with the next one only if that has the next rank.
            strengths.get(after) if after is not None and ranks[after] == ranks[version] + 1 else None,
            [HistoryPoint(point.matches, point.mu, point.sigma) for point in history.get(version, ())],
        )
        for version, after in zip_longest(order, order[1:])
    ]
    if seats:
        rows = [_with_seats(row, by_seat[version][seats]) for version, row in zip(order, rows, strict=True)]
    head_to_head = [
        [None if one == other else standings.head_to_head.get((one, other), Meetings()) for other in order]
        for one in order
    ]
    matches = store.standings.matches(scope, bracket)
    where = None if wanted.tournament is None else str(wanted.tournament)
    return Board(bracket, where, matches, rows, head_to_head, bots=len(chosen))


def _with_seats(row: BoardRow, tallies: Sequence[SeatTally]) -> BoardRow:
    """Return the row with the results of these tallies only; ratings and plots still use all matches."""
    matches = sum(tally.matches for tally in tallies)
    return replace(
        row,
        matches=matches,
        wins=sum(tally.wins for tally in tallies),
        mean_placement=sum(tally.placements for tally in tallies) / max(matches, 1),
    )


def _row(
    rank: int,
    version: BotVersion,
    standing: Standing,
    strength: StrengthRecord | None,
    next_strength: StrengthRecord | None,
    history: Sequence[HistoryPoint],
) -> BoardRow:
    interval = None
    if strength is not None and strength.low is not None and strength.high is not None:
        interval = Strength(strength.strength, strength.low, strength.high)
    separated = None
    if strength is not None and next_strength is not None:
        # If the strengths have the opposite order, they do not support the order shown.
        in_this_order = strength.strength > next_strength.strength
        separated = in_this_order and next_strength.version_id in strength.separated_from
    return BoardRow(
        rank=rank,
        bot=version.bot,
        version=version.version,
        language=version.language,
        mu=standing.rating.mu,
        sigma=standing.rating.sigma,
        strength=interval,
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


def load_overall(store: Store, wanted: BoardFilter) -> OverallBoard:
    """Return the board across all brackets with matches, reading only what it shows. Rows keep their ranks.

    Only `tournament` and `latest_only` of the filter are used.
    """
    named = {version.id: version for version in store.bots.all_versions()}
    overall = OverallBoard.of(
        {
            bracket: {
                (named[version].bot, named[version].version): Reached(rating.mu, rating.sigma, matches)
                for version, rating, matches, _ in store.standings.leaders(wanted.scope, bracket)
            }
            for bracket in store.standings.brackets(wanted.scope)
        }
    )
    if not wanted.latest_only:
        return overall
    latest = {version.bot: version.version for version in named.values()}
    return replace(overall, rows=[row for row in overall.rows if latest[row.bot] == row.version])
