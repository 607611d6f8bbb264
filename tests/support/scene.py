"""What the tests of this folder share: stubborn bots and how to find them, small disks, and waiting for conditions."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from arena.referee import Launch
from tests.support.cli import ARENA, ROOT

STUBBORN = Path(__file__).parents[1] / "faults" / "stubborn.py"
PATIENCE = 120.0
"""Seconds after which something that must happen has not: the machine may be busy with much else."""
SLOW_MACHINE = ("--time-per-move", "60s", "--time-to-start", "60s")
FIELD = ("random", "greedy", "counter")


# Bots


def stubborn(mode: str, tag: str) -> Launch:
    return Launch(mode, "", STUBBORN.parent, (sys.executable, str(STUBBORN), mode, tag))


def stubborn_folder(folder: Path, mode: str, tag: str) -> Path:
    """The same as a folder that can be named on the command line."""
    place = folder / mode
    place.mkdir(parents=True)
    shutil.copy(STUBBORN, place)
    command = json.dumps(["python", STUBBORN.name, mode, tag])
    (place / "arena.toml").write_text(f'games = ["mantis"]\ncommand = {command}\n', encoding="utf-8")
    return place


def alive(process: psutil.Process) -> bool:
    """Whether it runs; one that has ended and is not buried yet does not."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def tagged(tag: str) -> list[psutil.Process]:
    """The processes of the bots with this tag, and those that they have started."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if tag in process.cmdline() and alive(process):
                found.append(process)
    return found


def bots(tag: str) -> list[psutil.Process]:
    """The same without the processes that hold a bot's box."""
    return [process for process in tagged(tag) if "python" in Path(process.cmdline()[0]).name]


@contextmanager
def started(*arguments: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A running `arena`, which is ended with all that it has started, whatever happens to the test."""
    command = [*ARENA, *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.communicate(timeout=PATIENCE)
                finally:
                    process.kill()


# Disks


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if os.geteuid() != 0:
        pytest.skip("only root may mount a disk")
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(place)), capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield Disk(place)
    finally:
        subprocess.run(("umount", "--lazy", str(place)), check=True)


class Disk:
    """A small disk of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def remount(self, options: str) -> None:
        subprocess.run(("mount", "-o", f"remount,{options}", str(self.path)), check=True)

    def leave_room(self, size: int) -> None:
        """From now on there are only so many bytes left."""
        block = os.statvfs(self.path)
        used = (block.f_blocks - block.f_bfree) * block.f_frsize
        if not used + size:  # which would mean that there is no limit
            (self.path / "ballast").write_bytes(bytes(1))
            used = block.f_frsize
        self.remount(f"size={used + size}")

    def make_room(self) -> None:
        self.remount("size=64m")
