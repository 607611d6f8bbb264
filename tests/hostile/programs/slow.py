"""An honest bot that takes its time, so that an attacker has some, too."""

from __future__ import annotations

import time

from arena.bot import Bot, MantisTurn, mantis


class Slow(Bot):
    name = "slow"

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        time.sleep(0.15)
        return turn.rng.choice(turn.legal)


Slow().run()
