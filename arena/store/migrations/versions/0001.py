"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from arena.store.columns import large, words

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", words(100), nullable=False),
        sa.Column("retired", sa.Boolean(), nullable=False),
        sa.Column("created", words(32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bots")),
        sa.UniqueConstraint("name", name=op.f("uq_bots_name")),
    )
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", words(200), nullable=False),
        sa.Column("format", words(40), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("seed", words(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("state", words(20), nullable=False),
        sa.Column("created", words(32), nullable=False),
        sa.Column("ended", words(32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournaments")),
    )
    op.create_table(
        "blocks",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("bracket", words(60), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("round", words(60), nullable=False),
        sa.Column("deal", sa.Integer(), nullable=False),
        sa.Column("entrants", sa.JSON(), nullable=False),
        sa.Column("pairs", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name=op.f("fk_blocks_tournament_id_tournaments")
        ),
        sa.PrimaryKeyConstraint("tournament_id", "bracket", "number", name=op.f("pk_blocks")),
    )
    op.create_table(
        "brackets",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("bracket", words(60), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("state", words(20), nullable=False),
        sa.Column("folded", sa.Integer(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name=op.f("fk_brackets_tournament_id_tournaments")
        ),
        sa.PrimaryKeyConstraint("tournament_id", "bracket", name=op.f("pk_brackets")),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("bracket", words(60), nullable=False),
        sa.Column("block", sa.Integer(), nullable=False),
        sa.Column("rotation", sa.Integer(), nullable=False),
        sa.Column("name", words(100), nullable=False),
        sa.Column("seed", words(), nullable=False),
        sa.Column("ending", words(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("reruns", sa.Integer(), nullable=False),
        sa.Column("played", words(32), nullable=False),
        sa.Column("replay", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name=op.f("fk_matches_tournament_id_tournaments")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("name", name=op.f("uq_matches_name")),
        sa.UniqueConstraint("tournament_id", "bracket", "block", "rotation", name=op.f("uq_matches_tournament_id")),
    )
    op.create_table(
        "versions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("version", words(100), nullable=False),
        sa.Column("content_hash", words(64), nullable=False),
        sa.Column("program", words(), nullable=False),
        sa.Column("language", words(100), nullable=False),
        sa.Column("games", sa.JSON(), nullable=False),
        sa.Column("notes", words(), nullable=False),
        sa.Column("created", words(32), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_versions_bot_id_bots")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_versions")),
        sa.UniqueConstraint("bot_id", "version", name=op.f("uq_versions_bot_id")),
    )
    with op.batch_alter_table("versions", schema=None) as batch_op:
        batch_op.create_index("ix_versions_content_hash", ["content_hash"], unique=False)

    op.create_table(
        "entries",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournaments.id"], name=op.f("fk_entries_tournament_id_tournaments")
        ),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_entries_version_id_versions")),
        sa.PrimaryKeyConstraint("tournament_id", "entrant", name=op.f("pk_entries")),
    )
    op.create_table(
        "head_to_head",
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bracket", words(60), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("opponent_id", sa.Integer(), nullable=False),
        sa.Column("points", sa.Float(precision=53), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["opponent_id"], ["versions.id"], name=op.f("fk_head_to_head_opponent_id_versions")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_head_to_head_version_id_versions")),
        sa.PrimaryKeyConstraint("scope", "bracket", "version_id", "opponent_id", name=op.f("pk_head_to_head")),
    )
    op.create_table(
        "rating_points",
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bracket", words(60), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("matches", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("mu", sa.Float(precision=53), nullable=False),
        sa.Column("sigma", sa.Float(precision=53), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_rating_points_version_id_versions")),
        sa.PrimaryKeyConstraint("scope", "bracket", "version_id", "matches", name=op.f("pk_rating_points")),
    )
    op.create_table(
        "refits",
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bracket", words(60), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("strength", sa.Float(precision=53), nullable=False),
        sa.Column("low", sa.Float(precision=53), nullable=True),
        sa.Column("high", sa.Float(precision=53), nullable=True),
        sa.Column("separated_from", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_refits_version_id_versions")),
        sa.PrimaryKeyConstraint("scope", "bracket", "version_id", name=op.f("pk_refits")),
    )
    op.create_table(
        "seats",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("placement", sa.Integer(), nullable=False),
        sa.Column("won", sa.Float(), nullable=False),
        sa.Column("think_ms", sa.Float(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("fault", words(20), nullable=True),
        sa.Column("detail", words(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_seats_match_id_matches")),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_seats_version_id_versions")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seats")),
        sqlite_with_rowid=False,
    )
    with op.batch_alter_table("seats", schema=None) as batch_op:
        batch_op.create_index("ix_seats_version_id", ["version_id"], unique=False)

    op.create_table(
        "standings",
        sa.Column("scope", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("bracket", words(60), nullable=False),
        sa.Column("version_id", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Float(precision=53), nullable=False),
        sa.Column("sigma", sa.Float(precision=53), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Float(precision=53), nullable=False),
        sa.Column("placements", sa.JSON(), nullable=False),
        sa.Column("think_ms", sa.Float(precision=53), nullable=False),
        sa.Column("decisions", large(), nullable=False),
        sa.Column("think_times", sa.JSON(), nullable=False),
        sa.Column("faults", sa.JSON(), nullable=False),
        sa.Column("last_match", words(100), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["versions.id"], name=op.f("fk_standings_version_id_versions")),
        sa.PrimaryKeyConstraint("scope", "bracket", "version_id", name=op.f("pk_standings")),
    )


def downgrade() -> None:
    raise NotImplementedError("the store only moves forward; keep a copy of the home before an upgrade")
