"""The service `Referee` for remote bots: the same protocol as for local bot processes, with TLS and tokens.

The token is in the hello, or in the metadata as `authorization: Bearer …`. A bot that is refused gets one fault with
the reason and nothing else, neither about other bots nor about matches.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import grpc
from anyio import to_thread
from google.protobuf.message import DecodeError

from arena.errors import ArenaError
from arena.referee.config import CONFIG
from arena.referee.server import SERVICE
from arena.referee.stream import RawStream
from arena.server.auth import Authenticator, RequestRefused, bearer_token, peer_address, refuse
from arena.server.config import ServerConfig
from arena.server.ladder import OpenLadder
from arena.server.log import log_event
from arena.server.rate_limit import RateLimit
from arena.server.remote_bot import RemoteBot
from arena.server.tcp_info import TcpProbe
from arena.store.tokens import Scope, Token
from arena.submissions.config import CONFIG as SUBMISSIONS
from arena.submissions.submit import is_label
from arena.v1 import referee_pb2 as pb


class PlayService:
    """Accepts remote bots and serves their streams."""

    name = SERVICE

    def __init__(self, ladder: OpenLadder, authenticator: Authenticator, config: ServerConfig) -> None:
        self.ladder = ladder
        self.authenticator = authenticator
        self.config = config
        self._connections = RateLimit(config.connection_burst, config.connections_per_minute)

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handler for a gRPC server. It works on raw bytes, because invalid messages need an answer."""
        play = grpc.stream_stream_rpc_method_handler(self._play)
        return grpc.method_handlers_generic_handler(self.name, {"Play": play})

    async def _play(self, _: Any, stream: Any) -> None:
        try:
            first = await asyncio.wait_for(stream.read(), CONFIG.hello_seconds)
        except TimeoutError:
            return
        if first is grpc.aio.EOF:
            return
        peer, said_hello = peer_address(stream), time.monotonic()
        try:
            hello = self._hello(first)
            token = await self.authenticator.check(bearer_token(stream) or hello.token, peer, Scope.PLAY)
            if not self._connections.take(token.id):
                raise RequestRefused("Too many connections with this token. Retry in a minute.")
            bot = await self._accept(hello, token, stream.peer(), said_hello)
        except ArenaError as error:
            refused = refuse(error)
            self.ladder.metrics.connections.labels("refused").inc()
            log_event("bot.refused", peer=peer, why=refused.text)
            fault = pb.Fault(kind=pb.FAULT_KIND_START, detail=refused.text)
            await stream.write(pb.PlayResponse(faults=[fault]).SerializeToString())
            return
        await self._serve(bot, hello, stream, peer)

    def _hello(self, first: bytes) -> pb.Hello:
        try:
            message = pb.PlayRequest.FromString(first)
        except DecodeError:
            message = pb.PlayRequest()
        if len(first) > self.config.max_bot_message or not message.HasField("hello"):
            raise RequestRefused("The first message must be a hello with a token of this server.")
        return message.hello

    async def _accept(self, hello: pb.Hello, token: Token, peer: str, said_hello: float) -> RemoteBot:
        """Register the bot. Raise `ArenaError` if it cannot join."""
        for what, text in (("name", hello.name), ("version", hello.version)):
            if not is_label(text):
                longest = SUBMISSIONS.longest_label
                raise RequestRefused(f"The {what} in its hello must have 1 to {longest} printable characters.")
        label = f"{token.user}/{hello.name} {hello.version}"
        self._check_capacity(label, token)  # before the bot is registered
        version, entrant = await to_thread.run_sync(self.ladder.record.register, token.user, hello)
        self._check_capacity(label, token)  # other bots may have joined meanwhile
        ladder, batching, probe = self.ladder, self.ladder.referee.batching, TcpProbe(peer)
        return RemoteBot(token, version, entrant, self.config, batching, ladder.join, ladder.metrics, probe, said_hello)

    def _check_capacity(self, label: str, token: Token) -> None:
        bots, config = self.ladder.bots.values(), self.config
        if any(bot.version.label == label for bot in bots):
            return  # it replaces its earlier connection
        if sum(bot.token.id == token.id for bot in bots) >= config.max_bots_per_token:
            raise RequestRefused(f"At most {config.max_bots_per_token} bots may be connected with one token.")
        if len(bots) >= config.max_bots:
            raise RequestRefused(f"The server is full: {config.max_bots} bots are connected. Retry later.")

    async def _serve(self, bot: RemoteBot, hello: pb.Hello, stream: RawStream, peer: str) -> None:
        """Serve the bot's stream until it ends."""
        label, token = bot.version.label, bot.token
        self.ladder.metrics.connections.labels("welcome").inc()
        log_event(
            "bot.connected", bot=label, user=token.user, token=token.id, peer=peer, round_trip_ms=bot.round_trip_ms
        )
        # In the background: the matches of a bot that reconnects are waiting for it.
        audit = asyncio.create_task(self.authenticator.audit(token, "connected", f"{label} from {peer}"))
        try:
            await bot.serve(hello, stream)
        finally:
            self.ladder.stream_ended(bot)
            await audit
