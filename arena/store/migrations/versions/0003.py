"""Add what the web pages need: results by seat, upsets, seats of people, counts and indexes for lists."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import sqlalchemy as sa
from alembic import op

from arena.rating.trueskill import Rating
from arena.rating.upsets import Upsets
from arena.records import SeatRecord
from arena.store.columns import words

revision = "0003"
down_revision = "0002"

ALL_TOURNAMENTS = 0
ROWS_IN_MEMORY = 10_000
A_FAULT = sa.text("fault IS NOT NULL")


def upgrade() -> None:
    op.add_column("brackets", sa.Column("played", sa.Integer(), nullable=False, server_default="0"))
    op.execute(
        "UPDATE brackets SET played = (SELECT count(*) FROM matches "
        "WHERE matches.tournament_id = brackets.tournament_id AND matches.bracket = brackets.bracket)"
    )
    op.create_index("ix_matches_tournament_id", "matches", ["tournament_id", "id"])
    op.create_index("ix_matches_tournament_id_bracket", "matches", ["tournament_id", "bracket", "id"])
    op.create_index("ix_matches_bracket", "matches", ["bracket", "id"])
    _change_seats()
    _create_tables()
    _fill_tallies("m.tournament_id")
    _fill_tallies(str(ALL_TOURNAMENTS), "WHERE t.rated")
    _fill_surprises()


def _change_seats() -> None:
    op.drop_index("ix_seats_version_id", "seats")
    with op.batch_alter_table("seats", table_kwargs={"sqlite_with_rowid": False}) as seats:
        seats.alter_column("version_id", existing_type=sa.Integer(), nullable=True)
        seats.add_column(sa.Column("person", words(100), nullable=True))
        seats.add_column(sa.Column("bracket", words(60), nullable=False, server_default=""))
        seats.create_check_constraint("ck_seats_occupant", "(version_id IS NULL) <> (person IS NULL)")
    op.execute("UPDATE seats SET bracket = (SELECT bracket FROM matches WHERE matches.id = seats.match_id)")
    op.create_index("ix_seats_version_id", "seats", ["version_id", "match_id"])
    op.create_index("ix_seats_version_id_bracket", "seats", ["version_id", "bracket", "match_id"])
    op.create_index("ix_seats_fault", "seats", ["match_id"], sqlite_where=A_FAULT, postgresql_where=A_FAULT)
    op.create_index(
        "ix_seats_fault_version_id",
        "seats",
        ["version_id", "match_id"],
        sqlite_where=A_FAULT,
        postgresql_where=A_FAULT,
    )


def _create_tables() -> None:
    op.create_table(
        "seat_tallies",
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bracket", words(60), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("table_size", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Float(precision=53), nullable=False),
        sa.Column("placements", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_seat_tallies_version_id_versions")),
        sa.PrimaryKeyConstraint("scope", "bracket", "version_id", "table_size", "seat", name=op.f("pk_seat_tallies")),
    )
    op.create_table(
        "surprises",
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bracket", words(60), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("won", sa.Boolean(), autoincrement=False, nullable=False),
        sa.Column("place", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("chance", sa.Float(precision=53), nullable=False),
        sa.Column("match", words(100), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_surprises_version_id_versions")),
        sa.PrimaryKeyConstraint("scope", "bracket", "version_id", "won", "place", name=op.f("pk_surprises")),
    )


# What the new tables would have, had they been there. The ratings of just before a match are no longer known for every
# match; they are taken from the rating history, which has sixteen points each time the number of matches doubles.


def _fill_tallies(scope: str, condition: str = "") -> None:
    op.execute(
        "INSERT INTO seat_tallies (scope, bracket, version_id, table_size, seat, matches, wins, placements) "  # noqa: S608
        f"SELECT {scope}, m.bracket, s.version_id, size.seats, s.seat, count(*), sum(s.won), sum(s.placement) "
        "FROM matches m JOIN tournaments t ON t.id = m.tournament_id "
        "JOIN brackets b ON b.tournament_id = m.tournament_id AND b.bracket = m.bracket AND m.block < b.folded "
        "JOIN seats s ON s.match_id = m.id "
        "JOIN (SELECT match_id, count(*) AS seats FROM seats GROUP BY match_id) size ON size.match_id = m.id "
        f"{condition} GROUP BY 1, 2, 3, 4, 5"
    )


def _fill_surprises() -> None:
    connection = op.get_bind()
    counted = sa.text(
        "SELECT b.tournament_id, b.bracket, b.folded, t.rated "
        "FROM brackets b JOIN tournaments t ON t.id = b.tournament_id "
        "WHERE b.folded > 0 ORDER BY b.tournament_id, b.place"
    )
    overall: dict[str, Account] = {}
    for tournament, bracket, folded, rated in connection.execute(counted).all():
        accounts = [Account(connection, tournament, bracket)]
        if rated:
            if bracket not in overall:
                overall[bracket] = Account(connection, ALL_TOURNAMENTS, bracket)
            accounts.append(overall[bracket])
        for name, seats in _results(connection, tournament, bracket, folded):
            for account in accounts:
                account.count(name, seats)
        accounts[0].write()
    for account in overall.values():
        account.write()


def _results(
    connection: sa.Connection, tournament: int, bracket: str, folded: int
) -> Iterator[tuple[str, list[SeatRecord]]]:
    """Yield the counted matches in the order in which they count."""
    wanted = sa.text(
        "SELECT m.name, s.version_id, s.placement, s.won FROM matches m JOIN seats s ON s.match_id = m.id "
        "WHERE m.tournament_id = :tournament AND m.bracket = :bracket AND m.block < :folded "
        "ORDER BY m.block, m.rotation, s.seat"
    )
    key = {"tournament": tournament, "bracket": bracket, "folded": folded}
    found = connection.execute(wanted, key, execution_options={"yield_per": ROWS_IN_MEMORY})
    for name, rows in groupby(found, key=lambda row: row.name):
        yield name, [SeatRecord(row.version_id, row.placement, row.won, 0.0, 0, None, None) for row in rows]


class Account:
    """The upsets among the matches of a bracket, in one tournament or in all."""

    def __init__(self, connection: sa.Connection, scope: int, bracket: str) -> None:
        self.connection = connection
        self.key = {"scope": scope, "bracket": bracket}
        self.upsets = Upsets()
        self.played: dict[int, int] = {}
        self.ratings: dict[int, Rating] = {}
        self.history: dict[int, dict[int, Rating]] = {}
        points = sa.text(
            "SELECT version_id, matches, mu, sigma FROM rating_points WHERE scope = :scope AND bracket = :bracket"
        )
        for version, matches, mu, sigma in connection.execute(points, self.key):
            self.history.setdefault(version, {})[matches] = Rating(mu, sigma)

    def count(self, name: str, seats: list[SeatRecord]) -> None:
        listed = sorted(seats)
        self.upsets.note(listed, [self.ratings.get(seat.version_id) or Rating() for seat in listed], name)
        for seat in seats:
            version = seat.version_id
            self.played[version] = self.played.get(version, 0) + 1
            if rating := self.history.get(version, {}).get(self.played[version]):
                self.ratings[version] = rating

    def write(self) -> None:
        surprises: list[dict[str, Any]] = [
            {**self.key, "version_id": version, "won": won, "place": place, **surprise._asdict()}
            for won, by_version in ((True, self.upsets.wins), (False, self.upsets.losses))
            for version, kept in by_version.items()
            for place, surprise in enumerate(kept)
        ]
        if surprises:
            self.connection.execute(sa.insert(sa.table("surprises", *map(sa.column, surprises[0]))), surprises)
