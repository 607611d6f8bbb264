"""`arena tournament --server`: a tournament that is held elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from arena.cli.console import err, harmless, out
from arena.errors import ArenaError
from arena.v1 import desk_pb2 as pb

if TYPE_CHECKING:
    from arena.client.desk import DeskClient

ABOUT_HERE = ("sandbox", "limit", "cluster", "tls_ca", "tls_cert", "tls_key")
"""Options of a tournament that are the server's business."""
NOT_SENT = ("server", "ca", "token_file", "insecure", "bots", "resume", "follow", "stop")


def hold(
    context: typer.Context, server: DeskClient, bots: Sequence[str], *, resume: bool, follow: bool, stop: bool
) -> None:
    """Begins, resumes, follows or stops a tournament there, and prints what it tells."""
    if sum((resume, follow, stop)) > 1:
        raise ArenaError("one thing at a time: choose --resume, --follow or --stop.")
    options = _given(context)
    if (follow or stop) and (bots or options):
        raise ArenaError("to follow or to stop a tournament takes no bots and no other options.")
    if stop:
        server.stop()
        out.print("It is interrupted. Go on with: arena tournament --resume --server …", highlight=False)
        return
    holding = pb.HOLDING_FOLLOW if follow else pb.HOLDING_RESUME if resume else pb.HOLDING_BEGIN
    code = None
    try:
        for news in server.hold(holding, bots, options, out.width):
            if news.HasField("ended"):
                code = news.ended
            elif news.HasField("printed"):
                sys.stdout.write(harmless(news.printed) + "\n")
            else:
                err.print(harmless(news.progress), markup=False, highlight=False, soft_wrap=True)
    except KeyboardInterrupt:
        err.print("It goes on there. Look again with --follow, interrupt it with --stop.", highlight=False)
        raise
    if code is None:
        raise ArenaError(f"{server.address} stopped telling how it goes: look again with --follow.")
    raise typer.Exit(code if 0 <= code < 256 else 1)


def _given(context: typer.Context) -> list[tuple[str, str]]:
    """The options that the user has given, as they are sent."""
    sent = []
    for parameter in context.command.params:
        name = parameter.name or ""
        source = context.get_parameter_source(name)
        if name in NOT_SENT or source is None or source.name != "COMMANDLINE":
            continue
        value = context.params[name]
        option = parameter.opts[0].lstrip("-")
        if value is True:
            sent.append((option, ""))
        else:
            sent += [(option, str(each)) for each in (value if isinstance(value, list | tuple) else [value])]
    return sent
