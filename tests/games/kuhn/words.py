"""Kuhn poker in sentences for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.games.words import ActionChoice, Words
from tests.games.kuhn.game import Acted, Action, Result, View


class KuhnWords(Words):
    def choice(self, view: View, action: Action, names: Sequence[str], *, hints: bool) -> ActionChoice:
        del view, names, hints
        return {"action": str(action), "label": str(action).capitalize(), "short": str(action)}

    def score(self, result: Result, seat: int) -> str:
        return f"{result.chips[seat]:+} chips"

    def how_to_play(self, seats: int, options: Mapping[str, str]) -> list[str]:
        del seats
        return [f"One card each from the deck of {options['deck']}; pass or bet. The higher card wins."]

    def event(self, event: object, names: Sequence[str]) -> str:
        assert isinstance(event, Acted)
        return f"{names[event.seat]}: {event.action}."


WORDS = KuhnWords()
