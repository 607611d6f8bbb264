"""A running bot: its process, its stream, and the way from one to the other, from the start to the hello."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from pathlib import Path

from arena.errors import ArenaError, BotDidNotStart
from arena.referee.connection import Answer, Moment, Traffic
from arena.referee.conversation import Conversation
from arena.referee.descriptors import open_sockets
from arena.referee.launch import Launch
from arena.referee.process import BotLog, BotProcess
from arena.replay import FaultKind
from arena.sandbox import Cell

EXIT_AFTER_END_OF_STREAM = 0.8
"""Seconds in which a process whose stream has ended must end too, for it to have crashed, not to have hung up."""
MOST_SOCKETS = 64
"""Sockets that a bot's processes may have open: each may be a connection to the referee, who has only so many files."""
PONDERS = 10.0
"""Ms of processor time that a bot may use between two turns without being taken for one that thinks all the time."""
ALONE = (
    "In the sandbox a bot that is a single file sees that file only. If it needs others, make it a folder with an "
    "arena.toml (see arena new), or start it without a sandbox: --sandbox none."
)


class Instance(Conversation):
    """One process of a bot, and the stream it has opened."""

    def __init__(
        self, program: Launch, address: str, log: Path | None, matches_at_once: int, traffic: Traffic, cell: Cell
    ) -> None:
        super().__init__(matches_at_once, traffic)
        self.program = program
        self.cell = cell
        self.may_ponder = True
        """Whether it may use the processor while others think. If not it is frozen where it does."""
        self._ponders = False
        """Whether it has tried."""
        self._idle_cpu: float | None = None
        """What it had used of the processor when it had nothing to think about any more."""
        self.token = secrets.token_hex(16)
        self.idle_since = time.monotonic()
        self.freed = asyncio.Event()
        """Set when one of its matches has ended."""
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._measures_cpu = False
        self._looked_at_limits = 0.0
        self.stopped = False
        env = {"ARENA_ADDRESS": address, "ARENA_TOKEN": self.token}
        try:
            self.process = BotProcess(program, env, BotLog(log, cell.allowance.log), self._on_exit, cell)
        except (ArenaError, OSError):
            traffic.connections.discard(self.connection)
            cell.remove()
            raise

    # Coming to play

    async def wait_until_ready(self, seconds: float) -> None:
        """Returns when the bot has said hello. Raises BotDidNotStart where it does not."""
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), seconds)
        except TimeoutError:
            raise self._did_not_start(f"did not say hello within {seconds:g} s") from None

    def _did_not_start(self, what: str) -> BotDidNotStart:
        self.dead = True
        alone = f"\n{ALONE}" if self.cell.is_boxed and self.program.file and self._lacks_a_file else ""
        return BotDidNotStart(f"{self.program.label} {what}.{self.process.log.last_lines()}{alone}")

    @property
    def _lacks_a_file(self) -> bool:
        return any(sign in self.process.log.tail for sign in (b"ModuleNotFoundError", b"No such file", b"ENOENT"))

    @property
    def idle(self) -> bool:
        """Whether it is here to play and has nothing to do."""
        return self._ready.done() and not self.matches and not self.stopped

    def _refuse(self, what: str) -> None:
        self.dead = True
        if not self._ready.done():
            self._ready.set_exception(self._did_not_start(what))

    def _objection(self) -> str | None:
        if missing := set(self.program.games) - set(self.games):
            return f"claims in arena.toml to play {' and '.join(sorted(missing))}, but not in its hello"
        return None

    # The stream

    def _welcomed(self) -> None:
        self.idle_since = time.monotonic()
        self._measures_cpu = self.cell.cpu_ms() > 0
        self._ready.set_result(None)

    def _now(self) -> Moment:
        return Moment(time.perf_counter(), self.cell.cpu_ms() if self._measures_cpu else None)

    def _before_message(self) -> None:
        self.cell.freeze(False)

    def _after_message(self, answers: list[Answer]) -> None:
        if answers:
            self._idle_cpu = None
        if self._ponders and self.connection.is_idle:
            self.cell.freeze(True)

    # The end

    def _stream_ended(self) -> None:
        self._aftermath = asyncio.create_task(self._after_end_of_stream())

    def cut_off(self) -> None:
        self.process.kill()

    async def _after_end_of_stream(self) -> None:
        """Tells a crash, which ends the process too, from a bot that only hangs up."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.process.exited.wait(), EXIT_AFTER_END_OF_STREAM)
            return
        self.lose_all(FaultKind.DISCONNECT, "It closed its stream.")

    def _on_exit(self) -> None:
        why = self.process.why_it_ended
        if not self._ready.done():
            excess = self.cell.why_ended()
            how = f"{excess}; {self.process.how_it_ended}" if excess else self.process.how_it_ended
            self._refuse(f"ended before it said hello ({how})")
        self.lose_all(FaultKind.CRASH, why)

    def check_pondering(self) -> None:
        """Freezes the bot if it uses the processor while it is not asked anything."""
        if self.may_ponder or not self._ready.done() or not self.connection.is_idle:
            return
        used = self.cell.cpu_ms()
        if self._idle_cpu is None:
            self._idle_cpu = used
        elif used - self._idle_cpu > PONDERS:
            if not self._ponders:
                self._ponders = True
                self.process.log.note("it uses the processor while others think, so it is frozen until its next turn")
            self._idle_cpu = used
            self.cell.freeze(True, again=True)

    def check_limits(self, now: float) -> None:
        """Tells the bot's author, in its log, of limits that it has reached."""
        if now - self._looked_at_limits > self.cell.look_every:
            self._looked_at_limits = now
            if reached := self.cell.look():
                self.process.log.note(f"it {reached}")

    def check_sockets(self) -> None:
        """Ends a bot that opens one connection after the other."""
        if (sockets := open_sockets(self.cell)) > MOST_SOCKETS:
            detail = f"It had {sockets} connections open, and {MOST_SOCKETS} are allowed."
            self.lose_all(FaultKind.PROTOCOL, detail)
            self.cut_off()

    async def stop(self, grace: float | None = None) -> None:
        """Ends the stream and the process, which has so many seconds to end by itself."""
        self.dead = True
        self.stopped = True
        self.connection.traffic.connections.discard(self.connection)
        self._closing.set()
        await self.process.stop(grace)
        self._refuse("was ended before it said hello")
        self._ready.exception()  # seen, if nobody has waited for it
