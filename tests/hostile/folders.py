"""Attacks by submissions: hostile folders and hostile builds."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import resource
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unittest import mock

import psutil
import uvloop

from arena.errors import ArenaError, BuildFailed
from arena.referee import Limits, MatchPlan, Outcome, Referee, Settings
from arena.requests import SubmitRequest
from arena.sandbox import Sandbox, Tier
from arena.sandbox.config import BUILD, MIB
from arena.store.home import Home
from arena.store.store import Store
from arena.submissions import build as building
from arena.submissions.submission import find_launch, find_submission
from arena.submissions.submit import submit
from tests.hostile.attacks import BLOCKED, CONTAINED, NOT_BLOCKED, Attack
from tests.hostile.measure import ALLOWANCE, HONEST, Evidence
from tests.hostile.programs.attacker import Tally

LIMITS = Limits(start=90.0, turn=20.0)
SMALL = dataclasses.replace(BUILD, memory=96 * MIB, disk=64 * MIB)
"""Small limits for builds, in case an attack is not stopped."""
GOOD = """
from arena.bot import Bot

class Good(Bot):
    name = "good"
    def mantis(self, turn):
        return turn.legal[0]

Good().run()
"""


@dataclass(slots=True)
class Ground:
    """The place of one attack: the submitted folder, and a home with a secret beside it."""

    tier: Tier
    place: Path
    tally: Tally
    secret: str
    mark: str

    @property
    def bot(self) -> Path:
        return self.place / "bot"

    @property
    def home(self) -> Path:
        return self.place / "people" / "me"

    @property
    def sandbox(self) -> Sandbox:
        return Sandbox(self.tier, ALLOWANCE)

    def write(self, *, bot: str = GOOD, build: str = "", **settings: object) -> None:
        """Write the bot's folder, with more keys for its manifest."""
        manifest: dict[str, object] = {"command": ["python", "bot.py"]}
        if build:
            (self.bot / "build.py").write_text(build)
            manifest["build"] = ["python", "build.py", str(self.home), str(self.place), self.mark]
        lines = (f"{key} = {_toml(value)}\n" for key, value in (manifest | settings).items())
        (self.bot / "arena.toml").write_text("".join(lines))
        (self.bot / "bot.py").write_text(bot)

    def refused(self, deed: Callable[[], object], sentence: str) -> None:
        """Expect a refusal with this sentence."""
        try:
            deed()
        except ArenaError as error:
            if sentence in str(error):
                self.tally.refused["it"] = str(error)
            else:
                self.tally.did.append(f"was refused for something else: {error}")
        except Exception as error:  # noqa: BLE001
            self.tally.did.append(f"{type(error).__name__}: {error}")
        else:
            self.tally.did.append("was accepted")

    def submit(self) -> list[Path]:
        """Submit the folder. Return the installed files."""
        home = Home(self.place / "arena")
        store = Store.open(home.database)
        try:
            request = SubmitRequest(path=str(self.bot), time_per_move=LIMITS.turn, time_to_start=LIMITS.start)
            submit(home, store, request, self.sandbox, thorough=False)
        finally:
            store.close()
        return [path for path in home.bots.rglob("*") if path.is_file()]

    def build(self) -> str:
        """Build the folder. Return why that failed; empty if it did not."""
        try:
            with mock.patch.object(building, "BUILD", SMALL):
                building.build(find_submission(str(self.bot)), self.sandbox)
        except BuildFailed as error:
            return str(error)
        return ""

    def play(self) -> tuple[Outcome, str]:
        """Play a match. Return its outcome and the bot's log."""
        program = find_launch(str(self.bot))
        settings = Settings(sandbox=self.sandbox, logs=self.place / "logs")

        async def match() -> Outcome:
            async with Referee(LIMITS, settings) as referee:
                plan = MatchPlan("m", "mantis", {}, "seed", (program.label, HONEST.label))
                return await referee.play(plan, [program, HONEST])

        outcome = uvloop.run(match())
        if any(fault.seat == 1 for fault in outcome.faults):
            self.tally.did.append("hurt the honest bot")
        log = self.place / "logs" / program.log_name
        return outcome, log.read_text(errors="replace") if log.exists() else ""

    def refused_to_start(self) -> None:
        outcome, log = self.play()
        if self.secret in log:
            self.tally.did.append("printed the secret")
        elif outcome.faults and outcome.faults[0].fault.value == "start":
            self.tally.refused["start"] = outcome.faults[0].detail
        else:
            self.tally.did.append("was started")


