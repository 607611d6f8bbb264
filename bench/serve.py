"""Compare `arena serve` with many connected bots to the local runner.

How it is measured:
- two processes open real streams to a real server on the loopback, without TLS; the bots use the SDK and play at
  random; now and then one disconnects during its matches and reconnects;
- the local runner plays a tournament of four random bots with four seats, as `arena tournament` does; both store all
  matches and run for the same time, in turns; the median of the ratios of decisions per second counts;
- the exit code is 0 whether the target is reached or not, unless the server's store is wrong: every match in its log
  must be stored once and counted once.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated

import psutil
import typer
import uvloop

from arena.bot import Bot, MantisTurn, mantis
from arena.bot import session as sdk
from arena.requests import SubmitRequest
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tokens import Scope
from arena.submissions.submit import submit
from arena.tournament.options import TournamentOptions
from bench.growth import out, play, verdict

WANTED = 0.5
CLIENTS = 2
SEATS = 4
LOCAL_BOTS = ("random a", "random b", "random c", "random d")
SAMPLE = re.compile(r'^(arena_\w+)(?:\{le="([^"]+)"\})? (\S+)$', re.MULTILINE)


class RandomBot(Bot):
    version = "1"

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__()

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        return turn.rng.choice(turn.legal)


def connect_bots(address: str, tokens: list[str], stays: float) -> None:
    """Run many bots in this process; each disconnects after `stays` seconds on average, and reconnects."""
    sdk.SDK_CHANNEL_OPTIONS.append(("grpc.use_local_subchannel_pool", 1))  # a connection for each
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # ignore what they print when the server stops

    async def one(number: int, token: str) -> None:
        await asyncio.sleep(number * 0.02)
        while True:
            playing = asyncio.create_task(sdk.BotSession(RandomBot(f"bot{number}")).play(address, token))
            await asyncio.wait({playing}, timeout=random.expovariate(1 / stays) + 1)
            hung_up = not playing.done()
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            await asyncio.sleep(0.1 if hung_up else 1.0)  # otherwise it was refused

    async def all_of_them() -> None:
        await asyncio.gather(*(one(number, token) for number, token in enumerate(tokens)))

    asyncio.run(all_of_them())


def metrics(pages: str) -> dict[tuple[str, str], float]:
    with urllib.request.urlopen(f"{pages}/metrics", timeout=30) as answer:  # noqa: S310, our own
        return {(name, le): float(value) for name, le, value in SAMPLE.findall(answer.read().decode())}


def served(bots: int, seconds: float, stays: float, at_once: int) -> float:
    """Return the decisions per second of a server with this number of bots."""
    with TemporaryDirectory() as folder:
        home = Home(Path(folder) / "home")
        with Store.open(home.database) as store:
            tokens = [store.tokens.create(f"user{number}", [Scope.PLAY])[1] for number in range(bots)]
        options = ["--port", "0", "--grpc-port", "0", "--insecure", "--pace", "none", "--at-once", str(at_once)]
        command = [sys.executable, "-m", "arena", "serve", "--home", str(home.path), *options, "--log-json"]
        log_file = Path(folder) / "log_file"
        with log_file.open("w") as log:
            server = subprocess.Popen(  # noqa: S603
                [*command, "--bracket", "mantis", "--time-per-move", "20s"],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert server.stdout
        said = server.stdout.readline() + server.stdout.readline()
        found = re.search(r"(http://\S+)/\?token=.*to (\S+)", said, re.DOTALL)
        assert found, log_file.read_text()
        spawn = multiprocessing.get_context("spawn")
        shares = [tokens[number::CLIENTS] for number in range(CLIENTS)]
        clients = [spawn.Process(target=connect_bots, args=(found[2], share, stays), daemon=True) for share in shares]
        for client in clients:
            client.start()
        try:
            deadline = time.monotonic() + 120
            while metrics(found[1])["arena_connected_bots", ""] < 0.9 * bots:
                assert time.monotonic() < deadline, "the bots do not connect"
                time.sleep(0.2)
            us = psutil.Process(server.pid)
            before, began, used = metrics(found[1]), time.monotonic(), sum(us.cpu_times()[:2])
            time.sleep(seconds)
            after, took, used = metrics(found[1]), time.monotonic() - began, sum(us.cpu_times()[:2]) - used
        finally:
            server.send_signal(signal.SIGTERM)
            code = server.wait(120)
            for client in clients:
                client.kill()
                client.join()
        assert code == 0, log_file.read_text()[-2000:]
        _check_store(home, log_file)
    key = ("arena_decisions_total", "")
    rate = (after[key] - before[key]) / took
    out.print(f"  served: {rate:,.0f} decisions/s, {after['arena_connected_bots', '']:.0f} bots connected at the end")
    out.print(f"  served: {1e6 * used / (rate * took):,.2f} µs of the processor for a decision, the bots not counted")
    _print_overhead(before, after)
    return rate


def _print_overhead(before: dict[tuple[str, str], float], after: dict[tuple[str, str], float]) -> None:
    shown = {"overhead": "overhead of a turn, mean of a match", "wait": "wait of the oldest turn in a message"}
    for metric, what in shown.items():
        bucket = f"arena_{metric}_seconds_bucket"
        counts = {le: after[name, le] - before[name, le] for name, le in after if name == bucket}
        middle, p99 = (
            next(le for le, count in counts.items() if count >= share * counts["+Inf"]) for share in (0.5, 0.99)
        )
        out.print(f"  {what}: median within {middle} s, p99 within {p99} s")


def _check_store(home: Home, log_file: Path) -> None:
    lines = [json.loads(line) for line in log_file.read_text().splitlines() if line.startswith("{")]
    ended = [line["match"] for line in lines if line["event"] == "match.ended"]
    faults = Counter(
        fault.rpartition(": ")[2] for line in lines if line["event"] == "match.ended" for fault in line["faults"] or ()
    )
    with Store.open(home.database) as store:
        (ladder,) = store.tournaments.latest()
        kept = {name for _, _, name, _ in store.matches.results(ladder.id, "mantis")}
        assert len(ended) == len(set(ended)) == ladder.played
        assert kept == set(ended)
        counted = sum(sum(each.placements) for each in store.standings.load(ladder.id, "mantis").bots.values())
        seats = sum(len(each) for *_, each in store.matches.results(ladder.id, "mantis"))
        assert counted == seats, (counted, seats)
    lost = ", ".join(f"{kind} {count:,}" for kind, count in faults.items()) or "none"
    back = sum(line["event"] == "bot.back" for line in lines)
    out.print(f"  {len(ended):,} matches logged, stored and counted, each once")
    out.print(f"  {back:,} times a bot reconnected to its seats; seats forfeited: {lost}")


def local(seconds: float) -> float:
    """Decisions per second of the local runner, with everything on record there, too."""
    with TemporaryDirectory() as folder:
        home = Home(Path(folder))
        with Store.open(home.database) as store:
            for name in LOCAL_BOTS:
                submit(
                    home, store, SubmitRequest(path="random", name=name, time_to_start=60.0), Sandbox(), thorough=False
                )
        played = play(home, LOCAL_BOTS, TournamentOptions(brackets=("mantis",), seats=SEATS, seconds=seconds))
    return played.decisions / played.seconds


def main(
    bots: Annotated[int, typer.Option(min=4, help="How many dial in.")] = 100,
    seconds: Annotated[float, typer.Option(min=1, help="For how long each side is measured.")] = 20.0,
    stays: Annotated[float, typer.Option(min=1, help="After how many seconds a bot hangs up, on average.")] = 20.0,
    at_once: Annotated[int, typer.Option(min=1, help="How many matches a bot plays at the same time.")] = 128,
    rounds: Annotated[int, typer.Option(min=1, help="How often both sides are measured.")] = 3,
    soak: Annotated[bool, typer.Option("--soak", help="Only the server, once: for its books, not for speed.")] = False,
) -> None:
    """Measure arena serve with many bots that have dialled in."""
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    out.print(f"{bots} bots, up to {at_once} matches each at once, {seconds:g} s, load {os.getloadavg()[0]:.1f} before")
    if soak:
        served(bots, seconds, stays, at_once)
        return
    ratios = []
    for _ in range(rounds):
        remote, here = served(bots, seconds, stays, at_once), local(seconds)
        out.print(f"  local runner: {here:,.0f} decisions/s; served / local: {remote / here:.2f}")
        ratios.append(remote / here)
    verdict(
        f"median of {rounds}: decisions/s of the server >= {WANTED:g} x the local runner's",
        median(ratios),
        ">=",
        WANTED,
    )


if __name__ == "__main__":
    typer.run(main)
