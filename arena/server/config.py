"""The policy of a server: limits, timeouts and intervals. All times are in seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Every number that an organiser or a test may want to change."""

    # Remote bots
    max_bots: int = 500
    max_bots_per_token: int = 8
    matches_per_bot: int = 4  # that a bot plays at the same time
    connection_burst: int = 10  # connections in a row with one token; the rate below limits those that follow
    connections_per_minute: int = 30
    max_bot_message: int = 64 * 1024  # bytes: enough for answers to several thousand turns
    max_language: int = 100
    grace: float = 20.0  # how long a bot may be absent during its matches
    grace_regained: float = 0.1  # grace that a bot regains per second of being connected
    probe_interval: float = 5.0  # between two reads of the kernel's TCP statistics of a bot that sends messages
    silent_after: float = 0.5  # a bot that has sent nothing for this long is probed on every check

    # The ladder
    clock_interval: float = 0.05  # between two checks of the bots' clocks
    link_interval: float = 0.25  # between two checks of the bots' connections
    token_interval: float = 2.0  # between two checks whether the bots' tokens are still valid
    pairing_interval: float = 0.1  # between two searches for bots that may start another match
    write_interval: float = 0.25  # between two writes of finished matches to the store
    max_unwritten: int = 5000  # finished matches that may wait for the store; above that no match starts
    tournament_shutdown: float = 30.0  # what a tournament gets to stop in order
    min_tournament_shutdown: float = 5.0  # the same when the server stops, even if matches get less

    # The desk
    read_burst: int = 60  # requests in a row that only read, per token; the rate below limits those that follow
    reads_per_minute: int = 120
    write_burst: int = 10  # the same for requests that change something
    writes_per_minute: int = 2
    reader_threads: int = 2  # for requests that read; there are few, so that matches are not slowed down
    max_submissions: int = 4  # in progress at the same time, at most one per token
    max_submission_bytes: int = 64 * 2**20  # of the archive, and of its files
    max_submission_files: int = 5000
    upload_timeout: float = 600.0  # for the archive of a submission
    upload_part_timeout: float = 30.0  # for the next message of an upload
    submission_shutdown: float = 20.0  # for the process of a submission to end after it was asked to stop
    max_submission_text: int = 4000  # characters of a message about a submission; the last ones are sent
    max_submission_name: int = 100
    max_notes: int = 200
    max_error: int = 2000  # characters of an error message that is sent


CONFIG = ServerConfig()
