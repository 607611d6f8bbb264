"""`arena token`: the tokens of a server's users."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated

import typer

from arena.cli.console import err, out, print_table, shown
from arena.cli.location import HomeLocation
from arena.cli.options import AsJson, grouped
from arena.errors import UserError, unknown
from arena.store.tokens import Scope

app = typer.Typer(help="Create and revoke the tokens of a server's users.")


def _lifetime(text: str) -> timedelta | None:
    """Return the duration of a text such as `30d` or `12h`; None for `never`."""
    if text == "never":
        return None
    match = re.fullmatch(r"([0-9]{1,6})([mhd])", text)
    if match is None or not int(match[1]):
        raise UserError(f"Invalid duration `{text}`: expected 90m, 12h, 30d or never.")
    duration = timedelta(**{{"m": "minutes", "h": "hours", "d": "days"}[match[2]]: int(match[1])})
    if duration > timedelta(days=10 * 366):
        raise UserError(f"Invalid duration `{text}`: expected at most ten years, or never.")
    return duration


def _scopes(text: str) -> list[Scope]:
    """Return the scopes in a list such as `play,submit`."""
    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in list(Scope):
            raise UserError(unknown("scope", word, Scope))
    return list(map(Scope, words))


@app.command()
@grouped
def create(
    location: HomeLocation,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The user's name.")],
    scope: Annotated[
        str, typer.Option(metavar="SCOPES", help="Some of play, submit and organise, separated by commas.")
    ] = "play",
    expires: Annotated[str, typer.Option(metavar="TIME", help="Such as 90m, 12h, 30d, or never.")] = "90d",
) -> None:
    """Create a token for a user. It is printed once, on standard output; only its hash is stored.

    Example: arena token create anna --scope play,submit --expires 30d
    """
    scopes, lifetime = _scopes(scope), _lifetime(expires)
    with location.arena.hold_store() as store:
        token, secret = store.tokens.create(name, scopes, lifetime)
    may = " and ".join(sorted(token.scopes))
    until = f"until {token.expires} UTC" if token.expires else "for ever"
    err.print(
        f"Token {token.id} lets {shown(token.user)} {may} {until}. It is shown only once; "
        f"revoke it with [bold]arena token revoke {token.id}[/].",
        soft_wrap=True,
    )
    out.print(secret, markup=False, soft_wrap=True)


@app.command("list")
@grouped
def list_tokens(location: HomeLocation, as_json: AsJson = False) -> None:
    """List all tokens, without their secrets.

    Example: arena token list
    """
    with location.arena.open_store() as store:
        known = store.tokens.all()
    if as_json:
        out.print_json(
            data=[
                {
                    "token": token.id,
                    "user": token.user,
                    "scopes": sorted(token.scopes),
                    "created": token.created,
                    "expires": token.expires,
                    "revoked": token.revoked,
                    "state": token.state,
                }
                for token in known
            ]
        )
    elif known:
        cells = [
            (
                str(token.id),
                shown(token.user),
                ", ".join(sorted(token.scopes)),
                token.state if token.state == "valid" else f"[red]{token.state}[/]",
                token.created,
                token.expires or "never",
            )
            for token in known
        ]
        print_table(("#", "user", "scopes", "state", "created", "expires"), cells, numbers=("#",))
    else:
        out.print("No tokens yet. Create one: [bold]arena token create NAME --scope play[/]")


@app.command()
@grouped
def revoke(
    location: HomeLocation,
    token: Annotated[
        str, typer.Argument(metavar="TOKEN", help="A token's number, or a user's name for all of the user's tokens.")
    ],
) -> None:
    """Revoke a token, or all tokens of a user. Bots that are connected with it are removed within seconds.

    Example: arena token revoke anna
    """
    with location.arena.open_store() as store:
        revoked = store.tokens.revoke(token)
    if not revoked:
        out.print("Already revoked; nothing has changed.")
    for each in revoked:
        out.print(f"Token {each.id} of {shown(each.user)} is revoked.")


@app.command()
@grouped
def log(
    location: HomeLocation,
    user: Annotated[str | None, typer.Option(metavar="NAME", help="Only entries of this user.")] = None,
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, max=1_000_000, help="How many entries.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Show the audit log: what was done with tokens, the latest entry last.

    Example: arena token log --user anna
    """
    with location.arena.open_store() as store:
        entries = store.tokens.audit(lines, user)[::-1]
    if as_json:
        names = {"moment": "moment", "token_id": "token", "user": "user", "deed": "deed", "detail": "detail"}
        out.print_json(data=[{names[field]: getattr(each, field) for field in names} for each in entries])
        return
    for entry in entries:
        what = f"{entry.moment}  token {entry.token_id} of {shown(entry.user)}  {shown(entry.deed)}"
        out.print(what + (f": {shown(entry.detail)}" if entry.detail else ""), soft_wrap=True)
