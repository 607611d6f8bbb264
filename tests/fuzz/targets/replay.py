"""Whatever a replay says: it is read and verified, or refused with a ReplayError; and what was read can be written."""

from __future__ import annotations

from arena import replay
from arena.errors import ReplayError
from arena.games.registry import find_game
from arena.replay import Fault, FaultKind, simulate_game


def check(data: bytes) -> None:
    try:
        read = replay.loads(data)
    except ReplayError as error:
        _is_a_sentence(error)
        return
    assert replay.loads(replay.dumps(read).encode()) == read
    try:
        replay.verify(read)
    except ReplayError as error:
        _is_a_sentence(error)


def _is_a_sentence(error: ReplayError) -> None:
    """It can be printed, wherever that is."""
    assert error.line >= 1
    str(error).encode()


def seeds() -> list[bytes]:
    played = [
        simulate_game(find_game("mantis"), {"edition": "grab"}, 2, "seed", "m1").replay,
        simulate_game(find_game("mantis"), {"edition": "icons"}, 4, "seed", "m2").replay,
        simulate_game(find_game("tentagram"), {}, 3, "Grüße", "m3").replay,
    ]
    whole = [replay.dumps(each).encode() for each in played]
    played[0].entries.insert(3, Fault(1, FaultKind.CRASH, "It ended with signal 11."))
    lines = whole[2].splitlines(keepends=True)
    return [*whole, replay.dumps(played[0]).encode(), b"".join(lines[:2] + lines[-1:]), lines[1], lines[-1]]
