"""Clocks and seats of bots behind a slow, lossy or broken network: real hosts, real packets, TLS."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena import replay
from arena.store.home import Home
from arena.store.store import Store
from tests.support.arena_server import Serving, serving
from tests.support.cli import ARENA
from tests.support.slow_line import SlowLine, slow_line
from tests.support.waiting import until

pytestmark = pytest.mark.slow

THINKS = """
import time
from arena.bot import Bot, MantisTurn, mantis

class Thinks(Bot):
    name, version = {name!r}, "1"

    def mantis(self, turn: MantisTurn) -> mantis.Action:
        time.sleep({seconds})
        return turn.legal[0]

Thinks().run()
"""


@contextmanager
def connected(served: Serving, line: SlowLine, folder: Path, name: str, thinks: float) -> Iterator[None]:
    """A bot on the other host that thinks for so long about each turn."""
    bot = folder / f"{name}.py"
    bot.write_text(THINKS.format(name=name, seconds=thinks))
    where = ("--server", served.address, "--ca", str(served.certificate), "--retry")
    command = ["ip", "netns", "exec", line.there, *ARENA, "bot", "connect", str(bot), *where]
    environment = {**os.environ, "ARENA_SERVER_TOKEN": served.token(name)}
    with (folder / f"{name}.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def ended(served: Serving) -> list[str]:
    """All faults of all matches so far."""
    return [fault for line in served.events("match.ended") for fault in line["faults"] or ()]


def waiting_for_matches(served: Serving, count: int) -> None:
    before = len(served.events("match.ended"))
    until(lambda: len(served.events("match.ended")) >= before + count)


@pytest.fixture
def line() -> Iterator[SlowLine]:
    with slow_line() as opened:
        yield opened


def test_a_bot_is_charged_for_thinking_and_not_for_the_network(line: SlowLine, tmp_path: Path) -> None:
    """The way alone takes longer than all turns of a match may."""
    line.delay = 0.06
    clock = ("--time-per-move", "none", "--time-per-match", "1s", "--at-once", "1", "--grace", "1s")
    options = ("--host", line.address_here, *clock, "--pace", "none", "--bracket", "mantis", "--drain", "10ms")
    with serving(tmp_path, *options, within=line.here) as served:
        with connected(served, line, tmp_path, "quick", 0.0):
            with connected(served, line, tmp_path, "brisk", 0.0):
                waiting_for_matches(served, 1)
            first = served.events("match.ended")[0]
            assert first["faults"] is None
            ways = [told["round_trip_ms"] for told in served.events("bot.connected")]
            assert all(120 <= way < 200 for way in ways), ways
            with Store.open(Home(served.home).database) as store:
                entries = replay.loads(store.matches.replay(first["match"]).encode()).entries
            assert len(entries) * ways[0] > 2000, "otherwise the test would prove nothing"
            assert "round trip of 1" in (tmp_path / "quick.log").read_text()
            with connected(served, line, tmp_path, "ponders", 0.3):
                until(lambda: "ponders/ponders 1: timeout" in ended(served))
                until(lambda: "FAULT timeout" in (tmp_path / "ponders.log").read_text())
        assert "is not charged" in (tmp_path / "ponders.log").read_text()


def test_a_network_that_fails_for_a_while_or_loses_packets_costs_no_match(line: SlowLine, tmp_path: Path) -> None:
    options = (
        "--host",
        line.address_here,
        "--time-per-move",
        "3s",
        "--pace",
        "none",
        "--at-once",
        "1",
        "--drain",
        "10ms",
    )
    with (
        serving(tmp_path, *options, "--grace", "60s", "--bracket", "mantis", within=line.here) as served,
        connected(served, line, tmp_path, "one", 0.01),
        connected(served, line, tmp_path, "other", 0.01),
    ):
        line.loss = 0.02
        waiting_for_matches(served, 1)
        line.is_cut = True
        time.sleep(4.0)  # longer than a turn may take
        line.loss, line.is_cut = 0.0, False
        waiting_for_matches(served, 2)
        assert ended(served) == []


def test_an_absence_longer_than_the_grace_forfeits(line: SlowLine, tmp_path: Path) -> None:
    options = (
        "--host",
        line.address_here,
        "--time-per-move",
        "none",
        "--pace",
        "none",
        "--grace",
        "1s",
        "--drain",
        "10ms",
    )
    with (
        serving(tmp_path, *options, "--bracket", "mantis", within=line.here) as served,
        connected(served, line, tmp_path, "one", 0.01),
        connected(served, line, tmp_path, "other", 0.01),
    ):
        waiting_for_matches(served, 1)
        line.is_cut = True
        until(lambda: {"one/one 1: disconnect", "other/other 1: disconnect"} <= set(ended(served)))
        line.is_cut = False
        before = len(served.events("match.ended"))
        until(lambda: len(served.events("bot.connected")) >= 4)  # both have come back
        until(lambda: any(told["faults"] is None for told in served.events("match.ended")[before:]))
