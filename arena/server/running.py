"""All of `arena serve` together: the pages, the door and the ladder, from the start to the drain.

A first SIGTERM, or Ctrl-C, begins the drain: nobody is let in, no match begins, those under way end and are written. A
second one does not wait for matches.
"""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

import grpc
import uvloop
from starlette.routing import Route

from arena.errors import ArenaError
from arena.games.brackets import Bracket
from arena.referee import Limits, Referee, Settings
from arena.sandbox import Sandbox
from arena.server.desk import SERVICE, Desk, DeskRules
from arena.server.door import Door, DoorRules
from arena.server.journal import Journal
from arena.server.ladder import OpenLadder
from arena.server.ledger import Ledger
from arena.server.metrics import Metrics
from arena.server.tls import Identity
from arena.server.unfinished import Unfinished
from arena.store.home import Home
from arena.store.store import Store
from arena.web.server import is_loopback, listen, prepare

GARBAGE = 20_000, 20, 50
"""How seldom the collector of circular garbage runs: with hundreds of matches at once it has much to look through, and
finds little."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How the organiser wants it."""

    host: str
    port: int
    """Of the pages; 0: any that is free."""
    grpc_port: int
    """Of the door for bots; 0: any that is free."""
    identity: Identity | None
    """None: without TLS."""
    brackets: Sequence[Bracket]
    limits: Limits
    pace: float | None
    """How many matches a minute a bot may begin; None: as many as it can."""
    patience: float
    """Seconds that matches under way have to end when the server stops."""
    rules: DoorRules = field(default_factory=DoorRules)
    desk: DeskRules = field(default_factory=DeskRules)
    sandbox: str = "auto"
    """The mode of the sandbox in which bots are built and tried out that are handed in."""
    known_as: Sequence[str] = ()

    def check(self) -> None:
        """Raises where it would send tokens over a network for everybody to read."""
        if self.identity is None and not is_loopback(self.host):
            raise ArenaError(
                f"without TLS everybody in the network could read the tokens that are sent to {self.host}: leave out "
                "--insecure, which is for trying things out on this machine (--host 127.0.0.1)."
            )


@dataclass(frozen=True, slots=True)
class Opened:
    """Where it can be reached."""

    pages: str
    """The address of the pages, with the token that lets one play there."""
    door: str
    """Where bots dial, host and port."""


def serve(
    home: Home,
    store: Store,
    plan: Plan,
    journal: Journal,
    *,
    ready: Callable[[Opened], None],
    sandbox: Callable[[], Sandbox] = Sandbox,
) -> None:
    """Serves until it is told to stop. `ready` is told where, once it can be reached."""
    plan.check()
    with home.serving():
        uvloop.run(_run(home, store, plan, journal, ready, sandbox))


async def _run(
    home: Home,
    store: Store,
    plan: Plan,
    journal: Journal,
    ready: Callable[[Opened], None],
    sandbox: Callable[[], Sandbox],
) -> None:
    metrics = Metrics()
    identity = plan.identity
    credentials = None
    if identity:
        certificate, key = identity.read()
        credentials = grpc.ssl_server_credentials([(key, certificate)])
    with listen(plan.host, plan.port) as listener, journal.hearing_pages(), ExitStack() as later:
        pages, address = prepare(
            home,
            store,
            plan.host,
            listener,
            known_as=plan.known_as,
            sandbox=sandbox,
            besides=[Route("/metrics", metrics.page)],
            tls=(identity.certificate, identity.key) if identity else None,
        )
        stop = _Stop()
        async with Referee(plan.limits, Settings()) as referee:
            ledger = later.enter_context(closing(Ledger(store, plan.brackets)))
            unfinished = Unfinished(home.unfinished)
            ladder = OpenLadder(
                referee, ledger, journal, metrics, limits=plan.limits, pace=plan.pace, unfinished=unfinished
            )
            door = Door(ladder, plan.rules, credentials)
            desk = Desk(door.gate, home, metrics, plan.sandbox, plan.desk)
            await door.open(plan.host, plan.grpc_port, {SERVICE: desk.handler()})
            ladder.start()
            stop.listen()
            gc.freeze()  # what is here stays, and need not be looked through again and again
            gc.set_threshold(*GARBAGE)
            pages.takes_signals = False  # they stay while matches end
            showing = asyncio.create_task(pages.serve(sockets=[listener]))
            try:
                while not pages.started and not showing.done():
                    await asyncio.sleep(0.01)
                journal.tell("server.ready", pages=address.partition("?")[0], door=f"{plan.host}:{door.port}")
                ready(Opened(address, f"{plan.host}:{door.port}"))
                await asyncio.wait({showing, stop.asked}, return_when=asyncio.FIRST_COMPLETED)
                await door.turn_away()
                draining = asyncio.create_task(_drain(ladder, desk, plan.patience))
                await asyncio.wait({draining, stop.asked_twice}, return_when=asyncio.FIRST_COMPLETED)
                if draining.done():
                    draining.result()
                else:
                    draining.cancel()
                    await asyncio.gather(draining, return_exceptions=True)
                    await _drain(ladder, desk, 0.0)
            finally:
                pages.should_exit = True
                await showing
                await door.close()
    journal.tell("server.stopped")


async def _drain(ladder: OpenLadder, desk: Desk, patience: float) -> None:
    """Both to their ends, whatever happens to the other."""
    for outcome in await asyncio.gather(ladder.drain(patience), desk.drain(patience), return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome


class _Stop:
    """Hears the signals that end the server."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.asked: asyncio.Future[None] = loop.create_future()
        self.asked_twice: asyncio.Future[None] = loop.create_future()

    def listen(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._hear)

    def _hear(self) -> None:
        for future in (self.asked, self.asked_twice):
            if not future.done():
                future.set_result(None)
                return
