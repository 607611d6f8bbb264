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
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from mmap import mmap
from pathlib import Path
from struct import Struct
from typing import Any

import grpc
import uvloop

from arena.bot.bot import Bot
from arena.games.codec import Codec, Reader, Unreadable
from arena.games.registry import GAMES, codec_of
from arena.games.turn import Turn
from arena.v1 import referee_pb2 as pb
from arena.v1 import referee_pb2_grpc as rpc


@dataclass(frozen=True, slots=True)
class SdkConfig:
    """When answers are sent (in seconds), and other figures."""

    protocol: int = 2
    """The version of the protocol that it speaks."""
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
    reader: Reader
    play: Callable[[Turn[Any, Any]], object]
    """The bot's method for this game."""
    codes: Mapping[Any, int]
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


def rows(*columns: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
    """Return the rows of columns. Raise Unreadable if these have different lengths."""
    if len({len(column) for column in columns}) > 1:
        raise Unreadable("columns of different lengths")
    return zip(*columns, strict=True)


class BotSession:
    """What a bot process knows of its matches."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.codecs: dict[str, Codec] = {game: codec_of(game) for game in GAMES}
        self.rules: dict[int, tuple[pb.Rules, str]] = {}
        """The rules by their number, with the game."""
        self.seats: dict[int, SeatInMatch] = {}
        self.answers = UnsentAnswers()
        self.last_sent = 0.0
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
            protocol=SDK_CONFIG.protocol,
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
        for rules in message.rules:
            self.learn(rules)
        starts = message.new_matches
        for start in rows(starts.match, starts.rules, starts.id, starts.seat, starts.seed, starts.setup):
            self.start(*start)
        for fault in message.faults:
            kind = FAULT_NAMES.get(fault.kind, str(fault.kind))
            where = f"match {self.seats[fault.match].id}" if fault.match in self.seats else "every match"
            print(f"FAULT {kind} in {where}: {fault.detail}", file=sys.stderr, flush=True)
        await self.answer(message.turns, write)
        ends = message.ended_matches
        for match, placements, forfeited in rows(ends.match, ends.placements, ends.forfeited):
            seat = self.seat_in(match)
            del self.seats[match]
            if seat.seat >= len(placements):
                raise Unreadable("an end without the own place")
            self.bot.match_over(seat.id, placements[seat.seat], seat.seat in forfeited)

    def seat_in(self, match: int) -> SeatInMatch:
        try:
            return self.seats[match]
        except KeyError as error:
            raise Unreadable(f"something in match {match}, which has not begun") from error

    def learn(self, rules: pb.Rules) -> None:
        kind = rules.WhichOneof("game")
        game = rules.other.game if kind == "other" else kind
        if game not in self.codecs or not getattr(self.bot, game, None):
            raise Unreadable(f"the start of a game that this bot does not play: {game!r}")
        self.rules[rules.number] = rules, game

    def start(self, match: int, number: int, name: str, seat: int, seed: int, setup: bytes) -> None:
        if number not in self.rules:
            raise Unreadable(f"a start with rules {number}, which were not sent")
        rules, game = self.rules[number]
        codec = self.codecs[game]
        self.seats[match] = SeatInMatch(
            id=name,
            seat=seat,
            reader=codec.reader(rules, seat, seed, setup),
            play=getattr(self.bot, game),
            codes=codec.codes.code_of,
            seconds_per_turn=rules.ms_per_turn / 1000 if rules.ms_per_turn else float("inf"),
        )

    async def answer(self, turns: pb.Turns, write: Callable[[pb.PlayRequest], object]) -> None:
        """Ask the bot about each turn and send its answers.

        The referee's clock for a turn starts with the last answer, or when the turn arrived.
        """
        turn_began = self.last_sent = time.monotonic()
        ms_left = turns.ms_left or [0] * len(turns.match)
        for match, turn, legal, position, events, left in rows(
            turns.match, turns.turn, turns.legal, turns.position, turns.events, ms_left
        ):
            seat = self.seats.get(match) or self.seat_in(match)
            seconds = min(seat.seconds_per_turn, left / 1000) if left else seat.seconds_per_turn
            asked = seat.reader.turn(legal, position, events, self.last_sent + seconds)
            write_mark(self.turn_mark, 0, match, turn)
            answers = self.answers
            try:
                code = self.code_of(seat, seat.play(asked))
            except Unreadable:
                raise
            except Exception as error:  # noqa: BLE001, the bot's own code may raise anything
                answers.resignations.append(self.resignation(seat, match, turn, error))
            else:
                answers.match.append(match)
                answers.turn.append(turn)
                answers.action.append(code)
            now = time.monotonic()
            if now - turn_began > SDK_CONFIG.slow_turn or now - self.last_sent > SDK_CONFIG.send_after:
                await self.send(write)
                now = self.last_sent
            turn_began = now
        write_mark(self.turn_mark, 0, 0, 0)
        if self.answers:
            await self.send(write)

    @staticmethod
    def code_of(seat: SeatInMatch, action: object) -> int:
        try:
            return seat.codes[action]
        except (KeyError, TypeError):  # a list cannot be looked up
            raise TypeError(
                f"the bot answered {action!r}, which is not an action of the game; return one of turn.legal"
            ) from None

    @staticmethod
    def resignation(seat: SeatInMatch, match: int, turn: int, error: Exception) -> pb.Resignation:
        """Print the traceback, and return the message to the referee."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if not frame.filename.startswith(SDK_FOLDER)]
        print(f"Match {seat.id}, turn {turn}, seat {seat.seat}: the bot raised an exception:", file=sys.stderr)
        print("".join(traceback.format_exception(error)), end="", file=sys.stderr, flush=True)
        where = f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
        what = f"{type(error).__name__}: {error}".removesuffix(": ")
        reason = f"It raised {what[: SDK_CONFIG.longest_reason]}{where}."
        return pb.Resignation(match=match, turn=turn, reason=reason.encode(errors="replace").decode())

    async def send(self, write: Callable[[pb.PlayRequest], object]) -> None:
        given, self.answers = self.answers, UnsentAnswers()
        answers = pb.Answers(match=given.match, turn=given.turn, action=given.action)
        await write(pb.PlayRequest(answers=answers, resignations=given.resignations))  # type: ignore[misc]
        self.last_sent = time.monotonic()
