"""Plays at random."""

from arena.bot import Bot, Turn
from tests.games.kuhn.game import Action, View


class Gambler(Bot):
    name = "gambler"

    def kuhn(self, turn: Turn[View, Action]) -> Action:
        return turn.rng.choice(turn.legal)


if __name__ == "__main__":
    Gambler().run()
