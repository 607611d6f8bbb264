"""Every error that a user or a bot author can cause, in one tree.

Each message names the culprit and says what to do next, so the command line prints it as it is and nothing else.

    ArenaError
    ├── UnknownGame          no game of that name is registered
    ├── UnknownOption        the game has no such option
    ├── UnknownOptionValue   the option does not have that value (an unknown edition, for instance)
    ├── BadSeatCount         the game is not played by that many seats
    ├── BadActionText        the text is not an action in this game's notation
    ├── IllegalAction        an action of the game, but not one that is legal now
    ├── BadDeal              not a complete, possible deal of the game
    ├── BadProgram           what was named is no bot, or cannot be started
    ├── BuildFailed          the bot's own build command failed
    ├── BotDidNotStart       the bot was started but did not come to play
    ├── HostFault            the machine lacks something: memory, processes, open files
    ├── BadStore             the store cannot be read, or is not one
    ├── HomeInUse            another tournament is running in this home
    ├── BadSubmission        the bot cannot be submitted like this
    ├── BadTournament        the tournament cannot be played like this
    ├── BadToken             the token is not one, or does not allow this (any more)
    ├── NothingThere         the store does not have what was asked for
    └── ReplayError          something is wrong with a replay; carries the number of the line
        ├── NotAReplay       the file is no arena.replay/1 at all
        ├── TruncatedReplay  the file stops before the result
        ├── MalformedReplay  a line does not have the form that the format asks for
        └── ReplayMismatch   well-formed, but re-playing it under the rules leads elsewhere
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
    """Rebuild an error from another process. Subclasses have constructors of their own, so none is called."""
    error = kind.__new__(kind)
    error.args = args
    return error


class UnknownGame(ArenaError):
    """No game of that name is registered."""


class UnknownOption(ArenaError):
    """The game has no such option."""


class UnknownOptionValue(ArenaError):
    """The option does not have that value."""


class BadSeatCount(ArenaError):
    """The game is not played by that many seats."""


class BadActionText(ArenaError):
    """The text is not an action in this game's notation."""


class IllegalAction(ArenaError):
    """An action of the game, but not one that is legal now."""


class BadDeal(ArenaError):
    """Not a complete, possible deal of the game."""


class BadProgram(ArenaError):
    """What was named is no bot, or cannot be started."""


class BuildFailed(ArenaError):
    """The bot's own build command failed."""


class BotDidNotStart(ArenaError):
    """The bot was started but did not come to play."""


class HostFault(ArenaError):
    """The machine lacks something, so nobody is to blame: memory, processes, open files."""


class BadStore(ArenaError):
    """The store cannot be read, or is not one."""


class HomeInUse(ArenaError):
    """Another tournament is running in this home."""


class BadSubmission(ArenaError):
    """The bot cannot be submitted like this."""


class BadTournament(ArenaError):
    """The tournament cannot be played like this."""


class BadToken(ArenaError):
    """The token is not one, or does not allow this, or does not any more."""


class NothingThere(ArenaError):
    """The store does not have what was asked for."""


class ReplayError(ArenaError):
    """Something is wrong with a replay. `line` is the number of the line, counted from 1."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


class NotAReplay(ReplayError):
    """The file is no arena.replay/1 at all."""


class TruncatedReplay(ReplayError):
    """The file stops before the result."""


class MalformedReplay(ReplayError):
    """A line does not have the form that the format asks for."""


class ReplayMismatch(ReplayError):
    """The replay is well-formed, but re-playing it under the rules leads elsewhere."""


MAKE_ROOM = "make room on the disk, then do it again"
REMEDIES = {
    errno.ENOSPC: MAKE_ROOM,
    errno.EDQUOT: MAKE_ROOM,
    errno.EROFS: "make it writable, or choose another place",
    errno.EMFILE: "allow more of them with ulimit -n",
    errno.ENFILE: "close what is not needed, then do it again",
}
"""What can be done where the system refuses something for a reason that its own words leave open."""


def refusal(error: OSError, where: object = None) -> str:
    """What the system has refused, in a sentence: where, why, and what to do about it."""
    place = where or error.filename
    if place is None and error.errno in (errno.ENOSPC, errno.EDQUOT):
        place = "what was to be printed"  # all else that is written has a name
    why = error.strerror or str(error)
    remedy = REMEDIES.get(error.errno or 0)
    return ": ".join(str(part) for part in (place, why, remedy) if part) + "."


def choices(names: Iterable[str]) -> str:
    """The names as prose for an error message: "a, b or c"."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def unknown(what: str, given: str, known: Iterable[str]) -> str:
    """The sentence for a name that is not known, with the nearest known one where there is one near."""
    known = list(known)
    near = difflib.get_close_matches(given.lower(), known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"choose {choices(known)}."
    return f"unknown {what} {given!r}: {hint}"
