"""The ladder of bots that play from elsewhere: one tournament without an end, of the format `remote`.

Its standings are its own: what a bot elsewhere runs on, and whether it is the same program today as yesterday, nobody
here can know, so it is not rated among those that run here. Nobody is entered when it begins; whoever connects is. Only
one process at a time may write it, and each write says how many matches it takes to be on record: so nobody adds to
what somebody else has changed, and what was written is not written again where a server was lost before it said so.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import Connection, func, insert, select, update

from arena.errors import BadStore, BadSubmission
from arena.rating.standings import Changes, Standings
from arena.records import BlockRecord, MatchRecord
from arena.store.bots import Bots, BotVersion
from arena.store.endless import add_bracket, the_one
from arena.store.matches import Batch, Matches
from arena.store.schema import REMOTE, blocks, brackets, entries, matches
from arena.store.standings import write_changes
from arena.store.writing import writing


class RemoteLadder:
    """Reads and writes that ladder."""

    def __init__(self, bots: Bots, matches: Matches) -> None:
        self.bots = bots
        self.matches = matches

    def open(self, bracket_names: Sequence[str]) -> int:
        """The ladder's number. It begins where there is none, and gets the brackets that it does not have."""
        with writing(self.matches.engine) as connection:
            number = the_one(connection, REMOTE)
            known = set(connection.scalars(select(brackets.c.bracket).where(brackets.c.tournament_id == number)))
            for bracket in dict.fromkeys(bracket_names):
                if bracket not in known:
                    add_bracket(connection, number, bracket)
        return number

    def next_block(self, number: int, bracket: str) -> int:
        """The number of the first block that is free."""
        ours = (blocks.c.tournament_id == number) & (blocks.c.bracket == bracket)
        with self.matches.engine.connect() as connection:
            last = connection.scalar(select(func.max(blocks.c.number)).where(ours))
        return 0 if last is None else last + 1

    def played(self, number: int, bracket: str) -> int:
        """How many of its matches are on record."""
        with self.matches.engine.connect() as connection:
            return _played(connection, number, bracket)

    def enter(
        self, number: int, name: str, version: str, language: str, games: Sequence[str]
    ) -> tuple[BotVersion, int]:
        """The bot's version, registered where it is new, and its number in the ladder."""
        known = self.bots.versions_of(name)
        if any(not each.is_remote for each in known):
            raise BadSubmission(f"a bot that runs here is called {name!r} already: call yours otherwise.")
        found = next((each for each in known if each.version == version), None)
        if found is None:  # only one process lets bots in, and it asks for one after the other
            content = sha256(f"remote {name} {version}".encode()).hexdigest()
            found = self.bots.register(name, version, content, "", language, games)
        ours = entries.c.tournament_id == number
        entered = select(entries.c.entrant).where(ours, entries.c.version_id == found.id)
        with self.matches.engine.connect() as connection:  # who comes back need not wait for those who write
            entrant: int | None = connection.scalar(entered)
        if entrant is not None:
            return found, entrant
        with writing(self.matches.engine) as connection:
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
        """Writes these matches, each a block of its own, and the standings that follow. Then it is on disk.

        `before`: how many are on record by now, as far as the caller knows. May be called again after it has failed.
        """
        batch = Batch(number, bracket, [block for block, _ in played], [match for _, match in played])
        with writing(self.matches.engine) as connection:
            on_record = _played(connection, number, bracket)
            if on_record == before + len(played) and _is_on_record(connection, batch.matches[-1]):
                return
            if on_record != before:
                raise BadStore(
                    "another arena serve has played in this ladder meanwhile, so what was played here cannot be added: "
                    "stop one of the two, and start this one again."
                )
            self.matches.write_within(connection, batch)
            write_changes(connection, number, bracket, standings, changes)
            ours = update(brackets).where(brackets.c.tournament_id == number, brackets.c.bracket == bracket)
            counted = {"folded": brackets.c.folded + len(played), "matches": brackets.c.matches + len(played)}
            connection.execute(ours.values(counted))


def _played(connection: Connection, number: int, bracket: str) -> int:
    ours = (brackets.c.tournament_id == number) & (brackets.c.bracket == bracket)
    return connection.scalar(select(brackets.c.played).where(ours)) or 0


def _is_on_record(connection: Connection, match: MatchRecord) -> bool:
    """Whether it is this very match: another one of the same name has another seed."""
    return connection.scalar(select(matches.c.seed).where(matches.c.name == match.name)) == match.seed
