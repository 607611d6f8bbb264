"""The ladder of remote bots: one open-ended tournament of the format `remote`.

It has its own standings: the hardware and the code of a remote bot are unknown, so it is not rated among the bots that
run here. A bot is entered when it connects. One process at a time writes, and each write says how many matches it
expects to be stored: so no process adds to results that it does not know, and a write that is repeated after a lost
connection is not stored twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import Connection, func, insert, select

from arena.errors import BadStore, BadSubmission
from arena.rating.standings import Changes, Standings
from arena.records import BlockRecord, MatchRecord
from arena.store.bots import Bots, BotVersion
from arena.store.engine import write_transaction
from arena.store.matches import Batch, Matches, next_block, update_bracket
from arena.store.schema import REMOTE, brackets, entries, matches
from arena.store.standings import write_changes
from arena.store.tournaments import add_open_bracket, open_ended_tournament


class RemoteLadder:
    """Reads and writes the ladder."""

    def __init__(self, bots: Bots, matches: Matches) -> None:
        self.bots = bots
        self.matches = matches

    def open(self, bracket_names: Sequence[str]) -> int:
        """Return the ladder's number. Begin it if there is none, and add missing brackets."""
        with write_transaction(self.matches.engine) as connection:
            number = open_ended_tournament(connection, REMOTE)
            known = set(connection.scalars(select(brackets.c.bracket).where(brackets.c.tournament_id == number)))
            for bracket in dict.fromkeys(bracket_names):
                if bracket not in known:
                    add_open_bracket(connection, number, bracket)
        return number

    def next_block(self, number: int, bracket: str) -> int:
        """Return the first free block number."""
        with self.matches.engine.connect() as connection:
            return next_block(connection, number, bracket)

    def played(self, number: int, bracket: str) -> int:
        """Return the number of stored matches."""
        with self.matches.engine.connect() as connection:
            return _played(connection, number, bracket)

    def enter(
        self, number: int, name: str, version: str, language: str, games: Sequence[str]
    ) -> tuple[BotVersion, int]:
        """Return the bot version, registered if it is new, and its entrant number."""
        known = self.bots.versions_of(name)
        if any(not each.is_remote for each in known):
            raise BadSubmission(f"The name `{name}` is taken by a bot that runs on the server: choose another name.")
        found = next((each for each in known if each.version == version), None)
        if found is None:  # only one process enters bots, one after the other
            content = sha256(f"remote {name} {version}".encode()).hexdigest()
            found = self.bots.register(name, version, content, "", language, games)
        ours = entries.c.tournament_id == number
        entered = select(entries.c.entrant).where(ours, entries.c.version_id == found.id)
        with self.matches.engine.connect() as connection:  # a bot that reconnects does not wait for writers
            entrant: int | None = connection.scalar(entered)
        if entrant is not None:
            return found, entrant
        with write_transaction(self.matches.engine) as connection:
            entrant = connection.scalar(entered)
            if entrant is None:
                entrant = connection.scalar(select(func.count()).select_from(entries).where(ours)) or 0
                row = {"tournament_id": number, "entrant": entrant, "version_id": found.id}
                connection.execute(insert(entries).values(row))
        return found, entrant

    def write(
        self,
        number: int,
        bracket: str,
        played: Sequence[tuple[BlockRecord, MatchRecord]],
        standings: Standings,
        changes: Changes,
        *,
        before: int,
    ) -> None:
        """Store these matches, each a block of its own, and the changed standings.

        `before`: the number of matches that the caller expects to be stored. May be repeated after a failure.
        """
        batch = Batch(number, bracket, [block for block, _ in played], [match for _, match in played])
        with write_transaction(self.matches.engine) as connection:
            stored = _played(connection, number, bracket)
            if stored == before + len(played) and _is_stored(connection, batch.matches[-1]):
                return
            if stored != before:
                raise BadStore(
                    "Another `arena serve` has played in this ladder meanwhile, so these matches cannot be added.",
                    hint="Stop one of the two servers, and start this one again.",
                )
            self.matches.write_within(connection, batch)
            write_changes(connection, number, bracket, standings, changes)
            counted = {"folded": brackets.c.folded + len(played), "matches": brackets.c.matches + len(played)}
            connection.execute(update_bracket(batch).values(counted))


def _played(connection: Connection, number: int, bracket: str) -> int:
    ours = (brackets.c.tournament_id == number) & (brackets.c.bracket == bracket)
    return connection.scalar(select(brackets.c.played).where(ours)) or 0


def _is_stored(connection: Connection, match: MatchRecord) -> bool:
    """Return whether this match is stored: another one with the same name has another seed."""
    return connection.scalar(select(matches.c.seed).where(matches.c.name == match.name)) == match.seed
