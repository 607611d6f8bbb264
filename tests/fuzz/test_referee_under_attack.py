"""A referee under attack over real gRPC, while honest bots play in it: they must not notice.

The attackers are bots whose processes only sleep. This test speaks for them, with their tokens, on as many streams as
it likes; strangers without a token come on top. All of it is drawn from a seed, so that a failure can be had again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import grpc
import pytest
import uvloop

from arena import replay
from arena.referee import Launch, Limits, MatchPlan, Outcome, Referee
from arena.referee.host_load import HostLoad
from arena.referee.processes.process import BotProcess
from arena.replay import Decision
from arena.submissions.submission import find_launch
from arena.v1 import referee_pb2 as pb
from tests.fuzz.mutations import mutate
from tests.fuzz.targets.desk import honest_answers, request

T = TypeVar("T")
RANDOM = find_launch("random")
LIMITS = Limits(start=15.0, turn=30.0)  # an attacker that is started again says no hello, and is waited for
"""So long that no honest bot is ever late, on however slow a machine. The attackers do not wait for it."""
HONEST = [("mantis", 2), ("mantis", 4), ("tentagram", 3)] * 3
ATTACKERS = 16
STRANGERS = 40
MESSAGES = 8
WAVES = 2
GOOD, BAD = 1, 2
"""The version of the protocol in a hello: this one, and one that does not exist."""
BAD_AND_GOOD = [[BAD, GOOD]]
GREETINGS = [[GOOD], [GOOD], [GOOD], [GOOD, GOOD], [GOOD, BAD], [GOOD] * 3, *BAD_AND_GOOD]
"""The hellos that an attacker says at the same time, each on a stream of its own."""
SENT_BY_BOTS = [
    pb.PlayRequest(hello=pb.Hello(protocol=1, token="0" * 32, games=[pb.GAME_MANTIS], name="x")).SerializeToString(),
    request([(1, 1, 1), (2, 3, 16)]).SerializeToString(),
    b"",
]
GONE = (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError, asyncio.CancelledError)
"""How grpc says that a stream has ended: by the other side, or by oneself."""


class Line:
    """A stream to the referee that may carry anything."""

    def __init__(self, channel: Any) -> None:
        self.call = channel.stream_stream("/arena.v1.Referee/Play")()

    async def say(self, *messages: bytes) -> None:
        with contextlib.suppress(*GONE):
            for message in messages:
                await self.call.write(message)

    async def hear(self) -> pb.PlayResponse | None:
        """The next message; None where the stream has ended or nothing comes."""
        with contextlib.suppress(*GONE, TimeoutError):
            data = await asyncio.wait_for(asyncio.shield(self.call.read()), 1.0)
            if data is not grpc.aio.EOF:
                return pb.PlayResponse.FromString(data)
        return None

    async def hang_up(self, rng: Random) -> None:
        if rng.random() < 0.5:
            with contextlib.suppress(*GONE):
                await self.call.done_writing()
        self.call.cancel()


def within(job: Awaitable[T]) -> Awaitable[T]:
    """A match that never ends fails the test, instead of holding it up."""
    return asyncio.wait_for(job, 150)


async def play_honestly(referee: Referee) -> list[Outcome]:
    plans = [
        MatchPlan(f"honest {number}", game, {}, f"seed {number}", ("random",) * seats)
        for number, (game, seats) in enumerate(HONEST)
    ]
    return list(await asyncio.gather(*(referee.play(plan, [RANDOM] * len(plan.bots)) for plan in plans)))


def played(outcome: Outcome) -> object:
    """The replay, but for the think times, which are never the same."""
    entries = [
        (entry.seat, entry.action, entry.by_house) if isinstance(entry, Decision) else entry
        for entry in outcome.replay.entries
    ]
    return outcome.replay.header, entries, outcome.replay.result


# The attacks


async def be_a_stranger(referee: Referee, channel: Any, rng: Random) -> None:
    """Somebody who has no token."""
    if rng.random() < 0.3:
        await knock(referee, rng)
        return
    line = Line(channel)
    await line.say(*(rng.choice([mutate(SENT_BY_BOTS, rng), rng.randbytes(50)]) for _ in range(rng.randint(0, 3))))
    if rng.random() < 0.5:
        message = await line.hear()
        assert message is None or (message.faults and not message.starts)
    await line.hang_up(rng)


async def knock(referee: Referee, rng: Random) -> None:
    """Somebody who does not even speak gRPC."""
    with contextlib.suppress(OSError):
        _, writer = await asyncio.open_unix_connection(referee.address.removeprefix("unix:"))
        preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" if rng.random() < 0.5 else b""
        writer.write(preface + rng.randbytes(rng.randint(0, 200)))
        await writer.drain()
        writer.close()


async def attack(
    referee: Referee,
    channel: Any,
    folder: Path,
    number: int,
    rng: Random,
    greetings: Sequence[Sequence[int]] = GREETINGS,
) -> Outcome:
    """A bot that says anything, in a match with an honest one."""
    sleep = shutil.which("sleep")
    assert sleep is not None
    program = Launch(f"attacker {number}", "", folder, (sleep, "600"))
    seats = [program, RANDOM]
    rng.shuffle(seats)
    plan = MatchPlan(f"attacked {number}", "mantis", {}, f"seed {number}", tuple(bot.label for bot in seats))
    match = asyncio.create_task(referee.play(plan, seats))
    process = await process_of(referee, program)
    lines = await introduce(process.token, channel, rng.choice(greetings))
    await asyncio.gather(*(converse(line, process.token, rng) for line in lines))
    return await match


async def process_of(referee: Referee, program: Launch) -> BotProcess:
    while True:
        for process in referee.pool.processes.values():
            if process.launch is program:
                return process
        await asyncio.sleep(0.01)


async def introduce(token: str, channel: Any, versions: Sequence[int]) -> list[Line]:
    """Says hello on as many streams at once as there are versions."""
    hellos = [pb.Hello(protocol=version, token=token, games=[pb.GAME_MANTIS]) for version in versions]
    lines = [Line(channel) for _ in hellos]
    messages = [pb.PlayRequest(hello=hello).SerializeToString() for hello in hellos]
    await asyncio.gather(*(line.say(message) for line, message in zip(lines, messages, strict=True)))
    return lines


async def converse(line: Line, token: str, rng: Random) -> None:
    for _ in range(MESSAGES):
        message = await line.hear()
        if message is None:
            break
        answers = honest_answers(message)
        await line.say(*(anything(answers, token, rng) for _ in range(rng.choice([1, 1, 1, 3]))))
    await line.hang_up(rng)


def anything(honest: pb.PlayRequest, token: str, rng: Random) -> bytes:
    """What the bot should say, or something near it, or something else."""
    match rng.randrange(10):
        case 0:
            honest.answers.match.append(rng.choice([0, 1, 2, 2**32 - 1]))
        case 1:
            honest.answers.action[:] = [rng.choice([0, 99, 2**32 - 1]) for _ in honest.answers.action]
        case 2:
            honest.answers.turn[:] = [turn + 1 for turn in honest.answers.turn]
        case 3:
            honest.hello.token = token
        case 4:
            return mutate([honest.SerializeToString(), *SENT_BY_BOTS], rng)
        case 5:
            return rng.randbytes(rng.randint(0, 100))
        case _:
            pass
    return honest.SerializeToString()


# What must hold


async def play_under_attack(referee: Referee, seed: int, folder: Path) -> tuple[list[Outcome], list[Outcome]]:
    """The honest matches, and those that the attackers sat in."""
    rng = Random(f"attack {seed}")
    honest = asyncio.create_task(play_honestly(referee))
    async with AsyncExitStack() as channels:
        attacks = [
            attack(referee, await dial(referee, channels), folder, number, Random(rng.random()))
            for number in range(ATTACKERS)
        ]
        strangers = [
            be_a_stranger(referee, await dial(referee, channels), Random(rng.random())) for _ in range(STRANGERS)
        ]
        attacked = asyncio.gather(*attacks)
        await asyncio.gather(*strangers)
        return await honest, list(await attacked)


async def dial(referee: Referee, channels: AsyncExitStack) -> Any:
    """A connection of one's own, as every bot has: the referee serves few streams on each."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    return await channels.enter_async_context(grpc.aio.insecure_channel(referee.address, options=options))


