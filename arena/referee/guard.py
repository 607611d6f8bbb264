"""The guard: ends the bots of a referee that was killed, and so could not end them itself.

It is a small shell in a session of its own, which waits at a pipe that only the referee holds open. However the referee
ends, the system closes the pipe; a bot that is being started at that moment holds it open too, until it carries the
mark by which the guard finds it. Whatever carries the mark is then ended, children included, in whatever session; then
the referee's folder and the control groups of its bots are removed.
"""

from __future__ import annotations

import os
import secrets
import subprocess
from pathlib import Path

from arena.errors import HostFault
from arena.sandbox.cell import MARK
from arena.sandbox.cgroups import PREFIX, find_trees

OURS = secrets.token_hex(8)
"""What the marks of all bots of this process begin with."""

UNTIL_ALL_ARE_GONE = r"""
read -r nothing
mark=$1 folder=$2
shift 2
thaw() {
    # What is frozen cannot die.
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
    """Watches over this process and its folder, from now on until it is dismissed."""

    def __init__(self, folder: Path) -> None:
        try:
            waits, self._holds = os.pipe2(os.O_CLOEXEC)
        except OSError as error:
            raise HostFault(f"the referee was not started: {error.strerror}.") from error
        groups = [f"{tree}/{PREFIX}{os.getpid()}-*" for tree in {tree.folder for tree in find_trees().values()}]
        try:
            self._shell = subprocess.Popen(
                ("/bin/sh", "-c", UNTIL_ALL_ARE_GONE, "arena-guard", f"{MARK}={OURS}-", str(folder), *groups),
                stdin=waits,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,  # what ends our whole group must not end it
            )
        except OSError as error:
            os.close(self._holds)
            raise HostFault(f"the referee was not started: {error.strerror}.") from error
        finally:
            os.close(waits)

    def dismiss(self) -> None:
        """All bots have been ended in order."""
        self._shell.kill()
        self._shell.wait()
        os.close(self._holds)
