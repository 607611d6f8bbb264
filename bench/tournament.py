"""Measure the CPU time of tournaments, of the bare referee and of the server, alone or beside another commit.

How it is measured:
- each workload of bench/workloads.py runs in two lengths; the difference counts, without start and end;
- the CPU time of all processes counts, the bots' too; bench/usage.py says how it is divided among them;
- with `--against REF`, that commit is installed once into .bench/COMMIT, and a round runs each workload in both, the
  order alternating; a ratio above 1 means that this checkout uses less. The median over the rounds counts. Other
  programs slow both sides down, but CPU time suffers much less than the time on the clock;
- `--stages` plays the two-seat tournament once more with a sampling profiler in every Python process.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from bench.checkouts import HERE, ROOT, Checkout, check_out
from bench.usage import CommandFailed
from bench.workloads import FEW_BOTS, MANY_BOTS, TWO_SEATS, WORKLOADS, CannotRun, Figures, Homes, Tournament

out = Console(highlight=False, width=130)
err = Console(stderr=True, highlight=False)

Rounds = dict[Checkout, list[Figures]]
"""What a workload costs in each checkout, round by round."""
STAGES_SHOWN, STAGES_MATCHES = 8, 10_000
START = "start: imports"


def measure_rounds(name: str, sides: Sequence[Checkout], homes: Homes, rounds: int, scale: float) -> Rounds:
    """Measure a workload in all checkouts, in alternating order."""
    workload = WORKLOADS[name]
    measured: Rounds = {side: [] for side in sides}
    for number in range(min(rounds, workload.most_rounds or rounds)):
        for side in sides if number % 2 else reversed(sides):
            measured[side].append(figures := workload.measure(side, homes, scale))
            err.print(f"{name}, round {number + 1}, {side.name}: {1e6 * figures.cpu_per_decision:.1f} µs a decision")
    return measured


def middle(rounds: Sequence[Figures], what: Callable[[Figures], float | None]) -> float | None:
    """Return the median, or None where this is not measured."""
    values = [value for figures in rounds if (value := what(figures)) is not None]
    return median(values) if values else None


def median_shares(rounds: Sequence[Figures]) -> dict[str, float]:
    """Return the median CPU seconds for a match of each kind of process."""
    processes = {process for figures in rounds for process in figures.by_process}
    return {process: median(each.by_process.get(process, 0.0) for each in rounds) for process in processes}


def new_table(title: str, *headings: str, names: int) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number < names else "right", no_wrap=True)
    return table


def shown(value: float | None, scale: float = 1.0) -> str:
    return "-" if value is None else f"{scale * value:,.{1 if scale * value < 100 else 0}f}"


def print_figures(measured: dict[str, Rounds]) -> None:
    title = "CPU time of all processes in µs, without start and end; medians (serve: the server's own process)"
    columns = ("µs/decision", "µs/match", "decisions/s", "bytes/match")
    table = new_table(title, "workload", "commit", *columns, names=2)
    table.add_column("µs/match of each process")
    for name, by_side in measured.items():
        for side, rounds in by_side.items():
            shares = sorted(median_shares(rounds).items(), key=itemgetter(1), reverse=True)
            table.add_row(
                name,
                side.name,
                shown(middle(rounds, lambda figures: figures.cpu_per_decision), 1e6),
                shown(middle(rounds, lambda figures: figures.cpu_per_match), 1e6),
                shown(middle(rounds, lambda figures: figures.decisions_per_second)),
                shown(middle(rounds, lambda figures: figures.bytes_per_match)),
                ", ".join(f"{process} {1e6 * cpu:,.0f}" for process, cpu in shares),
            )
    out.print(table)


def print_growth(measured: dict[str, Rounds]) -> None:
    """Compare fields by decision, not by match: all pairings play the same few deals, so the mean length differs."""
    if not {FEW_BOTS, MANY_BOTS} <= measured.keys():
        return
    for side in measured[FEW_BOTS]:
        few, many = (
            middle(measured[name][side], lambda figures: figures.cpu_per_decision) for name in (FEW_BOTS, MANY_BOTS)
        )
        assert few
        assert many
        out.print(f"{side.name}: a decision among 150 bots costs {many / few:.2f} x the CPU time of one among 20 bots")


def print_ratios(measured: dict[str, Rounds], other: Checkout) -> None:
    """Print what the other commit uses as a multiple of what this one uses: the median of the rounds' ratios."""
    title = f"{other.name} / now: above 1, this checkout uses less"
    columns = ("CPU time per decision", "lowest to highest", "rounds", "time on the clock", "bytes/match")
    table = new_table(title, "workload", *columns, names=1)
    for name, by_side in measured.items():
        pairs = list(zip(by_side[HERE], by_side[other], strict=True))
        cpu = [theirs.cpu_per_decision / ours.cpu_per_decision for ours, theirs in pairs]
        clock = [ours.decisions_per_second / theirs.decisions_per_second for ours, theirs in pairs]
        stored = [
            theirs.bytes_per_match / ours.bytes_per_match
            for ours, theirs in pairs
            if ours.bytes_per_match and theirs.bytes_per_match
        ]
        table.add_row(
            name,
            f"{median(cpu):.2f}",
            f"{min(cpu):.2f} to {max(cpu):.2f}",
            str(len(pairs)),
            f"{median(clock):.2f}",
            f"{median(stored):.2f}" if stored else "-",
        )
    out.print(table)


