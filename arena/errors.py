"""Every error that is shown to a user, in one tree. The type says who is to blame.

ArenaError
├── UserError            the request cannot be carried out as given
│   ├── UnknownGame, UnknownOption, UnknownOptionValue, BadSeatCount
│   ├── BadActionText, IllegalAction, BadDeal
│   ├── BadSubmission, BadTournament, BadToken, NotFound
│   └── ReplayError      carries the line number
│       └── NotAReplay, TruncatedReplay, MalformedReplay, ReplayMismatch
├── BotFault             a bot's own code is at fault
│   └── BuildFailed, BotDidNotStart
└── HostFault            the machine is at fault
    └── BadStore, HomeInUse
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Callable, Iterable


class ArenaError(Exception):
    """Base class of every error that is shown to the user: what is wrong, and a hint where there is a remedy."""

    def __init__(self, message: str = "", *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def __reduce__(self) -> tuple[Callable[..., ArenaError], tuple[object, ...], dict[str, object]]:
        return _unpickled, (type(self), self.args), self.__dict__


def _unpickled(kind: type[ArenaError], args: tuple[object, ...]) -> ArenaError:
    """Rebuild an error from another process without calling its constructor, which may take other arguments."""
    error = kind.__new__(kind)
    error.args = args
    return error


class UserError(ArenaError):
    """The request cannot be carried out as given; changing it helps."""


class BotFault(ArenaError):
    """A bot's own code is at fault."""


class HostFault(ArenaError):
    """The machine is at fault: it lacks memory, processes, open files, disk space or a working store."""


class UnknownGame(UserError):
    """No game of that name is registered."""


class UnknownOption(UserError):
    """The game has no such option."""


class UnknownOptionValue(UserError):
    """The option does not have that value."""


class BadSeatCount(UserError):
    """The game cannot be played with that number of seats."""


class BadActionText(UserError):
    """The text is not an action in this game's notation."""


class IllegalAction(UserError):
    """An action of the game that is not legal now."""


class BadDeal(UserError):
    """Not a complete, possible deal of the game."""


class BadSubmission(UserError):
    """Not a bot, or a bot that cannot be submitted or started like this."""


class BadTournament(UserError):
    """The tournament cannot be played like this."""


class BadToken(UserError):
    """The token is malformed, expired or does not permit this."""


class NotFound(UserError):
    """The store does not have what was asked for."""


class BuildFailed(BotFault):
    """The bot's build command failed."""


class BotDidNotStart(BotFault):
    """The bot was started but did not get ready to play."""


class BadStore(HostFault):
    """The store cannot be read, or is not one."""


class HomeInUse(HostFault):
    """Another tournament is running in this home."""


class ReplayError(UserError):
    """Something is wrong with a replay. `line` is the line number, counted from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


class NotAReplay(ReplayError):
    """The file is not an arena.replay/1."""


class TruncatedReplay(ReplayError):
    """The file stops before the result."""


class MalformedReplay(ReplayError):
    """A line does not follow the format."""


class ReplayMismatch(ReplayError):
    """The replay is well-formed, but playing it again under the rules gives another result."""


MAKE_ROOM = "free some disk space, then run the command again"
REMEDIES = {
    errno.ENOSPC: MAKE_ROOM,
    errno.EDQUOT: MAKE_ROOM,
    errno.EROFS: "make it writable, or choose another place",
    errno.EMFILE: "raise the limit with ulimit -n",
    errno.ENFILE: "close other programs, then run the command again",
}
"""Remedies for errors of the operating system."""


def refusal(error: OSError, where: object = None) -> str:
    """Return a sentence for an error of the operating system: where, why, and what to do about it."""
    place = f"`{where or error.filename}`" if where or error.filename else None
    if place is None and error.errno in (errno.ENOSPC, errno.EDQUOT):
        place = "standard output"  # all other files have a name
    why = error.strerror or str(error)
    remedy = REMEDIES.get(error.errno or 0)
    return ": ".join(filter(None, (place, why, remedy))) + "."


def choices(names: Iterable[str]) -> str:
    """Return the names as prose: "a, b or c"."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def unknown(what: str, given: str, known: Iterable[str]) -> str:
    """Return the sentence for an unknown name: with the most similar known name, or with all of them."""
    known = list(known)
    given = given if given.isprintable() else ascii(given)[1:-1]  # a message is one line
    near = difflib.get_close_matches(given.lower(), known, n=1)
    return f"Unknown {what} `{given}`: " + (f"did you mean `{near[0]}`?" if near else f"expected {choices(known)}.")
