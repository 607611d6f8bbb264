"""Golden playthroughs: whole games written out step by step. They change only on purpose, by `make golden`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from arena.games import mantis
from arena.games.base import AnyState
from tests.support.variants import VARIANTS, Variant

FOLDER = Path(__file__).parent / "golden"
CHOSEN = [
    variant
    for variant in VARIANTS
    if str(variant)
    in (
        "mantis-classic-2",
        "mantis-classic-4",
        "mantis-classic-6",
        "mantis-icons-2",
        "mantis-icons-3",
        "mantis-icons-5",
        "mantis-grab-2",
        "mantis-grab-4",
        "tentagram-free-3",
        "tentagram-free-5",
        "tentagram-strict-4",
    )
]


def playthrough(variant: Variant) -> str:
    """The game with everything that is public at each step, as text."""
    state = variant.new("golden")
    rng = Random("golden")
    lines = [str(variant), f"deal {state.deal()}"]
    while (seat := state.to_move) is not None:
        lines.append(describe(state, seat))
        action = rng.choice(state.legal())
        lines.append(f"  {action} -> {'; '.join(map(str, state.apply(action)))}")
    result = state.result()
    lines.append(f"placements {result.placements} winners {result.winners} ending {result.ending.name}")
    lines.append(f"details {result.details()}")
    return "\n".join(lines) + "\n"


def describe(state: AnyState, seat: int) -> str:
    legal = ", ".join(map(str, state.legal()))
    view = state.view(seat)
    if isinstance(view, mantis.View):
        top = "".join(colour.letter for colour in view.top) if view.top else "none"
        tanks = [list(tank) for tank in view.tanks]
        return f"seat {seat} tanks {tanks} scores {list(view.scores)} pile {view.pile} top {top} legal {legal}"
    return f"seat {seat} hand {view.hand} fits {','.join(view.fits)} to come {','.join(view.to_come)} legal {legal}"


@pytest.mark.parametrize("variant", CHOSEN, ids=str)
def test_golden_playthrough(variant: Variant, request: pytest.FixtureRequest) -> None:
    file = FOLDER / f"{variant}.txt"
    played = playthrough(variant)
    if request.config.getoption("--update"):
        file.write_text(played, encoding="utf-8")
    assert played == file.read_text(encoding="utf-8")


def test_there_is_a_golden_playthrough_of_every_option() -> None:
    assert len(CHOSEN) == 11
    chosen = {(variant.game.name, *variant.options.values()) for variant in CHOSEN}
    assert chosen == {(variant.game.name, *variant.options.values()) for variant in VARIANTS}
    assert {file.stem for file in FOLDER.iterdir()} == {str(variant) for variant in CHOSEN}
