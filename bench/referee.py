"""Measure the referee end to end: real rules, the bundled random bots in their own processes, real messages.

- There is one referee process, placed by the kernel, or one per core, pinned to it with its bots. "At once" counts the
  matches of all referees.
- The machine may be noisy, so everything is measured in rounds with one slice of time per contestant. Contestants are
  compared within each round; the median of these ratios counts.
- Starting bots and warming up are not counted. A slice counts the matches that end in it.
- The think time of a decision is what the referee charges: the time of a message, divided among its answers.
- Baselines without a game: a pipe between two processes with eight bytes there and back per decision; and gRPC with one
  decision per message, where a bot gets its next turn after its answer (one by one) or any number at once (pipelined).
- What cannot be measured is listed with the reason. The exit code is 0, whether targets are reached or not.
"""

from __future__ import annotations

import asyncio
import gc
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from itertools import takewhile
from math import isnan, nan
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated, Any, NamedTuple

import grpc
import psutil
import typer
import uvloop
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from arena.errors import ArenaError
from arena.referee import Launch, Limits, Outcome, Referee
from arena.referee.series import SeriesMatch, plan_series, play_series
from arena.replay import Decision
from arena.submissions.build import build
from arena.submissions.submission import find_launch, find_submission
from arena.v1 import referee_pb2 as pb

CORES = sorted(os.sched_getaffinity(0))
TOGETHER, PINNED = "one", "one per core"
PYTHON, NODE = "random", "random_js"
PIPE, PER_MESSAGE, PIPELINED = "raw pipe", "gRPC, one by one", "gRPC, pipelined"
MATCHES = (1, 8, 64, 256)
PER_MESSAGE_GOAL, PIPE_GOAL, LATENCY_GOAL = 15, 0.4, 1.3
LIMITS = Limits(start=60.0)
WARM_UP = 0.3
PATIENCE = 120.0
"""Seconds to wait for a worker's report."""
ECHO = "import os\nwhile data := os.read(0, 8): os.write(1, data)"
SOAK_WARM_UP = 1000
"""Matches played before the soak, until memory use is steady."""
SOAK_MARKS = (10, 50, 100)
"""In per cent."""
SOAK_NOISE, SOAK_FILES = 0.03, 2
"""The growth allowed from the first mark to the last: of memory, as a share, and of open files."""

out = Console(highlight=False, width=130)
err = Console(stderr=True)
spawn = get_context("spawn")


# In a worker process


