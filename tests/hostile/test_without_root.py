"""A few attacks as an ordinary user runs them: through the command line, in the user tier, without any rights.

Whatever keeps that user from reading the checkout or its Python is taken out of the way first: the closed folders on
the way there are covered, in a view of the machine that only this test has, with what is needed put back in.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from arena.sandbox import Tier, probe
from tests.hostile.attacks import BOTS, Attack
from tests.hostile.measure import PROGRAMS, ROOT, SIGN
from tests.hostile.stage import staged

NOBODY = 65534
CHOSEN = ("read-home", "write-outside", "fill-disk", "kill-the-box", "setuid", "fork-bomb")


def closed_folders() -> list[Path]:
    """Return the outermost folders that other users may not enter, of all parents of what the arena needs."""
    needed = {ROOT, Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve().parents[1]}
    closed = []
    for path in needed:
        outermost = [parent for parent in reversed(path.parents) if not parent.stat().st_mode & 0o001]
        closed += outermost[:1]
    return sorted(set(closed))


def as_nobody(command: list[str]) -> list[str]:
    """Return the command as an ordinary user, with these folders opened."""
    options = ["bwrap", "--dev-bind", "/", "/"]
    needed = sorted({ROOT, Path(sys.prefix), Path(sys.base_prefix)}, key=lambda path: len(path.parts))
    for closed in closed_folders():
        options += ["--perms", "0755", "--tmpfs", str(closed)]
        for path in needed:
            if path.is_relative_to(closed):
                for parent in reversed(path.parents):
                    if parent != closed and parent.is_relative_to(closed):
                        options += ["--perms", "0755", "--dir", str(parent)]
                options += ["--ro-bind", str(path), str(path)]
    who = [
        "setpriv",
        f"--reuid={NOBODY}",
        f"--regid={NOBODY}",
        "--clear-groups",
        "--bounding-set=-all",
        "--inh-caps=-all",
    ]
    return [*(options if closed_folders() else []), *who, *command]


@pytest.fixture
def home() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="hostile-home-"))
    folder.chmod(0o755)
    os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def possible() -> None:
    if os.geteuid() != 0:
        pytest.skip("needs root to switch users; without root the other tests run as an ordinary user")
    if not (found := probe(Tier.USER)).works:
        pytest.skip(f"no user sandbox here: {found.detail}")
    done = subprocess.run(as_nobody(["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"]), check=False)
    if done.returncode:
        pytest.skip("an ordinary user may not make user namespaces here")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("attack", [attack for attack in BOTS if attack.name in CHOSEN], ids=lambda attack: attack.name)
def test_a_hostile_bot_of_an_ordinary_user(attack: Attack, home: Path) -> None:
    bot = home / "bots" / attack.name
    shutil.copytree(PROGRAMS, bot / "tests" / "hostile" / "programs")
    mark = f"hostile-nobody-{os.getpid()}-{attack.name}"
    with staged(Tier.USER) as (stage, _):
        aims = {**stage.aims(home), "PYTHONPATH": str(bot)}
        manifest = [
            f"command = {json.dumps(['python', f'tests/hostile/programs/{attack.file}', mark])}",
            "env = {" + ", ".join(f"{name} = {json.dumps(value)}" for name, value in aims.items()) + "}",
        ]
        (bot / "arena.toml").write_text("\n".join(manifest))
        options = ["--sandbox", "auto", "--games", "2", "--json", "--home", str(home / "arena"), "--ponder", "on"]
        options += [
            "--time-per-move",
            "20s",
            "--time-to-start",
            "90s",
            "--limit",
            "processes=64",
            "--limit",
            "disk=16MiB",
        ]
        command = [sys.executable, "-m", "arena", "match", "mantis", str(bot), "random", *options]
        done = subprocess.run(
            as_nobody(command),
            env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)},
            cwd=home,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "sandbox: user" in done.stderr
    log = (home / "arena" / "logs" / f"{attack.name}.log").read_text(errors="replace")
    tallies = [json.loads(line.removeprefix(SIGN)) for line in log.splitlines() if line.startswith(SIGN)]
    assert tallies, log
    assert [deed for tally in tallies for deed in tally["did"]] == []
    assert not set(attack.touches) & stage.touched
    assert not any("random" in str(reason) for reason in json.loads(done.stdout).get("reasons", ()))
    left = [each.info["cmdline"] for each in psutil.process_iter(["cmdline"]) if mark in (each.info["cmdline"] or ())]
    assert left == []
