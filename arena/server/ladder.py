"""The ladder without end: as long as there are guests, matches are played between them.

A match waits for a guest whose connection broke, but not for long: then its seat is forfeited and the house plays on. A
guest sits at a table once, and at several tables at the same time, as many as it can take.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
import traceback
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from anyio import to_thread

from arena.errors import ArenaError
from arena.games.brackets import USUAL_SEATS
from arena.records import BlockRecord
from arena.referee import Limits, Referee
from arena.referee.connection import HOLD
from arena.referee.match import Match
from arena.referee.referee import HUNG_AFTER
from arena.server.admission import Allowance
from arena.server.guest import Guest
from arena.server.journal import Journal
from arena.server.ledger import Ledger, Page
from arena.server.matchmaking import Matchmaker
from arena.server.metrics import Metrics
from arena.server.unfinished import Suspended, Unfinished
from arena.tournament.jobs import Job

WRITE_EVERY = 0.25
"""Seconds for which matches that were played come together before they are written."""
MOST_UNWRITTEN = 5000
"""So many matches may wait for a disk that is full; then no more begin."""
LOOK_AT_CLOCKS = 0.05
"""Seconds between two looks at the clocks."""
LOOK_AT_LINES = 0.25
"""Seconds between two looks at how the ways to the guests are."""
A_MESSAGE = 0.001
"""Seconds of work for one message, however many turns are in it. While each guest gets one, turns for the next come
together: they are held back for as long as that takes, and no longer."""
LOOK_AT_TOKENS = 2.0
"""Seconds between two looks at whether the guests' tokens still hold."""
LOOK_FOR_TABLES = 0.1
"""Seconds between two looks at who may play again, where nothing else happens."""


@dataclass(frozen=True, slots=True, eq=False)
class Sitting:
    """A match and those who sit at it."""

    page: Page
    job: Job
    block: BlockRecord
    guests: Sequence[Guest | None]
    """In seat order; None: the seat was lost before the match was suspended."""
    match: Match | None = None
    """What was played before it was suspended."""
    before: Suspended | None = None
    """The same, as it was kept."""

    def suspended(self, match: Match) -> Suspended:
        header, entries = match.replay.header, tuple(match.replay.entries)
        block = self.block
        return Suspended(self.page.bracket.name, block.number, block.entrants, self.job.versions, header, entries)


@dataclass(frozen=True, slots=True, eq=False)
class Vacancy:
    """A bracket in which tables are to be given, and those who may sit down."""

    page: Page
    maker: Matchmaker
    seats: int
    free: list[int]


