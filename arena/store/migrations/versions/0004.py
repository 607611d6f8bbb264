"""Add tokens and the audit log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from arena.store.columns import words

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("user_name", words(40), nullable=False),
        sa.Column("secret_hash", words(64), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created", words(32), nullable=False),
        sa.Column("expires", words(32), nullable=True),
        sa.Column("revoked", words(32), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_tokens_secret_hash")),
    )
    op.create_index("ix_tokens_user_name", "tokens", ["user_name"])
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("moment", words(32), nullable=False),
        sa.Column("token_id", sa.Integer(), nullable=False),
        sa.Column("deed", words(40), nullable=False),
        sa.Column("detail", words(), nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["tokens.id"], name=op.f("fk_audit_entries_token_id_tokens")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entries")),
    )
    op.create_index("ix_audit_entries_token_id", "audit_entries", ["token_id", "id"])
