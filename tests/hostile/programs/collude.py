"""Two bots that pass each other a sign, in the way that the second argument names.

The first of them, on seat 0, gives the sign in every turn; the second looks for it in every turn.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path

from tests.hostile.programs.attacker import Attacker, Tally, aim, boxed, call

SHARED = "/usr/bin/env"
"""A file that only these two bots use."""
WORD = b"the token of the first"
KEY = 0x61726E61
SET_RW_HINT = 1036
kept: list[object] = []
library = ctypes.CDLL(None, use_errno=True)
library.shmat.restype = ctypes.c_void_p


def checked(result: int | None) -> int:
    if result is None or result in (-1, 2**64 - 1):
        raise OSError(ctypes.get_errno(), "refused")
    return result


def places() -> list[Path]:
    names = ["/tmp", "/dev/shm", "/dev", "/var/tmp", "/run", "/run/arena", aim("OPEN")]  # noqa: S108
    return [Path(name) / "arena-collusion" for name in names]


def tell_by_file(tally: Tally) -> None:
    for path in places():
        try:
            path.write_bytes(WORD)
        except OSError:
            tally.refused[str(path)] = "cannot be written"


def hear_by_file(tally: Tally) -> None:
    for path in places():
        if path.exists():
            tally.did.append(f"read the word in {path}")


def forget_files() -> None:
    for path in places():
        with contextlib.suppress(OSError):
            path.unlink()


def listen(family: socket.AddressFamily, address: str | tuple[str, int]) -> None:
    server = socket.socket(family)
    kept.append(server)
    server.bind(address)
    server.listen()


def tell_by_socket(tally: Tally) -> None:
    for family, address in meeting_points():
        tally.attempt(f"listens by {family.name}", lambda f=family, a=address: listen(f, a))  # type: ignore[misc]
    tally.did.clear()  # to listen is no success


def meeting_points() -> list[tuple[socket.AddressFamily, str | tuple[str, int]]]:
    return [(socket.AF_UNIX, f"\0{aim('PAIR')}"), (socket.AF_INET, ("127.0.0.1", int(aim("FREE_PORT"))))]


def hear_by_socket(tally: Tally) -> None:
    for family, address in meeting_points():
        with socket.socket(family) as client:
            client.settimeout(5)
            tally.attempt(f"reached the other by {family.name}", lambda c=client, a=address: c.connect(a))  # type: ignore[misc]


def tell_by_sysv(tally: Tally) -> None:
    segment = checked(library.shmget(KEY, 4096, 0o1000 | 0o666))
    where = checked(library.shmat(segment, None, 0))
    ctypes.memmove(where, WORD, len(WORD))
    checked(library.msgget(KEY, 0o1000 | 0o666))
    tally.refused["alone"] = "it has a segment, which only it can see"


def hear_by_sysv(tally: Tally) -> None:
    tally.attempt("found the other's segment", lambda: checked(library.shmget(KEY, 4096, 0o666)))
    tally.attempt("found the other's queue", lambda: checked(library.msgget(KEY, 0o666)))


def forget_sysv() -> None:
    for get, control, size in ((library.shmget, library.shmctl, (4096,)), (library.msgget, library.msgctl, ())):
        number = get(KEY, *size, 0o666)
        if number >= 0:
            control(number, 0, None)


def lock(kind: int) -> bytes:
    return struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 1, 0)


def tell_by_lock(tally: Tally) -> None:
    file = os.open(SHARED, os.O_RDONLY)
    kept.append(file)
    tally.attempt("flock", lambda: fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB))
    tally.attempt("fcntl lock", lambda: fcntl.fcntl(file, fcntl.F_SETLK, lock(fcntl.F_RDLCK)))
    tally.attempt("OFD lock", lambda: fcntl.fcntl(file, 37, lock(fcntl.F_RDLCK)))
    tally.attempt("lease", lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK))
    if boxed():  # outside a sandbox the lock would stay on the file
        tally.attempt("hint", lambda: fcntl.fcntl(file, SET_RW_HINT, struct.pack("Q", 0)))


def hear_by_lock(tally: Tally) -> None:
    with Path(SHARED).open("rb") as file:
        tally.attempt("asked for a lock", lambda: fcntl.fcntl(file, fcntl.F_GETLK, lock(fcntl.F_WRLCK)))
        tally.attempt("flock", lambda: fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB))


def tell_by_watch(tally: Tally) -> None:
    """Listen: opening the file is the signal."""
    events = library.inotify_init1(os.O_NONBLOCK)
    tally.attempt("watches", lambda: checked(library.inotify_add_watch(events, SHARED.encode(), 0xFFF)))
    tally.attempt("fanotify", lambda: call("fanotify_init", 0x200, 0))
    folder = os.open(str(Path(SHARED).parent), os.O_RDONLY)
    signal.signal(signal.SIGIO, lambda *_: tally.did.append("was signalled"))
    tally.attempt("dnotify", lambda: fcntl.fcntl(folder, fcntl.F_NOTIFY, fcntl.DN_ACCESS | fcntl.DN_MULTISHOT))
    kept.extend((events, folder, select.poll()))


def hear_by_watch(tally: Tally) -> None:
    tally.refused["sign"] = str(len(Path(SHARED).read_bytes()))


def nothing() -> None:
    pass


Way = tuple[Callable[[Tally], None], Callable[[Tally], None], Callable[[], None]]
WAYS: dict[str, Way] = {
    "file": (tell_by_file, hear_by_file, forget_files),
    "socket": (tell_by_socket, hear_by_socket, nothing),
    "sysv": (tell_by_sysv, hear_by_sysv, forget_sysv),
    "lock": (tell_by_lock, hear_by_lock, nothing),
    "watch": (tell_by_watch, hear_by_watch, nothing),
}


class Colluder(Attacker):
    def __init__(self, way: Way, *, first: bool) -> None:
        super().__init__()
        self.way, self.first = way, first

    def each_turn(self) -> None:
        if self.first and self.turns == 1:
            self.way[0](self.tally)
        elif not self.first and self.turns <= 3:
            self.way[1](self.tally)

    def match_over(self, match: str, placement: int, forfeited: bool) -> None:
        self.way[2]()
        super().match_over(match, placement, forfeited)


Colluder(WAYS[sys.argv[2]], first=sys.argv[3] == "first").run()
