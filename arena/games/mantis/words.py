"""Mantis in sentences for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.games.mantis import Action, Result, View, top_odds
from arena.games.mantis.knowledge import chance_of_match
from arena.games.words import ActionChoice, Words


class MantisWords(Words):
    def choice(self, view: View, action: Action, names: Sequence[str], *, hints: bool) -> ActionChoice:
        match action.target, action.kind:
            case None, _:
                label = short = "Score"
            case target, "steal":
                label, short = f"Steal from {names[target]}", "Steal"
            case target, _:
                label, short = f"Take a scored card from {names[target]}", "Take a card"
        made: ActionChoice = {"action": str(action), "label": label, "short": short}
        if hints and action.kind != "pilfer":
            owner = view.seat if action.target is None else action.target
            made["odds"] = round(chance_of_match(top_odds(view), view.tanks[owner]), 4)
        return made

    def score(self, result: Result, seat: int) -> str:
        return f"{result.score[seat]} scored, {result.tank[seat]} in the tank"

    def how_to_play(self, seats: int, options: Mapping[str, str]) -> list[str]:
        lines = [
            "On your turn the top card is flipped. Its back shows three colours; its front is one of them.",
            "Score: flip it into your own tank. If that colour is there, all cards of it go to your score pile.",
            "Steal: flip it into another tank. On a match all cards of that colour come to you; otherwise it stays.",
        ]
        if seats == 2:
            lines.append("A successful steal gives another turn.")
        elif options["edition"] == "icons":
            lines.append(
                "An icon on the flipped card rewards a steal that succeeds: another turn, a card from another score "
                "pile, or straight into your own."
            )
        return [*lines, f"The first with {15 if seats == 2 else 10} cards in the score pile wins."]

    def odds(self, view: View) -> list[str]:
        odds = top_odds(view)
        lines = ["The top card is " + ", ".join(f"{c.name.lower()} {p:.0%}" for c, p in odds.items()) + "."]
        for seat, tank in enumerate(view.tanks):
            verb = "to score" if seat == view.seat else f"to steal from seat {seat}"
            lines.append(f"  {chance_of_match(odds, tank):5.0%} {verb} with success")
        return lines


WORDS = MantisWords()
