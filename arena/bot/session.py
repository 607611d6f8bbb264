"""A bot's side of the stream to the referee: turns in, answers out.

The bot thinks in the thread that reads and writes. Answers are sent at the end of each batch of turns, and earlier if
the bot is slow: the referee's clock for the next turn starts with the answer to the one before.
"""

from __future__ import annotations

import gc
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path
from random import Random
from struct import Struct
from typing import Any

import grpc
import uvloop

from arena.bot.bot import Bot
from arena.games.codec import PROTOCOL, Codec, Reader, Unreadable
from arena.games.registry import GAMES, codec_of
from arena.games.turn import Turn
from arena.v1 import referee_pb2 as pb
from arena.v1 import referee_pb2_grpc as rpc


@dataclass(frozen=True, slots=True)
class SdkConfig:
    """When answers are sent (in seconds), and other figures."""

    send_after: float = 0.005
    """Answers are held back for this long at most while the bot thinks about the next turn."""
    gc_threshold: int = 20_000
    """New objects between two searches for cycles: a match makes thousands, and none of them in a cycle."""
    longest_reason: int = 500
    """Characters of an exception in the reason of a resignation."""
    slow_turn: float = 0.001
    """The answer to a turn that took longer is sent at once: the next turn may take as long."""


SDK_CONFIG = SdkConfig()
SDK_CHANNEL_OPTIONS = [
    ("grpc.enable_http_proxy", 0),  # a proxy variable in the environment would break even the loopback
    ("grpc.max_receive_message_length", 16 * 1024 * 1024),
]
SDK_FOLDER = str(Path(__file__).parents[1])
FAULT_NAMES = {code: name.removeprefix("FAULT_KIND_").lower() for name, code in pb.FaultKind.items()}


@dataclass(slots=True)
class SeatInMatch:
    """A match that the bot is playing."""

    id: str
    seat: int
    turns: str
    """The field of a PlayResponse that carries this game's turns."""
    reader: Reader
    play: Callable[[Turn[Any, Any]], object]
    """The bot's method for this game."""
    codes: Mapping[Any, int]
    rng: Random
    seconds_per_turn: float


@dataclass(slots=True)
class UnsentAnswers:
    """Answers to be sent. Plain lists: making the message from them at once is faster than filling it one by one."""

    match: list[int] = field(default_factory=list)
    turn: list[int] = field(default_factory=list)
    action: list[int] = field(default_factory=list)
    resignations: list[pb.Resignation] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.match or self.resignations)


def serve(bot: Bot) -> int:
    """Play until the referee ends the stream. Return the exit code."""
    address, token = os.environ.get("ARENA_ADDRESS"), os.environ.get("ARENA_TOKEN")
    if address is None or token is None:
        print(
            f"error: {bot.name or type(bot).__name__} is a bot: the arena starts it.\n\n"
            f"hint: Run `arena match mantis {sys.argv[0]} random`.",
            file=sys.stderr,
        )
        return 2
    gc.freeze()  # what was loaded so far stays
    gc.set_threshold(SDK_CONFIG.gc_threshold)
    return uvloop.run(BotSession(bot).play(address, token))


write_mark = Struct("<II").pack_into


def open_turn_mark() -> mmap | bytearray:
    """Return the bytes in which the referee finds the match and turn that the bot was thinking about when it ended."""
    with suppress(KeyError, ValueError, OSError):
        return mmap(int(os.environ["ARENA_TURN_FD"]), 8)
    return bytearray(8)


