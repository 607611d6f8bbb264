"""Other commits of this repository, installed beside it so that they can be measured in the same run."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Checkout:
    """A commit in a folder, installed in its own virtual environment."""

    name: str
    root: Path

    @property
    def arena(self) -> str:
        return str(self.root / ".venv" / "bin" / "arena")

    @property
    def python(self) -> str:
        return str(self.root / ".venv" / "bin" / "python")


HERE = Checkout("now", ROOT)


def check_out(ref: str) -> Checkout:
    """Return a checkout of the commit in .bench/COMMIT. The first time it is installed there."""
    commit = _run("git", "-C", str(ROOT), "rev-parse", "--short", f"{ref}^{{commit}}").strip()
    root = ROOT / ".bench" / commit
    if not (root / ".venv" / ".installed").exists():
        _run("git", "-C", str(ROOT), "worktree", "prune")
        if not root.exists():
            _run("git", "-C", str(ROOT), "worktree", "add", "--force", "--detach", str(root), commit)
        _run("make", "-C", str(root), ".venv/.installed")
    return Checkout(ref, root)


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603, our own
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout
