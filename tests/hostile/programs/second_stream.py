"""Opens more streams with its own token, to sit at the table twice."""

from __future__ import annotations

from tests.hostile.programs.attacker import Tally, play
from tests.hostile.programs.raw import welcomed


def attack(tally: Tally) -> None:
    for number in (2, 3):
        tally.attempt(f"opened stream {number}", welcomed)


play(attack)
