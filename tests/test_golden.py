"""Golden playthroughs change only on purpose, by `make golden`."""

from __future__ import annotations

import pytest

from tests.support.playthroughs import GOLDEN, check_playthrough
from tests.support.variants import VARIANTS, Variant

CHOSEN = [variant for variant in VARIANTS if (GOLDEN / f"{variant}.txt").exists()]


@pytest.mark.parametrize("variant", CHOSEN, ids=str)
def test_golden_playthrough(variant: Variant, request: pytest.FixtureRequest) -> None:
    check_playthrough(variant, GOLDEN, update=request.config.getoption("--update"))


def test_every_file_is_the_playthrough_of_a_variant() -> None:
    assert len(CHOSEN) == 11
    assert {file.stem for file in GOLDEN.iterdir()} == {str(variant) for variant in CHOSEN}