def _toml(value: object) -> str:
    """Return a value in TOML. Strings are written as in JSON, which TOML can read."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {json.dumps(text)}" for key, text in value.items()) + "}"
    return json.dumps(value)


@contextlib.contextmanager
def ground(tier: Tier) -> Iterator[Ground]:
    place = Path(tempfile.mkdtemp(prefix="hostile-"))
    place.chmod(0o755)
    there = Ground(tier, place, Tally(), secrets.token_hex(16), f"hostile-{secrets.token_hex(8)}")
    there.bot.mkdir()
    (there.home / "bin").mkdir(parents=True)
    (there.home / "secret").write_text(there.secret)
    runner = there.home / "bin" / "run"
    runner.write_text('#!/bin/sh\ncat "$(dirname "$0")/../secret"\nexec "$@"\n')
    runner.chmod(0o755)
    (place / "open").mkdir()
    (place / "open").chmod(0o777)
    try:
        yield there
    finally:
        shutil.rmtree(place)


# Folders


def link_to_a_file(there: Ground) -> None:
    there.write()
    (there.bot / "data").symlink_to(there.home / "secret")
    there.refused(there.submit, "is a link that leaves the bot's folder")


def link_to_a_folder(there: Ground) -> None:
    there.write()
    (there.bot / "data").symlink_to(there.home)
    there.refused(there.submit, "is a link")


def command_above_the_folder(there: Ground) -> None:
    there.write(command=["../people/me/bin/run", sys.executable, "bot.py"])
    there.refused_to_start()


def command_in_a_home(there: Ground) -> None:
    there.write(command=[str(there.home / "bin" / "run"), sys.executable, "bot.py"])
    with mock.patch.dict(os.environ, {"HOME": str(there.home)}):
        _, log = there.play()
    if there.secret in log:
        there.tally.did.append("printed the secret")


def environment(there: Ground) -> None:
    there.write(env={"LD_PRELOAD": "/nowhere/evil.so", "PYTHONPATH": "/nowhere", "BASH_ENV": "/nowhere/evil.sh"})
    _, log = there.play()
    # Every program that is started with the variable complains. Only the bot may be started with it.
    complaints = log.count("cannot be preloaded")
    if complaints != 1:
        there.tally.did.append(f"was loaded into {complaints} programs on the way")
    there.tally.limited.append("its variables are set for the bot alone")


def nul(there: Ground) -> None:
    for settings in (
        {"command": ["python", "bot.py", "a\0--bind\0/\0/"]},
        {"env": {"A": "b\0C=d"}},
        {"env": {"A B; touch /tmp/x": "c"}},
    ):
        there.write(**settings)
        there.refused_to_start()


def sparse_file(there: Ground) -> None:
    there.write()
    with (there.bot / "large").open("wb") as file:
        try:
            file.truncate(10 * 2**40)
        except OSError:  # not every file system has files of that size
            file.truncate(2**40)
    there.refused(there.submit, "has more than 512 MiB or 20,000 files")


def many_files(there: Ground) -> None:
    there.write()
    for number in range(25_000):
        os.close(os.open(there.bot / str(number), os.O_CREAT | os.O_WRONLY))
    there.refused(there.submit, "has more than 512 MiB or 20,000 files")


def large_manifest(there: Ground) -> None:
    there.write()
    with (there.bot / "arena.toml").open("r+b") as file:
        file.truncate(8 * 2**30)
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (psutil.Process().memory_info().vms + 1024 * MIB, hard))
    try:
        there.refused(there.submit, "arena.toml")
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def setuid_inside(there: Ground) -> None:
    there.write()
    shutil.copy("/usr/bin/id", there.bot / "id")
    (there.bot / "id").chmod(0o6755)
    for path in there.submit():
        if path.stat().st_mode & 0o6000:
            there.tally.did.append(f"{path} is kept with its setuid bit")


# Builds

READ = """
import pathlib, sys
print(pathlib.Path(sys.argv[1], "secret").read_text())
"""
WRITE = """
import pathlib, sys
for place in (sys.argv[1], sys.argv[2] + "/open", "/usr/bin", "/etc", "/var/tmp"):
    try:
        pathlib.Path(place, sys.argv[3]).write_text("I was here")
        print("WROTE", place)
    except OSError:
        pass
"""
DAEMON = """
import os, sys, time
if os.fork():
    sys.exit(0)
os.setsid()
if os.fork():
    os._exit(0)
os.closerange(0, 100)
os.execve("/bin/sh", [sys.argv[3], "-c", "while :; do echo x > later; sleep 0.01; done"], {})
"""
REPLACE = """
import os, sys
os.remove("arena.toml")
os.symlink(sys.argv[1] + "/secret", "arena.toml")
"""
FILL = """
import time
for number in range(30):
    with open(f"fill-{number}", "wb") as file:
        file.write(b"x" * (10 << 20))
    time.sleep(0.4)
print("FILLED")
"""
HUNGRY = """
import time
held = []
for _ in range(48):
    held.append(b"x" * (32 << 20))
    time.sleep(0.2)
