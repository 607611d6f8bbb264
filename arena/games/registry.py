"""The games there are, by name."""

from __future__ import annotations

from arena.errors import UnknownGame, unknown
from arena.games.base import AnyGame
from arena.games.mantis import MANTIS
from arena.games.tentagram import TENTAGRAM

GAMES: dict[str, AnyGame] = {game.name: game for game in (MANTIS, TENTAGRAM)}


def find_game(name: str) -> AnyGame:
    """The game of that name. Raises UnknownGame where there is none."""
    if name not in GAMES:
        raise UnknownGame(unknown("game", name, GAMES))
    return GAMES[name]
