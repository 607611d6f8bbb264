"""The games there are, by name, and the parts of each game's package.

`register` adds a game. Processes that the arena starts (bots, workers) load the games of the packages that the
environment variable ARENA_GAMES names, separated by commas; each of them has its game as `GAME`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from arena.errors import HostFault, UnknownGame, unknown
from arena.games.base import AnyGame
from arena.games.mantis import MANTIS
from arena.games.tentagram import TENTAGRAM

if TYPE_CHECKING:  # loaded when they are first needed
    from arena.games.codec import Codec
    from arena.games.frames import Frames
    from arena.games.profile import Profile
    from arena.games.terminal import Painter
    from arena.games.words import Words

GAMES: dict[str, AnyGame] = {game.name: game for game in (MANTIS, TENTAGRAM)}

VARIABLE = "ARENA_GAMES"


def register(game: AnyGame) -> None:
    """Add a game. Raise `ValueError` for a name that is taken, or option values that are not distinct."""
    values = [value for values in game.options.values() for value in values]
    if not game.name.isidentifier() or GAMES.setdefault(game.name, game) is not game:
        raise ValueError(f"The game name `{game.name}` is taken or not an identifier.")
    if len(set(values)) != len(values):
        raise ValueError(f"Two options of `{game.name}` have a value of the same name.")


def find_game(name: str) -> AnyGame:
    """Return the game of that name. Raise `UnknownGame` if there is none."""
    if name not in GAMES:
        raise UnknownGame(unknown("game", name, GAMES))
    return GAMES[name]


def environment() -> dict[str, str]:
    """Return the variables by which another process loads the same games."""
    return {VARIABLE: os.environ[VARIABLE]} if VARIABLE in os.environ else {}


def package_of(game: str) -> str:
    """Return the name of the package that has all parts of the game."""
    return type(find_game(game)).__module__.rpartition(".")[0]


def profile_of(game: str) -> Profile:
    """Return the game's figures: tie rates, typical length, defaults, playouts."""
    return _part(find_game(game), "profile", "PROFILE")  # type: ignore[no-any-return]


def codec_of(game: str) -> Codec:
    """Return how the game goes over the wire."""
    return _part(find_game(game), "codec", "CODEC")  # type: ignore[no-any-return]


def words_of(game: str) -> Words:
    """Return the game's sentences for people."""
    return _part(find_game(game), "words", "WORDS")  # type: ignore[no-any-return]


def painter_of(game: str) -> Painter:
    """Return what draws the game in a terminal: its own painter, or the plain one."""
    return _part(find_game(game), "terminal", "PAINTER", plain="Painter")  # type: ignore[no-any-return]


def frames_of(game: str) -> Frames:
    """Return what describes the game to the browser: its own frames, or plain ones."""
    return _part(find_game(game), "frames", "FRAMES", plain="Frames")  # type: ignore[no-any-return]


def games_in_hello(numbers: Iterable[int], names: Iterable[str]) -> tuple[str, ...]:
    """Return the games that a bot's hello names: by the values of the enum `Game`, the others by name."""
    by_number = {number: game for game in GAMES if (number := codec_of(game).number)}
    named = [name for name in names if name in GAMES and name not in by_number.values()]
    return (*(by_number[number] for number in numbers if number in by_number), *named)


@cache
def _part(game: AnyGame, module: str, name: str, *, plain: str | None = None) -> Any:
    """Return an object of a module in the game's package; without such a module, one of the class `plain`."""
    package = package_of(game.name)
    try:
        return getattr(import_module(f"{package}.{module}"), name)
    except ModuleNotFoundError as error:
        if error.name != f"{package}.{module}":
            raise
        if plain:
            return getattr(import_module(f"arena.games.{module}"), plain)(words_of(game.name))
        raise HostFault(
            f"The game `{game.name}` has no module `{package}.{module}` with `{name}`.",
            hint="See `How to add a game` in CONTRIBUTING.md.",
        ) from None


for _package in filter(None, os.environ.get(VARIABLE, "").split(",")):
    try:
        register(import_module(_package).GAME)
    except (ImportError, AttributeError, ValueError) as _error:
        raise HostFault(f"Cannot load a game from the package `{_package}` in {VARIABLE}: {_error}.") from _error
