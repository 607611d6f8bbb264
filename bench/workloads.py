"""The workloads of `make bench-tournament`.

Each is a command of `arena`, so it runs in any commit; the seed, the bots and the number of matches are the same
everywhere. It runs in two lengths, and the difference is measured: start and end are not part of a figure.
"""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from math import ceil, comb
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.checkouts import Checkout
from bench.usage import CommandFailed, Usage, measure

LIMITS = ("--sandbox", "none", "--time-per-move", "20s", "--time-to-start", "60s")
SEED = ("--seed", "7")
SERVED = ("--soak", "--bots", "100", "--seconds", "15", "--stays", "1000")


class CannotRun(Exception):
    """Raised when a workload cannot run on this machine; the message says why."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a workload costs, without start and end."""

    cpu_per_match: float | None
    """CPU seconds."""
    cpu_per_decision: float
    decisions_per_second: float
    by_process: Mapping[str, float] = field(default_factory=dict)
    """CPU seconds for a match, for each kind of process."""
    bytes_per_match: float | None = None
    """Growth of the home folder."""


Environment = Mapping[str, str]
NO_VARIABLES: Environment = {}


class Homes:
    """Home folders in which bots are submitted. Each checkout submits the same field of its bundled bots once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def create(self, checkout: Checkout, bots: Sequence[str], home: Path) -> None:
        """Make `home` a home folder with these bots. Raise `CannotRun` if one of them cannot be submitted."""
        prepared = self._folder / checkout.root.name / f"{'-'.join(sorted({*bots}))}-{len(bots)}"
        if not prepared.exists():
            for number, bot in enumerate(bots):
                copy = self._folder / f"{bot}-{number}"
                _copy_bot(checkout.root / "bots" / bot, copy)
                options = ("--name", copy.name, "--home", str(prepared), "--sandbox", "none", "--time-to-start", "60s")
                try:
                    measure((checkout.arena, "submit", str(copy), *options), self._folder)
                except CommandFailed as error:
                    shutil.rmtree(prepared, ignore_errors=True)
                    raise CannotRun(f"{bot} cannot be submitted: {error}") from None
        shutil.copytree(prepared, home)


def _copy_bot(bot: Path, copy: Path) -> None:
    """Copy a bot's folder with one comment more, because equal files would be one bot."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(bot, copy, ignore=shutil.ignore_patterns("build", "protos"))
    with (copy / "arena.toml").open("a", encoding="utf-8") as manifest:
        manifest.write(f"# {copy.name}\n")


@dataclass(frozen=True, slots=True)
class Tournament:
    """`arena tournament`: a round robin of submitted bots."""

    bracket: str
    seats: int
    bots: tuple[str, ...]
    short: int
    long: int
    """Matches of the two lengths."""
    most_rounds: int | None = None
    """How often to measure at most: some workloads take minutes."""

    def measure(self, checkout: Checkout, homes: Homes, scale: float) -> Figures:
        shorter, *few = self.play(checkout, homes, int(self.short * scale))
        longer, *many = self.play(checkout, homes, int(self.long * scale))
        used = longer.minus(shorter)
        matches, decisions, size = (after - before for before, after in zip(few, many, strict=True))
        return Figures(
            used.cpu / matches,
            used.cpu / decisions,
            decisions / used.seconds,
            {name: cpu / matches for name, cpu in used.by_process.items()},
            size / matches,
        )

    def play(
        self, checkout: Checkout, homes: Homes, matches: int, env: Environment = NO_VARIABLES
    ) -> tuple[Usage, int, int, int]:
        """Return what a tournament used, its matches and decisions, and the size of the home folder after it."""
        rounds = ceil(matches / (comb(len(self.bots), self.seats) * self.seats))
        with TemporaryDirectory() as folder:
            home = Path(folder) / "home"
            homes.create(checkout, self.bots, home)
            event = ("--bracket", self.bracket, "--seats", str(self.seats), "--rounds", str(rounds))
            command = (checkout.arena, "tournament", *event, "--matches", str(matches), "--home", str(home))
            used = measure((*command, *SEED, *LIMITS), Path(folder), main="conductor", env=env)
            size = sum(file.stat().st_size for file in home.rglob("*") if file.is_file())
            export = measure((checkout.arena, "export", "seats", "--format", "csv", "--home", str(home)), Path(folder))
        rows = list(csv.DictReader(StringIO(export.printed)))
        if forfeited := sum(bool(row["fault"]) for row in rows):  # then it was not the same work
            raise CannotRun(f"{forfeited} seats were forfeited in {checkout.name}")
        return used, len({row["match"] for row in rows}), sum(int(row["decisions"]) for row in rows), size


