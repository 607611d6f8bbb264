"""my_bot: say here in a line or two what your bot's idea is.

Try it:      arena match mantis . random --games 200
Check it:    arena check .
Its output:  arena log my_bot
"""

from __future__ import annotations

from arena.bot import Bot, MantisTurn, TentagramTurn, mantis, tentagram


class MyBot(Bot):
    name = "my_bot"
    version = "0.1"

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        """Choose one of turn.legal. This one scores, or steals, whichever is likelier to work."""
        if turn.pilfering:  # an icon lets us take a card from a score pile: from the seat that has most
            return max(turn.legal, key=lambda action: turn.score_pile(action.target or 0))
        best_target = max(turn.others, key=turn.chance_of_match)
        if turn.chance_of_match(turn.me) >= turn.chance_of_match(best_target):
            return mantis.SCORE
        return mantis.steal(best_target)

    def tentagram(self, turn: TentagramTurn) -> tentagram.Action:
        """Choose one of turn.legal. This one lays its card where it fits and where it has most cards already."""
        return turn.action(max(turn.fits, key=lambda table: turn.count(table, turn.me)))


if __name__ == "__main__":
    MyBot().run()
