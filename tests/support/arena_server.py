"""A real `arena serve` for tests, and bots that connect to it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from arena.bot import Bot, MantisTurn, mantis
from arena.bot.session import BotSession
from arena.referee.server import SERVICE
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tokens import Scope
from arena.v1 import mantis_pb2
from arena.v1 import referee_pb2 as pb
from tests.support.cli import ARENA

PATIENCE = 60.0


@dataclass
class Serving:
    """A running server."""

    home: Path
    pages: str
    """The address of the pages, without a slash at the end."""
    address: str
    """Host and port for bots and commands."""
    process: subprocess.Popen[str]
    log: Path
    store: str | None = None
    """The URL of a PostgreSQL store."""

    @property
    def certificate(self) -> Path:
        return self.home / "tls" / "certificate.pem"

    def token(self, user: str, *scopes: Scope) -> str:
        with Store.open(Home(self.home, self.store).database) as store:
            return store.tokens.create(user, scopes or [Scope.PLAY])[1]

    def events(self, event: str) -> list[dict[str, Any]]:
        """Return the events of this name in its log."""
        complete = self.log.read_text(encoding="utf-8").rpartition("\n")[0]
        lines = [json.loads(line) for line in complete.splitlines() if not line.startswith("sandbox: ")]
        return [line for line in lines if line["event"] == event]

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)


@contextmanager
def serving(
    folder: Path, *options: str, within: str | None = None, ended_by: signal.Signals = signal.SIGTERM
) -> Iterator[Serving]:
    """`arena serve` with a home in this folder, within this network namespace. It must end in order, if it may."""
    home, log = folder / "home", folder / "log"
    ports = ("--port", "0", "--grpc-port", "0", "--log-json")
    place = ["ip", "netns", "exec", within] if within else []
    command = [*place, *ARENA, "serve", "--home", str(home), *ports, *options]
    environment = {**os.environ, "COLUMNS": "200", "PYTHONUTF8": "1", "TERM": "dumb"}
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)
    try:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(2)]
        found = re.search(r"(https?://\S+)/\?token=.*connect to (\S+)", "".join(lines), re.DOTALL)
        assert found, (lines, log.read_text())
        yield Serving(home, found[1], found[2], process, log)
        if process.poll() is None:
            process.send_signal(ended_by)
        assert process.wait(PATIENCE) == (0 if ended_by == signal.SIGTERM else -ended_by)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
    assert "Traceback" not in log.read_text()


def hello(token: str, name: str = "bot", **more: Any) -> pb.Hello:
    return pb.Hello(**{"protocol": 1, "token": token, "name": name, "version": "1", "games": [pb.GAME_MANTIS], **more})


class Simple(Bot):
    """A bot of the SDK's, which can dial in by itself, as any bot can."""

    version = "1"

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__()

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        return turn.legal[0]


@asynccontextmanager
async def playing(address: str, **tokens: str) -> AsyncIterator[None]:
    """Simple bots of these names, with these tokens, who come back whenever their stream ends."""

    async def come(name: str, token: str) -> None:
        while True:
            await BotSession(Simple(name)).play(address, token)
            await asyncio.sleep(0.1)

    tasks = [asyncio.create_task(come(name, token)) for name, token in tokens.items()]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Visitor:
    """A bot made of nothing but messages."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    async def say(self, message: pb.PlayRequest) -> None:
        await self.stream.write(message.SerializeToString())

    async def hear(self) -> pb.PlayResponse | None:
        """The next message; None: the stream has ended in order."""
        message = await asyncio.wait_for(self.stream.read(), PATIENCE)
        return None if message is grpc.aio.EOF else pb.PlayResponse.FromString(message)

    async def hear_fault(self) -> str:
        """The next fault that is told."""
        while (message := await self.hear()) is not None:
            for fault in message.faults:
                return fault.detail
        raise AssertionError("the stream has ended without a fault")

    async def hear_turn(self) -> mantis_pb2.MantisTurn:
        """The next turn of Mantis."""
        while (message := await self.hear()) is not None:
            for turn in message.mantis_turns:
                return turn
        raise AssertionError("the stream has ended without a turn")

    async def hear_start(self) -> tuple[pb.MatchStart, mantis_pb2.MantisTurn]:
        """The next match that starts, and our first turn in it, which others may have to wait for."""
        start = None
        while (message := await self.hear()) is not None:
            start = start or next(iter(message.starts), None)
            if start and message.mantis_turns:
                return start, message.mantis_turns[0]
        raise AssertionError("the stream has ended without a start")

    async def answer(self, turn: mantis_pb2.MantisTurn) -> None:
        """Takes the first action that is legal."""
        answers = pb.Answers(match=[turn.match], turn=[turn.turn], action=[turn.legal[0]])
        await self.say(pb.PlayRequest(answers=answers))


@asynccontextmanager
async def visiting(
    address: str, said: pb.Hello | None, metadata: Sequence[tuple[str, str]] = (), ca: bytes | None = None
) -> AsyncIterator[Visitor]:
    """A visitor that says this first."""
    options = [("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1)]  # a connection of its own
    channel = (
        grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(ca), options=options)
        if ca
        else grpc.aio.insecure_channel(address, options=options)
    )
    async with channel:
        visitor = Visitor(channel.stream_stream(f"/{SERVICE}/Play")(metadata=list(metadata)))
        if said is not None:
            await visitor.say(pb.PlayRequest(hello=said))
        yield visitor
