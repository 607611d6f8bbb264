"""A bot of one's own that plays on a server elsewhere: started here, and connected through us.

The bot finds what every bot finds, ARENA_ADDRESS and ARENA_TOKEN, and need not know of TLS or of the server's token: it
talks to us over a socket, and we pass on what both sides say. Nothing is looked into but the first words.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from arena.errors import ArenaError, BadSubmission, BotDidNotStart, refusal
from arena.referee.launch import Launch
from arena.referee.server import SERVICE
from arena.v1 import referee_pb2 as pb

METHOD = f"/{SERVICE}/Play"
LEAVES_WITHIN = 2.0
"""Seconds that the bot has to end when its stream has ended."""
CHANNEL_OPTIONS = [
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", -1),
    ("grpc.keepalive_time_ms", 10_000),  # so that a connection that has died is noticed, while one may still come back
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.max_pings_without_data", 0),  # as many as there are
]


class ConnectionBroke(ArenaError):
    """The server was reached, and then it was not any more; one may try again."""


class NotLetIn(ArenaError):
    """The server has said why it does not let the bot in; that may pass."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A server, and how to get in."""

    address: str
    token: str
    ca: bytes | None
    """The certificate that it must have, or that its certificate is signed with; None: the system knows it."""
    insecure: bool = False

    def channel(self) -> grpc.aio.Channel:
        if self.insecure:
            return grpc.aio.insecure_channel(self.address, options=CHANNEL_OPTIONS)
        return grpc.aio.secure_channel(self.address, grpc.ssl_channel_credentials(self.ca), options=CHANNEL_OPTIONS)


async def connect(program: Launch, destination: Destination, welcomed: Callable[[pb.Welcome], None]) -> None:
    """Starts the bot and lets it play there until the server ends the stream.

    Raises where the server cannot be reached, does not let it in or breaks off, or where the bot fails.
    """
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        relay = _Relay(program, destination, welcomed)
        server = grpc.aio.server(
            options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        )
        handler = grpc.stream_stream_rpc_method_handler(relay.play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))
        address = f"unix:{Path(folder) / 'relay'}"
        server.add_insecure_port(address)
        await server.start()
        process = _start(program, {"ARENA_ADDRESS": address, "ARENA_TOKEN": relay.local_token})
        ended = asyncio.create_task(asyncio.to_thread(process.wait))
        try:
            waited_for: set[asyncio.Future[Any]] = {ended, relay.over}
            await asyncio.wait(waited_for, return_when=asyncio.FIRST_COMPLETED)
            if not relay.over.done() and relay.has_begun:
                # It may have ended because its stream did, of which we are about to hear.
                await asyncio.wait({relay.over}, timeout=LEAVES_WITHIN)
            if not relay.over.done():
                raise BotDidNotStart(f"{program.label} ended with exit code {process.returncode}; see what it printed.")
            relay.over.result()
            await asyncio.wait({ended}, timeout=LEAVES_WITHIN)
        finally:
            await server.stop(grace=0.2)
            process.kill()
            await ended


def _start(program: Launch, env: dict[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603, a program of the user's own
            program.command,
            cwd=program.folder,
            env={**os.environ, **program.env, **env},
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise BadSubmission(f"{program.label} cannot be started: {refusal(error)}") from error


class _Relay:
    """Passes on what is said."""

    def __init__(self, program: Launch, destination: Destination, welcomed: Callable[[pb.Welcome], None]) -> None:
        self.program = program
        self.destination = destination
        self.welcomed = welcomed
        self.local_token = secrets.token_hex(16)
        self.has_begun = False
        self.is_in = False
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def play(self, _: Any, stream: Any) -> None:
        """Referee.Play for the bot; what comes of it is in `over`."""
        first = await stream.read()
        try:
            message = pb.PlayRequest.FromString(first) if first is not grpc.aio.EOF else pb.PlayRequest()
        except DecodeError:
            message = pb.PlayRequest()
        if self.has_begun or not secrets.compare_digest(message.hello.token.encode(), self.local_token.encode()):
            return  # not the bot, or not its first stream
        self.has_begun = True
        message.hello.token = self.destination.token
        try:
            async with self.destination.channel() as channel:
                await self._pass_on(message, stream, channel.stream_stream(METHOD)())
            self._end(None)
        except ArenaError as error:
            self._end(error)
        except grpc.aio.AioRpcError as error:
            self._end(self._broken(error))
        except asyncio.CancelledError:
            self._end(BotDidNotStart(f"{self.program.label} closed its stream; see what it printed."))
            raise

    async def _pass_on(self, hello: pb.PlayRequest, bot: Any, server: Any) -> None:
        await server.write(hello.SerializeToString())
        answer = await server.read()
        if answer is grpc.aio.EOF:
            raise ArenaError(f"{self.destination.address} ended the stream without a word: is it an arena serve?")
        self._listen(pb.PlayResponse.FromString(answer))
        await bot.write(answer)
        upwards = asyncio.create_task(self._upwards(bot, server))
        try:
            while (message := await server.read()) is not grpc.aio.EOF:
                await bot.write(message)
        finally:
            upwards.cancel()
            await asyncio.gather(upwards, return_exceptions=True)

    async def _upwards(self, bot: Any, server: Any) -> None:
        while (message := await bot.read()) is not grpc.aio.EOF:
            await server.write(message)
        await server.done_writing()

    def _listen(self, answer: pb.PlayResponse) -> None:
        """The first words of the server: a welcome, or why there is none."""
        if answer.faults:
            raise NotLetIn(
                f"{self.destination.address} does not let {self.program.label} in: {answer.faults[0].detail}"
            )
        self.is_in = True
        self.welcomed(answer.welcome)

    def _broken(self, error: grpc.aio.AioRpcError) -> ArenaError:
        address = self.destination.address
        if self.is_in:
            return ConnectionBroke(f"the connection to {address} broke: {error.details()}. Try again.")
        return ConnectionBroke(
            f"{address} cannot be reached, or is not the server that you take it for: {error.details()}. "
            "Is the address right, and is --ca the file with its certificate?"
        )

    def _end(self, error: ArenaError | None) -> None:
        if self.over.done():
            return
        if error is None:
            self.over.set_result(None)
        else:
            self.over.set_exception(error)
            self.over.exception()  # seen, if nobody waits for it any more
