"""Runs the web application until somebody stops it."""

from __future__ import annotations

import asyncio
import socket
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from threading import Thread

import uvicorn
import uvloop
from starlette.routing import BaseRoute

from arena.errors import ArenaError, refusal
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.web.app import create_app
from arena.web.events import EventHub
from arena.web.security import LOOPBACK, TokenGate

LEAVE_WITHIN = 2
"""Seconds that browsers have to end their streams when the server stops."""


def serve(
    home: Home,
    store: Store,
    host: str,
    port: int,
    *,
    ready: Callable[[str], None],
    open_browser: bool,
    token: str | None = None,
    known_as: Sequence[str] = (),
    sandbox: Callable[[], Sandbox] = Sandbox,
) -> None:
    """Serves the arena. `ready` is told the address, with the token, once it can be opened.

    `known_as`: names by which others reach it, through a proxy for instance. `sandbox` says where bots run that people
    play against; it is asked when the first one is needed, in a thread.
    """
    listener = listen(host, port)
    with listener:
        server, address = prepare(home, store, host, listener, token=token, known_as=known_as, sandbox=sandbox)

        async def run() -> None:
            telling = asyncio.create_task(tell())
            try:
                await server.serve(sockets=[listener])
            finally:
                telling.cancel()

        async def tell() -> None:
            while not server.started:
                await asyncio.sleep(0.01)
            ready(address)
            if open_browser:  # in a thread that nobody waits for: a browser in the terminal stays until it is left
                Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        uvloop.run(run())


def prepare(
    home: Home,
    store: Store,
    host: str,
    listener: socket.socket,
    *,
    token: str | None = None,
    known_as: Sequence[str] = (),
    sandbox: Callable[[], Sandbox] = Sandbox,
    besides: Sequence[BaseRoute] = (),
    tls: tuple[Path, Path] | None = None,
) -> tuple[Server, str]:
    """A server for what comes to the listener, and its address with the token.

    `besides`: addresses that are not part of the pages. `tls`: the files of a certificate and its key.
    """
    gate = TokenGate(token, listener.getsockname()[1])
    local = is_loopback(host)
    hosts = LOOPBACK | {shown_name(host), *map(str.lower, known_as)} if local or known_as else None
    app, site = create_app(home, store, gate, sandbox, private=local and not known_as, hosts=hosts, besides=besides)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=LEAVE_WITHIN,
        timeout_keep_alive=30,
        loop="none",
        ssl_certfile=tls and tls[0],
        ssl_keyfile=tls and tls[1],
    )
    scheme = "https" if tls else "http"
    address = f"{scheme}://{shown_name(host)}:{listener.getsockname()[1]}/?token={gate.token}"
    return Server(config, site.hub), address


class Server(uvicorn.Server):
    """A server that lets nobody wait when it is told to stop."""

    def __init__(self, config: uvicorn.Config, hub: EventHub) -> None:
        super().__init__(config)
        self.hub = hub
        self.takes_signals = True
        """Whether it stops by itself when the process is told to."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if not self.takes_signals:
            yield
            return
        with super().capture_signals():
            yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.hub.close()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """A socket that waits for browsers. Raises where that is not possible, with what to do about it."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except socket.gaierror as error:
        raise ArenaError(f"there is no address {host!r}: {error.strerror}.") from error
    except OSError as error:
        raise ArenaError(
            f"the port {port} of {host} cannot be had: {refusal(error)} Choose another one: arena web --port 0"
        ) from error
    return listener


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def shown_name(host: str) -> str:
    """The host as it stands in an address."""
    if host in ("0.0.0.0", "::", ""):  # noqa: S104, compared, not bound
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host.lower()
