"""Knockouts as they are drawn."""

from __future__ import annotations

from rich.console import Console

from arena.cli.standings import KnockoutTree
from arena.tournament.formats.base import Field, PairingResult
from arena.tournament.formats.knockout import Knockout


def drawn(size: int, width: int = 100, *, double: bool = False) -> str:
    """The tree of a knockout in which the later one in the order of the lot wins 3 : 1."""
    knockout = Knockout(Field(size, 2, 2, "seed"), double=double)
    lot = knockout.ranking()
    while (each := knockout.next_round(lambda _: (25.0, 8.0))) is not None:
        knockout.record(
            [
                PairingResult(
                    pairing,
                    tuple(
                        0.75 if entrant == max(pairing.entrants, key=lot.index) else 0.25
                        for entrant in pairing.entrants
                    ),
                )
                for pairing in each.pairings
            ]
        )
    console = Console(width=width, file=None, no_color=True)
    with console.capture() as capture:
        console.print(KnockoutTree(knockout.tree, [f"bot{lot.index(entrant)}" for entrant in range(size)]))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def test_a_tree_of_four() -> None:
    assert drawn(4) == (
        "semi-final    final\n"
        "✓ bot3 75% ─┐\n"
        "  bot0 25%  ├ ✓ bot3 75%\n"
        "            │   bot2 25%\n"
        "✓ bot2 75% ─┘\n"
        "  bot1 25%"
    )


def test_a_bye_is_called_one() -> None:
    assert "bye" in drawn(3)


def test_a_double_elimination_has_an_upper_and_a_lower_part_and_a_final() -> None:
    text = drawn(4, double=True)
    assert text.index("upper") < text.index("lower") < text.index("grand final")


def test_on_a_narrow_terminal_the_rounds_stand_below_each_other() -> None:
    text = drawn(8, width=30)
    assert "─" not in text
    assert text.index("quarter-final") < text.index("semi-final") < text.index("\nfinal")
