"""Changes what is mounted: its /proc, its root, anything."""

from __future__ import annotations

import os

from tests.hostile.programs.attacker import Tally, boxed, call, play

REMOUNT, BIND, DETACH = 32, 4096, 2


def attack(tally: Tally) -> None:
    assert boxed()
    tally.attempt("remounted /proc", lambda: call("mount", b"proc", b"/proc", b"proc", REMOUNT, 0))
    tally.attempt("made / writable", lambda: call("mount", b"none", b"/", b"none", REMOUNT | BIND, 0))
    tally.attempt("made /usr writable", lambda: call("mount", b"none", b"/usr", b"none", REMOUNT | BIND, 0))
    tally.attempt("mounted a tmpfs", lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, 0))
    tally.attempt("mounted a new /proc", lambda: call("mount", b"proc", b"/tmp", b"proc", 0, 0))
    tally.attempt("took /tmp away", lambda: call("umount2", b"/tmp", DETACH))
    tally.attempt("turned the root", lambda: call("pivot_root", b"/tmp", b"/tmp"))
    tally.attempt("opened a file system", lambda: call("fsopen", b"tmpfs", 0))
    tally.attempt("copied a tree", lambda: call("open_tree", -100, b"/", 1))
    tally.attempt("became root", lambda: os.setuid(0))


play(attack)
