"""Golden playthroughs: whole games written out step by step."""

from __future__ import annotations

from pathlib import Path
from random import Random

from arena.games import mantis, tentagram
from arena.games.base import AnyState
from arena.games.registry import words_of
from tests.support.cli import ROOT
from tests.support.variants import Variant

GOLDEN = ROOT / "tests" / "golden"


def playthrough(variant: Variant) -> str:
    """The game with everything that is public at each step, as text."""
    state = variant.new("golden")
    rng = Random("golden")
    lines = [str(variant), f"deal {state.deal()}"]
    while (seat := state.to_move) is not None:
        legal = ", ".join(map(str, state.legal()))
        lines.append(f"seat {seat} {_known(variant.game.name, state, seat)} legal {legal}")
        action = rng.choice(state.legal())
        lines.append(f"  {action} -> {'; '.join(map(str, state.apply(action)))}")
    result = state.result()
    lines.append(f"placements {result.placements} winners {result.winners} ending {result.ending.name}")
    lines.append(f"details {result.details()}")
    return "\n".join(lines) + "\n"


def _known(game: str, state: AnyState, seat: int) -> str:
    view = state.view(seat)
    if isinstance(view, mantis.View):
        top = "".join(colour.letter for colour in view.top) if view.top else "none"
        tanks = [list(tank) for tank in view.tanks]
        return f"tanks {tanks} scores {list(view.scores)} pile {view.pile} top {top}"
    if isinstance(view, tentagram.View):
        return f"hand {view.hand} fits {','.join(view.fits)} to come {','.join(view.to_come)}"
    return ", ".join(words_of(game).table(view))


def check_playthrough(variant: Variant, folder: Path, *, update: bool) -> None:
    """Compare with the file of that name, or write it anew."""
    file = folder / f"{variant}.txt"
    played = playthrough(variant)
    if update:
        file.write_text(played, encoding="utf-8")
    assert played == file.read_text(encoding="utf-8"), f"{file.name} differs: run `make golden` if that is meant"