print("ATE")
"""
SETUID = """
import os, shutil
shutil.copy("/usr/bin/id", "id")
os.chmod("id", 0o6755)
os.symlink("/etc/passwd", "link")
"""


def build_reads(there: Ground) -> None:
    there.write(build=READ)
    why = there.build()
    there.tally.did += ["read the secret"] if there.secret in why or not why else []


def build_writes(there: Ground) -> None:
    there.write(build=WRITE)
    there.build()
    places = (there.home, there.place / "open", Path("/usr/bin"), Path("/etc"), Path("/var/tmp"))  # noqa: S108
    there.tally.did += [f"wrote into {place}" for place in places if (place / there.mark).exists()]


def build_leaves_a_daemon(there: Ground) -> None:
    there.write(build=DAEMON)
    there.build()
    # After the build the arena changes the files with its own permissions, so no process of the build may be left.
    later = there.bot / "later"
    later.unlink(missing_ok=True)
    time.sleep(0.3)
    if later.exists():
        there.tally.did.append("still writes into the folder")
    for process in psutil.process_iter(["cmdline"]):
        if there.mark in (process.info["cmdline"] or ()):
            there.tally.did.append("left a process")
    there.tally.limited.append("it was ended with the build")


def build_replaces_the_manifest(there: Ground) -> None:
    there.write(build=REPLACE)
    there.refused(there.submit, "arena.toml")
    if there.secret in str(there.tally.refused):
        there.tally.did.append("the complaint tells the secret")


def build_fills_the_disk(there: Ground) -> None:
    there.write(build=FILL)
    why = there.build()
    (there.tally.limited if "the build wrote more than 64 MiB" in why else there.tally.did).append(why or "filled it")


def build_takes_memory(there: Ground) -> None:
    there.write(build=HUNGRY)
    why = there.build()
    (there.tally.limited if "it was killed at 96 MiB of memory" in why else there.tally.did).append(why or "1.5 GiB")


def build_makes_setuid(there: Ground) -> None:
    there.write(build=SETUID)
    before = Path("/etc/passwd").stat()
    there.build()
    if Path("/etc/passwd").stat().st_mode != before.st_mode or Path("/etc/passwd").stat().st_uid != before.st_uid:
        there.tally.did.append("the arena has followed a link")
    if (there.bot / "id").stat().st_mode & 0o6000:
        there.tally.did.append("the setuid bit stays")


FOLDERS: dict[Attack, Callable[[Ground], None]] = {
    Attack("folder-link-file", "a link to a file of the organiser", BLOCKED, BLOCKED, BLOCKED): link_to_a_file,
    Attack("folder-link-folder", "a link to a home", BLOCKED, BLOCKED, BLOCKED): link_to_a_folder,
    Attack("folder-command-above", "a command with ..", BLOCKED, BLOCKED, NOT_BLOCKED): command_above_the_folder,
    Attack("folder-command-home", "a command in a home's bin", BLOCKED, BLOCKED, NOT_BLOCKED): command_in_a_home,
    Attack("folder-environment", "LD_PRELOAD and the like", CONTAINED, CONTAINED, CONTAINED): environment,
    Attack("folder-nul", "NULs and commands in names", BLOCKED, BLOCKED): nul,
    Attack("folder-sparse", "a file of 10 TiB", BLOCKED, BLOCKED, BLOCKED): sparse_file,
    Attack("folder-many-files", "25,000 files", BLOCKED, BLOCKED, BLOCKED): many_files,
    Attack("folder-manifest", "an arena.toml of 8 GiB", BLOCKED, BLOCKED, BLOCKED): large_manifest,
    Attack("folder-setuid", "a setuid program", BLOCKED, BLOCKED, BLOCKED): setuid_inside,
    Attack("build-reads", "a build reads a home", BLOCKED, BLOCKED): build_reads,
    Attack("build-writes", "a build writes outside its folder", BLOCKED, BLOCKED): build_writes,
    Attack("build-daemon", "a build leaves a process behind", CONTAINED, CONTAINED): build_leaves_a_daemon,
    Attack("build-manifest", "a build replaces arena.toml by a link", BLOCKED, BLOCKED): build_replaces_the_manifest,
    Attack("build-fills-disk", "a build fills the disk", CONTAINED, CONTAINED): build_fills_the_disk,
    Attack("build-memory", "a build takes 1.5 GiB", CONTAINED, CONTAINED): build_takes_memory,
    Attack("build-setuid", "a build makes setuid programs and links", BLOCKED, BLOCKED): build_makes_setuid,
}


SAME_EVERYWHERE = (link_to_a_file, link_to_a_folder, sparse_file, many_files, large_manifest)
"""Refused before anything is started, so one tier is enough."""


@cache
def _tally(deed: Callable[[Ground], None], tier: Tier) -> Tally:
    with ground(tier) as there:
        deed(there)
        return there.tally


def measure_folder(tier: Tier, attack: Attack) -> Evidence:
    deed = FOLDERS[attack]
    tally = _tally(deed, Tier.NONE if deed in SAME_EVERYWHERE else tier)
    return Evidence(attack, tier, tallies=[{"did": tally.did, "limited": tally.limited, "refused": [*tally.refused]}])
