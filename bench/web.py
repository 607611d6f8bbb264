"""Measure the web pages: time to the first byte, size, and what many subscribers cost a tournament.

Rules of the measurement:
- a page's first byte with many stored matches is compared with the same page's with few, both servers running and asked
  in turns, over connections that are open already; the stores hold invented results, see `bench.stores`;
- a page's weight is all that a browser with nothing in its cache loads for it, uncompressed, without replays and films;
- followers are real connections that read a real event stream to which a real tournament leads; with and without them
  the same tournament is played in turns, and the median of the ratios counts. The followers themselves run on the same
  cores, which real browsers would not; the processor time of the server and the subscribers is printed, too;
- the machine may be shared and noisy: ratios count; whether a figure is reached is printed, and the exit code is 0.
"""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Annotated, NamedTuple
from urllib.parse import quote, urlsplit

import psutil
import typer
from rich.console import Console
from rich.table import Table

from arena.store.home import Home
from arena.store.store import Store
from bench.stores import fill

out = Console()
CORES = len(os.sched_getaffinity(0))
ARENA = [sys.executable, "-m", "arena"]
MOST_RATIO = 2.0
MOST_WEIGHT = 300_000
MOST_SLOWER = 0.10
LOADED = re.compile(r'(?:href|src)="(/static/[^"]+)"')
IMPORTED = re.compile(r'(?:from|import) "(\./[^"]+)"')


class Server(NamedTuple):
    netloc: str
    pid: int


