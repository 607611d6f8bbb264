"""Run the web application until it is stopped."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from ipaddress import ip_address
from pathlib import Path
from threading import Thread

import uvicorn
import uvloop
from starlette.routing import BaseRoute

from arena.errors import UserError, refusal
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.web.app import create_app
from arena.web.config import CONFIG
from arena.web.events import EventHub
from arena.web.security import LOOPBACK_HOSTS, TokenGate
from arena.web.site import Site


def serve(
    home: Home,
    store: Store,
    host: str,
    port: int,
    *,
    ready: Callable[[str], None],
    open_browser: bool,
    known_as: Sequence[str] = (),
    sandbox: Callable[[], Sandbox] = Sandbox,
) -> None:
    """Serve the arena. `ready` is called with the address, which contains the token, once the server accepts requests.

    `known_as`: host names by which others reach the server, for example through a proxy. `sandbox` returns where bots
    run that people play against; it is called in a thread when the first one is needed.
    """
    with listen(host, port) as listener:
        server, address = prepare(home, store, host, listener, known_as=known_as, sandbox=sandbox)

        def announce() -> None:
            ready(address)
            if open_browser:  # in a daemon thread: a browser in the terminal runs until it is closed
                Thread(target=webbrowser.open, args=(address,), daemon=True).start()

        server.ready = announce
        uvloop.run(server.serve(sockets=[listener]))


def prepare(
    home: Home,
    store: Store,
    host: str,
    listener: socket.socket,
    *,
    known_as: Sequence[str] = (),
    sandbox: Callable[[], Sandbox] = Sandbox,
    besides: Sequence[BaseRoute] = (),
    tls: tuple[Path, Path] | None = None,
) -> tuple[WebServer, str]:
    """Return a server for the listening socket, and its address with the token.

    `besides`: additional routes. `tls`: the files of a certificate and its key.
    """
    port = listener.getsockname()[1]
    local = is_loopback(host)
    site = Site(home, store, TokenGate(port), sandbox, private=local and not known_as)
    hosts = LOOPBACK_HOSTS | {url_host(host), *known_as} if local or known_as else None
    config = uvicorn.Config(
        create_app(site, hosts, besides),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=CONFIG.shutdown_grace,
        timeout_keep_alive=30,
        loop="none",
        ssl_certfile=tls and tls[0],
        ssl_keyfile=tls and tls[1],
    )
    address = f"{'https' if tls else 'http'}://{url_host(host)}:{port}/?token={site.gate.token}"
    return WebServer(config, site.hub), address


class WebServer(uvicorn.Server):
    """A uvicorn server that closes all event streams when it shuts down."""

    def __init__(self, config: uvicorn.Config, hub: EventHub) -> None:
        super().__init__(config)
        self.hub = hub
        self.ready: Callable[[], None] = lambda: None
        """Called when the server accepts requests."""
        self.takes_signals = True
        """Whether SIGINT and SIGTERM stop this server; the owner of the process may handle them instead."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        with super().capture_signals() if self.takes_signals else nullcontext():
            yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.hub.close()
        await super().shutdown(sockets)


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raise `UserError` if the address cannot be used."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except socket.gaierror as error:
        raise UserError(f"Unknown host `{host}`: {error.strerror}.") from error
    except OSError as error:
        why = f"Cannot listen on port `{port}` of `{host}`: {refusal(error)}"
        raise UserError(why, hint="Add `--port 0` to use any free port.") from error
    return listener


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches the host."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def url_host(host: str) -> str:
    """Return the host as it is written in an address."""
    if host in ("0.0.0.0", "::", ""):  # noqa: S104, compared, not bound
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host.lower()
