"""The limits of submissions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SubmissionConfig:
    """The limits of a bot's files, its archive, its build and its check."""

    most_bytes: int = 512 * 2**20  # of all files together, before and after the build
    most_files: int = 20_000
    longest_path: int = 2_000  # in bytes, inside the bot's folder
    longest_file_name: int = 255  # in bytes
    most_compression: int = 200  # unpacked bytes per byte of an archive, beyond `always_unpacked`
    always_unpacked: int = 64 * 2**20  # unpacked bytes allowed at any compression
    archive_header: int = 2**20  # bytes of metadata between two files of a .tar.gz
    zip_directory: int = 8 * 2**20  # bytes of the list of files of a .zip
    manifest_bytes: int = 64 * 1024
    longest_label: int = 60  # characters of a name or a version
    build_seconds: float = 600.0
    build_poll: float = 0.5  # seconds between two checks of what the build has written
    build_output: int = 64 * 1024  # bytes of the build's output that are searched for its last lines
    check_games: int = 2  # per bracket
    check_memory: int = 512 * 2**20  # bytes; a bot that uses more gets a warning
    check_slow: float = 0.5  # share of the time limit; a bot that uses more for a decision gets a warning
    check_stop: float = 5.0  # seconds; more than in a tournament, because the machine may be busy


CONFIG = SubmissionConfig()
