"""Name Tentagram's brackets after the new default: `tentagram` was played with free placement, now it is strict.

Tournaments keep the earlier names of their brackets as `dealt_as`: what is left of them is dealt as before.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

RENAMED = {"tentagram": "tentagram/free", "tentagram/strict": "tentagram"}  # in this order
TABLES = (
    "brackets",
    "blocks",
    "matches",
    "seats",
    "standings",
    "head_to_head",
    "rating_points",
    "refits",
    "seat_tallies",
    "surprises",
)


def upgrade() -> None:
    for table in TABLES:
        column = sa.table(table, sa.column("bracket", sa.String))
        for old, new in RENAMED.items():
            op.execute(column.update().where(column.c.bracket == old).values(bracket=new))
    tournaments = sa.table("tournaments", sa.column("id", sa.Integer), sa.column("options", sa.JSON))
    connection = op.get_bind()
    for number, options in connection.execute(sa.select(tournaments.c.id, tournaments.c.options)).all():
        names = options.get("brackets", ())
        dealt_as = {RENAMED[name]: name for name in names if name in RENAMED}
        if dealt_as:
            changed = options | {"brackets": [RENAMED.get(name, name) for name in names], "dealt_as": dealt_as}
            op.execute(tournaments.update().where(tournaments.c.id == number).values(options=changed))
