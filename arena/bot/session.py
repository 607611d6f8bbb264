"""A bot's conversation with the referee: one stream, turns in, answers out.

The bot thinks in the same thread that talks, so while it thinks nothing else happens here; answers are sent at the end
of each batch of turns, and earlier where the bot is slow, because the referee's clock for the next turn starts with the
answer to the one before.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import grpc
import uvloop

from arena.bot.bot import Bot
from arena.bot.turns import Clock, MantisTurn, TentagramTurn
from arena.v1 import mantis_pb2, tentagram_pb2
from arena.v1 import referee_pb2 as pb
from arena.v1 import referee_pb2_grpc as rpc
from arena.wire import GAME_CODES, PROTOCOL
from arena.wire import mantis as mantis_wire
from arena.wire import tentagram as tentagram_wire
from arena.wire.base import Unreadable

SEND_AFTER = 0.005
"""Answers are not held back for longer than this many seconds while the bot thinks about the next turn."""
SLOW_TURN = 0.001
"""The answer to a turn that took longer than this is sent at once: the next one may take as long."""

KINDS = {code: name.removeprefix("FAULT_KIND_").lower() for name, code in pb.FaultKind.items()}

CHANNEL_OPTIONS = [
    ("grpc.enable_http_proxy", 0),  # a proxy variable in the environment would break even the loopback
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
]


@dataclass(slots=True)
class Seat:
    """A match that the bot is playing."""

    id: str
    seat: int
    reader: mantis_wire.MantisReader | tentagram_wire.TentagramReader
    rng: Random
    seconds_per_turn: float


@dataclass(slots=True)
class Answers:
    """Answers to be sent. Plain lists: the message is quicker made of them at once than filled one by one."""

    match: list[int] = field(default_factory=list)
    turn: list[int] = field(default_factory=list)
    action: list[int] = field(default_factory=list)


def serve(bot: Bot) -> int:
    """Plays until the referee ends the stream. Returns the exit code."""
    address, token = os.environ.get("ARENA_ADDRESS"), os.environ.get("ARENA_TOKEN")
    if address is None or token is None:
        print(
            f"{bot.name or type(bot).__name__} is a bot: it is started by the arena, which tells it where to play.\n"
            f"Try: arena match mantis {sys.argv[0]} random",
            file=sys.stderr,
        )
        return 2
    return uvloop.run(Session(bot).play(address, token))


class Session:
    """What a bot process knows of its matches."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.seats: dict[int, Seat] = {}
        self.answers = Answers()
        self.last_sent = 0.0
        self.turn_began = 0.0

    async def play(self, address: str, token: str) -> int:
        async with grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS) as channel:
            stream = rpc.RefereeStub(channel).Play()  # type: ignore[no-untyped-call]
            try:
                await stream.write(pb.PlayRequest(hello=self.hello(token)))
                while (message := await stream.read()) is not grpc.aio.EOF:
                    await self.handle(message, stream.write)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    print(f"The referee ended the stream: {error.details()}", file=sys.stderr)
                    return 1
            except Unreadable as error:
                print(f"The referee sent what this bot cannot read: {error}.", file=sys.stderr)
                return 1
        return 0

    def hello(self, token: str) -> pb.Hello:
        bot = self.bot
        return pb.Hello(
            protocol=PROTOCOL,
            token=token,
            name=bot.name or type(bot).__name__,
            version=bot.version,
            games=[GAME_CODES[game] for game in bot.games],
            matches_at_once=bot.matches_at_once,
            language=bot.language,
        )

    async def handle(self, message: pb.PlayResponse, write: Callable[[pb.PlayRequest], object]) -> None:
        """Plays the turns in the message. Raises Unreadable, or whatever the bot raises."""
        for start in message.starts:
            self.start(start)
        for fault in message.faults:
            kind = KINDS.get(fault.kind, str(fault.kind))
            where = f"match {self.seats[fault.match].id}" if fault.match in self.seats else "every match"
            print(f"FAULT {kind} in {where}: {fault.detail}", file=sys.stderr, flush=True)
        self.turn_began = self.last_sent = time.monotonic()
        for mantis_turn in message.mantis_turns:
            self.answer_mantis(mantis_turn)
            if self.must_send():
                await self.send(write)
        for tentagram_turn in message.tentagram_turns:
            self.answer_tentagram(tentagram_turn)
            if self.must_send():
                await self.send(write)
        if self.answers.match:
            await self.send(write)
        for end in message.ends:
            seat = self.seat_in(end.match)
            del self.seats[end.match]
            if seat.seat >= len(end.placements):
                raise Unreadable("an end without the own place")
            self.bot.match_over(seat.id, end.placements[seat.seat], seat.seat in end.forfeited)

    def seat_in(self, match: int) -> Seat:
        try:
            return self.seats[match]
        except KeyError as error:
            raise Unreadable(f"something in match {match}, which has not begun") from error

    def start(self, start: pb.MatchStart) -> None:
        is_mantis = start.WhichOneof("game") == "mantis"
        self.seats[start.match] = Seat(
            id=start.id,
            seat=start.seat,
            reader=mantis_wire.MantisReader(start) if is_mantis else tentagram_wire.TentagramReader(start),
            rng=Random(start.seed),
            seconds_per_turn=start.ms_per_turn / 1000 if start.ms_per_turn else float("inf"),
        )

    def mantis_turn(self, turn: mantis_pb2.MantisTurn) -> MantisTurn:
        seat = self.seat_in(turn.match)
        reader = seat.reader
        if not isinstance(reader, mantis_wire.MantisReader):
            raise Unreadable("a turn of Mantis in another game")
        reader.unread += turn.events
        due = self.due(seat, turn.ms_left)
        return MantisTurn.lazy(reader.legal(turn), lambda: reader.view(turn), due, seat.rng)

    def tentagram_turn(self, turn: tentagram_pb2.TentagramTurn) -> TentagramTurn:
        seat = self.seat_in(turn.match)
        reader = seat.reader
        if not isinstance(reader, tentagram_wire.TentagramReader):
            raise Unreadable("a turn of Tentagram in another game")
        reader.unread += turn.events
        return TentagramTurn(reader.view(turn), Clock(self.due(seat, turn.ms_left)), seat.rng)

    def due(self, seat: Seat, ms_left: int) -> float:
        """When the answer is due: the referee's clock runs since the last answer was sent, or since the turn came."""
        left = seat.seconds_per_turn
        return self.last_sent + (min(left, ms_left / 1000) if ms_left else left)

    def must_send(self) -> bool:
        """Whether the answers so far must not wait for those to come."""
        now = time.monotonic()
        took, self.turn_began = now - self.turn_began, now
        return took > SLOW_TURN or now - self.last_sent > SEND_AFTER

    def answer_mantis(self, turn: mantis_pb2.MantisTurn) -> None:
        """Asks the bot and notes its answer."""
        action = self.bot.mantis(self.mantis_turn(turn))
        self.note(turn.match, turn.turn, mantis_wire.CODE_OF.get(action), action)

    def answer_tentagram(self, turn: tentagram_pb2.TentagramTurn) -> None:
        action = self.bot.tentagram(self.tentagram_turn(turn))
        self.note(turn.match, turn.turn, tentagram_wire.CODE_OF.get(action), action)

    def note(self, match: int, turn: int, code: int | None, given: object) -> None:
        if code is None:
            raise TypeError(f"the bot answered {given!r}, which is no action of the game; choose one of turn.legal")
        self.answers.match.append(match)
        self.answers.turn.append(turn)
        self.answers.action.append(code)

    async def send(self, write: Callable[[pb.PlayRequest], object]) -> None:
        given, self.answers = self.answers, Answers()
        await write(pb.PlayRequest(answers=pb.Answers(match=given.match, turn=given.turn, action=given.action)))  # type: ignore[misc]
        self.turn_began = self.last_sent = time.monotonic()