def sample_stages(homes: Homes, matches: int) -> dict[str, Counter[str]]:
    """Play the two-seat tournament with the sampler of bench/stages; return the samples by process and stage."""
    workload = WORKLOADS[TWO_SEATS]
    assert isinstance(workload, Tournament)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with TemporaryDirectory() as folder:
        workload.play(HERE, homes, matches, {"PYTHONPATH": str(ROOT / "bench" / "stages"), "BENCH_STAGES": folder})
        for file in Path(folder).iterdir():
            process, *lines = file.read_text("utf-8").splitlines()
            for line in lines:
                number, stage = line.split("\t")
                counts[process][stage] += int(number)
    return counts


def print_stages(counts: dict[str, Counter[str]], per_match: Mapping[str, float]) -> None:
    """Divide each process's CPU time for a match in proportion to the samples, those of the start left out."""
    table = new_table("Where it goes: two seats, this checkout, sampled", "process", "stage", "µs/match", names=2)
    for process in sorted(counts.keys() & per_match.keys(), key=per_match.__getitem__, reverse=True):
        stages = Counter({stage: number for stage, number in counts[process].items() if stage != START})
        for stage, number in stages.most_common(STAGES_SHOWN):
            table.add_row(process, stage, shown(1e6 * per_match[process] * number / stages.total()))
        table.add_section()
    out.print(table)


def main(
    against: Annotated[str | None, typer.Option(help="Another commit, measured in the same rounds.")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="How often each workload is measured.")] = 5,
    only: Annotated[list[str] | None, typer.Option(help=f"{', '.join(WORKLOADS)}; may be repeated.")] = None,
    scale: Annotated[float, typer.Option(min=0.01, help="Multiplies the number of matches.")] = 1.0,
    stages: Annotated[bool, typer.Option(help="Sample where the two-seat tournament spends its time.")] = True,
) -> None:
    """Measure the CPU time of tournaments, of the bare referee and of the server."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    if unknown := [name for name in only or () if name not in WORKLOADS]:
        raise typer.BadParameter(f"Unknown workload `{unknown[0]}`: expected one of {', '.join(WORKLOADS)}.")
    out.print(f"{len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f} before the start.")
    sides = [HERE, check_out(against)] if against else [HERE]
    measured: dict[str, Rounds] = {}
    with TemporaryDirectory() as folder:
        homes = Homes(Path(folder))
        for name in only or WORKLOADS:
            try:
                measured[name] = measure_rounds(name, sides, homes, rounds, scale)
            except (CannotRun, CommandFailed) as reason:
                out.print(f"{name}: left out: {reason}", markup=False)
        print_figures(measured)
        print_growth(measured)
        if against:
            print_ratios(measured, sides[1])
        if stages and TWO_SEATS in measured:
            per_match = median_shares(measured[TWO_SEATS][HERE])
            print_stages(sample_stages(homes, int(STAGES_MATCHES * scale)), per_match)


if __name__ == "__main__":
    typer.run(main)
