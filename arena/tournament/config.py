"""The policy constants of tournaments: sizes, intervals and timeouts. Durations are in seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TournamentConfig:
    """Defaults that organisers do not choose."""

    matches_per_bot: int = 200
    """Matches of each bot in a round robin or gauntlet without a number of rounds."""

    # Conductor
    write_interval: float = 0.5
    """Results are stored at least this often …"""
    write_batch: int = 2000
    """… or as soon as this many matches have ended, which bounds the memory. A write has a large fixed cost."""
    pace_seconds: float = 3.0
    """A worker plays as many matches at the same time as end in this time."""
    share_ahead: float = 0.02
    """What is scheduled is played even after the time is up, so it is at most this share of the time …"""
    least_pace_seconds: float = 1.0
    """… or as many matches as end in this time."""
    pace_interval: float = 0.5
    """The number of concurrent matches is set at least this often …"""
    pace_matches: int = 200
    """… or as soon as this many matches have ended."""
    series_notice_interval: float = 0.05
    """How often the progress of `arena match` is reported."""
    poll_interval: float = 0.1
    """How long the conductor waits for results before it looks at signals and the clock."""
    max_matches_at_once: int = 256
    """The largest number of concurrent matches of a worker: they share the messages to the bots."""
    min_matches_at_once: int = 32
    """The smallest. With slow bots a larger number would only make all matches end late."""
    few_bots: int = 8
    """With more bots than this, the matches at the same time and in a wave grow with their number: otherwise each bot
    would play few matches at a time, and a message to it would carry few turns …"""
    largest_multiple: float = 4.0
    """… but not to more than this multiple."""
    queue_ahead: float = 1.25
    """Workers get this many times their concurrent matches, so that they need not wait for the next ones."""
    wave_seconds: float = 3.0
    """A wave has as many matches as end in this time …"""
    max_wave: int = 20_000
    """… but not more: their results are kept until all before them are counted."""
    hold: float = 0.02
    """How long turns may be held back to fill a message: other processes use the core in the meantime."""
    leaders_shown: int = 5
    leaders_time_share: int = 20
    """Finding the leaders may take one part in this many of the time, however large the field is."""

    # Runners
    matches_per_message: int = 64
    """The largest number of matches in a message to a worker, so that it begins the first ones soon."""
    max_worker_deaths: int = 3
    """More deaths of workers without a match in between mean that the host is unfit."""
    max_reruns: int = 5
    """A match that the host has spoiled more often than this ends the tournament."""
    rerun_delay: float = 1.0
    """How long to wait before a spoiled match is played again."""
    stop_timeout: float = 10.0
    """How long a process may take to end itself and its children before it is killed."""
    report_delay: float = 0.05
    """How long a worker collects results before it sends them, because each message interrupts the bots."""

    # Dask
    batches_per_core: int = 2
    """Concurrent batches of a core, so that it is not idle while the last matches of one end."""
    queued_batches: int = 1
    """Batches that wait for each core besides those."""
    min_batch: int = 24
    final_batches: int = 8
    """Towards the end the remaining matches of a core are divided into at least this many batches."""
    scan_interval: float = 1.0
    """How often the scheduler is asked for its workers."""
    late_factor: float = 4.0
    """A batch that takes this many times as long as the slowest of the latest ones is late …"""
    late_after: float = 20.0
    """… but never before this time."""
    pace_window: float = 5.0
    """The time over which the speed of a worker is measured."""
    close_timeout: float = 3.0
    """How long workers may take to confirm that a tournament has ended."""
    connect_timeout: float = 10.0
    reconnect_interval: float = 1.0
    cluster_start_timeout: float = 60.0
    restart_delay: float = 1.0
    """How long to wait before a process of a cluster is started again."""

    # Live files
    live_interval: float = 0.05
    """How often new moves are written while there are spectators."""
    live_idle_interval: float = 0.5
    """How often to check whether there are spectators."""
    live_request_lifetime: float = 5.0
    """How long a request for live files is valid."""
    live_matches: int = 3
    """The largest number of matches of a worker that are shown at the same time."""
    live_start_interval: float = 2.0
    """The shortest time between the starts of two shown matches."""
    live_linger: float = 8.0
    """How long a file is kept after its match, so that spectators see the end."""
    live_retry_delay: float = 10.0
    """How long no match is shown after a file could not be written."""
    live_max_bytes: int = 1_000_000
    """The largest file. A usual replay has some ten thousand bytes."""


CONFIG = TournamentConfig()
