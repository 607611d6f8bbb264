"""A match that was suspended has the same result as without the interruption."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.games.registry import GAMES, codec_of
from arena.protocol.clock import Spent
from arena.referee.match import Limits, Match, MatchPlan
from arena.replay import FaultKind
from arena.server.suspended import MAX_AGE, SuspendedMatch, SuspendedMatches


def play(match: Match, turns: int) -> None:
    for _ in range(turns):
        if (seat := match.seat_to_ask) is None:
            return
        match.answer(seat, codec_of(match.plan.game).codes[match.state.legal()[-1]], Spent(1.5))


def suspended(match: Match) -> SuspendedMatch:
    seats = tuple(range(match.state.seats))
    replay = match.replay
    return SuspendedMatch(match.plan.game, 6, seats, tuple(100 + seat for seat in seats), replay.header, replay.entries)


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
    (found,), useless = unfinished.load()
    assert not useless
    assert found.waits_for == ({100, 102} if turns else {100, 101, 102})
    again = found.match(plan, Limits())
    assert again.replay == match.replay
    assert again.think_ms == match.think_ms
    play(match, 1000)
    play(again, 1000)
    assert again.outcome() == match.outcome()
    unfinished.delete(found)
    assert unfinished.load() == ([], [])
    with pytest.raises(ArenaError, match="Cannot delete the file"):
        unfinished.delete(found)


def test_unusable_and_old_files_are_renamed(tmp_path: Path) -> None:
    match = Match(MatchPlan("1-mantis-1-1", "mantis", {}, "seed", ("a", "b")), Limits())
    unfinished = SuspendedMatches(tmp_path)
    unfinished.save([suspended(match)])
    old = time.time() - MAX_AGE - 60
    os.utime(tmp_path / "1-mantis-1-1.jsonl", (old, old))
    for name, text in (("a", ""), ("b", "{}\n{}\n"), ("c", "[1]\n\x00"), ("d", suspended(match).lines() + "garbage\n")):
        (tmp_path / f"{name}.jsonl").write_text(text)
    assert unfinished.load() == ([], [f"{name}.jsonl" for name in ("1-mantis-1-1", "a", "b", "c", "d")])
    assert unfinished.load() == ([], [])


def test_a_record_of_another_match_is_refused() -> None:
    match = Match(MatchPlan("m", "mantis", {}, "seed", ("a", "b")), Limits())
    play(match, 5)
    other = suspended(match)
    wrong = SuspendedMatch(other.bracket, 1, (0, 1), (0, 1), other.header, [*other.entries[1:], *other.entries])
    with pytest.raises(ArenaError):
        wrong.match(match.plan, Limits())
