"""Limits, intervals and sizes of the web server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WebConfig:
    """Policy numbers of the web server; times are in seconds unless the name says otherwise."""

    # Requests
    max_body_bytes: int = 64 * 1024  # a choice in a game has about fifty
    shutdown_grace: int = 2  # for browsers to close their event streams

    # Event streams
    store_poll_interval: float = 2.0  # how often the store is checked for changes
    settle_delay: float = 12.0  # after the last change, everything is rendered once more
    keep_alive_interval: float = 15.0  # a comment on a silent stream; also detects closed connections
    max_subscribers: int = 2000  # each needs an open file
    max_topics: int = 200  # each is rendered again whenever the store changes
    reserved_files: int = 256  # open files that subscribers leave to pages, store and bots
    plot_interval: float = 10.0  # between two drawings of the plots while a tournament runs

    # Rows on a page
    board_rows: int = 100
    bot_rows: int = 200
    match_rows: int = 50
    tournament_rows: int = 30
    schedule_blocks: int = 32
    leader_rows: int = 10
    recent_tournaments: int = 6
    tournament_choices: int = 100  # the newest, in a filter's list; an address can name any
    recent_faults: int = 12
    bot_matches: int = 10  # and faults, on a bot's page
    bot_opponents: int = 60
    log_lines: int = 40
    log_bytes: int = 64 * 1024
    exported_history_points: int = 64
    cached_brackets: int = 32  # knockout trees and expected match counts

    # Win chances
    cached_curves: int = 256
    max_waiting_curves: int = 32
    chances_niceness: int = 10

    # Live matches
    live_poll_interval: float = 0.2  # how often the live files are read
    live_render_interval: float = 2.0  # how often the lists are rendered and the workers asked to continue
    featured_linger: float = 8.0  # how long the end of a featured match is shown
    kept_live_matches: int = 12  # finished matches that can still be watched
    stale_live_file: float = 30.0  # age at which a live file is removed when no tournament runs
    max_waiting_updates: int = 40  # a browser with more gets the whole film instead
    seconds_per_step: float = 0.75  # playback speed of matches that are faster than people
    late_join_steps: int = 3  # a spectator who joins late starts this many steps before the last

    # Matches with people
    max_matches: int = 8  # at the same time
    kept_matches: int = 32  # finished ones whose pages still work
    abandoned_after: float = 30 * 60.0  # without a browser
    abandoned_poll_interval: float = 5.0
    bot_turn_limit: float = 5.0  # where the person has no clock
    hint_timeout: float = 3.0
    seconds_to_show_move: float = 1.6  # the person's clock starts when all moves have been shown
    min_turn_seconds: int = 1
    max_turn_seconds: int = 600
    max_name_length: int = 40
    max_seed_length: int = 100
    default_opponents: int = 3


CONFIG = WebConfig()