def check(outcome: Outcome) -> None:
    """The match has ended as it should, and nobody but an attacker has lost it by a fault."""
    assert replay.verify(replay.loads(replay.dumps(outcome.replay).encode())) == outcome.result
    assert all(outcome.plan.bots[fault.seat].startswith("attacker") for fault in outcome.faults)


@pytest.fixture(autouse=True)
def no_excuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The attackers say no second hello, which must not be excused by what else the machine does."""
    monkeypatch.setattr(HostLoad, "overloaded_since", lambda *_: False)


def test_honest_matches_end_as_if_nobody_attacked(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def waves() -> None:
        async with Referee(LIMITS) as referee:
            undisturbed = [played(outcome) for outcome in await within(play_honestly(referee))]
        for seed in range(WAVES):
            async with Referee(LIMITS) as referee:
                honest, attacked = await within(play_under_attack(referee, seed, tmp_path))
                assert referee.batching.in_flight == 0
            assert [played(outcome) for outcome in honest] == undisturbed
            for outcome in (*honest, *attacked):
                check(outcome)

    uvloop.run(waves())
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_a_bad_hello_and_a_good_one_at_once(tmp_path: Path) -> None:
    """Whichever comes first counts, and the match comes to an end."""

    async def job() -> list[Outcome]:
        async with Referee(LIMITS) as referee, AsyncExitStack() as channels:
            attacks = [
                attack(referee, await dial(referee, channels), tmp_path, number, Random(number), BAD_AND_GOOD)
                for number in range(8)
            ]
            return list(await within(asyncio.gather(*attacks)))

    for outcome in uvloop.run(job()):
        check(outcome)
