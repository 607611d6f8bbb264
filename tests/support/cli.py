"""Runs the real command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ARENA = [sys.executable, "-m", "arena"]
ROOT = Path(__file__).parents[2]
SLOW_MACHINE = ("--time-per-move", "20s", "--time-to-start", "60s")
"""For bots that must not lose by time, however busy the machine is."""


def arena(
    *arguments: str | Path, columns: int = 100, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """What `arena ARGUMENTS` prints and how it exits. A traceback is never right."""
    environment = {**(os.environ if env is None else env), "COLUMNS": str(columns), "PYTHONUTF8": "1", "TERM": "dumb"}
    command = [*ARENA, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd, timeout=300, check=False)
    assert "Traceback" not in done.stderr + done.stdout
    return done


def complaint(*arguments: str | Path) -> str:
    """Return what a command that must fail with exit code 2 prints: one `error:` line, and perhaps a `hint:` line."""
    done = arena(*arguments)
    assert done.returncode == 2, done
    assert done.stdout == ""
    first, *rest = said(done)
    assert not rest or (len(rest) == 2 and rest[0] == "" and rest[1].startswith("hint: ")), done.stderr
    return "\n".join([first, *rest])


def said(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines on standard error, but for the one that says where the bots run."""
    return [line for line in done.stderr.splitlines() if not line.startswith("sandbox: ")]
