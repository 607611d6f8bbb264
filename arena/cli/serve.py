"""`arena serve`: the arena for people elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.console import out, shown
from arena.cli.groups import grouped
from arena.cli.location import HomeLocation
from arena.cli.options import TimeLimit, seconds
from arena.cli.sandboxes import SandboxMode, sandbox_for
from arena.errors import ArenaError
from arena.requests import check_sandbox_mode
from arena.store.store import Store


@grouped
def serve(
    location: HomeLocation,
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 for everybody in the network.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Of the pages. 0: any that is free.")] = 8000,
    grpc_port: Annotated[int, typer.Option(min=0, max=65535, help="For bots. 0: any that is free.")] = 50051,
    known_as: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name by which others reach it; may be given several times."),
    ] = None,
    cert: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="A certificate (PEM). Default: one of our own.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(metavar="FILE", dir_okay=False, help="The certificate's key (PEM).")
    ] = None,
    insecure: Annotated[bool, typer.Option("--insecure", help="Without TLS, on this machine only.")] = False,
    bracket: Annotated[
        list[str] | None,
        typer.Option(metavar="BRACKET", help="What is played; may be given several times. Default: every game."),
    ] = None,
    time_per_move: TimeLimit = "5s",
    time_per_match: TimeLimit = "none",
    pace: Annotated[
        str, typer.Option(metavar="N", help="How many matches a minute a bot begins at the most, or none.")
    ] = "60",
    at_once: Annotated[int, typer.Option(min=1, max=256, help="How many matches a bot plays at the same time.")] = 4,
    grace: Annotated[
        str, typer.Option(metavar="TIME", help="How long a bot may be away in the midst of its matches.")
    ] = "20s",
    drain: Annotated[
        str, typer.Option(metavar="TIME", help="How long matches may go on when the server stops.")
    ] = "30s",
    log_json: Annotated[bool, typer.Option("--log-json", help="Log in lines of JSON.")] = False,
    sandbox: SandboxMode = "auto",
) -> None:
    """Serve the arena to people elsewhere: the pages of arena web, and a ladder for bots that connect with a token.

    Example: arena serve --host 0.0.0.0 --known-as arena.example.org
    """
    from arena.games.brackets import DEFAULT_BRACKETS, Bracket
    from arena.referee import Limits
    from arena.server.config import ServerConfig
    from arena.server.log import logging_to
    from arena.server.serve import ServerAddresses, ServeRequest
    from arena.server.serve import serve as run
    from arena.server.tls import Certificate, self_signed

    check_sandbox_mode(sandbox)
    place = location.place
    certificate = None
    if (cert is None) != (key is None):
        raise ArenaError("a certificate and its key belong together: give both, --cert FILE and --key FILE.")
    if not insecure:
        names = [name for name in (host, *(known_as or ())) if name not in ("0.0.0.0", "::", "")]  # noqa: S104
        certificate = Certificate(cert, key) if cert and key else self_signed(place, names)
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

    def ready(addresses: ServerAddresses) -> None:
        out.print(f"The pages are at [bold]{shown(addresses.pages)}[/]", highlight=False, soft_wrap=True)
        out.print(f"Bots connect to [bold]{shown(addresses.grpc)}[/]", highlight=False, soft_wrap=True)
        if certificate:
            file = shown(str(certificate.certificate))
            out.print(f"Certificate: {file}, SHA-256 {certificate.fingerprint}", highlight=False, soft_wrap=True)
        out.print("Admit a user with `arena token create NAME`. Stop the server with Ctrl-C.", highlight=False)

    with Store.open(place.database) as store, logging_to(as_json=log_json):
        run(place, store, request, ready=ready, sandbox=lambda: sandbox_for(sandbox))


def _pace(text: str) -> float | None:
    if text == "none":
        return None
    if not re.fullmatch(r"[0-9]{1,6}", text) or not int(text):
        raise typer.BadParameter(f"{text!r} is not a pace: write a number of matches a minute, or none.")
    return float(text)
