"""The door for bots from elsewhere: Referee.Play, the same as for bots that the referee starts, behind TLS and tokens.

The token comes in the hello, or in the metadata as `authorization: Bearer …`. Whoever is not let in hears why in a
fault, as the protocol says, and nothing else: neither who else is here nor what is played.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import grpc
from anyio import to_thread
from google.protobuf.message import DecodeError
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from arena.errors import ArenaError, BadStore
from arena.referee.conversation import Stream
from arena.referee.referee import HELLO_WITHIN, SERVER_OPTIONS, SERVICE
from arena.server.admission import Allowance
from arena.server.gate import Gate, Refused, bearer, peer_of, sentence
from arena.server.guest import MOST_IN_A_MESSAGE, Guest, what_is_wrong
from arena.server.ladder import OpenLadder
from arena.server.line import Line
from arena.store.tokens import Scope, Token
from arena.v1 import referee_pb2 as pb

ALIVE_EVERY_MS = 1_000
"""How often a silent connection is asked whether it is still there: often, so that a cut is seen as one in time."""
ALIVE_WITHIN_MS = 60_000
"""How long it has to answer that. What a cut costs is the ladder's business; this is for those who never come back."""
OPTIONS = [
    *(option for option in SERVER_OPTIONS if option[0] != "grpc.max_receive_message_length"),
    ("grpc.max_receive_message_length", 4 * MOST_IN_A_MESSAGE),  # a guest with a bit too much can be told
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.keepalive_time_ms", ALIVE_EVERY_MS),
    ("grpc.keepalive_timeout_ms", ALIVE_WITHIN_MS),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
]


@dataclass(frozen=True, slots=True)
class DoorRules:
    """How many are let in, and how often."""

    matches_at_once: int = 4
    """How many matches a guest plays at the same time, at the most."""
    guests: int = 500
    """How many there may be."""
    guests_of_a_token: int = 8
    connections_at_once: int = 10
    """Of a token within moments; then so many a minute."""
    connections_a_minute: int = 30
    grace: float = 20.0
    """Seconds that a guest may be away in the midst of its matches."""


