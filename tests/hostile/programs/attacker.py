"""What all hostile bots share: they play at random, attack in their first turn, and say what came of it.

The last word of an attacker is a line `ATTACK: {...}` in its log. What it managed is `did`; what it was refused is
`refused`; where it could begin, but ran into a limit that hurt nobody else, that is `limited`.
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
"""Nobody else has it: everything that an attacker starts carries it in its arguments."""
CALLS = {**REFUSED, "clone": CLONE, "clone3": CLONE3, "process_vm_readv": (310, 270), "cachestat": (451, 451)}


@dataclass
class Tally:
    """What came of an attack."""

    did: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    limited: list[str] = field(default_factory=list)

    def attempt(self, what: str, deed: Callable[[], object]) -> bool:
        """Tries it. It is done unless it raises."""
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
    """What the test has put up to be attacked: a path, a port, a process."""
    return os.environ[f"AIM_{name}"]


def boxed() -> bool:
    """Whether this really is a sandbox: what would hurt the machine is tried nowhere else."""
    return os.environ.get("AIM_TIER") != "none" and os.getpid() < 1000 and not Path("/etc/passwd").exists()


def call(name: str, *arguments: int | bytes | None) -> int:
    """A system call, without a library that could refuse it first."""
    number = CALLS[name][MACHINES[os.uname().machine][1]]
    assert number is not None
    library = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    result = library.syscall(ctypes.c_long(number), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{name} failed")
    return int(result)


def start(code: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A small program in Python, with the mark in its arguments."""
    return subprocess.Popen([sys.executable, "-S", "-E", "-c", code, MARK, *arguments], stdin=subprocess.DEVNULL)


def end(children: Sequence[subprocess.Popen[bytes]]) -> None:
    for child in children:
        child.kill()
        child.wait()


class Attacker(Bot):
    """Plays at random; derived from where an attack takes more than one turn."""

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
    """Plays a match, and attacks in its first turn."""

    class Once(Attacker):
        def each_turn(self) -> None:
            if self.turns == 1:
                attack(self.tally)

    Once().run()
