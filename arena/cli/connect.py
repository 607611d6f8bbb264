"""`arena bot`: play with a local bot on a server."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from arena import interrupts
from arena.cli.console import err, out, shown
from arena.cli.location import TOKEN_VARIABLE, Credentials
from arena.cli.options import BotPath, grouped
from arena.submissions.build import build
from arena.submissions.submission import find_submission
from arena.v1 import referee_pb2 as pb

FIRST_WAIT, MAX_WAIT = 1.0, 60.0
"""Seconds between retries; they double up to the maximum."""

app = typer.Typer(help="Connect a bot on this machine to a server.")


@app.command()
@grouped
def connect(
    credentials: Credentials,
    path: BotPath,
    server: Annotated[str, typer.Option(metavar="HOST:PORT", help="The server to play on.")],
    token: Annotated[
        str | None,
        typer.Option(envvar=TOKEN_VARIABLE, help="Your token for the server, from its organiser."),
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Reconnect whenever the connection ends.")] = False,
) -> None:
    """Start a bot on this machine and let it play on a server, until Ctrl-C or the server ends it.

    Example: arena bot connect ./my_bot.py --server arena.example.org:50051 --ca certificate.pem
    """
    target = credentials.destination(server, token if credentials.token_file is None else None)
    submission = find_submission(path)
    build(submission)

    wait, was_connected = FIRST_WAIT, False

    async def play() -> None:
        nonlocal wait
        from arena.client import play as client

        while True:
            try:
                await client.connect(submission.launch, target, on_welcome)
                err.print("The server has ended the stream.")
            except (client.Unreachable, client.ConnectionRefused) as error:
                # A bot that was connected before may be refused only for now: the server restarts, or is full.
                if not retry or (isinstance(error, client.ConnectionRefused) and not was_connected):
                    raise
                err.print(shown(error), soft_wrap=True)
            if not retry:
                return
            await asyncio.sleep(wait)
            wait = min(MAX_WAIT, 2 * wait)

    def on_welcome(welcome: pb.Welcome) -> None:
        nonlocal wait, was_connected
        wait, was_connected = FIRST_WAIT, True
        at_once = f"up to {welcome.matches_at_once} matches at once"
        way = f"the network round trip of {welcome.round_trip_us / 1000:.1f} ms is not charged"
        who = f"{shown(submission.label)} plays on {shown(server)} ({shown(welcome.referee)}), {at_once}; {way}."
        out.print(who, soft_wrap=True)

    interrupts.run(play())
