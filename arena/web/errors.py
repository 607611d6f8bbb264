"""Errors of the web server, and the HTTP status of every error."""

from __future__ import annotations

from arena.errors import ArenaError, HostFault, NotFound, UserError


class NotAllowed(UserError):
    """The request may not see or change this."""


class OutOfTurn(UserError):
    """The person made a choice that is not asked for."""


class ServerBusy(HostFault):
    """The server has reached a limit; the request can be repeated later."""


def status_code(error: ArenaError) -> int:
    """Return the HTTP status of an error."""
    codes: dict[type[ArenaError], int] = {NotFound: 404, NotAllowed: 403, OutOfTurn: 409, ServerBusy: 503}
    return next((code for kind, code in codes.items() if isinstance(error, kind)), 400)
