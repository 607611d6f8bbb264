"""Plays with a local bot on a server: starts the bot and connects it to the server.

The bot gets ARENA_ADDRESS and ARENA_TOKEN as every bot does, and needs neither TLS nor a token of the server: it
connects to a local socket, and messages are passed on unchanged, except for the token in the hello.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from arena.errors import ArenaError, BadSubmission, BotDidNotStart, refusal
from arena.referee.launch import Launch
from arena.referee.server import SERVICE
from arena.supervisor import exit_status
from arena.v1 import referee_pb2 as pb

EXIT_TIMEOUT = 2.0
"""Seconds that a bot has to exit when its stream has ended."""
CHANNEL_OPTIONS = [
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", -1),
    ("grpc.keepalive_time_ms", 10_000),  # notice a dead connection while the bot may still reconnect
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.http2.max_pings_without_data", 0),  # no limit
]


class Unreachable(ArenaError):
    """The server cannot be reached, or the connection broke. A retry may help."""


class ConnectionRefused(ArenaError):
    """The server refused the bot and said why."""


@dataclass(frozen=True, slots=True)
class Destination:
    """A server and the credentials for it."""

    address: str
    token: str
    ca: bytes | None
    """The server's certificate, or the one that signed it; None: one that the system trusts."""
    insecure: bool = False

    def channel(self, library: Any = grpc) -> Any:
        """Return a channel of `grpc` or `grpc.aio`."""
        if self.insecure:
            return library.insecure_channel(self.address, options=CHANNEL_OPTIONS)
        return library.secure_channel(self.address, grpc.ssl_channel_credentials(self.ca), options=CHANNEL_OPTIONS)


def unreachable(address: str, details: str, *, was_connected: bool) -> Unreachable:
    """Return the error for a failed connection."""
    if was_connected:
        return Unreachable(f"The connection to {address} broke: {details}.", hint="Try again.")
    return Unreachable(
        f"Cannot reach {address}, or its certificate is not trusted: {details}.",
        hint="Check the address, and name the file with the server's certificate with `--ca FILE`.",
    )


async def connect(bot: Launch, destination: Destination, on_welcome: Callable[[pb.Welcome], None]) -> None:
    """Start the bot and let it play on the server until the server ends the stream.

    Raise `Unreachable`, `ConnectionRefused`, or the bot's own failure.
    """
    with tempfile.TemporaryDirectory(prefix="arena-") as folder:
        relay = _Relay(bot, destination, on_welcome)
        server = grpc.aio.server(
            options=[("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        )
        handler = grpc.stream_stream_rpc_method_handler(relay.play)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))
        address = f"unix:{Path(folder) / 'relay'}"
        server.add_insecure_port(address)
        await server.start()
        process = _start(bot, {"ARENA_ADDRESS": address, "ARENA_TOKEN": relay.local_token})
        exited = asyncio.create_task(asyncio.to_thread(process.wait))
        try:
            either: set[asyncio.Future[Any]] = {exited, relay.over}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if not relay.over.done() and relay.has_stream:
                # The bot may have exited because its stream ended; then the relay notices that in a moment.
                await asyncio.wait({relay.over}, timeout=EXIT_TIMEOUT)
            if not relay.over.done():
                raise BotDidNotStart(
                    f"`{bot.label}` ended with {exit_status(process.returncode)}.", hint="Read what it printed."
                )
            if error := relay.over.result():
                raise error
            await asyncio.wait({exited}, timeout=EXIT_TIMEOUT)
        finally:
            await server.stop(grace=0.2)
            process.kill()
            await exited


def _start(bot: Launch, env: dict[str, str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603, the user's own bot
            bot.command, cwd=bot.folder, env={**os.environ, **bot.env, **env}, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise BadSubmission(f"Cannot start `{bot.label}`: {refusal(error)}") from error


class _Relay:
    """Passes messages between the bot and the server."""

    def __init__(self, bot: Launch, destination: Destination, on_welcome: Callable[[pb.Welcome], None]) -> None:
        self.bot = bot
        self.destination = destination
        self.on_welcome = on_welcome
        self.local_token = secrets.token_hex(16)
        self.has_stream = False
        self.was_welcomed = False
        self.over: asyncio.Future[ArenaError | None] = asyncio.get_running_loop().create_future()
        """The error with which the stream has ended; None: the server has ended it in order."""

    async def play(self, _: Any, stream: Any) -> None:
        """Serve Referee.Play to the bot."""
        first = await stream.read()
        message = pb.PlayRequest()
        with suppress(DecodeError):
            message.ParseFromString(b"" if first is grpc.aio.EOF else first)
        if self.has_stream or not secrets.compare_digest(message.hello.token.encode(), self.local_token.encode()):
            return  # not the bot, or not its first stream
        self.has_stream = True
        message.hello.token = self.destination.token
        try:
            async with self.destination.channel(grpc.aio) as channel:
                await self._pass_on(message, stream, channel.stream_stream(f"/{SERVICE}/Play")())
            self._end(None)
        except ArenaError as error:
            self._end(error)
        except grpc.aio.AioRpcError as error:
            address = self.destination.address
            self._end(unreachable(address, error.details() or "", was_connected=self.was_welcomed))
        except asyncio.CancelledError:
            self._end(BotDidNotStart(f"`{self.bot.label}` closed its stream.", hint="Read what it printed."))
            raise

    async def _pass_on(self, hello: pb.PlayRequest, bot: Any, server: Any) -> None:
        await server.write(hello.SerializeToString())
        answer = await server.read()
        if answer is grpc.aio.EOF:
            raise ArenaError(f"{self.destination.address} ended the stream without an answer: is it an `arena serve`?")
        said = pb.PlayResponse.FromString(answer)
        if said.faults:
            raise ConnectionRefused(f"{self.destination.address} refuses `{self.bot.label}`: {said.faults[0].detail}")
        self.was_welcomed = True
        self.on_welcome(said.welcome)
        await bot.write(answer)

        async def pass_to_server() -> None:
            while (message := await bot.read()) is not grpc.aio.EOF:
                await server.write(message)
            await server.done_writing()

        to_server = asyncio.create_task(pass_to_server())
        try:
            while (message := await server.read()) is not grpc.aio.EOF:
                await bot.write(message)
        finally:
            to_server.cancel()
            await asyncio.gather(to_server, return_exceptions=True)

    def _end(self, error: ArenaError | None) -> None:
        if not self.over.done():
            self.over.set_result(error)
