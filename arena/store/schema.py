"""The tables of a new store. A change here needs a migration of older ones; a test compares the two.

Table and column names are fixed; some are older than today's words: `refits` holds strengths, `surprises` upsets.

- A *version* of a bot is immutable: its files are in the home under their content hash.
- A *block* is one deal that its entrants play in every rotation of the seats. Blocks are numbered in the order in which
  they count, whatever order they are played in.
- A *scope* is a tournament's id, or ALL for all tournaments together. Standings are stored for both, so that a
  leaderboard reads one row per bot instead of all matches.
- A *seat* has a bot version or a person.
- A *token* permits a user to do something over the network. Only its hash is stored.

Invariant: no page takes longer with more matches. Every list of matches has an index that ends with the match id, so
that the newest are found directly; counts are stored, not computed.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    text,
)

from arena.store.columns import large, words

ALL = 0
"""The scope of all tournaments together."""
PLAY = "play"
"""The format of the open-ended tournament of casual matches."""
REMOTE = "remote"
"""The format of the open-ended ladder of remote bots."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

bots = Table(
    "bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", words(100), nullable=False, unique=True),
    Column("retired", Boolean, nullable=False),
    Column("created", words(32), nullable=False),
)

versions = Table(
    "versions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("bot_id", ForeignKey("bots.id"), nullable=False),
    Column("version", words(100), nullable=False),
    Column("content_hash", words(64), nullable=False),
    Column("program", words(), nullable=False),  # the file or folder below bots/ in the home; empty for a remote bot
    Column("language", words(100), nullable=False),
    Column("games", JSON, nullable=False),
    Column("notes", words(), nullable=False),
    Column("created", words(32), nullable=False),
    UniqueConstraint("bot_id", "version"),
    Index("ix_versions_content_hash", "content_hash"),
)

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", words(200), nullable=False),
    Column("format", words(40), nullable=False),
    Column("options", JSON, nullable=False),  # everything needed to resume it
    Column("seed", words(), nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("state", words(20), nullable=False),
    Column("created", words(32), nullable=False),
    Column("ended", words(32)),
)

entries = Table(
    "entries",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("entrant", Integer, primary_key=True, autoincrement=False),
    Column("version_id", ForeignKey("versions.id"), nullable=False),
)

brackets = Table(
    "brackets",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("bracket", words(60), primary_key=True),
    Column("place", Integer, nullable=False),  # the order in which the tournament plays them
    Column("state", words(20), nullable=False),
    Column("folded", Integer, nullable=False, default=0),  # blocks that are counted in the standings
    Column("matches", Integer, nullable=False, default=0),  # matches in these blocks
    Column("played", Integer, nullable=False, default=0),  # stored matches, counted or not
)

blocks = Table(
    "blocks",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("bracket", words(60), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("round", words(60), nullable=False),
    Column("deal", Integer, nullable=False),
    Column("entrants", JSON, nullable=False),
    Column("pairs", LargeBinary),  # arena.rating.standings.pair_points; null until the block is counted
)

matches = Table(
    "matches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tournament_id", ForeignKey("tournaments.id"), nullable=False),
    Column("bracket", words(60), nullable=False),
    Column("block", Integer, nullable=False),
    Column("rotation", Integer, nullable=False),
    Column("name", words(100), nullable=False, unique=True),  # for example 3-mantis-17-2
    Column("seed", words(), nullable=False),
    Column("ending", words(), nullable=False),
    Column("decisions", Integer, nullable=False),
    Column("reruns", Integer, nullable=False),  # repetitions after a fault of the host
    Column("played", words(32), nullable=False),
    Column("sandbox", words(10), nullable=False),  # the tier of the bots
    Column("overhead_ms", Float, nullable=False),  # the time besides the bots' turns
    Column("overloaded", Boolean, nullable=False),  # whether the machine was overloaded
    Column("replay", LargeBinary, nullable=False),  # see replay/compact.py
    UniqueConstraint("tournament_id", "bracket", "block", "rotation"),
    Index("ix_matches_tournament_id", "tournament_id", "id"),
    Index("ix_matches_tournament_id_bracket", "tournament_id", "bracket", "id"),
    Index("ix_matches_bracket", "bracket", "id"),
)


