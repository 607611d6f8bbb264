"""`arena bot`: a bot of one's own on a server elsewhere."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from arena import interrupts
from arena.cli.console import err, out, shown
from arena.cli.groups import grouped
from arena.cli.location import TOKEN_VARIABLE, Credentials
from arena.submissions.build import build
from arena.submissions.submission import find_submission
from arena.v1 import referee_pb2 as pb

WAIT_FIRST, WAIT_MOST = 1.0, 60.0
"""Seconds before the connection is tried again; twice as many each time."""

app = typer.Typer(help="Play with a bot of your own on a server elsewhere: [bold]arena bot connect[/].")


@app.callback()
def bot() -> None:
    """Play with a bot of your own on a server elsewhere."""


@app.command()
@grouped
def connect(
    credentials: Credentials,
    path: Annotated[str, typer.Argument(metavar="BOT", help="A .py or .js file, a program, a folder, a bundled bot.")],
    server: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where it is to play.", show_default=False)],
    token: Annotated[
        str | None, typer.Option(envvar=TOKEN_VARIABLE, help="Lets you in: ask the organiser.", show_default=False)
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Connect again whenever the connection ends.")] = False,
) -> None:
    """Start a bot here and let it play there, until the server ends it or you do.

    Example: arena bot connect ./my_bot.py --server arena.example.org:50051 --ca certificate.pem
    """
    target = credentials.destination(server, token if credentials.token_file is None else None)
    submission = find_submission(path)
    build(submission)

    wait, was_in = WAIT_FIRST, False

    async def play() -> None:
        nonlocal wait
        from arena.client import play as relay

        while True:
            try:
                await relay.connect(submission.launch, target, welcomed)
                err.print("The server has ended the stream.", highlight=False)
            except (relay.Unreachable, relay.ConnectionRefused) as error:
                # Who was in before will be let in again: the server is about to stop, say, or has its hands full.
                if not retry or (isinstance(error, relay.ConnectionRefused) and not was_in):
                    raise
                err.print(shown(str(error)), highlight=False, soft_wrap=True)
            if not retry:
                return
            await asyncio.sleep(wait)
            wait = min(WAIT_MOST, 2 * wait)

    def welcomed(welcome: pb.Welcome) -> None:
        nonlocal wait, was_in
        wait, was_in = WAIT_FIRST, True
        at_once = f"up to {welcome.matches_at_once} matches at once"
        way = f"the way there and back, {welcome.round_trip_us / 1000:.1f} ms, is not charged"
        who = f"{shown(submission.label)} plays on {shown(server)} ({shown(welcome.referee)}), {at_once}; {way}."
        out.print(who, highlight=False, soft_wrap=True)

    interrupts.run(play())
