"""Replays in the format `arena.replay/1` (docs/replay.md): write, read, play again, verify."""

from arena.replay.format import (
    FORMAT,
    Decision,
    Fault,
    FaultKind,
    Header,
    Replay,
    dumps,
    entry_line,
    header_line,
    last_line,
    result_line,
    write,
)
from arena.replay.playback import Playback, Step, follow, start, verify
from arena.replay.reader import loads, read, read_header, read_line

__all__ = [
    "FORMAT",
    "Decision",
    "Fault",
    "FaultKind",
    "Header",
    "Playback",
    "Replay",
    "Step",
    "dumps",
    "entry_line",
    "follow",
    "header_line",
    "last_line",
    "loads",
    "read",
    "read_header",
    "read_line",
    "result_line",
    "start",
    "verify",
    "write",
]
