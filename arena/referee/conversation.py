"""What the referee and one bot say to each other, from the hello to the end of the stream.

Here is what is the same for a bot that the referee has started (instance.py) and for one that has come by itself.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any, Protocol

import grpc
from google.protobuf.message import DecodeError

from arena import __version__
from arena.games.codec import PROTOCOL
from arena.games.registry import games_in_hello
from arena.referee.connection import Answer, Connection, Moment, ProtocolBroken, Traffic
from arena.replay import Fault, FaultKind
from arena.v1 import referee_pb2 as pb

MAX_MESSAGE = 4 * 1024 * 1024
"""The bytes that a message of a bot may have."""
LAST_WORDS_WITHIN = 2.0
"""Seconds that a bot has to take what is said to it last."""


class Stream(Protocol):
    """The server's side of a gRPC stream of raw messages."""

    async def read(self) -> Any: ...
    async def write(self, message: bytes) -> None: ...


def _seen(task: asyncio.Task[Any]) -> None:
    """A task of a stream that broke ends with the stream's error, which says nothing that the end of it does not."""
    if not task.cancelled():
        task.exception()


class Conversation:
    """One bot's stream, and what the bot has said about itself."""

    max_message = MAX_MESSAGE

    def __init__(self, matches_at_once: int, traffic: Traffic) -> None:
        self.capacity = matches_at_once
        """How many matches it may play at once; less, if its hello says so."""
        self.games: tuple[str, ...] = ()
        self.hello = pb.Hello()
        self.matches = 0
        """How many matches it plays or is about to play."""
        self.dead = False
        self._something_to_send = asyncio.Event()
        self._holding = False
        self.connection = Connection(self._something_to_send.set, self._hold, traffic)
        self._closing = asyncio.Event()
        self._writing_since: float | None = None
        """When the message was begun that the bot has not made room for yet."""

    # What differs with where the bot comes from

    def _objection(self) -> str | None:
        """What else is wrong with a hello that is right by itself."""
        return None

    def _refuse(self, what: str) -> None:
        """Its hello was wrong."""
        del what
        self.dead = True

    def _welcomed(self) -> None:
        """It may play from now on."""

    def _stream_ended(self) -> None:
        """The stream has ended, and not by us."""

    def _now(self) -> Moment:
        return Moment(time.perf_counter())

    def _before_message(self) -> None:
        """It is about to be sent something."""

    def _after_message(self, answers: list[Answer]) -> None:
        """It has sent something, with these answers."""

    def _about_the_clock(self) -> str:
        """What else a bot's author should know who reads that it was over time; begins with a space."""
        return ""

    def cut_off(self) -> None:
        """Ends it, because it does not listen any more."""
        self._closing.set()

    # The stream

    def _accept(self, hello: pb.Hello) -> str | None:
        """Takes the hello. Returns what is wrong with it, if anything is."""
        if hello.protocol != PROTOCOL:
            return f"speaks version {hello.protocol} of the protocol, and the referee version {PROTOCOL}"
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
            pb.Welcome(
                protocol=PROTOCOL,
                referee=f"arena {__version__}",
                matches_at_once=self.capacity,
                round_trip_us=round(1e6 * self.connection.round_trip),
            )
        )
        self._welcomed()
        tasks = [asyncio.create_task(job) for job in (self._write(stream), self._read(stream), self._closing.wait())]
        for task in tasks:
            task.add_done_callback(_seen)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            last_words = stream.write(self.connection.take_all().SerializeToString())
            await asyncio.wait_for(last_words, LAST_WORDS_WITHIN)  # it may not read them
        except (grpc.aio.BaseError, TimeoutError):
            pass  # the stream is gone already; what that means is found out below
        finally:  # grpc cancels this when the bot has gone
            for task in tasks:
                task.cancel()
            if not self._closing.is_set():
                self._stream_ended()

    async def _write(self, stream: Stream) -> None:
        connection, something_to_send = self.connection, self._something_to_send
        while True:
            await something_to_send.wait()
            something_to_send.clear()
            while (message := connection.take(self._now())) is not None:
                self._before_message()
                self._writing_since = time.perf_counter()
                await stream.write(message.SerializeToString())
                self._writing_since = None

    async def _read(self, stream: Stream) -> None:
        while (data := await stream.read()) is not grpc.aio.EOF:
            if len(data) > self.max_message:
                detail = f"It sent a message of {len(data)} bytes, allowed are {self.max_message}."
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

    def _handle(self, message: pb.PlayRequest) -> None:
        answers, unasked = self.connection.receive(message, self._now())
        self._after_message(answers)
        for answer in answers:
            chair = answer.chair
            chair.table.answer(chair, answer.action, answer.spent)
        for item in unasked:
            detail = f"It answered turn {item.turn}, which it was not asked."
            item.chair.table.forfeit(item.chair, FaultKind.PROTOCOL, detail)
        self.connection.traffic.settle()

    # The end

    def lose_all(self, kind: FaultKind, detail: str) -> None:
        """Something that costs the bot all its matches. It is of no use any more."""
        if self.dead:
            return
        self.dead = True
        self.connection.traffic.connections.discard(self.connection)
        chairs = list(self.connection.chairs.values())
        self.connection.tell_fault(None, Fault(0, kind, detail))
        for chair in chairs:
            chair.table.forfeit(chair, kind, detail)

    def check_time(self, hung_after: float) -> None:
        """Ends matches in which the bot is over time; ends the bot if it does not come back."""
        connection = self.connection
        if connection.is_idle:
            # What it has not been asked yet, because it does not read what it was sent before, must not wait for ever.
            if self._writing_since is not None and time.perf_counter() - self._writing_since > hung_after:
                self.lose_all(FaultKind.TIMEOUT, f"It has not read its stream for {hung_after:g} s.")
                self.cut_off()
            return
        now = self._now()
        if connection.late:
            if now.time - connection.late_since > hung_after:
                self.lose_all(FaultKind.TIMEOUT, f"It was over time and silent for {hung_after:g} s more.")
                self.cut_off()
            return
        thinking = connection.thinking(now)
        if thinking is None:
            return
        chair, spent = thinking
        match = chair.table.match
        if why := match.overtime(chair.seat, spent):
            connection.late, connection.late_since = True, now.time
            match.charge(chair.seat, spent)
            chair.table.forfeit(chair, FaultKind.TIMEOUT, why + self._about_the_clock())
