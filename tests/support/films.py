"""Matches to look at: random games of every kind, with faults, and with names that nobody should have."""

from __future__ import annotations

from random import Random

from arena.games.registry import find_game
from arena.replay import Decision, Fault, FaultKind, Header, Playback, Replay, result_line, simulate_game
from tests.support.variants import VARIANTS, Variant

EVIL = (
    "</script><img src=x onerror=alert(1)>",
    "<b>bold</b>",
    "\"quoted\" & 'quoted'",
    "\u202egnp.exe\u2066",
    "<!-- \u2028 ${alert(1)} -->",
    "\x00\x1b[31mred \ud800",
)


def variant(name: str) -> Variant:
    return next(each for each in VARIANTS if str(each) == name)


def random_match(which: Variant, seed: str = "7") -> Replay:
    return simulate_game(which.game, which.options, which.seats, seed, f"1-{which}-{seed}").replay


def match_with_faults(name: str, seed: str, faults: dict[int, int], names: tuple[str, ...] = ()) -> Replay:
    """A random match in which seats forfeit: after so many decisions, which seat. The house plays on for them."""
    which = variant(name)
    game = find_game(which.game.name)
    state = which.new(seed)
    seats = names or tuple(f"bot {seat}" for seat in range(which.seats))
    replay = Replay(Header(f"2-{name}-{seed}", game.name, game.complete(which.options), seed, seats, state.deal()))
    playback = Playback(replay.header)
    rng = Random(seed)
    decisions = 0
    while not playback.over:
        entry: Decision | Fault
        if decisions in faults and faults[decisions] not in playback.forfeited:
            detail = f"{EVIL[0]} no answer within 500 ms"
            entry = Fault(faults[decisions], FaultKind.TIMEOUT, detail)
        else:
            seat = playback.state.to_move
            assert seat is not None
            house = seat in playback.forfeited
            actions = playback.state.house_actions() if house else playback.state.legal()
            entry = Decision(seat, str(rng.choice(actions)), round(rng.expovariate(0.1), 2), house)
            decisions += 1
        playback.play(entry)
        replay.entries.append(entry)
    replay.result = result_line(playback.result())
    return replay