class Door:
    """The gRPC server."""

    def __init__(self, ladder: OpenLadder, rules: DoorRules, credentials: grpc.ServerCredentials | None) -> None:
        """`credentials`: None for a door without TLS."""
        self.ladder = ladder
        self.rules = rules
        self.credentials = credentials
        self.port = 0
        self._health = health.aio.HealthServicer()
        self._notes: set[asyncio.Task[None]] = set()
        """What is being written into the audit log."""
        self._by_token = Allowance(rules.connections_at_once, rules.connections_a_minute)
        strangers = Allowance(rules.connections_at_once, rules.connections_a_minute)
        self.gate = Gate(ladder.ledger.store, ladder.journal, strangers)

    async def open(self, host: str, port: int, besides: Mapping[str, grpc.GenericRpcHandler] | None = None) -> Self:
        """Opens it. `besides`: what else is offered there, by the name of the service."""
        self._server = server = grpc.aio.server(options=OPTIONS)
        handler = grpc.stream_stream_rpc_method_handler(self._play)  # raw bytes: what is in them is our business
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"Play": handler}),))
        besides = besides or {}
        server.add_generic_rpc_handlers(tuple(besides.values()))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, server)
        reflection.enable_server_reflection((SERVICE, *besides, health.SERVICE_NAME, reflection.SERVICE_NAME), server)
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            if self.credentials is None:
                self.port = server.add_insecure_port(address)
            else:
                self.port = server.add_secure_port(address, self.credentials)
        except RuntimeError as error:
            raise ArenaError(
                f"bots cannot be let in at {address}: is the port free, and ours? Choose another one: --grpc-port 0"
            ) from error
        await server.start()
        await self._tell_health(health_pb2.HealthCheckResponse.SERVING)
        return self

    async def turn_away(self) -> None:
        """From now on nobody is let in, and load balancers are told."""
        self.gate.closed = True
        await self._tell_health(health_pb2.HealthCheckResponse.NOT_SERVING)

    async def close(self) -> None:
        await self._server.stop(grace=1.0)
        await asyncio.gather(*self._notes)

    async def _tell_health(self, status: Any) -> None:
        for name in ("", SERVICE):
            await self._health.set(name, status)

    # The service

    async def _play(self, _: Any, stream: Any) -> None:
        try:
            first = await asyncio.wait_for(stream.read(), HELLO_WITHIN)
        except TimeoutError:
            return
        if first is grpc.aio.EOF:
            return
        peer, came_at = peer_of(stream), time.monotonic()
        try:
            hello = _hello(first)
            token = await self._admit(hello, bearer(stream), peer)
            guest = await self._guest(hello, token, stream.peer(), came_at)
        except Refused as refused:
            self.ladder.metrics.knocks.labels("refused").inc()
            self.ladder.journal.tell("bot.refused", peer=peer, why=str(refused))
            fault = pb.Fault(kind=pb.FAULT_KIND_START, detail=str(refused))
            await stream.write(pb.PlayResponse(faults=[fault]).SerializeToString())
            return
        await self._host(guest, hello, stream, peer)

    async def _admit(self, hello: pb.Hello, in_metadata: str, peer: str) -> Token:
        """The token that somebody has brought. Raises Refused where it does not let them in."""
        token = await self.gate.admit(in_metadata or hello.token, peer, Scope.PLAY)
        if not self._by_token.take(token.id):
            raise Refused("This token was used too often within a short time: wait a minute.")
        return token

    async def _guest(self, hello: pb.Hello, token: Token, peer: str, came_at: float) -> Guest:
        if wrong := what_is_wrong(hello):
            raise Refused(wrong)
        label = f"{token.user}/{hello.name} {hello.version}"
        self._check_room(label, token)  # so that who is not let in leaves no traces
        try:
            registered = await to_thread.run_sync(self.ladder.ledger.register, token.user, hello)
        except BadStore as error:
            raise self.gate.no_store(error) from error
        except ArenaError as error:
            raise Refused(sentence(error)) from error
        self._check_room(label, token)  # others may have come meanwhile
        ladder, rules = self.ladder, self.rules
        return Guest(
            token,
            registered,
            rules.matches_at_once,
            ladder.referee.traffic,
            ladder.welcome,
            ladder.metrics,
            Line(peer),
            rules.grace,
            came_at,
        )

    def _check_room(self, label: str, token: Token) -> None:
        here, rules = self.ladder.guests.values(), self.rules
        if any(guest.registered.label == label for guest in here):
            return
        if sum(guest.token.id == token.id for guest in here) >= rules.guests_of_a_token:
            raise Refused(f"With one token {rules.guests_of_a_token} bots may be here at the same time.")
        if len(here) >= rules.guests:
            raise Refused(f"There are {rules.guests} bots here, which is as many as there may be: come later.")

    async def _host(self, guest: Guest, hello: pb.Hello, stream: Stream, peer: str) -> None:
        """The guest's stay."""
        ladder, label = self.ladder, guest.registered.label
        ladder.metrics.knocks.labels("welcome").inc()
        ladder.journal.tell(
            "bot.connected",
            bot=label,
            user=guest.token.user,
            token=guest.token.id,
            peer=peer,
            round_trip_ms=guest.round_trip_ms,
        )
        # Nobody waits for it: those who come back have matches that do.
        noting = asyncio.create_task(self.gate.note(guest.token, "connected", f"{label} from {peer}"))
        self._notes.add(noting)
        noting.add_done_callback(self._notes.discard)
        try:
            await guest.serve(hello, stream)
        finally:
            ladder.say_goodbye(guest)


def _hello(first: bytes) -> pb.Hello:
    try:
        message = pb.PlayRequest.FromString(first)
    except DecodeError:
        message = pb.PlayRequest()
    if len(first) > MOST_IN_A_MESSAGE or not message.HasField("hello"):
        raise Refused("The first message must be a hello with a token of this server's.")
    return message.hello
