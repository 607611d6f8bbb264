"""A running bot: its process, its stream, and the way from one to the other, from the start to the hello."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from pathlib import Path
from typing import Any, Protocol

import grpc
from google.protobuf.message import DecodeError

from arena import __version__
from arena.errors import ArenaError, BotDidNotStart
from arena.referee.connection import Connection, Moment, ProtocolBroken, Traffic
from arena.referee.descriptors import open_sockets
from arena.referee.process import BotLog, BotProcess
from arena.referee.programs import Program
from arena.replay import Fault, FaultKind
from arena.sandbox import Cell
from arena.v1 import referee_pb2 as pb
from arena.wire import GAME_CODES, PROTOCOL

GAME_OF = {code: game for game, code in GAME_CODES.items()}
MAX_MESSAGE = 4 * 1024 * 1024
"""The bytes that a message of a bot may have."""
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


class Stream(Protocol):
    """The server's side of a gRPC stream of raw messages."""

    async def read(self) -> Any: ...
    async def write(self, message: bytes) -> None: ...


def _seen(task: asyncio.Task[Any]) -> None:
    """A task of a stream that broke ends with the stream's error, which says nothing that the end of it does not."""
    if not task.cancelled():
        task.exception()


class Instance:
    """One process of a bot, and the stream it has opened."""

    def __init__(
        self, program: Program, address: str, log: Path | None, matches_at_once: int, traffic: Traffic, cell: Cell
    ) -> None:
        self.program = program
        self.cell = cell
        self.may_ponder = True
        """Whether it may use the processor while others think. If not it is frozen where it does."""
        self._ponders = False
        """Whether it has tried."""
        self._idle_cpu: float | None = None
        """What it had used of the processor when it had nothing to think about any more."""
        self.token = secrets.token_hex(16)
        self.capacity = matches_at_once
        """How many matches it may play at once; less, if its hello says so."""
        self.games: tuple[str, ...] = ()
        self.hello = pb.Hello()
        self.matches = 0
        """How many matches it plays or is about to play."""
        self.idle_since = time.monotonic()
        self.dead = False
        self._something_to_send = asyncio.Event()
        self._holding = False
        self.connection = Connection(self._something_to_send.set, self._hold, traffic)
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closing = asyncio.Event()
        self._measures_cpu = False
        self._looked_at_limits = 0.0
        self._writing_since: float | None = None
        """When the message was begun that the bot has not made room for yet."""
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

    def _accept(self, hello: pb.Hello) -> str | None:
        """Takes the hello. Returns what is wrong with it, if anything is."""
        if hello.protocol != PROTOCOL:
            return f"speaks version {hello.protocol} of the protocol, and the referee version {PROTOCOL}"
        self.games = tuple(GAME_OF[code] for code in hello.games if code in GAME_OF)
        if missing := set(self.program.games) - set(self.games):
            return f"claims in arena.toml to play {' and '.join(sorted(missing))}, but not in its hello"
        if not self.games:
            return "said in its hello that it plays no game"
        if hello.matches_at_once:
            self.capacity = min(self.capacity, hello.matches_at_once)
        self.hello = hello
        return None

    # The stream

    def _hold(self) -> None:
        if not self._holding:
            self._holding = True
            asyncio.get_running_loop().call_later(self.connection.traffic.hold, self._release)

    def _release(self) -> None:
        self._holding = False
        self.connection.release()

    async def serve(self, hello: pb.Hello, stream: Stream) -> None:
        """The life of the stream, from the hello to its end."""
        if self.dead:
            return  # too late: it has been given up
        if wrong := self._accept(hello):
            self._refuse(wrong)  # first, because another stream may say hello while this one is told
            self.connection.tell_fault(None, Fault(0, FaultKind.START, f"The bot {wrong}."))
            await stream.write(self.connection.take_all().SerializeToString())
            return
        self.connection.welcome(
            pb.Welcome(protocol=PROTOCOL, referee=f"arena {__version__}", matches_at_once=self.capacity)
        )
        self.idle_since = time.monotonic()
        self._measures_cpu = self.cell.cpu_ms() > 0
        self._ready.set_result(None)
        tasks = [asyncio.create_task(job) for job in (self._write(stream), self._read(stream), self._closing.wait())]
        for task in tasks:
            task.add_done_callback(_seen)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await stream.write(self.connection.take_all().SerializeToString())
        except grpc.aio.BaseError:
            pass  # the stream is gone already; what that means is found out below
        finally:  # grpc cancels this when the bot has gone
            for task in tasks:
                task.cancel()
            if not self._closing.is_set():
                self._aftermath = asyncio.create_task(self._after_end_of_stream())

    async def _write(self, stream: Stream) -> None:
        connection, something_to_send = self.connection, self._something_to_send
        while True:
            await something_to_send.wait()
            something_to_send.clear()
            while (message := connection.take(self._now())) is not None:
                self.cell.freeze(False)
                self._writing_since = time.perf_counter()
                await stream.write(message.SerializeToString())
                self._writing_since = None

    async def _read(self, stream: Stream) -> None:
        while (data := await stream.read()) is not grpc.aio.EOF:
            if len(data) > MAX_MESSAGE:
                detail = f"It sent a message of {len(data)} bytes, allowed are {MAX_MESSAGE}."
                self.lose_all(FaultKind.PROTOCOL, detail)
                return
            try:
                self._handle(pb.PlayRequest.FromString(data))
            except DecodeError:
                self.lose_all(FaultKind.PROTOCOL, "It sent bytes that are not a PlayRequest.")
                return
            except ProtocolBroken as error:
                self.lose_all(FaultKind.PROTOCOL, f"{str(error)[0].upper()}{str(error)[1:]}.")
                return

    def _now(self) -> Moment:
        return Moment(time.perf_counter(), self.cell.cpu_ms() if self._measures_cpu else None)

    def _handle(self, message: pb.PlayRequest) -> None:
        now = self._now()
        answers, unasked = self.connection.receive(message, now)
        if answers:
            self._idle_cpu = None
        if self._ponders and self.connection.is_idle:
            self.cell.freeze(True)
        for answer in answers:
            chair = answer.chair
            chair.table.answer(chair, answer.action, answer.spent)
        for item in unasked:
            detail = f"It answered turn {item.turn}, which it was not asked."
            item.chair.table.forfeit(item.chair, FaultKind.PROTOCOL, detail)
        self.connection.traffic.settle()

    # The end

    def lose_all(self, kind: FaultKind, detail: str) -> None:
        """Something that costs the bot all its matches. The process is of no use any more."""
        if self.dead:
            return
        self.dead = True
        self.connection.traffic.connections.discard(self.connection)
        chairs = list(self.connection.chairs.values())
        self.connection.tell_fault(None, Fault(0, kind, detail))
        for chair in chairs:
            chair.table.forfeit(chair, kind, detail)

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
            self.process.kill()

    def check_time(self, hung_after: float) -> None:
        """Ends matches in which the bot is over time; ends the bot if it does not come back."""
        connection = self.connection
        if connection.is_idle:
            # What it has not been asked yet, because it does not read what it was sent before, must not wait for ever.
            if self._writing_since is not None and time.perf_counter() - self._writing_since > hung_after:
                self.lose_all(FaultKind.TIMEOUT, f"It has not read its stream for {hung_after:g} s.")
                self.process.kill()
            return
        now = self._now()
        if connection.late:
            if now.time - connection.late_since > hung_after:
                self.lose_all(FaultKind.TIMEOUT, f"It was over time and silent for {hung_after:g} s more.")
                self.process.kill()
            return
        thinking = connection.thinking(now)
        if thinking is None:
            return
        chair, spent = thinking
        match = chair.table.match
        if why := match.overtime(chair.seat, spent):
            connection.late, connection.late_since = True, now.time
            match.charge(chair.seat, spent)
            chair.table.forfeit(chair, FaultKind.TIMEOUT, why)

    async def stop(self, grace: float | None = None) -> None:
        """Ends the stream and the process, which has so many seconds to end by itself."""
        self.dead = True
        self.stopped = True
        self.connection.traffic.connections.discard(self.connection)
        self._closing.set()
        await self.process.stop(grace)
        self._refuse("was ended before it said hello")
        self._ready.exception()  # seen, if nobody has waited for it
