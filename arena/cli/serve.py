"""`arena web` and `arena serve`: the arena in the browser, and for a network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.console import err, out, shown
from arena.cli.location import HomeLocation
from arena.cli.options import SandboxMode, TimeLimit, grouped, sandbox_for, seconds
from arena.errors import UserError


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
        typer.Option(metavar="NAME", help="Accept this host name, for example that of a proxy. Repeatable."),
    ] = None,
    sandbox: SandboxMode = "auto",
) -> None:
    """Show the arena in the browser: leaderboards, bots, matches, live tournaments, and matches against bots.

    Everybody who reaches the address can read. The printed address contains the token that is required to play.

    Example: arena web --port 8080 --no-open
    """
    from arena.web.server import serve

    def ready(address: str) -> None:
        out.print(f"The arena in {shown(location.home)} is at [bold]{shown(address)}[/]", soft_wrap=True)
        err.print("Stop it with Ctrl-C.")

    arena = location.arena
    with arena.hold_store() as store:
        serve(
            arena.home,
            store,
            host,
            port,
            ready=ready,
            open_browser=open_browser,
            known_as=known_as or (),
            sandbox=lambda: sandbox_for(sandbox),
        )


@grouped
def serve(
    location: HomeLocation,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for all interfaces.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port of the pages. 0: any free port.")] = 8000,
    grpc_port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port for bots and commands. 0: any free port.")
    ] = 50051,
    known_as: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A host name of the server; may be given several times.")
    ] = None,
    cert: Annotated[
        Path | None,
        typer.Option(metavar="FILE", dir_okay=False, help="A certificate (PEM). Default: a self-signed one."),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="The certificate's key (PEM).")
    ] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Without TLS, on this machine only.")] = False,
    bracket: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BRACKET", help="A game with its options; may be given several times. Default: every game."
        ),
    ] = None,
    time_per_move: TimeLimit = "5s",
    time_per_match: TimeLimit = "none",
    pace: Annotated[str, typer.Option(metavar="N", help="Matches that a bot may start per minute, or none.")] = "60",
    at_once: Annotated[int, typer.Option(min=1, max=256, help="Matches that a bot plays at the same time.")] = 4,
    grace: Annotated[
        str, typer.Option(metavar="TIME", help="How long a bot may be absent during its matches.")
    ] = "20s",
    drain: Annotated[
        str, typer.Option(metavar="TIME", help="How long matches may continue when the server stops.")
    ] = "30s",
    log_json: Annotated[bool, typer.Option("--log-json", help="Log in JSON lines.")] = False,
    sandbox: SandboxMode = "auto",
) -> None:
    """Serve the arena to a network: web pages, a ladder for bots that connect with a token, and remote commands.

    Example: arena serve --host 0.0.0.0 --known-as arena.example.org
    """
    from arena.games.brackets import DEFAULT_BRACKETS, Bracket
    from arena.referee import Limits
    from arena.requests import check_sandbox_mode
    from arena.server.config import ServerConfig
    from arena.server.log import logging_to
    from arena.server.serve import ServeRequest
    from arena.server.serve import serve as run
    from arena.server.tls import Certificate, self_signed

    check_sandbox_mode(sandbox)
    arena = location.arena
    certificate = None
    if (cert is None) != (key is None):
        raise UserError("`--cert` and `--key` must be given together.")
    if not insecure:
        names = [name for name in (host, *(known_as or ())) if name not in ("0.0.0.0", "::", "")]  # noqa: S104
        certificate = Certificate(cert, key) if cert and key else self_signed(arena.home, names)
        certificate.read()
    request = ServeRequest(
        host=host,
        port=port,
        grpc_port=grpc_port,
        certificate=certificate,
        brackets=[Bracket.parse(name) for name in dict.fromkeys(bracket or DEFAULT_BRACKETS)],
        limits=Limits(turn=seconds(time_per_move), match=seconds(time_per_match)),
        pace=_pace(pace),
        drain_timeout=seconds(drain) or 0.0,
        config=ServerConfig(matches_per_bot=at_once, grace=seconds(grace) or 0.0),
        known_as=known_as or (),
        sandbox=sandbox,
    )

    def ready(pages: str, grpc: str) -> None:
        out.print(f"The pages are at [bold]{shown(pages)}[/]", soft_wrap=True)
        out.print(f"Bots connect to [bold]{shown(grpc)}[/]", soft_wrap=True)
        if certificate:
            file = shown(certificate.certificate)
            out.print(f"Certificate: {file}, SHA-256 {certificate.fingerprint}", soft_wrap=True)
        out.print("Admit a user with `arena token create NAME`. Stop the server with Ctrl-C.")

    with logging_to(as_json=log_json):
        run(arena, request, ready=ready, sandbox=lambda: sandbox_for(sandbox))


def _pace(text: str) -> float | None:
    if text == "none":
        return None
    if not re.fullmatch(r"[0-9]{1,6}", text) or not int(text):
        raise UserError(f"Invalid pace `{text}`: expected a number of matches per minute, or none.")
    return float(text)
