"""The policy numbers of the referee, and the settings that its user chooses."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from arena.protocol.config import CONFIG as PROTOCOL_CONFIG
from arena.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class RefereeConfig:
    """Time-outs (seconds), sizes (bytes) and limits that no user needs to change."""

    # The stream
    hello_seconds: float = 10.0  # from the start of a stream to its hello
    max_message: int = 4 * 1024 * 1024  # of a bot
    max_receive: int = 16 * 1024 * 1024  # gRPC's limit: larger, so that the bot is sent a fault instead of cut off
    last_write_seconds: float = 2.0  # for the last message of a stream
    hung_seconds: float = 5.0  # not reading, or over time and silent: the bot is ended
    late_seconds: float = 1.0  # the same for a process over time, whose other matches continue with a new one

    # Watching
    tick: float = 0.02  # between two checks of the clocks
    socket_interval: float = 0.25  # between two counts of open files
    max_sockets: int = 64  # of one bot: each may be a connection to the referee
    ponder_ms: float = 10.0  # CPU time between two turns that does not count as pondering …
    ponder_interval: float = 0.5  # … in this time: threads of gRPC wake up now and then

    # Starting and ending processes
    start_attempts: int = 3  # failures in a row after which a bot is not started again
    excused_starts: int = 2  # in a row: slow starts of a bot that started before, on an overloaded machine
    restarts: int = 5  # in a row, after processes that ended with few answers: then all matches of the bot are lost
    restarts_after_hangs: int = 3  # the same after processes that hung, because each takes long to notice
    few_answers: int = 3
    descriptor_attempts: int = 100  # ticks to wait for free file descriptors
    crash_seconds: float = 0.8  # a process that ends this soon after its stream has crashed, not disconnected
    grace: float = 0.5  # to exit after the end of the stream, and again after SIGTERM
    removal_seconds: float = 2.0  # until nothing is left of a killed bot

    # The bots' output
    log_cap: int = 1024 * 1024  # of a log file with its predecessor
    log_tail: int = 4096  # kept in memory for error messages
    read_size: int = 65536

    # Open files
    files_to_serve: int = 16  # of a referee without bots
    files_per_bot: int = 12  # while it starts; four stay open
    usual_files: int = 100  # of a referee and its process, besides those of bots
    spare_files: int = 4  # held in reserve for when the limit is reached
    files_per_running_bot: int = 6

    # Memory
    spare_memory: float = 0.2  # share of the memory that must be available to start a bot without ending idle ones
    ended_for_memory: int = 2  # idle bots that are ended for each start below that

    # Overload
    stall: float = 0.25  # delay of the referee's own tick
    load_interval: float = 0.5  # between two readings of /proc/stat
    runnable_per_core: int = 4
    stolen_share: float = 0.2  # of CPU time taken by other virtual machines


CONFIG = RefereeConfig()


@dataclass(frozen=True, slots=True)
class Settings:
    """How a referee works, apart from the time limits of its matches."""

    matches_at_once: int = 256
    """Matches that one bot process plays at the same time, at most."""
    idle_seconds: float = 60.0
    """How long an idle process is kept."""
    hold: float = PROTOCOL_CONFIG.hold_seconds
    """Seconds for which turns may be held back to make larger batches."""
    address: str | None = None
    """An additional address to listen on, "host:port" (port 0: any); None: a unix socket only."""
    sandbox: Sandbox = field(default_factory=Sandbox)
    ponder: bool = True
    """Whether bots may use the CPU while others think."""
    logs: Path | None = None
    """The folder for the bots' logs; None: they are not kept."""
