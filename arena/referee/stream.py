"""A bot's gRPC stream, from the hello to its end: reads, writes, and drives the pure session.

Common to bots that the referee has started (processes/process.py) and to remote bots. One task writes and one reads,
because grpcio allows one writer per stream, and cancelling a read kills the stream.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Protocol

import grpc
from google.protobuf.message import DecodeError

from arena import __version__
from arena.games.codec import PROTOCOLS
from arena.games.registry import games_in_hello
from arena.protocol.batching import Batching
from arena.protocol.clock import Moment, Spent
from arena.protocol.session import ProtocolBroken, Session, SessionSeat, SessionState
from arena.referee.config import CONFIG
from arena.replay import Fault, FaultKind
from arena.v1 import referee_pb2 as pb


class RawStream(Protocol):
    """The server's side of a gRPC stream of serialised messages."""

    async def read(self) -> Any: ...
    async def write(self, message: bytes) -> None: ...


def _retrieve_exception(task: asyncio.Task[Any]) -> None:
    """Mark the task's exception as seen: tasks of a broken stream end with the stream's error."""
    if not task.cancelled():
        task.exception()


class BotStream:
    """One bot's stream, and the bot's hello."""

    max_message = CONFIG.max_message
    late_seconds = CONFIG.hung_seconds
    """How long a bot that has exceeded a time limit may be silent."""

    def __init__(self, matches_at_once: int, batching: Batching) -> None:
        self.capacity = matches_at_once
        """Matches that it plays at once at most; its hello may lower it."""
        self.games: tuple[str, ...] = ()
        self.hello = pb.Hello()
        self.matches = 0
        """Matches that it plays or has been reserved for."""
        self.dead = False
        """Whether it has lost everything and gets no more matches."""
        self._something_to_send = asyncio.Event()
        self._holding = False
        self.session = Session(self._something_to_send.set, self._hold, batching)
        self._closing = asyncio.Event()
        self._writing_since: float | None = None
        """When the write began that is still waiting for the bot to read."""

    # What subclasses change

    def _objection(self) -> str | None:
        """Return what else is wrong with a hello of the right protocol version; None: nothing."""
        return None

    def _refuse(self, what: str) -> None:
        """Called when the hello is wrong."""
        del what
        self.dead = True

    def _welcomed(self) -> None:
        """Called when the hello is accepted."""

    def _stream_ended(self) -> None:
        """Called when the stream ends from the bot's side."""

    def _now(self) -> Moment:
        return Moment(time.perf_counter())

    def _before_message(self) -> None:
        """Called before a message is sent."""

    def _after_message(self, answers: int) -> None:
        """Called after a message with this number of answers was received."""

    def _clock_note(self) -> str:
        """Return a sentence about how time is measured, for time-out messages; begins with a space."""
        return ""

    def cut_off(self) -> None:
        """End the stream of a bot that does not respond."""
        self._closing.set()

    # The stream

    def _accept(self, hello: pb.Hello) -> str | None:
        """Take the hello. Return what is wrong with it; None: nothing."""
        if hello.protocol not in PROTOCOLS:
            known = " and ".join(map(str, PROTOCOLS))
            return f"speaks version {hello.protocol} of the protocol, and the referee versions {known}"
        self.games = games_in_hello(hello.games, hello.other_games)
        if wrong := self._objection():
            return wrong
        if not self.games:
            return "said in its hello that it plays no game"
        if hello.matches_at_once:
            self.capacity = min(self.capacity, hello.matches_at_once)
        self.hello = hello
        return None

    def _hold(self) -> None:
        if not self._holding:
            self._holding = True
            asyncio.get_running_loop().call_later(self.session.batching.hold_seconds, self._release)

    def _release(self) -> None:
        self._holding = False
        self.session.release()

    async def serve(self, hello: pb.Hello, stream: RawStream) -> None:
        """Run the stream from the hello to its end."""
        if self.dead:
            return
        if wrong := self._accept(hello):
            self._refuse(wrong)  # before the write, because another stream may say hello meanwhile
            self.session.report_fault(None, Fault(0, FaultKind.START, f"The bot {wrong}."))
            await stream.write(self.session.take_all().SerializeToString())
            return
        self.session.welcome(
            pb.Welcome(
                protocol=hello.protocol,
                referee=f"arena {__version__}",
                matches_at_once=self.capacity,
                round_trip_us=round(1e6 * self.session.round_trip),
            )
        )
        self._welcomed()
        tasks = [asyncio.create_task(job) for job in (self._write(stream), self._read(stream), self._closing.wait())]
        for task in tasks:
            task.add_done_callback(_retrieve_exception)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            last = stream.write(self.session.take_all().SerializeToString())
            await asyncio.wait_for(last, CONFIG.last_write_seconds)
        except (grpc.aio.BaseError, TimeoutError):
            pass  # the stream is broken; handled below
        finally:  # grpcio cancels this coroutine when the bot is gone
            for task in tasks:
                task.cancel()
            if not self._closing.is_set():
                self._stream_ended()

    async def _write(self, stream: RawStream) -> None:
        session, something_to_send = self.session, self._something_to_send
        while True:
            await something_to_send.wait()
            something_to_send.clear()
            while (message := session.take(self._now())) is not None:
                self._before_message()
                self._writing_since = time.perf_counter()
                await stream.write(message.SerializeToString())
                self._writing_since = None

    async def _read(self, stream: RawStream) -> None:
        while (data := await stream.read()) is not grpc.aio.EOF:
            if self.dead:
                continue  # another process may have its seats by now
            if len(data) > self.max_message:
                detail = f"It sent a message of {len(data)} bytes, the limit is {self.max_message}."
                self.forfeit_all(FaultKind.PROTOCOL, detail)
                return
            try:
                self._handle(pb.PlayRequest.FromString(data))
            except DecodeError:
                self.forfeit_all(FaultKind.PROTOCOL, "It sent bytes that are not a PlayRequest.")
                return
            except ProtocolBroken as error:
                self.forfeit_all(FaultKind.PROTOCOL, f"{str(error)[0].upper()}{str(error)[1:]}.")
                return

    def _handle(self, message: pb.PlayRequest) -> None:
        self._after_message(self.session.receive(message, self._now()))
        self.session.batching.settle()

    # The end

    def forfeit_all(self, kind: FaultKind, detail: str) -> None:
        """Lose all matches and play no more."""
        if self.dead:
            return
        self.dead = True
        self.session.close()
        seats = list(self.session.seats.values())
        self.session.report_fault(None, Fault(0, kind, detail))
        for seat in seats:
            seat.forfeit(kind, detail)

    def check_time(self) -> None:
        """Forfeit the match in which the bot exceeds a time limit; cut the bot off if it hangs."""
        session, state, hung = self.session, self.session.state, CONFIG.hung_seconds
        if state is SessionState.IDLE:  # turns may wait that cannot be sent because the bot does not read
            if self._writing_since is not None and time.perf_counter() - self._writing_since > hung:
                self._hang(f"It has not read its stream for {hung:g} s.")
            return
        now = self._now()
        if state is SessionState.LATE:
            if now.time - (session.late_since or now.time) > self.late_seconds:
                self._hang(f"It exceeded its time limit and sent nothing for {self.late_seconds:g} s more.")
        elif thinking := session.thinking(now):
            seat, spent = thinking
            if why := seat.overtime(spent):
                self._exceeded(seat, spent, why)

    def _exceeded(self, seat: SessionSeat, spent: Spent, why: str) -> None:
        """Forfeit the match whose turn exceeds a time limit."""
        self.session.mark_late(self._now())
        seat.time_out(spent, why + self._clock_note())

    def fail(self, kind: FaultKind, detail: str) -> None:
        """End by a fault that may belong to one match."""
        self.forfeit_all(kind, detail)

    def _hang(self, detail: str) -> None:
        self.fail(FaultKind.TIMEOUT, detail)
        self.cut_off()
