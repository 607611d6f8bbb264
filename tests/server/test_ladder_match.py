"""A match that was suspended has the same result as without the interruption."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.games.registry import GAMES, codec_of
from arena.protocol.clock import Spent
from arena.referee.match import Limits, Match, MatchPlan
from arena.replay import FaultKind
from arena.server.ladder_match import MAX_AGE, LadderMatch, SuspendedMatches
from arena.tournament.planner import PlannedMatch


def play(match: Match, turns: int) -> None:
    for _ in range(turns):
        if (seat := match.seat_to_ask) is None:
            return
        match.answer(seat, codec_of(match.plan.game).codes.code_of[match.state.legal()[-1]], Spent(1.5))


def suspended(match: Match) -> LadderMatch:
    seats = tuple(range(match.state.seats))
    planned = PlannedMatch(6, 0, match.plan, tuple(100 + seat for seat in seats))
    return LadderMatch(match.plan.game, planned, seats, match)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("turns", [0, 1, 7, 12])
def test_a_match_continues_where_it_was(tmp_path: Path, game: str, turns: int) -> None:
    plan = MatchPlan(f"1-{game}-7-1", game, {}, "seed", ("a", "b", "c"))
    match = Match(plan, Limits())
    play(match, turns)
    if turns:
        match.forfeit(1, FaultKind.TIMEOUT, "It slept.")
        play(match, turns)
    unfinished = SuspendedMatches(tmp_path / "unfinished")
    unfinished.save([suspended(match)])
    (found,), useless = unfinished.load(Limits())
    assert not useless
    assert found.is_resumed
    assert found.block == suspended(match).block
    assert found.waits_for == ([100, 102] if turns else [100, 101, 102])
    again = found.match
    assert again.replay == match.replay
    assert again.think_ms == match.think_ms
    play(match, 1000)
    play(again, 1000)
    assert replace(again.outcome(), plan=match.plan) == match.outcome()
    unfinished.delete(found)
    assert unfinished.load(Limits()) == ([], [])
    with pytest.raises(ArenaError, match="Cannot delete the file"):
        unfinished.delete(found)


def test_unusable_and_old_files_are_renamed(tmp_path: Path) -> None:
    match = Match(MatchPlan("1-mantis-1-1", "mantis", {}, "seed", ("a", "b")), Limits())
    unfinished = SuspendedMatches(tmp_path)
    unfinished.save([suspended(match)])
    old = time.time() - MAX_AGE - 60
    os.utime(tmp_path / "1-mantis-1-1.jsonl", (old, old))
    whole = suspended(match).lines()
    play(match, 5)
    skipped = suspended(match).lines().splitlines(keepends=True)
    del skipped[2]  # a turn
    contents = ["", "{}\n{}\n", "[1]\n\x00", whole + "garbage\n", "".join(skipped)]
    for name, text in zip("abcde", contents, strict=True):
        (tmp_path / f"{name}.jsonl").write_text(text)
    assert unfinished.load(Limits()) == ([], [f"{name}.jsonl" for name in ("1-mantis-1-1", *"abcde")])
    assert unfinished.load(Limits()) == ([], [])
