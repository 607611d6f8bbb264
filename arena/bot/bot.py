"""The Bot class: write one method for each game that your bot plays, and call run().

class MyBot(Bot):
    name = "my_bot"

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        return turn.legal[0]

if __name__ == "__main__":
    MyBot().run()
"""

from __future__ import annotations

import logging
import platform
import sys

from arena.games.registry import GAMES


class Bot:
    """Base class of every bot in Python.

    A bot plays each game for which it has a method of that name: `mantis(turn)` takes a MantisTurn and returns one of
    `turn.legal`, `tentagram(turn)` the same with a TentagramTurn.
    """

    name: str = ""
    """The bot's name; by default that of its class."""
    version: str = "1.0"
    matches_at_once: int = 0
    """How many matches it plays at the same time; 0: any number. Use 1 if the bot remembers one match only, or thinks
    for long."""

    def __init__(self) -> None:
        self.log = logging.getLogger(self.name or type(self).__name__)
        """Writes to the bot's log, as print does: `arena log NAME`."""

    def match_over(self, match: str, placement: int, forfeited: bool) -> None:
        """Take note of a finished match: its id, the bot's place, and whether the bot forfeited."""

    @property
    def games(self) -> list[str]:
        """The games that the bot plays: those with a method of that name."""
        return [game for game in GAMES if callable(getattr(self, game, None))]

    @property
    def language(self) -> str:
        return f"python {platform.python_version()}"

    def run(self) -> None:
        """Play for the referee that started this process until it ends the stream, then exit."""
        # Not at the top: grpc takes a while to load, and a bot under test does not need it.
        from arena.bot.session import serve

        logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
        sys.exit(serve(self))
