"""Writes wherever it finds a folder that is not its own /tmp."""

from __future__ import annotations

from pathlib import Path

from tests.hostile.programs.attacker import MARK, Tally, aim, boxed, play


def attack(tally: Tally) -> None:
    places = [Path(aim("OPEN")), Path(aim("HOME"))]
    if boxed():
        here = Path(__file__)
        places += [here.parent, *here.parents[2:4], Path(aim("ARENA")), Path(aim("FOLDER"))]
        places += map(Path, ("/", "/usr", "/usr/bin", "/etc", "/run", "/run/arena", "/var/tmp", "/dev", "/proc"))  # noqa: S108
        tally.attempt("changed its own program", lambda: here.write_text("pass"))
    for place in places:
        # What is below /tmp in a sandbox is its own; whether it got out is seen from outside.
        if place == places[0] or (place.is_dir() and not (boxed() and place.is_relative_to("/tmp"))):  # noqa: S108
            tally.attempt(f"wrote into {place}", lambda place=place: (place / MARK).write_text("I was here"))  # type: ignore[misc]


play(attack)