class BotSession:
    """What a bot process knows of its matches."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.codecs: dict[str, Codec] = {game: codec_of(game) for game in GAMES}
        self.turn_fields = tuple(dict.fromkeys(codec.turns for codec in self.codecs.values()))
        self.seats: dict[int, SeatInMatch] = {}
        self.answers = UnsentAnswers()
        self.last_sent = 0.0
        self.turn_began = 0.0
        self.turn_mark = open_turn_mark()

    async def play(self, address: str, token: str) -> int:
        async with grpc.aio.insecure_channel(address, options=SDK_CHANNEL_OPTIONS) as channel:
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
                print(f"The referee sent a message that this bot cannot read: {error}.", file=sys.stderr)
                return 1
        return 0

    def hello(self, token: str) -> pb.Hello:
        bot = self.bot
        numbers = {game: self.codecs[game].number for game in bot.games}
        return pb.Hello(
            protocol=PROTOCOL,
            token=token,
            name=bot.name or type(bot).__name__,
            version=bot.version,
            games=[number for number in numbers.values() if number],  # type: ignore[misc]
            other_games=[game for game, number in numbers.items() if not number],
            matches_at_once=bot.matches_at_once,
            language=bot.language,
        )

    async def handle(self, message: pb.PlayResponse, write: Callable[[pb.PlayRequest], object]) -> None:
        """Answer the turns in the message. Raise Unreadable. What the bot raises costs it the match, and no other."""
        for start in message.starts:
            self.start(start)
        for fault in message.faults:
            kind = FAULT_NAMES.get(fault.kind, str(fault.kind))
            where = f"match {self.seats[fault.match].id}" if fault.match in self.seats else "every match"
            print(f"FAULT {kind} in {where}: {fault.detail}", file=sys.stderr, flush=True)
        self.turn_began = self.last_sent = time.monotonic()
        for turns in self.turn_fields:
            for turn in getattr(message, turns):
                self.answer(turn, turns)
                if self.must_send():
                    await self.send(write)
        write_mark(self.turn_mark, 0, 0, 0)
        if self.answers:
            await self.send(write)
        for end in message.ends:
            seat = self.seat_in(end.match)
            del self.seats[end.match]
            if seat.seat >= len(end.placements):
                raise Unreadable("an end without the own place")
            self.bot.match_over(seat.id, end.placements[seat.seat], seat.seat in end.forfeited)

    def seat_in(self, match: int) -> SeatInMatch:
        try:
            return self.seats[match]
        except KeyError as error:
            raise Unreadable(f"something in match {match}, which has not begun") from error

    def start(self, start: pb.MatchStart) -> None:
        kind = start.WhichOneof("game")
        game = start.other.game if kind == "other" else kind
        if game not in self.codecs or not (play := getattr(self.bot, game, None)):
            raise Unreadable(f"the start of a game that this bot does not play: {game!r}")
        codec = self.codecs[game]
        self.seats[start.match] = SeatInMatch(
            id=start.id,
            seat=start.seat,
            turns=codec.turns,
            reader=codec.reader(start),
            play=play,
            codes=codec.codes.code_of,
            rng=Random(start.seed),
            seconds_per_turn=start.ms_per_turn / 1000 if start.ms_per_turn else float("inf"),
        )

    def answer(self, turn: Any, turns: str) -> None:
        """Ask the bot and note its answer."""
        seat = self.seat_in(turn.match)
        if seat.turns != turns:
            raise Unreadable("a turn of another game")
        asked = seat.reader.turn(turn, self.due(seat, turn.ms_left), seat.rng)
        answers = self.answers
        write_mark(self.turn_mark, 0, turn.match, turn.turn)
        try:
            action = seat.play(asked)
            code = self.code_of(seat, action)
        except Unreadable:
            raise
        except Exception as error:  # noqa: BLE001, the bot's own code may raise anything
            answers.resignations.append(self.resignation(seat, turn, error))
            return
        answers.match.append(turn.match)
        answers.turn.append(turn.turn)
        answers.action.append(code)

    @staticmethod
    def code_of(seat: SeatInMatch, action: object) -> int:
        try:
            return seat.codes[action]
        except (KeyError, TypeError):  # a list cannot be looked up
            raise TypeError(
                f"the bot answered {action!r}, which is not an action of the game; return one of turn.legal"
            ) from None

    @staticmethod
    def resignation(seat: SeatInMatch, turn: Any, error: Exception) -> pb.Resignation:
        """Print the traceback, and return the message to the referee."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if not frame.filename.startswith(SDK_FOLDER)]
        print(f"Match {seat.id}, turn {turn.turn}, seat {seat.seat}: the bot raised an exception:", file=sys.stderr)
        print("".join(traceback.format_exception(error)), end="", file=sys.stderr, flush=True)
        where = f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
        what = f"{type(error).__name__}: {error}".removesuffix(": ")
        reason = f"It raised {what[: SDK_CONFIG.longest_reason]}{where}."
        return pb.Resignation(match=turn.match, turn=turn.turn, reason=reason.encode(errors="replace").decode())

    def due(self, seat: SeatInMatch, ms_left: int) -> float:
        """Return when the answer is due: the referee's clock started with the last answer, or when the turn arrived."""
        left = seat.seconds_per_turn
        return self.last_sent + (min(left, ms_left / 1000) if ms_left else left)

    def must_send(self) -> bool:
        """Return whether the answers so far must be sent now."""
        now = time.monotonic()
        took, self.turn_began = now - self.turn_began, now
        return took > SDK_CONFIG.slow_turn or now - self.last_sent > SDK_CONFIG.send_after

    async def send(self, write: Callable[[pb.PlayRequest], object]) -> None:
        given, self.answers = self.answers, UnsentAnswers()
        answers = pb.Answers(match=given.match, turn=given.turn, action=given.action)
        await write(pb.PlayRequest(answers=answers, resignations=given.resignations))  # type: ignore[misc]
        self.turn_began = self.last_sent = time.monotonic()
