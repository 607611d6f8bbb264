"""The options for the sandbox, what is said about it, and `arena doctor`."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from arena.cli.options import PlayOptions, allowance
from arena.errors import ArenaError
from arena.requests import BotRunOptions
from arena.sandbox import Allowance, Tier, probe
from arena.sandbox.config import MIB
from tests.support.cli import SLOW_MACHINE, arena, complaint

BEST = next(tier for tier in Tier if probe(tier).works)


def test_limits_as_people_write_them() -> None:
    assert allowance([]) == Allowance()
    found = allowance(["memory=1GiB", "processes=64", "cpus=1.5", "files=100", "disk=10MB", "log=64k"])
    assert found == Allowance(1024 * MIB, 64, 1.5, 100, 10_000_000, 65536)


@pytest.mark.parametrize(
    "limit", ["memory", "memory=", "memory=much", "memory=1TB", "colour=3", "processes=64MiB", "processes=1", "cpus=-1"]
)
def test_limits_that_make_no_sense_are_refused(limit: str) -> None:
    with pytest.raises(ArenaError, match=f"--limit {limit.partition('=')[0]}"):
        allowance([limit])


def test_when_bots_may_ponder() -> None:
    def may(ponder: str | None, bots: int, time_per_move: str = "1s") -> bool:
        options = PlayOptions(ponder=ponder, time_per_move=time_per_move)
        return BotRunOptions(**options.values()).may_ponder(bots, cores=2)

    assert may(None, 2)
    assert not may(None, 3)
    assert may(None, 3, "none")
    assert may("on", 3)
    assert not may("off", 2, "none")
    with pytest.raises(ArenaError, match="expected on or off"):
        may("maybe", 2)


def test_a_sandbox_that_does_not_exist_is_refused() -> None:
    assert "expected auto, strict or none" in complaint("match", "mantis", "random", "random", "--sandbox", "docker")


def test_the_tier_is_said_and_reported(tmp_path: Path) -> None:
    played = ("match", "mantis", "random", "greedy", "--games", "2", "--json", "--home", tmp_path, *SLOW_MACHINE)
    done = arena(*played)
    assert done.returncode == 0, done
    assert done.stderr.startswith(f"sandbox: {BEST}")
    report = json.loads(done.stdout)
    assert report["sandbox"] == BEST
    assert report["overhead_ms_per_game"] > 0
    assert report["games_while_overloaded"] in range(3)
    for bot in report["bots"]:
        assert 0 < bot["cpu_ms_per_move"] == bot["ms_per_move"]
        assert bot["wall_ms_per_move"] > 0
    done = arena(*played, "--sandbox", "none")
    assert "sandbox: none: bots run with your rights, so play only with bots that you trust." in done.stderr
    assert json.loads(done.stdout)["sandbox"] == "none"


def test_a_limit_that_is_reached_is_told_to_the_author(tmp_path: Path) -> None:
    if BEST is Tier.NONE:
        pytest.skip(probe(Tier.USER).detail)
    bot = tmp_path / "glutton.py"
    bot.write_text(
        "from arena.bot import Bot\n\n\nclass Glutton(Bot):\n    def mantis(self, turn):\n"
        "        self.held = bytearray(400 * 2**20)\n        import time; time.sleep(30)\n\n\nGlutton().run()\n"
    )
    limit = ("--limit", "memory=128MiB", "--games", "1", "--home", tmp_path, *SLOW_MACHINE)
    done = arena("match", "mantis", bot, "random", *limit, columns=200)
    assert done.returncode == 0, done
    assert "crash: It was killed at 128 MiB of memory." in done.stdout


def test_a_single_file_that_needs_others_is_told_why_it_has_none(tmp_path: Path) -> None:
    if BEST is Tier.NONE:
        pytest.skip(probe(Tier.USER).detail)
    (tmp_path / "helper.py").write_text("x = 1\n")
    bot = tmp_path / "needy.py"
    bot.write_text("import sys\ntry:\n    import helper\nexcept ImportError as error:\n    sys.exit(repr(error))\n")
    done = arena("match", "mantis", bot, "random", "--games", "1", "--home", tmp_path, *SLOW_MACHINE, columns=200)
    assert "ModuleNotFoundError(\"No module named 'helper'\")" in done.stdout
    assert "a bot that is a single file sees that file only" in done.stdout


def test_the_tier_of_every_match_is_on_record_and_a_resumed_tournament_keeps_it(tmp_path: Path) -> None:
    event = ("random", "greedy", "--bracket", "mantis", "--rounds", "1", "--jobs", "1", "--seed", "s", *SLOW_MACHINE)
    done = arena("tournament", *event, "--home", tmp_path, "--limit", "memory=300MiB")
    assert done.returncode == 0, done
    with sqlite3.connect(tmp_path / "arena.db") as store:
        assert {tier for (tier,) in store.execute("SELECT sandbox FROM matches")} == {BEST}
        ((cpu, wall),) = store.execute("SELECT min(cpu_ms), min(wall_ms) FROM seats")
        assert cpu > 0
        assert wall > 0
        ((options,),) = store.execute("SELECT options FROM tournaments")
        assert json.loads(options)["sandbox"]["allowance"]["memory"] == 300 * MIB
        # As if it had been begun where there is a better sandbox than here, and were not over.
        changed = {**json.loads(options), "sandbox": {"tier": "strong", "allowance": {}}}
        store.execute("UPDATE tournaments SET state = 'running', options = ?", (json.dumps(changed),))
        store.execute("UPDATE brackets SET state = 'running'")
    store.close()
    without = {**os.environ, "PATH": str(tmp_path)}
    done = arena("tournament", "--resume", "--home", tmp_path, env=without)
    assert done.returncode == 2
    assert "The tournament was started in the `strong` sandbox, which does not work here" in done.stderr
    assert "apt-get install bubblewrap" in done.stderr
    assert "cannot be combined" in complaint("tournament", "--resume", "--sandbox", "none", "--home", tmp_path)


def test_strict_refuses_to_play_without_the_strong_tier(tmp_path: Path) -> None:
    without = {**os.environ, "PATH": str(tmp_path)}
    done = arena("match", "mantis", "random", "random", "--sandbox", "strict", "--home", tmp_path, env=without)
    assert done.returncode == 2
    assert "strong sandbox does not work on this machine: bubblewrap is not installed.\n\nhint: " in done.stderr


def test_doctor_looks_at_everything(tmp_path: Path) -> None:
    done = arena("doctor", "--home", tmp_path)
    assert done.returncode == 0, done
    areas = ("strong tier", "user tier", "freezer", "open files", "clock source", "home")
    for word in (*areas, "python", "node", "java", "g++", "go"):
        assert word in done.stdout
    assert f"Bots will run {'without a' if BEST is Tier.NONE else f'in the {BEST}'} sandbox" in done.stdout


def test_doctor_names_the_remedy_for_what_is_missing(tmp_path: Path) -> None:
    done = arena("doctor", "--home", tmp_path, "--json", env={**os.environ, "PATH": str(tmp_path)})
    report = json.loads(done.stdout)
    assert report["sandbox"] == "none"
    found = {each["what"]: each for each in report["findings"]}
    assert found["user tier"]["state"] == "bad"
    assert "apt-get install bubblewrap" in found["user tier"]["remedy"]
    for name, package in (("node", "nodejs"), ("java", "default-jdk-headless"), ("g++", "g++"), ("go", "golang-go")):
        assert found[name]["state"] == "missing"
        assert f"apt-get install {package}" in found[name]["remedy"]
