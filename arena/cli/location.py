"""Where the arena is: a home on this machine or a server. One object, parsed once, for all commands."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.errors import UserError, refusal

if TYPE_CHECKING:
    from arena.api import Arena
    from arena.client.play import Destination
    from arena.remote import RemoteArena
    from arena.store.home import Home
    from arena.store.store import Store

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
TOKEN_VARIABLE = "ARENA_SERVER_TOKEN"  # noqa: S105, the name of a variable
MAX_TOKEN_LENGTH = 1000
DEFAULT_HOME = Path(".arena")
PANEL = "Where the arena is"

HomeOption = Annotated[
    Path,
    typer.Option(
        envvar="ARENA_HOME",
        metavar="DIR",
        file_okay=False,
        help="The folder with the arena's bots, matches and logs.",
        rich_help_panel=PANEL,
    ),
]


@dataclass(frozen=True)
class HomeLocation:
    """An arena on this machine."""

    home: HomeOption = DEFAULT_HOME
    store_url: Annotated[
        str | None,
        typer.Option(
            "--store",
            envvar="ARENA_STORE",
            metavar="URL",
            help="Keep results in PostgreSQL: postgresql://USER@HOST/DATABASE. Default: SQLite in the home.",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None

    @property
    def place(self) -> Home:
        from arena.store.home import Home

        return Home(self.home, self.store_url)

    @property
    def arena(self) -> Arena:
        from arena.api import Arena

        return Arena(self.home, store=self.store_url)

    def open_store(self) -> Store:
        """Return the store. Raise `NotFound` if there is none yet."""
        from arena.store.store import Store

        self.arena.check_exists()
        return Store.open(self.place.database)


@dataclass(frozen=True)
class Credentials:
    """How to reach a server."""

    ca: Annotated[
        Path | None,
        typer.Option(
            "--ca",
            metavar="FILE",
            dir_okay=False,
            help="The server's certificate, if it is self-signed.",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            metavar="FILE",
            dir_okay=False,
            help=f"A file with your token for the server. Default: the variable {TOKEN_VARIABLE}.",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None
    insecure: Annotated[
        bool,
        typer.Option(
            "--insecure", help="Connect without TLS, to a server on this machine only.", rich_help_panel=PANEL
        ),
    ] = False

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
        if self.token_file is None:
            token = os.environ.get(TOKEN_VARIABLE, "").strip()
            if not token:
                raise UserError(
                    "The server needs a token.", hint=f"Set {TOKEN_VARIABLE}, or name a file: `--token-file FILE`."
                )
        else:
            try:
                with self.token_file.open(encoding="utf-8") as opened:
                    token = opened.read(MAX_TOKEN_LENGTH).strip()
            except (OSError, UnicodeDecodeError) as error:
                why = refusal(error) if isinstance(error, OSError) else f"{self.token_file} is not text."
                raise UserError(f"Cannot read the token: {why}") from error
        if not token.isascii() or not token.isprintable() or " " in token or not token:
            raise UserError("Invalid token: expected one word of ASCII letters, digits and signs.")
        return token


@dataclass(frozen=True)
class Location(Credentials, HomeLocation):
    """An arena on this machine or on a server."""

    server: Annotated[
        str | None,
        typer.Option(
            "--server",
            metavar="HOST:PORT",
            help="Use the arena of this server.",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None
    given: frozenset[str] = frozenset()

    def open(self, *local_only: str) -> Arena | RemoteArena:
        """Return the arena that the options name.

        Raise if an option was given that would be ignored; `local_only`: those of the command that a server ignores.
        """
        if self.server is None:
            for name in ("ca", "token_file", "insecure", "follow", "stop"):
                if name in self.given:
                    raise UserError(f"`{_option(name)}` applies only with `--server HOST:PORT`.")
            return self.arena
        for name in ("home", "store_url", *local_only):
            if name in self.given:
                raise UserError(f"`{_option(name)}` does not apply with `--server`: the server decides that.")
        from arena.remote import RemoteArena

        to = self.destination(self.server)
        return RemoteArena(to.address, to.token, to.ca, insecure=to.insecure)


def _option(name: str) -> str:
    return "--store" if name == "store_url" else f"--{name.replace('_', '-')}"
