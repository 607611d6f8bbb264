"""Mantis in the terminal: tanks are rows of coloured letters, one for each card."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from arena.games import terminal
from arena.games.mantis import Colour, Flip, Icon, Pilfered, State
from arena.games.mantis.words import WORDS
from arena.games.terminal import new_table, on_turn, seat_name

CHIPS = {
    Colour.RED: "bold white on #c62828",
    Colour.ORANGE: "bold black on #fb8c00",
    Colour.YELLOW: "bold black on #fdd835",
    Colour.GREEN: "bold white on #2e7d32",
    Colour.BLUE: "bold white on #1565c0",
    Colour.PURPLE: "bold white on #6a1b9a",
    Colour.PINK: "bold black on #f48fb1",
}

ICON_EFFECTS = {
    Icon.AGAIN: "its icon 'again' gives another turn",
    Icon.PILFER: "its icon 'pilfer' allows to take a card from a score pile",
    Icon.BANK: "its icon 'bank' sends them straight to the score pile",
}


def chip(colour: Colour, count: int = 1) -> Text:
    """Return the colour's letter once for each card, on the colour."""
    return Text(f" {colour.letter * count} ", style=CHIPS[colour])


class MantisPainter(terminal.Painter):
    def draw(self, state: State, names: Sequence[str], *, seen_by: int | None = None) -> RenderableType:
        del seen_by  # everything drawn is public
        table = new_table()
        table.add_column("")
        table.add_column("seat", overflow="fold")
        table.add_column(f"score pile, goal {state.goal}", justify="right", no_wrap=True)
        table.add_column("tank", overflow="fold")
        for seat, (score, tank) in enumerate(zip(state.scores, state.tanks, strict=True)):
            full = min(score, state.goal)
            table.add_row(
                on_turn(seat, state.to_move),
                seat_name(seat, names),
                f"{'■' * full}{'·' * (state.goal - full)} {score:2}",
                Text(" ").join(chip(colour, tank[colour]) for colour in Colour if tank[colour]),
            )
        if not state.pile:
            return Group(table, Text("draw pile empty"))
        back = [chip(colour) for colour in state.pile[-1].back]
        pilfering = " · choosing whom to pilfer" if state.pilfering else ""
        return Group(table, Text.assemble(f"draw pile {len(state.pile)}, top card's back ", *back, pilfering))

    def describe(self, event: object, state: State, names: Sequence[str], *, seen_by: int | None = None) -> Text:
        del state, seen_by  # a flip is public
        match event:
            case Flip(seat, action, card, moved):
                if action.target is None:
                    how, whose = Text("scores"), "its own"
                else:
                    how, whose = Text.assemble("steals from ", seat_name(action.target, names)), "the other's"
                sentence = Text.assemble(seat_name(seat, names), " ", how, ": flips ", chip(card.colour), f" {card}")
                if not moved:
                    return Text.assemble(sentence, f", no match: the card stays in {whose} tank.")
                where = "score pile" if event.into_score_pile else "tank"
                effect = f"; {ICON_EFFECTS[event.icon]}" if event.icon else ""
                return Text.assemble(sentence, f", a match: {moved} cards go to its {where}{effect}.")
            case Pilfered(seat, target):
                return Text.assemble(
                    seat_name(seat, names), " pilfers a card from the score pile of ", seat_name(target, names), "."
                )
        raise TypeError(f"not an event of Mantis: {event!r}")


PAINTER = MantisPainter(WORDS)
