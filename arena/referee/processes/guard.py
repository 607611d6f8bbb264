"""The guard ends the bots of a referee that was killed before it could end them.

It is a shell in its own session that reads from a pipe whose other end only the referee has. When the referee is gone,
the kernel closes the pipe. (A bot that is being started then holds it open too, until it carries its mark.) The guard
kills every process with the mark of this referee in its environment, in whatever session, and removes the referee's
folder and the control groups of its bots.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from pathlib import Path

from arena.errors import HostFault
from arena.sandbox.cell import MARK
from arena.sandbox.cgroups import PREFIX, find_hierarchies

MARK_PREFIX = secrets.token_hex(8)
"""The first part of the marks of all bots of this process."""

GUARD_SCRIPT = r"""
read -r nothing
mark=$1 folder=$2
shift 2
thaw() {
    # A frozen process cannot die.
    for pattern in "$@"; do
        for group in $pattern; do
            [ ! -e "$group/freezer.state" ] || echo THAWED > "$group/freezer.state"
            [ ! -e "$group/cgroup.freeze" ] || echo 0 > "$group/cgroup.freeze"
        done
    done
}
thaw "$@"
while found=$(grep -lsaz "^$mark" /proc/[0-9]*/environ); [ -n "$found" ]; do
    for file in $found; do
        process=${file#/proc/}
        kill -KILL "${process%/environ}" 2>/dev/null
    done
    thaw "$@"
    sleep 0.1
done
rm -rf "$folder"
for tries in 1 2 3 4 5 6 7 8 9 10; do
    left=
    for pattern in "$@"; do
        for group in $pattern; do
            [ ! -d "$group" ] || rmdir "$group" || left=yes
        done
    done
    [ -n "$left" ] || break
    sleep 0.1
done
"""


class Guard:
    """Guards this process and its folder until it is dismissed."""

    def __init__(self, folder: Path) -> None:
        try:
            reading, self._pipe = os.pipe2(os.O_CLOEXEC)
        except OSError as error:
            raise HostFault(f"the referee was not started: {error.strerror}.") from error
        groups = [f"{tree}/{PREFIX}{os.getpid()}-*" for tree in {tree.folder for tree in find_hierarchies().values()}]
        try:
            self._shell = subprocess.Popen(
                ("/bin/sh", "-c", GUARD_SCRIPT, "arena-guard", f"{MARK}={MARK_PREFIX}-", str(folder), *groups),
                stdin=reading,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # so that a signal to our process group does not end it
            )
        except OSError as error:
            os.close(self._pipe)
            raise HostFault(f"the referee was not started: {error.strerror}.") from error
        finally:
            os.close(reading)

    def dismiss(self) -> None:
        """End the guard: all bots have been ended."""
        self._shell.kill()
        self._shell.wait()
        os.close(self._pipe)
