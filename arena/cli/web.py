"""`arena web`: the arena in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.console import err, out, shown
from arena.cli.groups import grouped
from arena.cli.location import HomeLocation
from arena.cli.sandboxes import SandboxMode, sandbox_for
from arena.store.store import Store


@grouped
def web(
    location: HomeLocation,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all machines in the network.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any free port.")] = 8000,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    known_as: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Accept this host name, for example that of a proxy. Repeatable.",
            show_default=False,
        ),
    ] = None,
    sandbox: SandboxMode = "auto",
) -> None:
    """Show the arena in the browser: leaderboards, bots, matches, live tournaments, and matches against bots.

    Everybody who reaches the address can read. The printed address contains the token that is required to play.

    Example: arena web --port 8080 --no-open
    """
    from arena.web.server import serve

    place = location.place
    with Store.open(place.database) as store:
        serve(
            place,
            store,
            host,
            port,
            ready=lambda address: _say(address, shown(str(location.home))),
            open_browser=open_browser,
            known_as=known_as or (),
            sandbox=lambda: sandbox_for(sandbox),
        )


def _say(address: str, home: str) -> None:
    out.print(f"The arena in {home} is at [bold]{shown(address)}[/]", highlight=False, soft_wrap=True)
    err.print("Stop it with Ctrl-C.", highlight=False)
