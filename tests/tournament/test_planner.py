"""Names, seeds and seat orders of planned matches, and what a worker receives of them."""

from __future__ import annotations

import hmac
import pickle

import pytest

from arena.games.brackets import Bracket
from arena.records import BlockRecord
from arena.tournament.planner import MatchPlanner

BLOCK = BlockRecord(16, "cycle 6, round 1", 5, (2, 0, 1))


def planner(*, sealed: bool) -> MatchPlanner:
    labels = {11: "one 1.0", 12: "two 1.0", 13: "three 1.0"}
    return MatchPlanner(3, Bracket.parse("mantis/icons"), "lot", (11, 12, 13), labels, sealed=sealed)


def test_every_rotation_moves_all_by_one_seat() -> None:
    matches = planner(sealed=True).matches(BLOCK, [0, 1, 2])
    assert [match.versions for match in matches] == [(13, 11, 12), (11, 12, 13), (12, 13, 11)]
    assert [match.plan.id for match in matches] == ["3-mantis.icons-17-1", "3-mantis.icons-17-2", "3-mantis.icons-17-3"]
    assert matches[1].plan.bots == ("one 1.0", "two 1.0", "three 1.0")
    assert (matches[1].plan.game, matches[1].plan.options["edition"]) == ("mantis", "icons")


def test_only_missing_rotations_are_planned() -> None:
    everything = planner(sealed=True).matches(BLOCK, [0, 1, 2])
    assert planner(sealed=True).matches(BLOCK, [2]) == everything[2:]


@pytest.mark.parametrize("sealed", [True, False])
def test_all_rotations_have_the_seed_of_their_deal(sealed: bool) -> None:
    seeds = {match.plan.seed for match in planner(sealed=sealed).matches(BLOCK, [0, 1, 2])}
    code = hmac.new(b"lot", b"mantis/icons/5", "sha256").hexdigest()
    assert seeds == {code[:32] if sealed else "lot/mantis/icons/5"}


def test_a_plan_is_the_same_on_the_other_side_of_a_pipe() -> None:
    matches = planner(sealed=True).matches(BLOCK, [0, 1, 2])
    packed = pickle.dumps(matches, pickle.HIGHEST_PROTOCOL)
    assert pickle.loads(packed) == matches  # noqa: S301, our own
