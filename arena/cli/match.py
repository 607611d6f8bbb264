"""`arena match`: bots against each other, with the result in a table and every fault with its reason."""

from __future__ import annotations

import json
import math
import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from arena import interrupts, replay
from arena.cli.console import err, harmless_lines, out, shown
from arena.cli.logs import log_folder
from arena.cli.options import (
    DEFAULT_HOME,
    AsJson,
    GameCount,
    GameName,
    GameOptions,
    Home,
    ReplayFolder,
    Seed,
    TimeLimit,
    file_name,
    seconds,
    with_game_options,
)
from arena.cli.sandboxes import LimitOptions, PonderOption, SandboxMode, may_ponder, sandbox_for
from arena.games.base import Json
from arena.games.registry import find_game
from arena.referee import Launch, Limits, Outcome, Referee, Settings
from arena.referee.launch import distinct
from arena.referee.series import SeriesMatch, plan_series, play_series
from arena.submissions.build import build
from arena.submissions.submission import find_submission

Bots = Annotated[
    list[str],
    typer.Argument(metavar="BOT…", help="A .py or .js file, a program, a folder with arena.toml, or a bundled bot."),
]


@dataclass(slots=True)
class Score:
    """What one bot of a series has reached."""

    label: str
    matches: int = 0
    wins: float = 0.0
    """A win that n seats share counts 1/n."""
    places: int = 0
    think_ms: float = 0.0
    wall_ms: float = 0.0
    cpu_ms: float | None = None
    decisions: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome, seat: int) -> None:
        result = outcome.result
        self.matches += 1
        self.places += result.placements[seat]
        if seat in result.winners:
            self.wins += 1 / len(result.winners)
        self.think_ms += outcome.think_ms[seat]
        self.wall_ms += outcome.wall_ms[seat]
        if (cpu_ms := outcome.cpu_ms[seat]) is not None:
            self.cpu_ms = (self.cpu_ms or 0.0) + cpu_ms
        self.decisions += outcome.decisions[seat]
        for fault in outcome.faults:
            if fault.seat == seat:
                self.faults[fault.fault.value] += 1
                self.reasons[f"{fault.fault.value}: {fault.detail}"] += 1


@dataclass(slots=True)
class HostReport:
    """What the games took besides the bots' turns."""

    overhead_ms: float = 0.0
    overloaded: int = 0
    """Games during which the machine had too much to do."""


@with_game_options
def match(
    game: GameName,
    bots: Bots,
    options: GameOptions,
    games: GameCount = 100,
    seed: Seed = None,
    rotate: Annotated[bool, typer.Option(help="Play each deal once for every rotation of the seats.")] = True,
    replays: ReplayFolder = None,
    time_per_move: TimeLimit = "1s",
    time_per_match: TimeLimit = "none",
    time_to_start: TimeLimit = "10s",
    at_once: Annotated[int, typer.Option(min=1, max=1024, help="How many games to play at the same time.")] = 64,
    listen: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Talk over TCP. Default: a unix socket.", show_default=False)
    ] = None,
    ponder: PonderOption = None,
    sandbox: SandboxMode = "auto",
    limit: LimitOptions = None,
    home: Home = DEFAULT_HOME,
    as_json: AsJson = False,
) -> None:
    """Play bots against each other, each a process of its own.

    Example: arena match mantis random ./my_bot.py --games 200 --time-per-move 1s --replays replays
    """
    rules = find_game(game)
    options = rules.complete(options)
    rules.check_seats(len(bots), **options)
    submissions = [find_submission(bot) for bot in bots]
    for submission in dict.fromkeys(submissions):
        build(submission)
    programs = [submission.launch for submission in submissions]
    limits = Limits(seconds(time_to_start) or math.inf, seconds(time_per_move), seconds(time_per_match))
    settings = Settings(
        matches_at_once=at_once,
        address=listen,
        logs=log_folder(home),
        sandbox=sandbox_for(sandbox, limit),
        ponder=may_ponder(ponder, limits, len(bots)),
    )
    if replays:
        replays.mkdir(parents=True, exist_ok=True)
    chosen_seed = seed if seed is not None else secrets.token_hex(8)
    labels = distinct([program.label for program in programs])
    series = list(plan_series(rules.name, options, labels, games, chosen_seed, rotate=rotate))
    scores, host = interrupts.run(_play(series, programs, labels, limits, settings, at_once, replays))
    if as_json:
        document = _as_json(scores, rules.name, options, chosen_seed)
        document["sandbox"] = settings.sandbox.tier
        document["overhead_ms_per_game"] = host.overhead_ms / games
        document["games_while_overloaded"] = host.overloaded
        out.print_json(json.dumps(document))
        return
    variant = " ".join([rules.title, *options.values()])
    out.print(f"[bold]{variant}[/], {len(bots)} seats, {games} games, seed {shown(repr(chosen_seed))}", highlight=False)
    print_scores(scores)
    print_faults(scores)
    if host.overloaded:
        out.print(
            f"[yellow]The machine had too much to do during {host.overloaded} games[/]: what bots took by the clock "
            "(wall) says little, but that is not what they are charged.",
            highlight=False,
        )
    if replays:
        out.print(f"{games} replays are in {shown(str(replays))}; look at one with [bold]arena replay show FILE[/].")