def _index_of_faults(name: str, *columns: str) -> Index:
    """Return a partial index: faults are few among many seats."""
    a_fault = text("fault IS NOT NULL")
    return Index(name, *columns, sqlite_where=a_fault, postgresql_where=a_fault)


seats = Table(
    "seats",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("version_id", ForeignKey("versions.id")),  # null for a person
    Column("placement", Integer, nullable=False),
    Column("won", Float, nullable=False),  # a win that n seats share counts 1/n
    Column("think_ms", Float, nullable=False),
    Column("decisions", Integer, nullable=False),
    Column("fault", words(20)),
    Column("detail", words()),
    Column("wall_ms", Float),  # the time that the match waited for it
    Column("cpu_ms", Float),  # CPU time; null if it was not measured
    Column("person", words(100)),  # the name of the person
    Column("bracket", words(60), nullable=False),  # a copy of the match's, for an index by bot and bracket
    CheckConstraint("(version_id IS NULL) <> (person IS NULL)", name="ck_seats_occupant"),
    Index("ix_seats_version_id", "version_id", "match_id"),
    Index("ix_seats_version_id_bracket", "version_id", "bracket", "match_id"),
    _index_of_faults("ix_seats_fault", "match_id"),
    _index_of_faults("ix_seats_fault_version_id", "version_id", "match_id"),
    sqlite_with_rowid=False,
)


def _scoped_table(name: str, *columns: Column[Any]) -> Table:
    """Return a table with rows per scope, bracket and version."""
    return Table(
        name,
        metadata,
        Column("scope", Integer, primary_key=True, autoincrement=False),
        Column("bracket", words(60), primary_key=True),
        Column("version_id", ForeignKey("versions.id"), primary_key=True),
        *columns,
    )


standings = _scoped_table(
    "standings",
    Column("mu", Float(53), nullable=False),
    Column("sigma", Float(53), nullable=False),
    Column("matches", Integer, nullable=False),
    Column("wins", Float(53), nullable=False),
    Column("placements", JSON, nullable=False),  # how often first, second, …
    Column("think_ms", Float(53), nullable=False),
    Column("decisions", large(), nullable=False),
    Column("think_times", JSON, nullable=False),  # matches by mean think time
    Column("faults", JSON, nullable=False),  # by kind
    Column("last_match", words(100), nullable=False),
)

head_to_head = _scoped_table(
    "head_to_head",
    Column("opponent_id", ForeignKey("versions.id"), primary_key=True),
    Column("points", Float(53), nullable=False),  # placed before the opponent, ties half
    Column("matches", Integer, nullable=False),
)

rating_points = _scoped_table(
    "rating_points",
    Column("matches", Integer, primary_key=True, autoincrement=False),
    Column("mu", Float(53), nullable=False),
    Column("sigma", Float(53), nullable=False),
)

refits = _scoped_table(
    "refits",
    Column("strength", Float(53), nullable=False),
    Column("low", Float(53)),
    Column("high", Float(53)),
    Column("separated_from", JSON, nullable=False),  # the ids of the versions that it is separated from
)

seat_tallies = _scoped_table(
    "seat_tallies",
    Column("table_size", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("matches", Integer, nullable=False),
    Column("wins", Float(53), nullable=False),
    Column("placements", Integer, nullable=False),  # their sum
)

surprises = _scoped_table(
    "surprises",
    Column("won", Boolean, primary_key=True, autoincrement=False),  # an unlikely win, or an unlikely loss
    Column("place", Integer, primary_key=True, autoincrement=False),  # 0 is the greatest upset
    Column("chance", Float(53), nullable=False),  # to win, by the ratings before the match
    Column("match", words(100), nullable=False),  # its name
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("user_name", words(40), nullable=False),
    Column("secret_hash", words(64), nullable=False, unique=True),
    Column("scopes", JSON, nullable=False),
    Column("created", words(32), nullable=False),
    Column("expires", words(32)),  # null: never
    Column("revoked", words(32)),  # when; null: not revoked
    Index("ix_tokens_user_name", "user_name"),
)

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("moment", words(32), nullable=False),
    Column("token_id", ForeignKey("tokens.id"), nullable=False),
    Column("deed", words(40), nullable=False),
    Column("detail", words(), nullable=False),
    Index("ix_audit_entries_token_id", "token_id", "id"),
)
