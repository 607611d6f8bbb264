"""Tentagram in sentences for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.games.tentagram import Action, Result, View
from arena.games.words import ActionChoice, Words


class TentagramWords(Words):
    def choice(self, view: View, action: Action, names: Sequence[str], *, hints: bool) -> ActionChoice:
        del names, hints
        return {
            "action": str(action),
            "label": f"Lay {view.hand} on {action.table}",
            "short": action.table,
            "fits": action.table in view.fits,
        }

    def score(self, result: Result, seat: int) -> str:
        return f"{result.cards[seat]} cards won"

    def how_to_play(self, seats: int, options: Mapping[str, str]) -> list[str]:
        del seats
        free = (
            "Cards that do not fit are set aside at the end: they do not count, and the winner of the pile gets those "
            "of the others."
        )
        return [
            "Lay your card face down on a pile. It fits where both letters of the pile are on your card.",
            *([free] if options["placement"] == "free" else []),
            "In the end each pile goes to the player with most cards. Equal numbers are out, and the next one wins.",
            "Most cards win, and here too equal numbers are out.",
        ]

    def odds(self, view: View) -> list[str]:
        return [f"Your cards still to come: {' '.join(view.to_come) or 'none'}."]


WORDS = TentagramWords()
