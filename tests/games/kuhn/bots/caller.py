"""Bets with a king or an ace, and calls with anything but a jack."""

from arena.bot import Bot, Turn
from tests.games.kuhn.game import BET, PASS, Action, View


class Caller(Bot):
    name = "caller"

    def kuhn(self, turn: Turn[View, Action]) -> Action:
        bet_before = any(acted.action is BET for acted in turn.view.history)
        return BET if turn.view.card in ("KA", "QKA")[bet_before] else PASS


if __name__ == "__main__":
    Caller().run()
