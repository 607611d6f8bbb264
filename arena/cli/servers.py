"""The options of commands that can ask an arena elsewhere instead of the home here."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import ArenaError, refusal

if TYPE_CHECKING:
    from arena.client.desk import DeskClient
    from arena.client.play import Destination

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
TOKEN = "ARENA_SERVER_TOKEN"  # noqa: S105, where it is, not what it is
LONGEST_TOKEN = 1000

ServerAddress = Annotated[
    str | None,
    typer.Option("--server", metavar="HOST:PORT", help="Ask this arena serve instead.", show_default=False),
]
ServerCa = Annotated[
    Path | None,
    typer.Option(
        "--ca",
        metavar="FILE",
        dir_okay=False,
        help="The server's certificate, where it signs itself.",
        show_default=False,
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        "--token-file",
        metavar="FILE",
        dir_okay=False,
        help=f"A file with the token that lets you in. Default: what is in {TOKEN}.",
        show_default=False,
    ),
]
Insecure = Annotated[bool, typer.Option("--insecure", help="Without TLS, to a server on this machine only.")]
FOR_SERVERS = ("ca", "token_file", "insecure", "follow", "stop")
HERE = ("home", "store_url")
"""Options about what is here, which mean nothing to a server."""


def destination(server: str, token: str, ca: Path | None, *, insecure: bool) -> Destination:
    """Where to, and how to get in."""
    from arena.client.play import Destination  # it takes a moment to load

    host, _, port = server.rpartition(":")
    if not host or not port.isdecimal():
        raise typer.BadParameter(f"{server!r} is not a server: write HOST:PORT, for instance arena.example.org:50051.")
    if insecure and host not in LOOPBACK:
        raise ArenaError(f"without TLS everybody on the way to {host} could read your token: leave out --insecure.")
    try:
        certificate = ca.read_bytes() if ca else None
    except OSError as error:
        raise ArenaError(f"the certificate cannot be read: {refusal(error)}") from error
    return Destination(server, token, certificate, insecure)


def connected(
    context: typer.Context,
    server: str,
    ca: Path | None,
    token_file: Path | None,
    insecure: bool,
    here: Iterable[str] = (),
) -> DeskClient:
    """The server that is asked. `here`: options of the command that only make sense without one."""
    from arena.client.desk import DeskClient

    refuse_given(context, (*HERE, *here), "with --server the server decides that: leave out {}.")
    return DeskClient(destination(server, token_from(token_file), ca, insecure=insecure))


def not_connected(context: typer.Context) -> None:
    """Without a server the options about one are a misunderstanding."""
    refuse_given(context, FOR_SERVERS, "{} is for --server HOST:PORT, which is missing.")


def refuse_given(context: typer.Context, names: Iterable[str], complaint: str) -> None:
    """An option that would be ignored is a misunderstanding, and better cleared up at once."""
    options = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise ArenaError(complaint.format(options.get(name, name)))


def token_from(file: Path | None) -> str:
    """The token that lets one in: never on the command line, where others of this machine would see it."""
    if file is None:
        token = os.environ.get(TOKEN, "").strip()
        if not token:
            raise ArenaError(
                f"a token is needed to be let in: put it into {TOKEN}, or name a file with it (--token-file)."
            )
    else:
        try:
            with file.open(encoding="utf-8") as opened:
                token = opened.read(LONGEST_TOKEN).strip()
        except (OSError, UnicodeDecodeError) as error:
            why = refusal(error) if isinstance(error, OSError) else f"{file} is not text."
            raise ArenaError(f"the token cannot be read: {why}") from error
    if not token.isascii() or not token.isprintable() or " " in token or not token:
        raise ArenaError("what is to be the token is none: it has one word of letters and digits.")
    return token
