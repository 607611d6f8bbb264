"""Reads what /proc tells of others: their environment, arguments, memory and open files."""

from __future__ import annotations

import os
from pathlib import Path

from tests.hostile.programs.attacker import Tally, aim, boxed, play


def attack(tally: Tally) -> None:
    secret = aim("SECRET")[::-1].encode()  # turned round, so that it is not found in our own environment
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            for name in ("environ", "cmdline"):
                try:
                    text = (folder / name).read_bytes()
                except OSError:
                    continue
                if secret in text:
                    tally.did.append(f"found the secret in /proc/{folder.name}/{name}")
                tokens = [each for each in text.split(b"\0") if each.startswith(b"ARENA_TOKEN=")]
                if any(each != f"ARENA_TOKEN={os.environ['ARENA_TOKEN']}".encode() for each in tokens):
                    tally.did.append("read the token of another bot")
    victim = Path("/proc", aim("VICTIM"))
    if not boxed() or not victim.exists():
        tally.attempt("listed the victim's files", lambda: list((victim / "fd").iterdir()))
        tally.attempt("opened the victim's memory", lambda: (victim / "mem").open("rb").close())
        tally.attempt("looked into the victim's root", lambda: list((victim / "root").iterdir()))


play(attack)
