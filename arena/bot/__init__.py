"""The SDK for bots in Python: everything that a bot imports.

    from arena.bot import Bot, MantisTurn, TentagramTurn, mantis, tentagram

`Bot` is the base class, a turn is what the bot is asked, and `mantis` and `tentagram` are the games themselves:
actions, cards, and the engine to search with.
"""

from arena.bot.bot import Bot
from arena.games import mantis, tentagram
from arena.games.mantis.turn import MantisTurn
from arena.games.tentagram.turn import TentagramTurn
from arena.games.turn import Clock, Turn

__all__ = ["Bot", "Clock", "MantisTurn", "TentagramTurn", "Turn", "mantis", "tentagram"]
