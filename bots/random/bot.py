"""random: any legal action in Mantis, any table card that the hand fits in Tentagram.

The idea: none. It is the smallest bot there is, the one to copy, and what every other bot must beat.
"""

from __future__ import annotations

from arena.bot import Bot, MantisTurn, TentagramTurn, mantis, tentagram


class RandomBot(Bot):
    name = "random"
    version = "1.0"

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        return turn.rng.choice(turn.legal)

    def tentagram(self, turn: TentagramTurn) -> tentagram.Action:
        return turn.action(turn.rng.choice(turn.fits))


if __name__ == "__main__":
    RandomBot().run()
