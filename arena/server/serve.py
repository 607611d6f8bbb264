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
from grpc_health.v1 import health_pb2
from starlette.routing import Route

from arena import interrupts
from arena.api import Arena
from arena.errors import ArenaError
from arena.games.brackets import Bracket
from arena.referee import Limits, Referee, Settings
from arena.sandbox import Sandbox
from arena.server.auth import Authenticator
from arena.server.config import CONFIG, ServerConfig
from arena.server.desk import Desk
from arena.server.grpc_server import GrpcServer
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

    def check(self) -> None:
        """Raise `ArenaError` if tokens would be sent unencrypted over a network."""
        if self.certificate is None and not is_loopback(self.host):
            raise ArenaError(
                f"Without TLS everyone in the network could read the tokens that are sent to `{self.host}`.",
                hint="Leave out `--insecure`, which is for tests on this machine (`--host 127.0.0.1`).",
            )


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
    request.check()
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
    credentials = None
    if certificate:
        chain, key = certificate.read()
        credentials = grpc.ssl_server_credentials([(key, chain)])
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
            server = GrpcServer(config, {play.name: play.handler(), desk.name: desk.handler()})
            await server.open(request.host, request.grpc_port, credentials)
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
                grpc_address = f"{request.host}:{server.port}"
                log_event("server.ready", pages=address.partition("?")[0], grpc=grpc_address)
                ready(address, grpc_address)
                first = asyncio.create_task(signals.get())
                await asyncio.wait({showing, first}, return_when=asyncio.FIRST_COMPLETED)
                authenticator.closed = True
                await server.set_health(health_pb2.HealthCheckResponse.NOT_SERVING)  # for load balancers
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
                await server.close()
    log_event("server.stopped")


async def _drain(ladder: OpenLadder, desk: Desk, timeout: float) -> None:
    """Drain both, even if one of them fails."""
    for outcome in await asyncio.gather(ladder.drain(timeout), desk.drain(timeout), return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
