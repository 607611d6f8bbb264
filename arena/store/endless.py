"""Tournaments without an end, to which matches are added whenever some are played: there is one of each such format.

Nobody is entered when it begins, nothing in it is scheduled, and so nothing in it could be continued.
"""

from __future__ import annotations

from sqlalchemy import Connection, func, insert, select

from arena.store.moment import now
from arena.store.schema import brackets, tournaments
from arena.store.tournaments import State


def the_one(connection: Connection, format_name: str) -> int:
    """The number of the one of this format, which begins now if there is none."""
    of_format = tournaments.c.format == format_name
    known: int | None = connection.scalar(select(func.min(tournaments.c.id)).where(of_format))
    if known is not None:
        return known
    row = {
        "name": format_name,
        "format": format_name,
        "options": {},
        "seed": "",
        "rated": False,
        "state": State.DONE.value,
        "created": now(),
    }
    number: int = connection.execute(insert(tournaments).values(row).returning(tournaments.c.id)).scalar_one()
    return number


def add_bracket(connection: Connection, tournament: int, bracket: str) -> None:
    """Adds a bracket behind those that it has."""
    place = connection.scalar(select(func.count()).select_from(brackets).where(brackets.c.tournament_id == tournament))
    row = {
        "tournament_id": tournament,
        "bracket": bracket,
        "place": place,
        "state": State.DONE.value,
        "folded": 0,
        "matches": 0,
        "played": 0,
    }
    connection.execute(insert(brackets).values(row))