@contextmanager
def serving(home: Path) -> Iterator[Server]:
    """`arena web` on the home."""
    command = [*ARENA, "web", "--home", str(home), "--port", "0", "--no-open"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # noqa: S603
    try:
        assert process.stdout
        yield Server(urlsplit(process.stdout.readline().split(" ")[-1]).netloc, process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def get(connection: http.client.HTTPConnection, path: str) -> tuple[float, bytes]:
    """Return the seconds to the first byte, and the whole answer."""
    began = time.perf_counter()
    connection.request("GET", path)
    response = connection.getresponse()  # returns when the headers are there
    took = time.perf_counter() - began
    body = response.read()
    assert response.status == 200, (path, response.status, body[:500])
    return took, body


def pages(home: Path) -> list[str]:
    """Return one address of each kind of page, in the middle and at the end of the store."""
    with Store.open(Home(home).database) as store:
        bot = store.bots.all_versions()[0].bot
        tournament = store.tournaments.latest(1)[0].id
        newest = store.history.page(limit=1)[0].name
        bracket = store.standings.brackets(0)[0]
    return [
        "/",
        f"/boards/{bracket}",
        f"/boards/{bracket}?tournament={tournament}",
        f"/boards/{bracket}?seats=4",
        "/boards.json",
        f"/boards/{bracket}.csv",
        "/bots",
        f"/bots/{quote(bot)}",
        "/tournaments",
        f"/tournaments/{tournament}",
        "/matches",
        f"/matches?bot={quote(bot)}",
        f"/matches?tournament={tournament}&bracket={quote(bracket)}",
        "/matches?faults=1",
        f"/matches/{newest}",
        f"/matches/{newest}/film.json",
        f"/matches/{newest}/replay",
        "/live",
        "/play",
    ]


def measure_pages(few: int, many: int, rounds: int) -> None:
    with TemporaryDirectory() as folder:
        small, big = Path(folder) / "small", Path(folder) / "big"
        for home, matches in ((small, few), (big, many)):
            with out.status(f"filling a store with {matches:,} matches"):
                fill(Home(home), matches)
        table = Table(box=None, title=f"first byte, ms, and weight, kB; medians of {rounds} rounds in turns")
        for heading in ("page", f"{few:,} matches", f"{many:,} matches", "ratio", "weight"):
            table.add_column(heading, justify="left" if heading == "page" else "right")
        worst_ratio = heaviest = 0.0
        with serving(small) as one, serving(big) as other:
            connections = [http.client.HTTPConnection(server.netloc) for server in (one, other)]
            paths = list(zip(pages(small), pages(big), strict=True))
            times: dict[str, list[tuple[float, float]]] = {large: [] for _, large in paths}
            for turn in range(rounds + 1):  # the first round warms up
                for small_path, large_path in paths:
                    pair = get(connections[0], small_path)[0], get(connections[1], large_path)[0]
                    if turn:
                        times[large_path].append(pair)
            for path, pairs in times.items():
                before, after = (median(column) for column in zip(*pairs, strict=True))
                ratio = median(large / little for little, large in pairs)
                heavy = weight(connections[1], path)
                worst_ratio = max(worst_ratio, ratio)
                heaviest = max(heaviest, heavy)
                table.add_row(
                    path, f"{1000 * before:.1f}", f"{1000 * after:.1f}", f"{ratio:.2f}", f"{heavy / 1000:.0f}"
                )
        out.print(table)
        verdict(f"first byte with {many:,} matches / with {few:,}, the worst page", worst_ratio, MOST_RATIO)
        verdict("kB of the heaviest page", heaviest / 1000, MOST_WEIGHT / 1000)


def weight(connection: http.client.HTTPConnection, path: str) -> int:
    """Return the bytes that a browser loads for the page, itself included, without the film."""
    _, body = get(connection, path)
    if path.endswith(("/film.json", "/replay")):
        return 0
    total = len(body)
    seen: set[str] = set()
    waiting = LOADED.findall(body.decode())
    while waiting:
        address = waiting.pop()
        if address not in seen:
            seen.add(address)
            _, content = get(connection, address)
            total += len(content)
            if address.endswith(".js"):
                folder = address.rpartition("/")[0]
                waiting += [f"{folder}/{name[2:]}" for name in IMPORTED.findall(content.decode())]
    return total


async def follow(netloc: str, path: str, heard: list[int]) -> None:
    """Read an event stream like a browser."""
    host, _, port = netloc.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {netloc}\r\nAccept: text/event-stream\r\n\r\n".encode())
    try:
        while data := await reader.read(65536):
            heard[0] += len(data)
            heard[1] += data.count(b"event: ")
    finally:
        writer.close()


async def play_followed(home: Path, netloc: str | None, followers: int, rounds: int) -> tuple[float, list[int]]:
    """Play a tournament in the home; return matches per second, and the bytes and events received."""
    heard = [0, 0]
    paths = ["/events/boards/mantis", "/events/live"]
    tasks = []
    if netloc:
        streams = [follow(netloc, paths[number % len(paths)], heard) for number in range(followers)]
        tasks = [asyncio.create_task(stream) for stream in streams]
    await asyncio.sleep(1.0)
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        *ARENA, "tournament", "random", "greedy", "counter", "--home", str(home), "--bracket", "mantis",
        "--rounds", str(rounds), "--seats", "3",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert await process.wait() == 0
    took = time.perf_counter() - began
    lost = sum(task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert not lost, f"{lost} followers were cut off"
    return rounds / took, heard


def measure_followers(followers: int, rounds: int, deals: int) -> None:
    ratios = []
    with TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        asyncio.run(play_followed(home, None, 0, 10))  # takes the bots in, and makes a board to follow
        for turn in range(rounds):
            alone, _ = asyncio.run(play_followed(home, None, 0, deals))
            with serving(home) as server:
                began, used_before = time.perf_counter(), time.process_time()
                followed, heard = asyncio.run(play_followed(home, server.netloc, followers, deals))
                seconds = (time.perf_counter() - began) * CORES
                used = sum(psutil.Process(server.pid).cpu_times()[:2]), time.process_time() - used_before
            ratios.append(followed / alone)
            out.print(
                f"round {turn + 1}: {alone:,.1f} deals/s alone, {followed:,.1f} with {followers} followers, who heard "
                f"{heard[1]:,} events, {heard[0] / 1e6:,.1f} MB: ratio {ratios[-1]:.2f}. Of the processors the server "
                f"used {used[0] / seconds:.1%}, the followers {used[1] / seconds:.1%}"
            )
    verdict(f"{followers} followers slow the tournament by", 1 - median(ratios), MOST_SLOWER)


def verdict(claim: str, value: float, most: float) -> None:
    said = "reached" if value <= most else "not reached"
    out.print(f"{claim}: {value:.2f} (at most {most:g}): {said}")


def main(
    few: Annotated[int, typer.Option(help="Matches in the small store.")] = 1000,  # enough faults to fill a page
    many: Annotated[int, typer.Option(help="Matches in the big store.")] = 100_000,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds of asking for each page.")] = 15,
    followers: Annotated[int, typer.Option(help="Browsers that follow.")] = 200,
    tournaments: Annotated[int, typer.Option(min=1, help="Tournaments with and without them.")] = 5,
    deals: Annotated[int, typer.Option(min=1, help="Deals in each tournament.")] = 1500,
    only: Annotated[str, typer.Option(help="pages or followers.")] = "",
) -> None:
    if only in ("", "pages"):
        measure_pages(few, many, rounds)
    if only in ("", "followers"):
        measure_followers(followers, tournaments, deals)


if __name__ == "__main__":
    typer.run(main)
