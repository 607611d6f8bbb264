"""Tentagram in the terminal: the piles are rows, a card is its seat and its symbols, misfits are marked."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from arena.games import terminal
from arena.games.tentagram import Card, Laid, LaidCard, Pile, Revealed, State, fits
from arena.games.tentagram.words import WORDS
from arena.games.terminal import SEAT_STYLES, new_table, on_turn, seat_name


class TentagramPainter(terminal.Painter):
    def draw(self, state: State, names: Sequence[str], *, seen_by: int | None = None) -> RenderableType:
        return Group(self._piles(state, seen_by), Text(""), self._seats(state, names, seen_by))

    def _piles(self, state: State, seen_by: int | None) -> Table:
        over = state.to_move is None
        table = new_table()
        table.add_column("table card", style="bold")
        table.add_column("cards by seat (! does not fit)", overflow="fold")
        table.add_column("won by" if over else "", justify="right", overflow="fold")
        for pile in state.piles():
            award = Text("nobody" if over else "")
            if over and pile.winner is not None:
                award = Text(f"seat {pile.winner}, takes {pile.taken}", style=SEAT_STYLES[pile.winner])
            table.add_row(pile.table, self._cards(pile, seen_by), award)
        return table

    def _cards(self, pile: Pile, seen_by: int | None) -> Text:
        cards = [(laid, "") for laid in pile.counted] + [(laid, "!") for laid in pile.set_aside]
        if seen_by is not None:  # the order must not reveal which of the others' cards fit
            cards.sort(key=lambda item: item[0].seat)
        return Text(" ").join(self._card(laid, mark, seen_by) for laid, mark in cards)

    def _card(self, laid: LaidCard, mark: str, seen_by: int | None) -> Text:
        style = SEAT_STYLES[laid.seat]
        if seen_by not in (None, laid.seat):
            return Text(f"{laid.seat}:?", style=style)
        return Text(f"{laid.seat}:{laid.card}{mark}", style=style + (" dim" if mark else ""))

    def _seats(self, state: State, names: Sequence[str], seen_by: int | None) -> Table:
        over = state.to_move is None
        cards = state.result().cards
        table = new_table()
        table.add_column("")
        table.add_column("seat", overflow="fold")
        table.add_column("cards won" if over else "hand", justify="right" if over else "left")
        table.add_column("" if over else "to lay", justify="right")
        for seat in range(state.seats):
            card = state.view(seat).hand
            hand = "none" if card is None else card if seen_by in (None, seat) else "?"
            table.add_row(
                on_turn(seat, state.to_move),
                seat_name(seat, names),
                str(cards[seat]) if over else hand,
                "" if over else str(len(state.decks[seat]) - state.laid_cards(seat)),
            )
        return table

    def describe(self, event: object, state: State, names: Sequence[str], *, seen_by: int | None = None) -> Text:
        match event:
            case Laid(seat, table):
                card, misfit = "a card", ""
                if seen_by is None:
                    card = state.decks[seat][state.laid_cards(seat) - 1]
                    misfit = "" if fits(Card(card), table) else ", where it does not fit"
                return Text.assemble(
                    seat_name(seat, names), f" lays {card} face down on ", (table, "bold"), f"{misfit}."
                )
            case Revealed():
                return Text("All cards lie: they are turned face up and scored, pile by pile.")
        raise TypeError(f"not an event of Tentagram: {event!r}")


PAINTER = TentagramPainter(WORDS)
