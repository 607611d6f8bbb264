"""Hostile programs among honest ones: each attack in each tier of the sandbox that this machine has.

All attacks of a tier are measured together, in a few sessions, because starting a referee for each would take minutes.
"""

from __future__ import annotations

from functools import cache

import pytest

from arena.sandbox import Tier, probe
from tests.hostile import table
from tests.hostile.attacks import BOTS, Attack, Result
from tests.hostile.folders import FOLDERS, measure_folder
from tests.hostile.measure import Evidence, measure

ATTACKS = (*BOTS, *FOLDERS)
LONG = 900
"""Timeout in seconds: the first test of a tier waits for all of them."""


def runnable(attacks: tuple[Attack, ...]) -> list[tuple[Tier, Attack]]:
    return [(tier, attack) for tier in Tier for attack in attacks if attack.expected(tier) is not Result.NOT_RUN]


@cache
def measured(tier: Tier, wanted: tuple[Attack, ...]) -> dict[str, Evidence]:
    return measure(tier, wanted)


@pytest.fixture
def wanted(request: pytest.FixtureRequest) -> tuple[Attack, ...]:
    """Return the selected attacks: all of them without -k."""
    chosen = {
        item.callspec.params["attack"]
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.originalname == "test_a_hostile_bot"
    }
    return tuple(attack for attack in BOTS if attack in chosen)


def skip_unless_there_is(tier: Tier) -> None:
    if not (found := probe(tier)).works:
        pytest.skip(f"no {tier} sandbox here: {found.detail}")


def named(value: object) -> str:
    return value.name if isinstance(value, Attack) else str(value)


@pytest.mark.timeout(LONG)
@pytest.mark.parametrize(("tier", "attack"), runnable(BOTS), ids=named)
def test_a_hostile_bot(tier: Tier, attack: Attack, wanted: tuple[Attack, ...]) -> None:
    skip_unless_there_is(tier)
    assert measured(tier, wanted)[attack.name].wrong() == ""


@pytest.mark.timeout(LONG)
@pytest.mark.parametrize(("tier", "attack"), runnable(tuple(FOLDERS)), ids=named)
def test_a_hostile_submission(tier: Tier, attack: Attack) -> None:
    skip_unless_there_is(tier)
    assert measure_folder(tier, attack).wrong() == ""


def test_the_table_in_the_documentation_lists_exactly_these_attacks() -> None:
    assert [row[:2] for row in table.listed()] == [(each.name, each.promise) for each in ATTACKS], "make hostile"


def test_the_strong_tier_blocks_everything_and_the_user_tier_has_documented_gaps() -> None:
    let_through = {attack.name for attack in ATTACKS if attack.strong is Result.NOT_BLOCKED}
    assert let_through == set()
    assert {attack.name for attack in ATTACKS if attack.user is Result.NOT_BLOCKED} == {"memory-memfd", "cpu-hog"}
    assert len({attack.name for attack in ATTACKS}) == len(ATTACKS)
