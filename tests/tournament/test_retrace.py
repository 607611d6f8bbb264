"""A knockout drawn again from what is on record, at every point of its course."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.rating.standings import pair_points
from arena.tournament.course import OpenPairing, Retrace
from arena.tournament.formats.base import Field
from arena.tournament.formats.elimination import DecidedBy
from arena.tournament.formats.knockout import Knockout
from tests.support.formats import a_field, fields, newcomer


def outcome(seed: int, block: int, entrants: tuple[int, ...]) -> bytes:
    """Who is placed where in the matches of a block: by strength, and now and then upside down."""
    order = sorted(entrants, key=lambda entrant: (entrant * (seed + 1) * 7919 + block * 31) % 101)
    return pair_points([[order.index(entrant) + 1 for entrant in entrants]] * len(entrants))


@settings(max_examples=40)
@given(field=fields(largest=24), double=st.booleans(), seed=st.integers(0, 50))
def test_the_tree_is_that_of_the_conductor_at_every_point(field: Field, double: bool, seed: int) -> None:
    played = Knockout(field, double=double, deals=2)
    retrace = Retrace(Knockout(field, double=double, deals=2))
    block = 0
    while (drawn := played.next_round(newcomer)) is not None:
        assert isinstance(retrace.format, Knockout)
        assert retrace.format.tree == played.tree
        assert [each.pairing for each in retrace.under_way] == list(drawn.pairings)
        pairings = [OpenPairing(pairing) for pairing in drawn.pairings]
        for pairing in pairings:
            for _ in pairing.pairing.deals:
                pairs = outcome(seed, block, pairing.pairing.entrants)
                block += 1
                pairing.add(pairs)
                retrace.take_outcome(pairs)
        played.record([pairing.result for pairing in pairings])
    assert isinstance(retrace.format, Knockout)
    assert retrace.format.tree == played.tree
    assert retrace.format.champion == played.champion is not None
    assert retrace.counted == block
    assert not retrace.under_way
    retrace.take_outcome(b"\0" * 4)
    assert retrace.counted == block, "what is too much is left alone"


def test_a_table_under_way_has_its_points_so_far() -> None:
    retrace = Retrace(Knockout(a_field(4, 2, 2), deals=2))
    assert [table.decision for table in retrace.format.tree[0].pairings] == [DecidedBy.OPEN] * 2  # type: ignore[attr-defined]
    assert {(each.blocks_counted, len(each.points)) for each in retrace.under_way} == {(0, 0)}
    retrace.take_outcome(pair_points([[1, 2], [1, 2]]))
    first, second = retrace.under_way
    assert (first.blocks_counted, sorted(first.points.values())) == (1, [0.0, pytest.approx(1.0)])
    assert second.blocks_counted == 0
