"""Replays in the format `arena.replay/1` (docs/replay.md): write, read, play again, verify."""

from arena.replay.format import (
    FORMAT,
    Decision,
    Fault,
    FaultKind,
    Header,
    Replay,
    dump_line,
    dumps,
    result_line,
    write,
)
from arena.replay.playback import Playback, Step, follow, simulate_game, states, verify
from arena.replay.reader import loads, read_header, read_line

__all__ = [
    "FORMAT",
    "Decision",
    "Fault",
    "FaultKind",
    "Header",
    "Playback",
    "Replay",
    "Step",
    "dump_line",
    "dumps",
    "follow",
    "loads",
    "read_header",
    "read_line",
    "result_line",
    "simulate_game",
    "states",
    "verify",
    "write",
]
