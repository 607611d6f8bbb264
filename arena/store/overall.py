"""The standings of all tournaments together, to which several conductors add, each its own matches.

Each keeps them in memory and writes what has changed. Whoever finds, in the transaction in which it writes, that others
have counted matches since, takes up what is on record and counts its own new matches once more, on top of that. So
every match counts once, in the order in which the batches were written.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from arena.rating.standings import Changes, Standings
from arena.records import SeatRecord
from arena.store.schema import ALL, brackets, tournaments
from arena.store.standings import StoredStandings, write_changes
from arena.store.writing import writing


class Overall:
    """These standings in one bracket, as the conductor of a tournament sees them."""

    def __init__(self, stored: StoredStandings, tournament: int, bracket: str, own: Standings) -> None:
        """`own`: the tournament's own standings, which are the same as long as it is the only one."""
        self._stored = stored
        self._tournament = tournament
        self._bracket = bracket
        self._own = own
        self._new: list[tuple[str, Sequence[SeatRecord]]] = []
        """The matches that are counted here but not on record yet."""
        with writing(stored.engine) as connection:  # nobody writes between the two looks
            self._others = self._counted_by_others(connection)
            on_record = self._load(connection)
        self._standings = on_record if on_record.bots else own

    def fold(self, seats: Sequence[SeatRecord], match: str) -> None:
        """Counts a match that the tournament's own standings have counted already."""
        self._new.append((match, seats))
        if self._standings is not self._own:
            self._standings.fold(seats, match)

    def write(self, connection: Connection, own_changes: Changes) -> None:
        """Writes what is new, within a transaction in which nobody else writes.

        `own_changes`: what has changed in the tournament's own standings.
        """
        others = self._counted_by_others(connection)
        if others != self._others:
            self._others = others
            self._standings = self._load(connection)
            for match, seats in self._new:
                self._standings.fold(seats, match)
        self._new.clear()
        changes = own_changes if self._standings is self._own else self._standings.take_changes()
        write_changes(connection, ALL, self._bracket, self._standings, changes)

    def _load(self, connection: Connection) -> Standings:
        own = self._own
        return self._stored.load_to_continue(
            ALL, self._bracket, own.scale, winners_only=own.winners_only, connection=connection
        )

    def _counted_by_others(self, connection: Connection) -> int:
        """How many blocks of other tournaments are counted: it grows whenever one of them counts something."""
        counted = (
            select(func.coalesce(func.sum(brackets.c.folded), 0))
            .join(tournaments)
            .where(brackets.c.bracket == self._bracket, tournaments.c.rated, tournaments.c.id != self._tournament)
        )
        return int(connection.execute(counted).scalar_one())
