"""The tables of the store. Each change here is a migration too (migrations/versions); a test compares the two.

What a name means:
- a *version* of a bot is immutable: its files are kept in the home under their content hash;
- a *block* is a deal that some entrants play once for every rotation of the seats; blocks are numbered in the order in
  which they count, whatever the order in which they are played;
- a *scope* is one tournament's id, or ALL for all tournaments together. Standings, ratings and refits are kept for
  both, so that a leaderboard reads as many rows as there are bots, not as many as there are matches;
- on a *seat* sat a version of a bot, or a person;
- a *token* lets a user do something over the network. Only its hash is kept, so that who reads the store gets nothing.

No page may take longer because there are more matches. What a list of matches can be asked for has an index that ends
with the match's id, so that the newest are found without a look at the others; what is counted is kept, not counted.
"""

from __future__ import annotations

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
)

from arena.store.columns import large, words

ALL = 0
"""The scope of all tournaments together."""
PLAY = "play"
"""The format of the tournament in which matches with people are kept."""
REMOTE = "remote"
"""The format of the ladder of bots that play from elsewhere."""

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
    Column("program", words(), nullable=False),  # the file or folder in the home, below bots/; empty: it runs elsewhere
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
    Column("options", JSON, nullable=False),  # all that is needed to go on with it
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
    Column("folded", Integer, nullable=False),  # so many of its blocks are counted in the standings
    Column("matches", Integer, nullable=False),  # so many matches are in these blocks
    Column("played", Integer, nullable=False),  # so many of its matches are on record, counted or not
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
    Column("pairs", LargeBinary),  # see arena.tournament.standings; null until the block is counted
)

matches = Table(
    "matches",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tournament_id", ForeignKey("tournaments.id"), nullable=False),
    Column("bracket", words(60), nullable=False),
    Column("block", Integer, nullable=False),
    Column("rotation", Integer, nullable=False),
    Column("name", words(100), nullable=False, unique=True),  # what people call it: 3-mantis-17-2
    Column("seed", words(), nullable=False),
    Column("ending", words(), nullable=False),
    Column("decisions", Integer, nullable=False),
    Column("reruns", Integer, nullable=False),  # how often the host, not a bot, spoiled it before
    Column("played", words(32), nullable=False),
    Column("sandbox", words(10), nullable=False),  # the tier that the bots ran in
    Column("overhead_ms", Float, nullable=False),  # what it took besides the bots' turns
    Column("overloaded", Boolean, nullable=False),  # whether the machine had too much to do meanwhile
    Column("replay", LargeBinary, nullable=False),  # zlib
    UniqueConstraint("tournament_id", "bracket", "block", "rotation"),
    Index("ix_matches_tournament_id", "tournament_id", "id"),
    Index("ix_matches_tournament_id_bracket", "tournament_id", "bracket", "id"),
    Index("ix_matches_bracket", "bracket", "id"),
)

seats = Table(
    "seats",
    metadata,
    Column("match_id", ForeignKey("matches.id"), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("version_id", ForeignKey("versions.id")),  # null where a person sat
    Column("placement", Integer, nullable=False),
    Column("won", Float, nullable=False),  # a win that n seats share counts 1/n
    Column("think_ms", Float, nullable=False),
    Column("decisions", Integer, nullable=False),
    Column("fault", words(20)),
    Column("detail", words()),
    Column("wall_ms", Float),  # how long the match waited for it
    Column("cpu_ms", Float),  # of the processor; null where that was not measured
    Column("person", words(100)),  # the name of the person who sat here
    Column("bracket", words(60), nullable=False),  # the match's, once more: a bot's matches are looked for by bracket
    CheckConstraint("(version_id IS NULL) <> (person IS NULL)", name="ck_seats_occupant"),
    Index("ix_seats_version_id", "version_id", "match_id"),
    Index("ix_seats_version_id_bracket", "version_id", "bracket", "match_id"),
    sqlite_with_rowid=False,
)

# There are few faults among many seats. These have nothing but the faults.
Index(
    "ix_seats_fault",
    seats.c.match_id,
    sqlite_where=seats.c.fault.is_not(None),
    postgresql_where=seats.c.fault.is_not(None),
)
Index(
    "ix_seats_fault_version_id",
    seats.c.version_id,
    seats.c.match_id,
    sqlite_where=seats.c.fault.is_not(None),
    postgresql_where=seats.c.fault.is_not(None),
)

standings = Table(
    "standings",
    metadata,
    Column("scope", Integer, primary_key=True, autoincrement=False),
    Column("bracket", words(60), primary_key=True),
    Column("version_id", ForeignKey("versions.id"), primary_key=True),
    Column("mu", Float(53), nullable=False),
    Column("sigma", Float(53), nullable=False),
    Column("matches", Integer, nullable=False),
    Column("wins", Float(53), nullable=False),
    Column("placements", JSON, nullable=False),  # how often first, second, and so on
    Column("think_ms", Float(53), nullable=False),
    Column("decisions", large(), nullable=False),
    Column("think_times", JSON, nullable=False),  # matches by mean think time
    Column("faults", JSON, nullable=False),  # by kind
    Column("last_match", words(100), nullable=False),
)

head_to_head = Table(
    "head_to_head",
    metadata,
    Column("scope", Integer, primary_key=True, autoincrement=False),
    Column("bracket", words(60), primary_key=True),
    Column("version_id", ForeignKey("versions.id"), primary_key=True),
    Column("opponent_id", ForeignKey("versions.id"), primary_key=True),
    Column("points", Float(53), nullable=False),  # placed before the opponent, ties half
    Column("matches", Integer, nullable=False),
)

rating_points = Table(
    "rating_points",
    metadata,
    Column("scope", Integer, primary_key=True, autoincrement=False),
    Column("bracket", words(60), primary_key=True),
    Column("version_id", ForeignKey("versions.id"), primary_key=True),
    Column("matches", Integer, primary_key=True, autoincrement=False),
    Column("mu", Float(53), nullable=False),
    Column("sigma", Float(53), nullable=False),
)

refits = Table(
    "refits",
    metadata,
    Column("scope", Integer, primary_key=True, autoincrement=False),
    Column("bracket", words(60), primary_key=True),
    Column("version_id", ForeignKey("versions.id"), primary_key=True),
    Column("strength", Float(53), nullable=False),
    Column("low", Float(53)),
    Column("high", Float(53)),
    Column("separated_from", JSON, nullable=False),  # the ids of the versions that it is told apart from
)

seat_tallies = Table(
    "seat_tallies",
    metadata,
    Column("scope", Integer, primary_key=True, autoincrement=False),
    Column("bracket", words(60), primary_key=True),
    Column("version_id", ForeignKey("versions.id"), primary_key=True),
    Column("table_size", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("matches", Integer, nullable=False),
    Column("wins", Float(53), nullable=False),
    Column("placements", Integer, nullable=False),  # their sum
)

surprises = Table(
    "surprises",
    metadata,
    Column("scope", Integer, primary_key=True, autoincrement=False),
    Column("bracket", words(60), primary_key=True),
    Column("version_id", ForeignKey("versions.id"), primary_key=True),
    Column("won", Boolean, primary_key=True, autoincrement=False),  # a win with a slight chance, a loss with a good one
    Column("place", Integer, primary_key=True, autoincrement=False),  # 0 is the most surprising one
    Column("chance", Float(53), nullable=False),  # to win the match, by the ratings of just before
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
    Column("revoked", words(32)),  # when; null: it was not
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