@dataclass(slots=True)
class Meter:
    """What a worker did in a slice of time after the warm-up."""

    seconds: float
    bots: Sequence[int]
    """The bots' process ids."""
    made: float = field(default_factory=perf_counter)
    began: float = 0.0
    elapsed: float = 0.0
    """0 until the slice is over."""
    referee_cpu: float = 0.0
    bots_cpu: float = 0.0
    decisions: int = 0
    matches: int = 0
    faults: int = 0
    ms: list[float] = field(default_factory=list)
    """The think time of each decision."""
    start: float = nan
    """Seconds that a bot took to start, and its memory then, in bytes."""
    memory: float = nan

    def counts(self) -> bool:
        """Return whether an event counts now. Begins and ends the slice."""
        now = perf_counter()
        if not self.began and now >= self.made + WARM_UP:
            self.began = now
            self._add_cpu(-1)
            return False
        if self.began and not self.elapsed and now >= self.began + self.seconds:
            self.elapsed = now - self.began
            self._add_cpu(1)
        return bool(self.began) and not self.elapsed

    def _add_cpu(self, sign: int) -> None:
        self.referee_cpu += sign * sum(psutil.Process().cpu_times()[:2])
        self.bots_cpu += sign * sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in self.bots)

    def count(self, outcome: Outcome) -> None:
        self.matches += 1
        self.decisions += sum(outcome.decisions)
        self.faults += len(outcome.faults)
        self.ms += [entry.ms for entry in outcome.replay.entries if isinstance(entry, Decision)]


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker measures: one slice for each number of matches at once."""

    bots: str
    matches: tuple[int, ...]
    seconds: float
    core: int | None
    barrier: Barrier
    """Where workers wait for each other before each slice."""

    def run(self, results: Connection) -> None:
        if self.core is not None:
            os.sched_setaffinity(0, {self.core})
        try:
            results.send(WORK.get(self.bots, measure_matches)(self))
        except Exception as error:  # noqa: BLE001, any error is reported as the reason
            self.barrier.abort()
            results.send(f"{error.__class__.__name__}: {error}")


def series(launch: Launch, games: int) -> Iterator[SeriesMatch]:
    return plan_series("mantis", {}, [launch.label] * 2, games, "bench")


def measure_matches(job: Job) -> list[Meter]:
    launch = find_launch(job.bots)

    async def measure() -> list[Meter]:
        meters = []
        async with Referee(LIMITS) as referee:
            began = perf_counter()
            bot = await referee.pool.start(launch)
            start, memory = perf_counter() - began, bot.child.memory()
            async for _ in play_series(referee, series(launch, 1), [launch] * 2, 1):
                pass  # starts the process of the other seat
            for matches in job.matches:
                job.barrier.wait(PATIENCE)
                bots = [process.child.pid for process in referee.pool.processes.values()]
                meters.append(meter := Meter(job.seconds, bots, start=start, memory=memory))
                if matches:
                    await play_until_over(referee, launch, matches, meter)
        return meters

    return uvloop.run(measure())


async def play_until_over(referee: Referee, launch: Launch, matches: int, meter: Meter) -> None:
    plans = takewhile(lambda _: not meter.elapsed, series(launch, 10**6))
    async for _, outcome in play_series(referee, plans, [launch] * 2, matches):
        if meter.counts():
            meter.count(outcome)


def measure_pipe(job: Job) -> list[Meter]:
    command = (sys.executable, "-c", ECHO)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as echo:  # noqa: S603, our own
        assert echo.stdin is not None
        assert echo.stdout is not None
        there, back, data = echo.stdin.fileno(), echo.stdout.fileno(), bytes(8)
        job.barrier.wait(PATIENCE)
        meter = Meter(job.seconds, [echo.pid])
        while not meter.elapsed:
            began = perf_counter()
            for _ in range(100):
                os.write(there, data)
                os.read(back, 8)
            if meter.counts():
                meter.decisions += 100
                meter.ms.append(1000 * (perf_counter() - began) / 100)
    return [meter]


# The baselines with one decision in a message


def measure_per_message(job: Job) -> list[Meter]:
    return [uvloop.run(_measure_per_message(job, matches)) for matches in job.matches]


async def _measure_per_message(job: Job, matches: int) -> Meter:
    baseline = PerMessage(turns_at_once=1 if job.bots == PER_MESSAGE else matches)
    handler = grpc.stream_stream_rpc_method_handler(
        baseline.play, pb.PlayRequest.FromString, pb.PlayResponse.SerializeToString
    )
    with TemporaryDirectory() as folder:
        address = f"unix:{folder}/baseline"
        bots = [spawn.Process(target=answer_per_message, args=(address,)) for _ in range(2)]
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("baseline", {"Play": handler}),))
        server.add_insecure_port(address)
        await server.start()
        for bot in bots:
            bot.start()
        await baseline.ready.wait()
        job.barrier.wait(PATIENCE)
        baseline.meter = meter = Meter(job.seconds, [bot.pid or 0 for bot in bots])
        for match in range(matches):
            baseline.turns[match % 2].put_nowait(match)
        while matches and not meter.elapsed:
            await asyncio.sleep(0.05)
        await server.stop(None)
        for bot in bots:
            bot.join()
    return meter


class PerMessage:
    """Sends every turn in its own message. The two bots take turns in each match."""

    def __init__(self, turns_at_once: int) -> None:
        self.free = (asyncio.Semaphore(turns_at_once), asyncio.Semaphore(turns_at_once))
        """For each bot, how many turns it may still get before it answers one."""
        self.turns: tuple[asyncio.Queue[int], ...] = (asyncio.Queue(), asyncio.Queue())
        """For each bot, the matches in which it is its turn."""
        self.seats = iter((0, 1))
        self.ready = asyncio.Event()
        """Set when both bots are connected."""
        self.sent: dict[int, float] = {}
        self.meter = Meter(0, ())

    async def play(self, _: Any, stream: Any) -> None:
        await stream.read()
        seat = next(self.seats)
        if seat == 1:
            self.ready.set()
        writer = asyncio.create_task(self.write(stream, self.turns[seat], self.free[seat]))
        try:
            while (message := await stream.read()) is not grpc.aio.EOF:
                now, match = perf_counter(), message.answers.match[0]
                if self.meter.counts():
                    self.meter.decisions += 1
                    self.meter.ms.append(1000 * (now - self.sent[match]))
                self.free[seat].release()
                self.turns[1 - seat].put_nowait(match)
        finally:
            writer.cancel()

    async def write(self, stream: Any, turns: asyncio.Queue[int], free: asyncio.Semaphore) -> None:
        while True:
            match = await turns.get()
            await free.acquire()
            message = pb.PlayResponse()
            message.mantis_turns.add(match=match, turn=1, legal=b"\1\2", tanks=bytes(14), events=bytes(16), top=b"123")
            self.sent[match] = perf_counter()
            await stream.write(message)


def answer_per_message(address: str) -> None:
    """Run the bot of these baselines."""

    async def play() -> None:
        async with grpc.aio.insecure_channel(address, options=[("grpc.enable_http_proxy", 0)]) as channel:
            open_stream = channel.stream_stream(
                "/baseline/Play", pb.PlayRequest.SerializeToString, pb.PlayResponse.FromString
            )
            stream = open_stream()
            await stream.write(pb.PlayRequest(hello=pb.Hello()))
            while (message := await stream.read()) is not grpc.aio.EOF:
                turn = message.mantis_turns[0]
                answers = pb.Answers(match=[turn.match], turn=[turn.turn], action=[turn.legal[0]])
                await stream.write(pb.PlayRequest(answers=answers))

    with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
        asyncio.run(play())


WORK: dict[str, Callable[[Job], list[Meter]]] = {
    PIPE: measure_pipe,
    PER_MESSAGE: measure_per_message,
    PIPELINED: measure_per_message,
}
"""How the baselines are measured. Any other name is a bundled bot's."""