class OpenLadder:
    """Gives tables to guests."""

    def __init__(
        self,
        referee: Referee,
        ledger: Ledger,
        journal: Journal,
        metrics: Metrics,
        *,
        limits: Limits,
        pace: float | None,
        unfinished: Unfinished,
    ) -> None:
        """`pace`: how many matches a minute a bot may begin; None: as many as it can. `unfinished`: from last time."""
        self.referee = referee
        self.ledger = ledger
        self.journal = journal
        self.metrics = metrics
        self.limits = limits
        self.pace = None if pace is None else Allowance(max(1.0, pace / 10), pace)
        self.guests: dict[int, Guest] = {}
        """Those who are here, by their version in the store."""
        self.draining = False
        self._makers = [(page, Matchmaker(page.standings.rating)) for page in ledger.pages]
        self._matches: dict[asyncio.Task[None], Sitting] = {}
        self._unfinished = unfinished
        self._suspended: list[Suspended] = []
        """Matches that go on when their bots are here."""
        self._something_new = asyncio.Event()
        self._jobs: list[asyncio.Task[None]] = []
        self._trouble = ""
        """What is wrong with the store, as it was told."""
        self._ended: dict[str, Callable[[], None]] = {}
        """Matches that are not on record yet, with what tells of them once they are."""
        metrics.follow(lambda: sum(guest.is_here for guest in self.guests.values()), lambda: len(self._matches))

    def start(self) -> None:
        self._suspended, useless = self._unfinished.load()
        for name in useless:
            self.journal.tell("match.abandoned", match=name, why="it waited for too long, or cannot be read")
        for match in self._suspended:
            for page in self.ledger.pages:
                if page.bracket.name == match.bracket:
                    page.next_block = max(page.next_block, match.block + 1)
        jobs = (self._give_tables, self._watch_clocks, self._watch_tokens, self._write_down)
        self._jobs = [asyncio.create_task(self._keep_at(job)) for job in jobs]

    async def _keep_at(self, job: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """A job that must not stop as long as the server runs: what nobody has foreseen is told, and it goes on."""
        while True:
            try:
                await job()
            except Exception as error:  # noqa: BLE001, whatever it was, clocks and tables are there for all others
                self.journal.tell("server.trouble", why=str(error), trace=traceback.format_exc())
                await asyncio.sleep(LOOK_AT_LINES)

    # Who is here

    def welcome(self, guest: Guest) -> None:
        """A guest has come. Where it was here already, by a connection that is perhaps dead, the new one goes on."""
        version = guest.registered.version_id
        if before := self.guests.get(version):
            guest.follow(before)
            before.send_away("It has connected anew, and only its latest connection counts.")
            self.journal.tell("bot.back", bot=guest.registered.label, seats=len(guest.connection.chairs))
        self.guests[version] = guest
        self._something_new.set()

    def say_goodbye(self, guest: Guest) -> None:
        """A guest's stream has ended. If it has left in the midst of its matches it may come back."""
        version = guest.registered.version_id
        if guest.is_away and guest.playing and not guest.dead and not self.draining:
            self.journal.tell("bot.away", bot=guest.registered.label, seats=len(guest.connection.chairs))
            return
        self.journal.tell("bot.left", bot=guest.registered.label, user=guest.token.user)
        guest.leave()
        if self.guests.get(version) is guest:
            del self.guests[version]
            for _, maker in self._makers:
                maker.forget(version)

    # Matches

    async def _give_tables(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_FOR_TABLES if self.pace else None):
                    await self._something_new.wait()
            self._something_new.clear()
            await self._resume_matches()
            tables = [Vacancy(page, maker, *self._who_can_play(page)) for page, maker in self._makers]
            while tables:  # one table of each bracket after the other, so that none of them takes all guests
                tables = [vacancy for vacancy in tables if self._give_table(vacancy)]
                await asyncio.sleep(0)

    def _who_can_play(self, page: Page) -> tuple[int, list[int]]:
        """How many sit at a table of this bracket, 0 if they are too few; and who may sit down now."""
        playing = [guest for guest in self.guests.values() if page.bracket.game in guest.games and guest.is_here]
        possible = page.bracket.rules.seat_range(**dict(page.bracket.options))
        seats = min(len(playing), USUAL_SEATS, possible[-1])
        free = [guest.registered.version_id for guest in playing if self._may_begin(guest)]
        return seats if seats >= possible[0] else 0, free

    def _give_table(self, vacancy: Vacancy) -> bool:
        """Begins one match, if there are enough who can play it."""
        if self.draining or self.ledger.unwritten > MOST_UNWRITTEN or not vacancy.seats:
            return False
        page, free = vacancy.page, vacancy.free
        table = vacancy.maker.table(free, vacancy.seats)
        if table is None:
            return False
        guests = [self.guests.get(version) for version in table]
        if not all(guest and self._may_begin(guest) for guest in guests):
            # In the meantime somebody has gone, or sat down in another bracket.
            free[:] = [each for each in free if (guest := self.guests.get(each)) and self._may_begin(guest)]
            return True
        seated = [guest for guest in guests if guest]
        job, block = page.plan([guest.registered for guest in seated], secrets.token_hex(16))
        for guest in seated:
            guest.playing.add(job.plan.id)
            if self.pace:
                self.pace.take(guest.registered.version_id)
            if not self._may_begin(guest):
                free.remove(guest.registered.version_id)
        self._begin(Sitting(page, job, block, seated))
        return True

    def _may_begin(self, guest: Guest) -> bool:
        return guest.has_room and (self.pace is None or self.pace.left(guest.registered.version_id) >= 1)

    async def _resume_matches(self) -> None:
        """Goes on with matches of last time whose bots are all here, and have room for them."""
        pages = {page.bracket.name: page for page in self.ledger.pages}
        for suspended in list(self._suspended):
            page = pages.get(suspended.bracket)
            if self.draining or page is None or not self._can_go_on(suspended, page.bracket.game):
                continue
            self._suspended.remove(suspended)
            job, block = page.plan_again(suspended)
            try:
                match = suspended.match(job.plan, self.limits)
            except ArenaError as error:
                self.journal.tell("match.failed", match=job.plan.id, why=str(error))
                continue
            guests = [self.guests[each] if each in suspended.waits_for else None for each in suspended.versions]
            for guest in guests:
                if guest:
                    guest.playing.add(job.plan.id)
            self._begin(Sitting(page, job, block, guests, match, suspended))
            await asyncio.sleep(0)  # there may be many of them, and others play meanwhile

    def _can_go_on(self, suspended: Suspended, game: str) -> bool:
        seated = [self.guests.get(version) for version in suspended.waits_for]
        return all(guest and guest.has_room and game in guest.games for guest in seated)

    def _begin(self, sitting: Sitting) -> None:
        task = asyncio.create_task(self._play(sitting), name=sitting.job.plan.id)
        self._matches[task] = sitting
        task.add_done_callback(self._matches.pop)

    async def _play(self, sitting: Sitting) -> None:
        page, job, guests = sitting.page, sitting.job, sitting.guests
        try:
            if sitting.before:
                await to_thread.run_sync(self._unfinished.forget, sitting.before)
            if not all(guest.is_here for guest in guests if guest):
                # It has gone since the table was given; nobody has sat down yet.
                if sitting.before:
                    await self._suspend([sitting.before])
                    self._suspended.append(sitting.before)
                return
            if sitting.before:
                self.journal.tell("match.resumed", match=job.plan.id)
            players = [guest.connection if guest else None for guest in guests]
            outcome = await self.referee.play(job.plan, players, self.limits, match=sitting.match)
        except ArenaError as error:
            self.journal.tell("match.failed", match=job.plan.id, why=str(error))
            return
        finally:
            for guest in guests:
                if guest:
                    guest.playing.discard(job.plan.id)
            self._something_new.set()
        self._ended[job.plan.id] = partial(
            self.journal.tell,
            "match.ended",
            match=job.plan.id,
            bots=list(job.plan.bots),
            places=", ".join(map(str, outcome.result.placements)),
            faults=[f"{job.plan.bots[fault.seat]}: {fault.fault.value}" for fault in outcome.faults] or None,
        )
        self.ledger.take(page, job, sitting.block, outcome)
        self.metrics.count(page.bracket.name, outcome)
        self.metrics.unwritten.set(self.ledger.unwritten)

    # Beside the matches

    async def _watch_clocks(self) -> None:
        looked = 0.0
        while True:
            await asyncio.sleep(LOOK_AT_CLOCKS)
            here = list(self.guests.values())
            if time.monotonic() - looked > LOOK_AT_LINES:
                looked = time.monotonic()
                for guest in here:
                    guest.look()
                self.referee.traffic.hold = max(HOLD, A_MESSAGE * len(here))
                self._something_new.set()  # who was out of reach may be here again
            for guest in here:
                if not guest.dead:
                    guest.check_time(HUNG_AFTER)
                if guest.dead and guest.is_away:  # nobody else says goodbye to it: its stream has ended before
                    self.say_goodbye(guest)

    async def _watch_tokens(self) -> None:
        while True:
            await asyncio.sleep(LOOK_AT_TOKENS)
            here = list(self.guests.values())
            try:
                valid = await to_thread.run_sync(self.ledger.store.tokens.valid)
            except Exception as error:  # noqa: BLE001, whatever it was, the next look may find it mended
                self._tell_trouble(error)
                continue
            for guest in here:  # not those who came meanwhile, with a token that is newer than what we know
                if guest.token.id not in valid and not guest.dead:
                    why = "Its token has expired or was revoked."
                    self.journal.tell("bot.sent_away", bot=guest.registered.label, why=why)
                    guest.send_away(why)

    async def _write_down(self) -> None:
        while True:
            await asyncio.sleep(WRITE_EVERY)
            await self.write()

    async def write(self) -> bool:
        """Writes what was played, and then tells of it. What cannot be written now is kept, and tried again."""
        try:
            await to_thread.run_sync(self.ledger.write)
        except Exception as error:  # noqa: BLE001, whatever it was, nothing else writes what was played
            self._tell_trouble(error)
            return False
        finally:
            self.metrics.unwritten.set(self.ledger.unwritten)
        written = await to_thread.run_sync(self.ledger.take_written)
        if self._trouble and written:
            self._trouble = ""
            self.journal.tell("store.back")
        for name in written:  # also those of a write that nobody waited for to the end
            self._ended.pop(name)()
        return True

    def _tell_trouble(self, error: Exception) -> None:
        """Once, however often it is tried."""
        trouble = str(error) if isinstance(error, ArenaError) else repr(error)
        if trouble != self._trouble:
            self._trouble = trouble
            self.journal.tell("store.failed", why=self._trouble)

    # The end

    async def drain(self, patience: float) -> None:
        """Begins no more matches, and lets those under way end, within so many seconds; then everybody is sent home."""
        self.draining = True
        self.journal.tell("drain.began", matches=len(self._matches), bots=len(self.guests))
        deadline = time.monotonic() + patience
        while (left := deadline - time.monotonic()) > 0:
            # Who is away cannot come back now, so nobody waits for them.
            can_end = [task for task, sitting in self._matches.items() if self._can_end(sitting.job)]
            if not can_end:
                break
            await asyncio.wait(can_end, timeout=min(left, LOOK_AT_LINES))
        under_way = self.referee.under_way
        begun = {name: each for each in self._matches.values() if (name := each.job.plan.id) in under_way}
        suspended = [sitting.suspended(under_way[name]) for name, sitting in begun.items()]
        suspended += [each.before for each in self._matches.values() if each.before and each.job.plan.id not in begun]
        for task in list(self._matches):
            task.cancel()  # at once: what is kept for next time must not end now
        await asyncio.gather(*self._matches, return_exceptions=True)
        await self._suspend(suspended)
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)
        written = await self.write()
        for guest in list(self.guests.values()):
            guest.leave()
        self.journal.tell("drain.ended", written=written)

    def _can_end(self, job: Job) -> bool:
        """Whether everybody is here for whom the match could wait."""
        match = self.referee.under_way.get(job.plan.id)
        lost = match.forfeited if match else ()
        seated = [self.guests.get(version) for seat, version in enumerate(job.versions) if seat not in lost]
        return all(guest and guest.is_here for guest in seated)

    async def _suspend(self, matches: Sequence[Suspended]) -> None:
        """Keeps these matches for next time."""
        names = [match.header.match for match in matches]
        try:
            await to_thread.run_sync(self._unfinished.keep, matches)
        except ArenaError as error:
            self.journal.tell("match.abandoned", matches=names, why=str(error))
            return
        for name in names:
            why = "the server stops; it goes on when its bots are here again"
            self.journal.tell("match.suspended", match=name, why=why)
