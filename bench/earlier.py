"""Compare this checkout with an earlier commit: the same matches, in turns, in CPU time.

How it is measured:
- the earlier commit is checked out and installed once, into .bench/COMMIT;
- a round runs each workload in both checkouts, the order alternating; the seed and the number of matches are the same,
  so both do the same work, and the bots' processes count;
- a ratio above 1 means that this checkout is quicker; the median over the rounds counts. Other programs slow both sides
  down, but CPU time suffers much less than the time on the clock.
"""

from __future__ import annotations

import re
import resource
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

ROOT = Path(__file__).parents[1]
WANTED = 0.97
LIMITS = ("--sandbox", "none", "--time-per-move", "20s", "--time-to-start", "60s")


def main(
    commit: Annotated[str, typer.Option(help="The earlier commit.")] = "3fc4c53",
    rounds: Annotated[int, typer.Option(min=1, help="How often each workload is run in both checkouts.")] = 5,
    matches: Annotated[int, typer.Option(min=10, help="Matches of a workload, roughly.")] = 3000,
    only: Annotated[str | None, typer.Option(help="referee, tournament or serve.")] = None,
) -> None:
    """Compare the referee, tournaments and the server with those of an earlier commit."""
    workloads: dict[str, Callable[[Path], float]] = {
        "referee": lambda root: play_series(root, matches),
        "tournament": lambda root: play_tournament(root, matches),
        "serve": serve,
    }
    checkouts = {"now": ROOT, "earlier": installed(commit)}
    for name, workload in workloads.items():
        if only not in (None, name):
            continue
        ratios = []
        for number in range(rounds):
            order = list(checkouts) if number % 2 else list(reversed(checkouts))
            used = {side: workload(checkouts[side]) for side in order}
            ratios.append(used["earlier"] / used["now"])
            typer.echo(f"  {name}: now {used['now']:.4g}, {commit} {used['earlier']:.4g}: {ratios[-1]:.3f}")
        found = median(ratios)
        verdict = "reached" if found >= WANTED else "NOT reached"
        typer.echo(f"{name}: {found:.3f} x the speed of {commit}, median of {rounds} (wanted: {WANTED}): {verdict}")


def installed(commit: str) -> Path:
    """Return a checkout of the commit with its own virtual environment."""
    root = ROOT / ".bench" / commit
    if not (root / ".venv" / ".installed").exists():
        run(("git", "-C", str(ROOT), "worktree", "prune"))
        run(("git", "-C", str(ROOT), "worktree", "add", "--force", "--detach", str(root), commit))
        run(("make", "-C", str(root), ".venv/.installed"))
        benchmark = root / "bench" / "serve.py"  # whole microseconds are too coarse for a comparison
        benchmark.write_text(benchmark.read_text("utf-8").replace(":,.0f} µs", ":,.2f} µs"), encoding="utf-8")
    return root


def run(command: Sequence[str], cwd: Path = ROOT) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)  # noqa: S603, our own
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return done.stdout


def cpu_seconds(command: Sequence[str], cwd: Path) -> float:
    """Return the CPU time of the command and of all processes that it waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command, cwd)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def play_series(root: Path, matches: int) -> float:
    arena = str(root / ".venv" / "bin" / "arena")
    with TemporaryDirectory() as folder:
        command = (arena, "match", "mantis", "random", "greedy", "--games", str(matches), "--seed", "7", *LIMITS)
        return cpu_seconds(command, Path(folder))


def play_tournament(root: Path, matches: int) -> float:
    arena = str(root / ".venv" / "bin" / "arena")
    with TemporaryDirectory() as folder:
        event = ("--bracket", "mantis", "--seats", "2", "--rounds", str(matches // 6), "--seed", "7", "--jobs", "1")
        command = (arena, "tournament", "random", "greedy", "counter", *event, *LIMITS)
        return cpu_seconds(command, Path(folder))


def serve(root: Path) -> float:
    """Return the server's CPU time for a decision in microseconds, as that checkout's own benchmark prints it."""
    python = str(root / ".venv" / "bin" / "python")
    options = ("--soak", "--bots", "40", "--seconds", "15", "--stays", "1000")
    printed = run((python, "-m", "bench.serve", *options), root)
    found = re.search(r"([\d,.]+) µs", printed)
    assert found, printed
    return float(found[1].replace(",", ""))


if __name__ == "__main__":
    typer.run(main)
