"""Stored matches: their replays are made again from the moves, byte for byte."""

from __future__ import annotations

import zlib
from random import Random

import pytest

from arena.errors import BadStore
from arena.games.brackets import Bracket
from arena.games.registry import GAMES, codec_of
from arena.protocol.clock import Spent
from arena.referee.match import Limits, Match, MatchPlan
from arena.replay import FaultKind, dumps, verify
from arena.replay.compact import COMPACT, replay_text

BRACKETS = [bracket for game in GAMES.values() for bracket in Bracket.all_of(game)]


def played(bracket: Bracket, seed: str, fault_rate: float) -> Match:
    """Play a match at random, with faults."""
    rng = Random(seed)
    seats = rng.choice(bracket.seat_range)
    bots = tuple(f"bot {seat} é" for seat in range(seats))
    match = Match(MatchPlan("1-x-1-1", bracket.game, dict(bracket.options), seed, bots), Limits())
    codes = codec_of(bracket.game).codes.code_of
    while (seat := match.seat_to_ask) is not None:
        if rng.random() < fault_rate:
            match.forfeit(rng.choice([each for each in range(seats) if each not in match.forfeited]), *a_fault(rng))
        else:
            match.answer(seat, codes[rng.choice(match.state.legal())], Spent(rng.random() * 900))
    return match


def a_fault(rng: Random) -> tuple[FaultKind, str]:
    return rng.choice(list(FaultKind)), 'It said "…".'


@pytest.mark.parametrize("fault_rate", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("bracket", BRACKETS, ids=lambda bracket: bracket.name)
def test_a_replay_is_made_again_from_the_moves_byte_for_byte(bracket: Bracket, fault_rate: float) -> None:
    for number in range(20):
        match = played(bracket, f"seed {number}", fault_rate)
        outcome = match.outcome()
        text = replay_text(outcome.moves, "1-x-1-1", bracket.name, f"seed {number}")
        assert text == dumps(match.replay)
        assert verify(outcome.replay) == outcome.result


def test_replays_of_earlier_versions_are_text() -> None:
    assert replay_text(zlib.compress(b"{}\n"), "m", "mantis", "seed") == "{}\n"


def test_a_damaged_record_is_reported() -> None:
    whole = played(BRACKETS[0], "seed", 0.02).outcome().moves
    for record in (b"", b"x", COMPACT, COMPACT + b"\x90", whole[:-3], whole.replace(b"bot 1", b"bot \xff")):
        with pytest.raises(BadStore, match="match `m` is damaged"):
            replay_text(record, "m", BRACKETS[0].name, "seed")