# Measuring


class Figure(NamedTuple):
    """What a row of the output measures."""

    bots: str
    placement: str
    matches: int

    def __str__(self) -> str:
        return f"{self.bots}, {self.placement}, {self.matches} at once"


Slice = Sequence[Meter]
"""What the workers of a contestant did in the same slice of time."""
Figures = dict[Figure, list[Slice]]
"""For each figure, a slice per round."""


@dataclass(slots=True)
class Contestant:
    """Bots or a baseline, with one referee or one per core."""

    bots: str
    placement: str
    matches: tuple[int, ...]
    failure: str | None = None

    def measure(self, seconds: float, figures: Figures) -> None:
        """Add a slice to each of its figures, or note why not."""
        if self.failure:
            return
        cores: Sequence[int | None] = CORES if self.placement == PINNED else [None]
        barrier = spawn.Barrier(len(cores))
        jobs = []
        for place, core in enumerate(cores):
            share = tuple(number // len(cores) + (place < number % len(cores)) for number in self.matches)
            jobs.append(Job(self.bots, share, seconds, core, barrier))
        reports = run(jobs)
        failures = [report for report in reports if isinstance(report, str)]
        # Workers that waited for the one that failed only report a broken barrier.
        self.failure = min(failures, key=lambda reason: "BrokenBarrier" in reason, default=None)
        if not failures:
            for number, *meters in zip(self.matches, *reports, strict=True):
                figures.setdefault(Figure(self.bots, self.placement, number), []).append(meters)


def run(jobs: Sequence[Job]) -> list[list[Meter] | str]:
    """Run each job in its own process. Return what it measured, or why it did not."""
    workers, results, reports = [], [], []
    for job in jobs:
        receiver, sender = spawn.Pipe(duplex=False)
        workers.append(spawn.Process(target=job.run, args=(sender,)))
        workers[-1].start()
        sender.close()
        results.append(receiver)
    for result in results:
        try:
            reports.append(result.recv() if result.poll(PATIENCE) else f"no report within {PATIENCE:g} s")
        except EOFError:
            reports.append("its process ended without a report")
    for worker in workers:
        worker.join(10)
        worker.kill()
    return reports


def contestants() -> list[Contestant]:
    levels = {TOGETHER: MATCHES, PINNED: tuple(sorted({*MATCHES, 64 * len(CORES)}))}
    no_node = why_no_node()
    return [
        Contestant(PIPE, TOGETHER, (1,)),
        Contestant(PIPE, PINNED, (len(CORES),)),
        *(Contestant(PER_MESSAGE, placement, (1, 64)) for placement in levels),
        Contestant(PIPELINED, TOGETHER, (64,)),
        *(Contestant(PYTHON, placement, matches) for placement, matches in levels.items()),
        *(Contestant(NODE, placement, matches, no_node) for placement, matches in levels.items()),
    ]


def why_no_node() -> str | None:
    """Builds the bot for Node, unless that has been done. Returns what stands in the way."""
    for command in ("node", "npm"):
        if shutil.which(command) is None:
            return f"{command} is not installed"
    bot = find_submission(NODE)
    try:
        if not (bot.folder / "node_modules").is_dir():
            build(bot)
    except ArenaError as error:
        return str(error)
    return None


def run_rounds(everybody: Sequence[Contestant], rounds: int, seconds: float) -> Figures:
    figures: Figures = {}
    # Refreshed between the contestants only: no thread of the progress bar runs while anything is measured.
    with Progress(console=err, transient=True, auto_refresh=False, disable=not err.is_terminal) as progress:
        for contestant in progress.track([*everybody] * rounds, description="measuring"):
            progress.refresh()
            contestant.measure(seconds, figures)
    return figures


# Reporting

What = Callable[[Slice], float]


def rate(workers: Slice) -> float:
    """Decisions in a second."""
    return sum(each.decisions / each.elapsed for each in workers if each.elapsed)


def match_rate(workers: Slice) -> float:
    return sum(each.matches / each.elapsed for each in workers if each.elapsed)


def referee_cpu(workers: Slice) -> float:
    """µs for a decision, here and below."""
    return 1e6 * sum(each.referee_cpu for each in workers) / sum(each.decisions for each in workers)


def bots_cpu(workers: Slice) -> float:
    return 1e6 * sum(each.bots_cpu for each in workers) / sum(each.decisions for each in workers)


def think_time(part: float, workers: Slice) -> float:
    """The quantile."""
    times = sorted(ms for each in workers for ms in each.ms)
    return 1000 * times[int(part * len(times))]


P50, P99 = partial(think_time, 0.5), partial(think_time, 0.99)
COLUMNS: tuple[What, ...] = (rate, match_rate, P50, P99, referee_cpu, bots_cpu)


def ratio(figures: Figures, one: Figure, other: Figure, what: What) -> float:
    """The median over the rounds of the one as a multiple of the other; nan if either was not measured."""
    pairs = zip(figures.get(one, []), figures.get(other, []), strict=False)
    multiples = [what(ours) / what(theirs) for ours, theirs in pairs]
    return median(multiples) if multiples else nan


def new_table(title: str, *headings: str, names: int = 1) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", title_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number < names else "right", no_wrap=True)
    return table


def print_figures(figures: Figures) -> None:
    title = "Mantis with two seats. In µs for a decision: think time (p50, p99), CPU time (referee, bots)"
    columns = ("at once", "decisions/s", "matches/s", "p50", "p99", "referee", "bots", "/ message", "/ pipe")
    table = new_table(title, "bots", "referees", *columns, names=2)
    for one, slices in figures.items():
        cells = [f"{median(map(what, slices)):,.0f}" for what in COLUMNS]
        baselines = (Figure(PER_MESSAGE, TOGETHER, 64), Figure(PIPE, TOGETHER, 1))
        multiples = [f"{ratio(figures, one, other, rate):.2f}" for other in baselines]
        table.add_row(one.bots, one.placement, str(one.matches), *cells, *multiples)
    out.print(table)
    for one, slices in figures.items():
        if faults := sum(each.faults for workers in slices for each in workers):
            out.print(f"[red]{one}: {faults} faults, there should be none[/]")


def print_bots(figures: Figures) -> None:
    table = new_table("A bot", "bot", "ms from start to hello", "MB when idle")
    for bot in (PYTHON, NODE):
        if slices := figures.get(Figure(bot, TOGETHER, 1)):
            start, memory = (median(getattr(each[0], name) for each in slices) for name in ("start", "memory"))
            table.add_row(bot, f"{1000 * start:.0f}", f"{memory / 2**20:.1f}")
    out.print(table)


def print_verdict(claim: str, multiples: dict[str, float], reached: Callable[[float], bool]) -> None:
    """Print the first, which must be reached, and the others for information."""
    for number, (name, multiple) in enumerate(multiples.items()):
        verdict = "[green]reached    [/]" if reached(multiple) else "[red]not reached[/]"
        if isnan(multiple):
            verdict = "[yellow]not known  [/]"
        if number < 2:
            out.print("For information, the same for:" if number else f"[bold]Must reach: {claim}[/]", soft_wrap=True)
        out.print(f"  {verdict} {multiple:5.2f}  {name}", soft_wrap=True)


def print_verdicts(figures: Figures) -> None:
    def multiples(what: What, pairs: Sequence[tuple[Figure, Figure]]) -> dict[str, float]:
        return {f"{one} / {other}": ratio(figures, one, other, what) for one, other in pairs}

    ours = [Figure(PYTHON, PINNED, 64), Figure(PYTHON, PINNED, 64 * len(CORES)), Figure(NODE, PINNED, 64)]
    others = (Figure(PER_MESSAGE, TOGETHER, 64), Figure(PER_MESSAGE, PINNED, 64), Figure(PIPELINED, TOGETHER, 64))
    messages = [(one, other) for other in others for one in ours]
    claim = f"decisions/s >= {PER_MESSAGE_GOAL} x those of one decision per message"
    print_verdict(claim, multiples(rate, messages), lambda multiple: multiple >= PER_MESSAGE_GOAL)
    pipes = [(one, pipe) for pipe in (Figure(PIPE, TOGETHER, 1), Figure(PIPE, PINNED, len(CORES))) for one in ours]
    claim = f"decisions/s >= {PIPE_GOAL} x those of the raw pipe"
    print_verdict(claim, multiples(rate, pipes), lambda multiple: multiple >= PIPE_GOAL)
    places = [(bots, placement) for bots in (PYTHON, NODE) for placement in (TOGETHER, PINNED)]
    alone = [(Figure(*place, 1), Figure(PER_MESSAGE, place[1], 1)) for place in places]
    claim = f"think time (p50) of one match at a time <= {LATENCY_GOAL} x that of one decision per message"
    print_verdict(claim, multiples(P50, alone), lambda multiple: multiple <= LATENCY_GOAL)


# The soak


def vitals(referee: Referee) -> tuple[float, int, int, float]:
    """Return the referee's memory in MB, open files and processes with all children, and its bots' memory in MB."""
    gc.collect()
    us, bots = psutil.Process(), sum(process.child.memory() for process in referee.pool.processes.values())
    return us.memory_info().rss / 2**20, us.num_fds(), 1 + len(us.children(recursive=True)), bots / 2**20


async def soak(games: int) -> None:
    """Play that many matches and report whether anything grows."""
    launch = find_launch(PYTHON)
    table = new_table(f"{games:,} matches in a row", "after", "MB", "open files", "processes", "bots' MB")
    marks = {max(1, games * percent // 100): f"{percent} %" for percent in SOAK_MARKS}
    seen, done, began = [], -SOAK_WARM_UP, perf_counter()
    async with Referee(LIMITS) as referee:
        async for _ in play_series(referee, series(launch, SOAK_WARM_UP + games), [launch] * 2, 64):
            done += 1
            if done in marks:
                memory, files, processes, bots = vitals(referee)
                seen.append((memory, files, processes))
                table.add_row(marks[done], f"{memory:.1f}", str(files), str(processes), f"{bots:.1f}")
        faults = sum(referee.faults.values())
    out.print(table)
    most = (seen[0][0] * (1 + SOAK_NOISE), seen[0][1] + SOAK_FILES, seen[0][2])
    grown = any(last > limit for last, limit in zip(seen[-1], most, strict=True))
    out.print(f"{perf_counter() - began:.0f} s, {faults} faults.")
    out.print(f"Memory, open files and processes: [bold]{'[red]growth' if grown else '[green]no growth'}[/][/]")


def main(
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds for each figure in a round.")] = 1.0,
    rounds: Annotated[int, typer.Option(min=1, help="Number of rounds.")] = 3,
    quick: Annotated[bool, typer.Option("--quick", help="One round of half seconds, as a quick check.")] = False,
    soak_matches: Annotated[
        int,
        typer.Option("--soak", help="Play this many matches and report growth."),
    ] = 0,
) -> None:
    """Measure the referee and its bots, beside a pipe and beside gRPC with one decision in a message."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # for the workers
    python = f"{platform.python_implementation()} {platform.python_version()}"
    packages = ", ".join(f"{name} {version(name)}" for name in ("grpcio", "protobuf", "uvloop"))
    load = os.getloadavg()[0]
    out.print(f"{python}, {len(CORES)} cores, load {load:.1f} before the start; {packages}.", soft_wrap=True)
    if soak_matches:
        uvloop.run(soak(soak_matches))
        return
    if quick:
        seconds, rounds = 0.5, 1
    out.print(f"Rounds: {rounds}, {seconds:g} s for each figure. Figures are medians over rounds.\n")
    everybody = contestants()
    figures = run_rounds(everybody, rounds, seconds)
    print_figures(figures)
    print_bots(figures)
    for one in everybody:
        if one.failure:
            out.print(f"{one.bots}, {one.placement}: not measured: {one.failure}", markup=False, soft_wrap=True)
    print_verdicts(figures)


if __name__ == "__main__":
    typer.run(main)
