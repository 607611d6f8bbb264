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

from arena.bot.turns import MantisTurn, TentagramTurn
from arena.games import mantis, tentagram


class Bot:
    """Base of every bot in Python."""

    name: str = ""
    """What the bot is called; by default its class."""
    version: str = "1.0"
    matches_at_once: int = 0
    """How many matches it plays at the same time; 0: any number. Say 1 if it keeps something in mind between turns and
    does not tell matches apart, or if it thinks for long."""

    def __init__(self) -> None:
        self.log = logging.getLogger(self.name or type(self).__name__)
        """What is logged here, or printed, ends up in the bot's log: `arena log NAME`."""

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        """Answers a turn of Mantis. A bot that does not have this method does not play Mantis."""
        raise NotImplementedError

    def tentagram(self, turn: TentagramTurn) -> tentagram.Action:
        """Answers a turn of Tentagram. A bot that does not have this method does not play Tentagram."""
        raise NotImplementedError

    def match_over(self, match: str, placement: int, forfeited: bool) -> None:
        """Told when a match is over: the match's id, the own place, and whether it was lost by a fault."""

    @property
    def games(self) -> list[str]:
        """The games that the bot plays: those whose method it has written."""
        return [game for game in ("mantis", "tentagram") if getattr(type(self), game) is not getattr(Bot, game)]

    @property
    def language(self) -> str:
        return f"python {platform.python_version()}"

    def run(self) -> None:
        """Plays for the referee that started this program, until it ends the stream."""
        # Here, not on top: grpc takes a while to load, and a bot under test does not need it.
        from arena.bot.session import serve

        logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
        sys.exit(serve(self))
