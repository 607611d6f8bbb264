"""Writes one file that is larger than any file may be, with a hole in it and without."""

from __future__ import annotations

from pathlib import Path

from tests.hostile.programs.attacker import MIB, Tally, boxed, play


def attack(tally: Tally) -> None:
    assert boxed()
    with Path("/tmp/large").open("wb", buffering=0) as file:  # noqa: S108
        tally.attempt("made a file of 1 TiB", lambda: file.truncate(1024 * 1024 * MIB))
        tally.attempt("wrote at 1 GiB", lambda: (file.seek(1024 * MIB), file.write(b"x")))


play(attack)
