"""Open-ended tournaments: one of each such format, to which matches are added at any time.

Each match is a block of its own. There is no schedule, so the tournament cannot be resumed and counts as done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import Connection, func, insert, select, update

from arena.errors import BadStore, BadSubmission
from arena.rating.standings import Changes, Standings
from arena.records import BlockRecord, MatchRecord, now
from arena.store.bots import Bots, BotVersion
from arena.store.engine import StoreSection, write_transaction
from arena.store.matches import Batch, of_bracket, write_batch
from arena.store.schema import PLAY, REMOTE, blocks, brackets, entries, matches, tournaments
from arena.store.standings import write_changes
from arena.store.tournaments import TournamentState


@dataclass(frozen=True, slots=True)
class CasualMatchPlace:
    """Where a casual match will be stored."""

    tournament_id: int
    bracket: str
    block: int
    name: str
    """The match's name."""


class CasualMatches(StoreSection):
    """Stores casual matches: matches of people against bots, with their replays, never rated. They have no entrants.

    The block is stored when the match begins, because the bots are sent the match's name; if the person leaves, the
    block stays without a match.
    """

    def begin(self, bracket: str) -> CasualMatchPlace:
        """Reserve a place for a match that begins now."""
        with write_transaction(self.engine) as connection:
            tournament = _open(connection, PLAY, [bracket])
            number = _next_block(connection, tournament)
            write_batch(connection, Batch(tournament, bracket, [BlockRecord(number, "", number + 1, ())]))
        return CasualMatchPlace(tournament, bracket, number, f"{tournament}-{bracket.replace('/', '.')}-{number + 1}-1")

    def write(self, place: CasualMatchPlace, match: MatchRecord) -> None:
        """Store the match, which was played under the name of its place."""
        assert (match.name, match.block, match.rotation) == (place.name, place.block, 0)
        with write_transaction(self.engine) as connection:
            write_batch(connection, Batch(place.tournament_id, place.bracket, matches=[match]))


class RemoteLadder(StoreSection):
    """Reads and writes the ladder of remote bots.

    It has its own standings: the hardware and the code of a remote bot are unknown, so it is not rated among the bots
    that run here. A bot is entered when it connects. One process at a time writes, and each write says how many matches
    it expects to be stored: so no process adds to results that it does not know, and a write that is repeated after a
    lost connection is not stored twice.
    """

    def open(self, bracket_names: Sequence[str]) -> int:
        """Return the ladder's number. Begin it if there is none, and add missing brackets."""
        with write_transaction(self.engine) as connection:
            return _open(connection, REMOTE, bracket_names)

    def progress(self, number: int, bracket: str) -> tuple[int, int]:
        """Return the first free block number and the number of stored matches."""
        with self.engine.connect() as connection:
            return _next_block(connection, number), _played(connection, number, bracket)

    def enter(
        self, number: int, name: str, version: str, language: str, games: Sequence[str]
    ) -> tuple[BotVersion, int]:
        """Return the bot version, registered if it is new, and its entrant number. Do not call it concurrently."""
        bots = Bots(self.engine)
        known = bots.versions_of(name)
        if any(not each.is_remote for each in known):
            raise BadSubmission(f"The name `{name}` is taken by a bot that runs on the server: choose another name.")
        found = next((each for each in known if each.version == version), None)
        if found is None:
            content = sha256(f"remote {name} {version}".encode()).hexdigest()
            found = bots.register(name, version, content, "", language, games)
        ours = entries.c.tournament_id == number
        # A bot that reconnects does not wait for writers.
        for entrant in self._column(select(entries.c.entrant).where(ours, entries.c.version_id == found.id)):
            return found, entrant
        with write_transaction(self.engine) as connection:
            entrant = connection.scalar(select(func.count()).select_from(entries).where(ours)) or 0
            row = {"tournament_id": number, "entrant": entrant, "version_id": found.id}
            connection.execute(insert(entries).values(row))
        return found, entrant

    def write(self, batch: Batch, standings: Standings, changes: Changes, *, before: int) -> None:
        """Store these matches, each a block of its own, and the changed standings.

        `before`: the number of matches that the caller expects to be stored. May be repeated after a failure.
        """
        number, bracket, count = batch.tournament_id, batch.bracket, len(batch.matches)
        with write_transaction(self.engine) as connection:
            stored = _played(connection, number, bracket)
            if stored == before + count and _is_stored(connection, batch.matches[-1]):
                return
            if stored != before:
                raise BadStore(
                    "Another `arena serve` has played in this ladder meanwhile, so these matches cannot be added.",
                    hint="Stop one of the two servers, and start this one again.",
                )
            write_batch(connection, batch)
            write_changes(connection, number, bracket, standings, changes)
            counted = {"folded": brackets.c.folded + count, "matches": brackets.c.matches + count}
            connection.execute(update(brackets).where(of_bracket(brackets, number, bracket)).values(counted))


def _open(connection: Connection, format_name: str, bracket_names: Sequence[str]) -> int:
    """Return the number of the tournament of this format. Begin it if there is none, and add missing brackets."""
    done = TournamentState.DONE.value
    number: int | None = connection.scalar(
        select(func.min(tournaments.c.id)).where(tournaments.c.format == format_name)
    )
    if number is None:
        new = insert(tournaments).values(
            name=format_name, format=format_name, options={}, seed="", rated=False, state=done, created=now()
        )
        number = connection.execute(new.returning(tournaments.c.id)).scalar_one()
    known = list(connection.scalars(select(brackets.c.bracket).where(brackets.c.tournament_id == number)))
    missing = [bracket for bracket in dict.fromkeys(bracket_names) if bracket not in known]
    for place, bracket in enumerate(missing, start=len(known)):
        row = {"tournament_id": number, "bracket": bracket, "place": place, "state": done}
        connection.execute(insert(brackets).values(row))
    return number


def _next_block(connection: Connection, number: int) -> int:
    """Return a number that no bracket has used: names of matches contain those of brackets, which may have changed."""
    last = connection.scalar(select(func.max(blocks.c.number)).where(blocks.c.tournament_id == number))
    return 0 if last is None else last + 1


def _played(connection: Connection, number: int, bracket: str) -> int:
    return connection.scalar(select(brackets.c.played).where(of_bracket(brackets, number, bracket))) or 0


def _is_stored(connection: Connection, match: MatchRecord) -> bool:
    """Return whether this match is stored: another one with the same name has another seed."""
    return connection.scalar(select(matches.c.seed).where(matches.c.name == match.name)) == match.seed
