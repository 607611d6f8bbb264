"""The layout of a knockout tree: one column per round, with the boxes of its meetings and what leads where.

The terminal and the web pages draw it. Positions are vertical only, in the unit of the caller; columns have the width
that the drawing gives them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.tournament.course import OpenPairing
from arena.tournament.formats.elimination import DecidedBy, KnockoutPairing, KnockoutRound, Part

DECISION_NOTES = {DecidedBy.TIE_BREAK: "after more deals", DecidedBy.LOT: "by lot", DecidedBy.BYE: "bye"}


@dataclass(frozen=True, slots=True)
class TreeLine:
    """An entrant in a box."""

    label: str
    points: float | None
    """Its share of the points; None before the first deal is counted."""
    advances: bool
    is_champion: bool

    @property
    def mark(self) -> str:
        return "★" if self.is_champion else "✓" if self.advances else ""


@dataclass(slots=True, eq=False)
class TreeBox:
    """A meeting of the tree."""

    lines: list[TreeLine]
    notes: list[str]
    state: str
    """`decided`, `running` or `open`."""
    height: float
    feeders: list[TreeBox]
    """The boxes of the previous column from which an entrant advanced to this one."""
    top: float = 0.0

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


@dataclass(frozen=True, slots=True)
class TreeColumn:
    """A round of the tree."""

    title: str
    boxes: list[TreeBox] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Spacing:
    """The measures of a drawing. The defaults are those of a terminal, where positions are whole lines."""

    line: float = 1.0
    padding: float = 0.0
    """Above and below the lines of a box."""
    gap: float = 1.0
    """Between two boxes of a column."""
    whole: bool = True


def tree_layouts(
    rounds: Sequence[KnockoutRound],
    labels: Sequence[str],
    under_way: Sequence[OpenPairing] = (),
    champion: int | None = None,
    spacing: Spacing = Spacing(),
) -> list[list[TreeColumn]]:
    """Return the columns of each tree: one tree, or upper, lower and final tree of a double elimination.

    `labels`: the names of the entrants, by number.
    """
    double = any(each.part is Part.UPPER for each in rounds)
    parts = ((Part.UPPER,), (Part.LOWER,), (Part.FINAL,)) if double else ((Part.MAIN, Part.FINAL),)
    trees = ([each for each in rounds if each.part in names] for names in parts)
    return [_columns(tree, labels, under_way, champion, spacing) for tree in trees if tree]


def _columns(
    rounds: Sequence[KnockoutRound],
    labels: Sequence[str],
    under_way: Sequence[OpenPairing],
    champion: int | None,
    spacing: Spacing,
) -> list[TreeColumn]:
    columns: list[TreeColumn] = []
    before: list[tuple[KnockoutPairing, TreeBox]] = []
    for each in rounds:
        column = TreeColumn(each.title)
        bottom = 0.0
        for pairing in each.pairings:
            is_final = each.part is Part.FINAL and champion is not None and pairing.advanced == (champion,)
            # The meeting that is being played in this box: between all its entrants, or a tie-break between some.
            meetings = under_way if pairing.decision is DecidedBy.OPEN else ()
            playing = next((each for each in meetings if set(each.pairing.entrants) <= set(pairing.entrants)), None)
            box = _box(pairing, labels, playing, is_final=is_final, spacing=spacing)
            box.feeders = [feeder for other, feeder in before if set(other.advanced) & set(pairing.entrants)]
            box.top = bottom
            if box.feeders:
                beside = (box.feeders[0].middle + box.feeders[-1].middle - box.height) / 2
                box.top = max(bottom, math.floor(beside) if spacing.whole else beside)
            bottom = box.top + box.height + spacing.gap
            column.boxes.append(box)
        columns.append(column)
        before = list(zip(each.pairings, column.boxes, strict=True))
    return columns


def _box(
    pairing: KnockoutPairing, labels: Sequence[str], playing: OpenPairing | None, *, is_final: bool, spacing: Spacing
) -> TreeBox:
    points = dict(zip(pairing.entrants, pairing.points, strict=False))
    notes = [DECISION_NOTES[pairing.decision]] if pairing.decision in DECISION_NOTES else []
    entrants: Sequence[int] = pairing.entrants
    if playing:
        tie_break = "tie-break: " if points else ""
        notes.append(f"{tie_break}{playing.blocks_counted} of {len(playing.pairing.deals)} deals")
        points = points or playing.points
        entrants = sorted(entrants, key=lambda entrant: -points.get(entrant, 0.0))
    lines = [
        TreeLine(
            labels[entrant],
            points.get(entrant),
            advances=entrant in pairing.advanced,
            is_champion=is_final and entrant in pairing.advanced,
        )
        for entrant in entrants
    ]
    state = "running" if playing else "open" if pairing.decision is DecidedBy.OPEN else "decided"
    height = spacing.line * (len(lines) + len(notes)) + 2 * spacing.padding
    return TreeBox(lines, notes, state, height, [])
