"""`arena serve`: web pages, gRPC services and the ladder in one process, from the start to the shutdown.

The first SIGTERM or Ctrl-C drains the server: it accepts no bots and starts no matches; matches in progress end and are
written. The second one does not wait for matches.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass

import grpc
import uvloop
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from starlette.routing import Route

from arena import interrupts
from arena.api import Arena
from arena.errors import ArenaError
from arena.games.brackets import Bracket
from arena.referee import Limits, Referee, Settings
from arena.referee.server import SERVER_OPTIONS
from arena.sandbox import Sandbox
from arena.server.auth import Authenticator
from arena.server.config import CONFIG, ServerConfig
from arena.server.desk import Desk
from arena.server.ladder import OpenLadder
from arena.server.ladder_match import SuspendedMatches
from arena.server.ladder_record import LadderRecord
from arena.server.log import log_event
from arena.server.metrics import Metrics
from arena.server.play_service import PlayService
from arena.server.rate_limit import RateLimit
from arena.server.tls import Certificate
from arena.store.store import Store
from arena.web.server import is_loopback, listen, prepare


@dataclass(frozen=True, slots=True)
class ServeRequest:
    """What the organiser chooses."""

    host: str
    port: int
    """Of the web pages; 0: any free port."""
    grpc_port: int
    """Of the gRPC services; 0: any free port."""
    certificate: Certificate | None
    """None: no TLS."""
    brackets: Sequence[Bracket]
    limits: Limits
    pace: float | None
    """How many matches a bot may start per minute; None: no limit."""
    drain_timeout: float
    """Seconds that matches in progress have to end when the server stops."""
    sandbox: str = "auto"
    """The sandbox mode for submitted bots."""
    known_as: Sequence[str] = ()
    """Host names under which clients reach the pages."""
    config: ServerConfig = CONFIG


def serve(
    arena: Arena,
    request: ServeRequest,
    *,
    ready: Callable[[str, str], None],
    sandbox: Callable[[], Sandbox] = Sandbox,
) -> None:
    """Serve until a signal stops the server.

    `ready` gets the URL of the pages, with the token that allows playing there, and the address for bots and commands.
    """
    if request.certificate is None and not is_loopback(request.host):
        raise ArenaError(
            f"Without TLS everyone in the network could read the tokens that are sent to `{request.host}`.",
            hint="Leave out `--insecure`, which is for tests on this machine (`--host 127.0.0.1`).",
        )
    with arena.hold_store() as store, arena.home.serving():
        uvloop.run(_run(arena, store, request, ready, sandbox))


async def _run(
    arena: Arena,
    store: Store,
    request: ServeRequest,
    ready: Callable[[str, str], None],
    sandbox: Callable[[], Sandbox],
) -> None:
    config, metrics, certificate = request.config, Metrics(), request.certificate
    with listen(request.host, request.port) as listener, ExitStack() as later:
        pages, address = prepare(
            arena.home,
            store,
            request.host,
            listener,
            known_as=request.known_as,
            sandbox=sandbox,
            besides=[Route("/metrics", metrics.page)],
            tls=(certificate.certificate, certificate.key) if certificate else None,
        )
        async with Referee(request.limits, Settings()) as referee:
            record = later.enter_context(closing(LadderRecord(store, request.brackets)))
            suspended = SuspendedMatches(arena.home.unfinished)
            ladder = OpenLadder(referee, record, suspended, config, metrics, request.pace)
            wrong_tokens = RateLimit(config.connection_burst, config.connections_per_minute)
            authenticator = Authenticator(store, wrong_tokens)
            play = PlayService(ladder, authenticator, config)
            desk = Desk(authenticator, arena, metrics, request.sandbox, config)
            healthy = health.aio.HealthServicer()
            server = grpc.aio.server(options=_grpc_options(config))
            server.add_generic_rpc_handlers((play.handler(), desk.handler()))
            health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
            names = (play.name, desk.name, health.SERVICE_NAME, reflection.SERVICE_NAME)
            reflection.enable_server_reflection(names, server)
            grpc_port = _add_port(server, request)
            await server.start()
            for name in (play.name, desk.name):
                await healthy.set(name, health_pb2.HealthCheckResponse.SERVING)
            ladder.start()
            signals: asyncio.Queue[None] = asyncio.Queue()
            interrupts.listen(lambda: signals.put_nowait(None))
            gc.freeze()  # what exists now stays, and need not be searched for garbage
            gc.set_threshold(20_000, 20, 50)  # rarely: hundreds of matches are much to search, with little to find
            pages.takes_signals = False  # the pages stay up during the drain
            showing = asyncio.create_task(pages.serve(sockets=[listener]))
            try:
                while not pages.started and not showing.done():
                    await asyncio.sleep(0.01)
                grpc_address = f"{request.host}:{grpc_port}"
                log_event("server.ready", pages=address.partition("?")[0], grpc=grpc_address)
                ready(address, grpc_address)
                first = asyncio.create_task(signals.get())
                await asyncio.wait({showing, first}, return_when=asyncio.FIRST_COMPLETED)
                authenticator.closed = True
                await healthy.enter_graceful_shutdown()  # for load balancers
                draining = asyncio.create_task(_drain(ladder, desk, request.drain_timeout))
                second = asyncio.create_task(signals.get())
                await asyncio.wait({draining, second}, return_when=asyncio.FIRST_COMPLETED)
                if draining.done():
                    draining.result()
                else:
                    draining.cancel()
                    await asyncio.gather(draining, return_exceptions=True)
                    await _drain(ladder, desk, 0.0)
            finally:
                pages.should_exit = True
                await showing
                await server.stop(grace=1.0)
    log_event("server.stopped")


async def _drain(ladder: OpenLadder, desk: Desk, timeout: float) -> None:
    """Drain both, even if one of them fails."""
    for outcome in await asyncio.gather(ladder.drain(timeout), desk.drain(timeout), return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome


def _grpc_options(config: ServerConfig) -> list[tuple[str, int]]:
    return [
        *(option for option in SERVER_OPTIONS if option[0] != "grpc.max_receive_message_length"),
        # More than a bot may send, so that it gets an error message instead of a broken stream.
        ("grpc.max_receive_message_length", 4 * config.max_bot_message),
        ("grpc.max_metadata_size", 8 * 1024),
        ("grpc.keepalive_time_ms", 1_000),  # packets at least this often, so that a loss is noticed soon
        ("grpc.keepalive_timeout_ms", 60_000),  # a lost connection ends by the bot's grace, not by this
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
    ]


def _add_port(server: grpc.aio.Server, request: ServeRequest) -> int:
    """Let the gRPC server listen, with TLS if there is a certificate. Return its port."""
    address = f"[{request.host}]:{request.grpc_port}" if ":" in request.host else f"{request.host}:{request.grpc_port}"
    try:
        if request.certificate is None:
            port: int = server.add_insecure_port(address)
        else:
            chain, key = request.certificate.read()
            port = server.add_secure_port(address, grpc.ssl_server_credentials([(key, chain)]))
    except RuntimeError as error:
        why = f"Cannot listen for bots on `{address}`: the port is in use or not permitted."
        raise ArenaError(why, hint="Choose another port, or let the system choose one: `--grpc-port 0`.") from error
    return port
