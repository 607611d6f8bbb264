"""What all hostile bots share: they play at random, attack in their first turn, and report the result.

The last word of an attacker is a line `ATTACK: {...}` in its log. What it managed is `did`; what it was refused is
`refused`; where it could begin, but reached a limit and hurt only itself, that is `limited`.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from arena.bot import Bot, MantisTurn, mantis
from arena.sandbox.seccomp import CLONE, CLONE3, MACHINES, REFUSED

MIB = 1024 * 1024
SIGN = "ATTACK: "
MARK = sys.argv[1] if len(sys.argv) > 1 else "hostile"
"""A unique mark in the arguments of everything that an attacker starts."""
CALLS = {**REFUSED, "clone": CLONE, "clone3": CLONE3, "process_vm_readv": (310, 270), "cachestat": (451, 451)}


@dataclass
class Tally:
    """The results of an attack."""

    did: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    limited: list[str] = field(default_factory=list)

    def attempt(self, what: str, deed: Callable[[], object]) -> bool:
        """Try something. It succeeds unless it raises."""
        try:
            deed()
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            number = getattr(error, "errno", None)
            self.refused[what] = errno.errorcode.get(number, str(number)) if number else str(error)
            return False
        self.did.append(what)
        return True

    def say(self) -> None:
        print(f"\n{SIGN}{json.dumps(asdict(self))}", file=sys.stderr, flush=True)


def aim(name: str) -> str:
    """Return a target of the test: a path, a port, a process."""
    return os.environ[f"AIM_{name}"]


def boxed() -> bool:
    """Return whether this is a sandbox. Attacks that would hurt the machine run only there."""
    return os.environ.get("AIM_TIER") != "none" and os.getpid() < 1000 and not Path("/etc/passwd").exists()


def call(name: str, *arguments: int | bytes | None) -> int:
    """Make a system call without the C library's checks."""
    number = CALLS[name][MACHINES[os.uname().machine][1]]
    assert number is not None
    library = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result = library.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{name} failed")
    return int(result)


def start(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a small Python program with the mark in its arguments."""
    return subprocess.Popen([sys.executable, "-S", "-E", "-c", code, MARK, *arguments], stdin=subprocess.DEVNULL)


def end(children: Sequence[subprocess.Popen[bytes]]) -> None:
    for child in children:
        child.kill()
        child.wait()


class Attacker(Bot):
    """Plays at random. Attacks that take more than one turn derive from it."""

    name = "attacker"

    def __init__(self) -> None:
        super().__init__()
        self.tally = Tally()
        self.turns = 0

    def each_turn(self) -> None:
        """Called before each answer."""

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        self.turns += 1
        self.each_turn()
        return turn.rng.choice(turn.legal)

    def match_over(self, match: str, placement: int, forfeited: bool) -> None:
        del match, placement, forfeited
        self.tally.say()


def play(attack: Callable[[Tally], None]) -> None:
    """Play a match and attack in the first turn."""

    class Once(Attacker):
        def each_turn(self) -> None:
            if self.turns == 1:
                attack(self.tally)

    Once().run()