async def _play(
    series: Sequence[SeriesMatch],
    programs: Sequence[Launch],
    labels: Sequence[str],
    limits: Limits,
    settings: Settings,
    at_once: int,
    replays: Path | None,
) -> tuple[list[Score], HostReport]:
    scores = [Score(label) for label in labels]
    host = HostReport()
    faults_so_far = TextColumn("{task.fields[faults]}")
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(), faults_so_far)
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        task = progress.add_task("playing", total=len(series), faults="")
        async with Referee(limits, settings) as referee:
            async for pairing, outcome in play_series(referee, iter(series), programs, at_once):
                for seat, entrant in enumerate(pairing.entrants):
                    scores[entrant].add(outcome, seat)
                host.overhead_ms += outcome.overhead_ms
                host.overloaded += outcome.overloaded
                if replays:
                    replay.write(outcome.replay, replays / f"{file_name(pairing.plan.id)}.jsonl")
                faults = referee.faults.total()
                progress.update(task, advance=1, faults=f"{faults} forfeits" if faults else "")
    return scores, host


def interval(wins: float, matches: int) -> tuple[float, float]:
    """The 95 % interval of a win rate, by Wilson's score."""
    z = 1.959964
    share = wins / matches
    centre = (share + z * z / (2 * matches)) / (1 + z * z / matches)
    half = z * math.sqrt(share * (1 - share) / matches + z * z / (4 * matches * matches)) / (1 + z * z / matches)
    return max(0.0, centre - half), min(1.0, centre + half)


def print_scores(scores: Sequence[Score]) -> None:
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("bot")
    for heading in ("wins", "rate", "95 %", "place", "ms/move", "wall", "forfeits"):
        table.add_column(heading, justify="right", no_wrap=True)
    for score in sorted(scores, key=lambda score: (-score.wins, score.places)):
        low, high = interval(score.wins, score.matches)
        table.add_row(
            shown(score.label),
            f"{score.wins:g}" if score.wins == round(score.wins) else f"{score.wins:.1f}",
            f"{score.wins / score.matches:.1%}",
            f"{100 * low:.1f} to {100 * high:.1f}",
            f"{score.places / score.matches:.2f}",
            f"{score.think_ms / score.decisions:.2f}" if score.decisions else "",
            f"{score.wall_ms / score.decisions:.2f}" if score.decisions else "",
            f"[bold red]{score.faults.total()}[/]" if score.faults else "0",
        )
    out.print(table)


def print_faults(scores: Sequence[Score], most: int = 3) -> None:
    """Why bots forfeited, the most frequent reasons first."""
    for score in scores:
        for reason, count in score.reasons.most_common(most):
            out.print(f"[bold red]forfeit[/] {shown(score.label)}, {count} times", end=" ", highlight=False)
            out.print(harmless_lines(reason), markup=False, highlight=False, soft_wrap=True)
        if len(score.reasons) > most:
            out.print(f"  … and {len(score.reasons) - most} other reasons.", highlight=False)
    if any(score.reasons for score in scores):
        out.print("What a bot has printed: [bold]arena log NAME[/].")


def _per(ms: float | None, decisions: int) -> float | None:
    return ms / decisions if decisions and ms is not None else None


def _as_json(scores: Sequence[Score], game: str, options: dict[str, str], seed: str) -> dict[str, Json]:
    return {
        "game": game,
        "options": options,
        "seed": seed,
        "bots": [
            {
                "bot": score.label,
                "matches": score.matches,
                "wins": score.wins,
                "interval": interval(score.wins, score.matches),
                "mean_placement": score.places / score.matches,
                "ms_per_move": _per(score.think_ms, score.decisions),
                "cpu_ms_per_move": _per(score.cpu_ms, score.decisions),
                "wall_ms_per_move": _per(score.wall_ms, score.decisions),
                "faults": dict(score.faults),
                "reasons": dict(score.reasons.most_common(20)),
            }
            for score in scores
        ],
    }
