"""Reads what people keep in their homes, and what the system keeps for itself."""

from __future__ import annotations

import sys
from pathlib import Path

import arena
from tests.hostile.programs.attacker import Tally, aim, play


def attack(tally: Tally) -> None:
    home = Path(aim("HOME"))
    for path in (home / "secret", home / ".ssh" / "id_ed25519", Path("/etc/passwd"), Path("/etc/shadow")):
        tally.attempt(f"read {path}", path.read_bytes)
    needed = (sys.prefix, sys.base_prefix, arena.__file__, __file__)  # what it must see in order to run
    for folder in (home, Path("/root"), Path("/home"), Path("/var"), Path("/srv"), Path("/etc/ssh")):
        found = folder.iterdir() if folder.is_dir() else []
        strange = [str(path) for path in found if not any(Path(each).is_relative_to(path) for each in needed)]
        tally.did += [f"saw {path}" for path in strange[:2]]


play(attack)
