"""Where the arena is: a home on this machine or a server. One object, parsed once, for all commands."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import UserError, refusal

if TYPE_CHECKING:
    from arena.api import Arena
    from arena.client.desk import RemoteArena
    from arena.client.play import Destination

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
TOKEN_VARIABLE = "ARENA_SERVER_TOKEN"  # noqa: S105, the name of a variable
MAX_TOKEN_LENGTH = 1000
DEFAULT_HOME = Path(".arena")

_option = partial(typer.Option, rich_help_panel="Where the arena is")
_file_option = partial(_option, metavar="FILE", dir_okay=False)
HomeOption = Annotated[
    Path,
    _option(
        envvar="ARENA_HOME", metavar="DIR", file_okay=False, help="The folder with the arena's bots, matches and logs."
    ),
]


@dataclass(frozen=True, kw_only=True)
class HomeLocation:
    """An arena on this machine."""

    home: HomeOption = DEFAULT_HOME
    store: Annotated[
        str | None,
        _option(
            envvar="ARENA_STORE",
            metavar="URL",
            help="Keep results in PostgreSQL: postgresql://USER@HOST/DATABASE. Default: SQLite in the home.",
        ),
    ] = None

    @property
    def arena(self) -> Arena:
        from arena.api import Arena

        return Arena(self.home, store=self.store)


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """How to reach a server."""

    ca: Annotated[Path | None, _file_option(help="The server's certificate, if it is self-signed.")] = None
    token_file: Annotated[
        Path | None,
        _file_option(help=f"A file with your token for the server. Default: the variable {TOKEN_VARIABLE}."),
    ] = None
    insecure: Annotated[bool, _option("--insecure", help="Connect without TLS, to a server on this machine only.")] = (
        False
    )

    def destination(self, server: str, token: str | None = None) -> Destination:
        """Return where to connect and how. The token is never on the command line, where other users can see it."""
        from arena.client.play import Destination

        host, _, port = server.rpartition(":")
        if not host or not port.isdecimal():
            raise UserError(f"Invalid server `{server}`: expected HOST:PORT, such as arena.example.org:50051.")
        if self.insecure and host not in LOOPBACK:
            raise UserError(
                f"`--insecure` does not apply to `{host}`: without TLS others on the network could read your token.",
                hint="Leave out `--insecure`.",
            )
        try:
            certificate = self.ca.read_bytes() if self.ca else None
        except OSError as error:
            raise UserError(f"Cannot read the certificate: {refusal(error)}") from error
        return Destination(server, token or self._token(), certificate, self.insecure)

    def _token(self) -> str:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
        if self.token_file is not None:
            try:
                with self.token_file.open(encoding="utf-8") as opened:
                    token = opened.read(MAX_TOKEN_LENGTH).strip()
            except (OSError, UnicodeDecodeError) as error:
                why = refusal(error) if isinstance(error, OSError) else f"`{self.token_file}` is not text."
                raise UserError(f"Cannot read the token: {why}") from error
        elif not token:
            hint = f"Set {TOKEN_VARIABLE}, or name a file: `--token-file FILE`."
            raise UserError("The server needs a token.", hint=hint)
        if not re.fullmatch("[!-~]+", token):
            raise UserError("Invalid token: expected one word of ASCII letters, digits and signs.")
        return token


@dataclass(frozen=True, kw_only=True)
class Location(Credentials, HomeLocation):
    """An arena on this machine or on a server."""

    server: Annotated[str | None, _option(metavar="HOST:PORT", help="Use the arena of this server.")] = None
    context: typer.Context

    def open(self, *local_only: str) -> Arena | RemoteArena:
        """Return the arena that the options name.

        Raise if an option was given that would be ignored; `local_only`: those of the command that a server ignores.
        """
        if self.server is None:
            self.refuse(("ca", "token_file", "insecure", "follow", "stop"), "applies only with `--server HOST:PORT`.")
            return self.arena
        self.refuse(("home", "store", *local_only), "does not apply with `--server`: the server decides that.")
        from arena.client.desk import RemoteArena

        return RemoteArena(self.destination(self.server))

    def refuse(self, options: Collection[str], why: str) -> None:
        """Raise if one of these options is on the command line."""
        for parameter in self.context.command.params:
            source = self.context.get_parameter_source(parameter.name or "")
            if parameter.name in options and source is not None and source.name == "COMMANDLINE":
                raise UserError(f"`{parameter.opts[0]}` {why}")
