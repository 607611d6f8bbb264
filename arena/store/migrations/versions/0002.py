"""Add the sandbox tier, CPU time, wall-clock time and overload of the host."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from arena.store.columns import words

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    # Matches of before were played without a sandbox, and charged by the clock on the wall.
    op.add_column("matches", sa.Column("sandbox", words(10), nullable=False, server_default="none"))
    op.add_column("matches", sa.Column("overhead_ms", sa.Float(), nullable=False, server_default="0"))
    op.add_column("matches", sa.Column("overloaded", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("seats", sa.Column("wall_ms", sa.Float(), nullable=True))
    op.add_column("seats", sa.Column("cpu_ms", sa.Float(), nullable=True))
