"""For authors of bots in Python: everything that a bot imports.

    from arena.bot import Bot, MantisTurn, TentagramTurn, mantis, tentagram

`Bot` is the class to derive from, a turn is what it is asked, and `mantis` and `tentagram` are the games themselves:
actions, colours, and the engine to search with.
"""

from arena.bot.bot import Bot
from arena.bot.turns import Clock, MantisTurn, TentagramTurn
from arena.games import mantis, tentagram

__all__ = ["Bot", "Clock", "MantisTurn", "TentagramTurn", "mantis", "tentagram"]
