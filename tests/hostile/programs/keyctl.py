"""Keeps a secret in the kernel, where others may find it."""

from __future__ import annotations

from tests.hostile.programs.attacker import Tally, call, play

USER_KEYRING = -4


def attack(tally: Tally) -> None:
    tally.attempt("added a key", lambda: call("add_key", b"user", b"arena", b"token", 5, USER_KEYRING))
    tally.attempt("asked for a key", lambda: call("request_key", b"user", b"arena", None, USER_KEYRING))
    tally.attempt("opened a keyring", lambda: call("keyctl", 0, USER_KEYRING, 1))


play(attack)
