"""The tiers: which one is chosen, what is said, and what a program in one of them can see and do."""

from __future__ import annotations

import json
import os
import platform
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from arena.sandbox import (
    Allowance,
    Cell,
    Mode,
    NoSandbox,
    Probe,
    Sandbox,
    SandboxView,
    Tier,
    bytes_shown,
    choose,
    probe,
)
from arena.sandbox import sandbox as module
from arena.sandbox.config import MIB
from arena.sandbox.files import change_owner, is_readable_by_all, make_readable, readable_copy, size_of
from arena.sandbox.process_tree import reap_init_processes
from arena.sandbox.seccomp import MACHINES, filter_program
from arena.supervisor import adopt_orphans

TIERS = [tier for tier in Tier if probe(tier).works]
BOXED = [tier for tier in TIERS if tier is not Tier.NONE]
PATIENCE = 60.0


@contextmanager
def started(cell: Cell, code: str, **env: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a Python program in the cell."""
    process = cell.start([sys.executable, "-c", code], env, subprocess.PIPE)
    try:
        with process:
            yield process
            cell.kill()
    finally:
        cell.kill()
        deadline = time.monotonic() + PATIENCE
        while not cell.remove():
            assert time.monotonic() < deadline
            time.sleep(0.01)


def look(tier: Tier, code: str, folder: Path, **env: str) -> Any:
    """Return what the program prints as JSON."""
    with started(Sandbox(tier).cell(SandboxView(folder, folder)), f"import json, os\n{code}", **env) as process:
        said, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
        return json.loads(said)


# Choosing


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> set[Tier]:
    """The tiers that work on a simulated machine."""
    working = {Tier.NONE}

    def pretended(tier: Tier) -> Probe:
        return Probe(tier, tier in working, "fine" if tier in working else "no luck", "buy another machine")

    monkeypatch.setattr(module, "probe", pretended)
    return working


def test_auto_chooses_the_strongest_tier(machine: set[Tier]) -> None:
    assert choose(Mode.AUTO)[0].tier is Tier.NONE
    machine.add(Tier.USER)
    assert choose(Mode.AUTO)[0].tier is Tier.USER
    machine.add(Tier.STRONG)
    assert choose(Mode.AUTO)[0].tier is Tier.STRONG
    assert choose(Mode.NONE)[0].tier is Tier.NONE


def test_auto_says_why_there_is_none(machine: set[Tier]) -> None:
    assert machine == {Tier.NONE}
    _, found = choose(Mode.AUTO)
    assert (found.detail, found.remedy) == ("no sandbox: no luck", "buy another machine")


def test_strict_is_strong_or_nothing(machine: set[Tier]) -> None:
    machine.add(Tier.USER)
    with pytest.raises(NoSandbox, match="strong sandbox does not work on this machine: no luck"):
        choose(Mode.STRICT)
    machine.add(Tier.STRONG)
    assert choose(Mode.STRICT)[0].tier is Tier.STRONG


def test_a_missing_bubblewrap_is_reported_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_bubblewrap", lambda: None)
    found = probe.__wrapped__(Tier.USER)
    assert not found.works
    assert "apt-get install bubblewrap" in found.remedy


# Inside


@pytest.mark.parametrize("tier", BOXED)
def test_a_sandbox_shows_little_of_the_machine(tier: Tier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_ORGANISER", "42")
    tmp_path.chmod(0o755)
    (tmp_path / "own.txt").write_text("mine")
    found = look(
        tier,
        """
found = {
    "pid": os.getpid(), "processes": sum(name.isdigit() for name in os.listdir("/proc")),
    "user": os.getuid(), "tmp": [name for name in os.listdir("/tmp") if not name.startswith("pytest")],
    "env": dict(os.environ), "etc": os.path.exists("/etc/passwd"), "own": open("own.txt").read(),
    "descriptors": os.listdir("/proc/self/fd"),
}
try:
    open("new.txt", "w")
    found["writes"] = True
except OSError:
    found["writes"] = False
print(json.dumps(found))
""",
        tmp_path,
        MINE="yes",
    )
    assert found["pid"] < 10
    assert found["processes"] < 10
    assert found["user"] != 0
    assert not found["etc"]
    assert found["own"] == "mine"
    assert not found["writes"]
    assert found["env"]["MINE"] == "yes"
    assert "SECRET_OF_THE_ORGANISER" not in found["env"]
    assert len(found["descriptors"]) <= 5  # its three, the environment's, and the listing's own


def test_bots_do_not_get_the_passwords_of_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even without a sandbox, where they get the rest of the environment."""
    for name in ("ARENA_STORE", "PGPASSWORD", "HARMLESS"):
        monkeypatch.setenv(name, "geheim")
    _, env, _ = Cell(SandboxView(tmp_path, tmp_path), Allowance()).prepare(["true"], {"MORE": "1"}, [])
    assert {"HARMLESS", "MORE"} <= set(env)
    assert not {"ARENA_STORE", "PGPASSWORD"} & set(env)


@pytest.mark.parametrize("tier", BOXED)
def test_values_of_the_environment_arrive_as_they_are(tier: Tier, tmp_path: Path) -> None:
    """They pass through a shell, which must not interpret them."""
    tmp_path.chmod(0o755)
    odd = {"QUOTES": 'it\'s "so" $HOME `id` \\ ; exit', "LINES": "one\ntwo", "EMPTY": "", "UNICODE": "ü—🂡"}
    found = look(tier, "print(json.dumps(dict(os.environ)))", tmp_path, **odd)
    assert {name: found[name] for name in odd} == odd


@pytest.mark.parametrize("tier", BOXED)
@pytest.mark.parametrize("name", ["A=B", "A B", "A;id", "", "1A", "A\n"])
def test_an_invalid_variable_name_is_refused(tier: Tier, name: str, tmp_path: Path) -> None:
    cell = Sandbox(tier).cell(SandboxView(tmp_path, tmp_path))
    with pytest.raises(ValueError, match="variable"):
        cell.prepare(["true"], {name: "x"}, [])
    assert cell.remove()


@pytest.mark.parametrize("tier", BOXED)
def test_a_nul_cannot_smuggle_an_option(tier: Tier, tmp_path: Path) -> None:
    cell = Sandbox(tier).cell(SandboxView(tmp_path / "a\0--bind\0/\0/", tmp_path))
    with pytest.raises(ValueError, match="NUL"):
        cell.prepare(["true"], {}, [])
    assert cell.remove()


@pytest.mark.parametrize("tier", BOXED)
@pytest.mark.parametrize("writable", [True, False])
def test_only_a_build_may_lock_files(tier: Tier, writable: bool, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    lock = "import fcntl\nfile = open('/usr/bin/env')\nfcntl.flock(file, 1)\nfcntl.lockf(file, 1)"
    with started(Sandbox(tier).cell(SandboxView(tmp_path, tmp_path, writable=writable)), lock) as process:
        said, _ = process.communicate(timeout=PATIENCE)
    assert (b"PermissionError" not in said) is writable, said


@pytest.mark.parametrize("tier", TIERS)
def test_a_cell_measures_cpu_time_and_can_be_frozen(tier: Tier, tmp_path: Path) -> None:
    cell = Sandbox(tier).cell(SandboxView(tmp_path, tmp_path))
    with started(cell, "import os\nos.fork()\nwhile True:\n    pass"):
        deadline = time.monotonic() + PATIENCE
        while cell.cpu_ms() < 300:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        cell.freeze(True)
        used = cell.cpu_ms()
        while True:  # time in progress may still be added; then it does not change
            assert time.monotonic() < deadline
            time.sleep(0.1)
            before, used = used, cell.cpu_ms()
            if used == before:
                break
        cell.freeze(False)
        while cell.cpu_ms() < used + 50:
            assert time.monotonic() < deadline
            time.sleep(0.01)


@pytest.mark.parametrize("tier", TIERS)
def test_a_bot_that_is_killed_while_it_is_being_started_leaves_nothing(tier: Tier, tmp_path: Path) -> None:
    adopt_orphans()  # as a referee does
    tag = f"left-{os.getpid()}-{tier}"
    before = {child.pid for child in psutil.Process().children()}
    for number in range(12):
        with started(Sandbox(tier).cell(SandboxView(tmp_path, tmp_path)), f"while True:\n    '{tag}'"):
            time.sleep(0.002 * number)
    left = [process for process in psutil.process_iter(["cmdline"]) if tag in str(process.info["cmdline"])]
    gone, alive = psutil.wait_procs(left, timeout=PATIENCE)
    assert not alive, gone
    deadline = time.monotonic() + PATIENCE
    while {child.pid for child in psutil.Process().children()} - before:
        assert time.monotonic() < deadline
        reap_init_processes()


@pytest.mark.parametrize("tier", BOXED)
def test_a_bot_that_ends_by_itself_is_reaped(tier: Tier, tmp_path: Path) -> None:
    adopt_orphans()
    before = {child.pid for child in psutil.Process().children()}
    with started(Sandbox(tier).cell(SandboxView(tmp_path, tmp_path)), "pass") as process:
        assert process.wait(PATIENCE) == 0
    deadline = time.monotonic() + PATIENCE
    while {child.pid for child in psutil.Process().children()} - before:
        assert time.monotonic() < deadline
        reap_init_processes()  # what was not dead yet at first


@pytest.mark.parametrize("tier", BOXED)
def test_too_much_memory_is_reported(tier: Tier, tmp_path: Path) -> None:
    code = "held = bytearray(200 * 2**20)\nimport time\ntime.sleep(60)"
    cell = Sandbox(tier, Allowance(memory=64 * MIB)).cell(SandboxView(tmp_path, tmp_path))
    with started(cell, code) as process:
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None:
            cell.check_limits()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert cell.exceeded_limit() == "was killed at 64 MiB of memory"


# Files


def test_files_are_made_readable(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    (bot / "inner").mkdir(parents=True)
    (bot / "inner" / "data").write_bytes(b"12345")
    (bot / "run").touch(mode=0o4700)
    (bot / "link").symlink_to("/etc/shadow")
    for path in (bot, bot / "inner"):
        path.chmod(0o700)
    (bot / "inner" / "data").chmod(0o600)
    assert not is_readable_by_all(bot)
    copy = readable_copy(bot, tmp_path / "copy")
    assert is_readable_by_all(copy)
    assert not is_readable_by_all(bot), "the original stays as it was"
    assert (copy / "run").stat().st_mode & 0o7777 == 0o755, "what its owner can execute everybody can, as themselves"
    assert (copy / "inner" / "data").stat().st_mode & 0o777 == 0o644
    assert (copy / "link").is_symlink()
    shadow = Path("/etc/shadow").stat()
    make_readable(copy)
    if os.geteuid() == 0:
        change_owner(copy, 12345)
        assert (copy / "inner" / "data").stat().st_uid == 12345
        assert (copy / "link").lstat().st_uid == 12345
    assert Path("/etc/shadow").stat() == shadow, "links are not followed"
    assert size_of(copy) >= 5


@pytest.mark.parametrize(
    ("size", "shown"), [(12, "12 bytes"), (2048, "2 KiB"), (512 * MIB, "512 MiB"), (3 * 512 * MIB, "1.5 GiB")]
)
def test_sizes_for_people(size: int, shown: str) -> None:
    assert bytes_shown(size) == shown


# The filter


@pytest.mark.parametrize("allow_locks", [True, False])
@pytest.mark.parametrize("name", MACHINES)
def test_the_jumps_of_the_filter_stay_inside(name: str, allow_locks: bool) -> None:
    program = filter_program(name, allow_locks=allow_locks)
    assert program is not None
    count = len(program) // 8
    assert len(program) % 8 == 0
    assert count < 4096  # the kernel's limit
    for place in range(count):
        code, yes, no, _ = struct.unpack_from("=HBBI", program, 8 * place)
        if code & 7 == 5:
            assert place + 1 + max(yes, no) < count
    assert program[-8:-6] == (6).to_bytes(2, sys.byteorder), "it ends by returning"


def test_an_unknown_machine_has_no_filter() -> None:
    assert filter_program("pdp11") is None
    assert platform.machine() not in MACHINES or filter_program() is not None