@dataclass(frozen=True, slots=True)
class Series:
    """`arena match --games N`: one referee without store, ratings and replays."""

    bots: tuple[str, ...]
    short: int
    long: int
    most_rounds: int | None = None

    def measure(self, checkout: Checkout, homes: Homes, scale: float) -> Figures:  # noqa: ARG002
        few, many = int(self.short * scale), int(self.long * scale)
        used = self.play(checkout, many).minus(self.play(checkout, few))
        per_match = used.cpu / (many - few)
        decisions = self.decisions_per_match(checkout, few)
        shares = {name: cpu / (many - few) for name, cpu in used.by_process.items()}
        return Figures(per_match, per_match / decisions, decisions * (many - few) / used.seconds, shares)

    def play(self, checkout: Checkout, games: int, *more: str) -> Usage:
        with TemporaryDirectory() as folder:
            command = (checkout.arena, "match", "mantis", *self.bots, "--games", str(games))
            return measure((*command, *SEED, *LIMITS, *more), Path(folder), main="referee")

    def decisions_per_match(self, checkout: Checkout, games: int) -> float:
        """Count the decisions in the replays of another run: `arena match` does not print them."""
        with TemporaryDirectory() as folder:
            self.play(checkout, games, "--replays", folder)
            decisions = sum(file.read_text("utf-8").count('"action": ') for file in Path(folder).glob("*.jsonl"))
        return decisions / games


@dataclass(frozen=True, slots=True)
class Serve:
    """`arena serve` with remote bots, as the commit's own benchmark measures it; the bots do not count."""

    most_rounds: int | None = None

    def measure(self, checkout: Checkout, homes: Homes, scale: float) -> Figures:  # noqa: ARG002
        with TemporaryDirectory() as folder:
            command = (checkout.python, "-m", "bench.serve", *SERVED)
            used = measure(command, Path(folder), env={"PYTHONPATH": str(checkout.root), "COLUMNS": "200"})
        rate = re.search(r"([\d,.]+) decisions/s", used.printed)
        cpu = re.search(r"([\d,.]+) µs", used.printed)
        assert rate, used.printed
        assert cpu, used.printed
        seconds = 1e-6 * float(cpu[1].replace(",", ""))
        return Figures(None, seconds, float(rate[1].replace(",", "")))


Workload = Tournament | Series | Serve
TWO_SEATS, FEW_BOTS, MANY_BOTS = "two seats", "20 bots", "150 bots"
WORKLOADS: dict[str, Workload] = {
    TWO_SEATS: Tournament("mantis", 2, ("random", "greedy"), 1000, 4000),
    "four seats": Tournament("mantis", 4, ("random", "greedy", "counter", "random"), 500, 2000),
    "tentagram": Tournament("tentagram", 4, ("random", "greedy", "counter", "random"), 500, 2000),
    "referee": Series(("random", "greedy"), 1000, 4000),
    "c++": Tournament("mantis", 2, ("random_cpp",) * 2, 2000, 8000),
    "serve": Serve(),
    # Long, because all bots must have been started on all workers in the shorter one: a start costs as much as a
    # hundred matches.
    FEW_BOTS: Tournament("mantis", 2, ("random",) * 20, 6000, 18_000, most_rounds=1),
    MANY_BOTS: Tournament("mantis", 2, ("random",) * 150, 6000, 18_000, most_rounds=1),
}
