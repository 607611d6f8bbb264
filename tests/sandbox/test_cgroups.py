"""Control groups of both versions, and real ones if they are writable."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from arena.sandbox.cgroups import NEEDED, PREFIX, ControlGroup, Hierarchy, describe, find_hierarchies, remove_orphans
from arena.sandbox.config import MIB, Allowance
from arena.sandbox.sandbox import Tier, probe
from tests.support.waiting import until

V1_MOUNTS = "".join(f"cgroup /cg/{name} cgroup rw,relatime,{name} 0 0\n" for name in NEEDED)
V1_OWN = "4:memory:/user/7\n8:pids:/\n6:freezer:/\n2:cpuacct:/\n1:cpu:/\n"
PATIENCE = 60.0


def unified(folder: Path, controllers: str) -> str:
    """A folder that looks like the root of version 2, and its line in the table of mounts."""
    folder.mkdir(exist_ok=True)
    (folder / "cgroup.controllers").write_text(controllers)
    (folder / "cgroup.subtree_control").write_text("")
    return f"cgroup2 {folder} cgroup2 rw,nosuid 0 0\n"


def test_version_1_has_a_hierarchy_per_controller_below_our_own_group() -> None:
    trees = find_hierarchies(V1_MOUNTS, V1_OWN)
    assert trees["memory"] == Hierarchy(Path("/cg/memory/user/7"), 1)
    assert trees["pids"] == Hierarchy(Path("/cg/pids"), 1)
    assert set(trees) == set(NEEDED)
    assert describe(trees) == "cgroup v1"


def test_controllers_that_are_mounted_together_share_a_hierarchy() -> None:
    trees = find_hierarchies("cgroup /cg/cpu,cpuacct cgroup rw,cpu,cpuacct 0 0\n", "2:cpu,cpuacct:/a\n")
    assert trees["cpu"] == trees["cpuacct"] == Hierarchy(Path("/cg/cpu,cpuacct/a"), 1)


def test_version_2_has_one_hierarchy(tmp_path: Path) -> None:
    trees = find_hierarchies(unified(tmp_path, "cpuset cpu io memory pids"), "0::/user.slice/a\n")
    assert set(trees.values()) == {Hierarchy(tmp_path, 2)}
    assert set(trees) == set(NEEDED)
    assert describe(trees) == "cgroup v2"


@pytest.mark.parametrize("v2_first", [True, False])
def test_with_both_versions_each_controller_has_its_hierarchy(v2_first: bool, tmp_path: Path) -> None:
    v2 = unified(tmp_path, "hugetlb")
    trees = find_hierarchies(v2 + V1_MOUNTS if v2_first else V1_MOUNTS + v2, V1_OWN + "0::/\n")
    assert {tree.version for tree in trees.values()} == {1}
    mixed = find_hierarchies(unified(tmp_path, "pids memory") + "cgroup /cg/cpu cgroup rw,cpu 0 0\n", "1:cpu:/\n0::/\n")
    assert (mixed["pids"].version, mixed["memory"].version, mixed["cpu"].version) == (2, 2, 1)
    assert describe(mixed) == "cgroup v1 and v2"


def test_without_control_groups_there_is_no_group() -> None:
    assert find_hierarchies("tmpfs /tmp tmpfs rw 0 0\n", "0::/\n") == {}
    with pytest.raises(FileNotFoundError, match="memory, pids, cpu, cpuacct, freezer"):
        ControlGroup("arena-1-1", {}, Allowance())


def test_what_is_written_in_version_2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files that the kernel would create are created first."""
    trees = find_hierarchies(unified(tmp_path, "cpu memory pids"), "0::/\n")
    make = Path.mkdir

    def with_files(self: Path, *arguments: object, **options: object) -> None:
        make(self, *arguments, **options)  # type: ignore[arg-type]
        (self / "cpu.stat").write_text("usage_usec 1234\nuser_usec 1000\n")
        (self / "memory.events").write_text("low 0\noom 2\noom_kill 1\n")
        (self / "pids.events").write_text("max 3\n")
        (self / "cgroup.procs").write_text("11\n12\n")
        (self / "cgroup.freeze").write_text("0")

    monkeypatch.setattr(Path, "mkdir", with_files)
    group = ControlGroup("arena-1-1", trees, Allowance(memory=64 * MIB, processes=7, cpus=1.5))
    monkeypatch.undo()
    folder = tmp_path / "arena-1-1"
    written = {file.name: file.read_text() for file in folder.iterdir()}
    assert (tmp_path / "cgroup.subtree_control").read_text() == "+memory +pids +cpu"
    assert (written["memory.max"], written["memory.oom.group"], written["memory.swap.max"]) == (str(64 * MIB), "1", "0")
    assert (written["pids.max"], written["cpu.max"]) == ("7", "150000 100000")
    assert group.cpu_ns() == 1_234_000
    assert group.was_out_of_memory()
    assert group.was_out_of_processes()
    assert group.processes() == [11, 12]
    group.freeze(True)
    assert (folder / "cgroup.freeze").read_text() == "1"
    group.kill()
    assert ((folder / "cgroup.kill").read_text(), (folder / "cgroup.freeze").read_text()) == ("1", "0")


@pytest.fixture
def real() -> ControlGroup:
    if not probe(Tier.STRONG).works:
        pytest.skip(probe(Tier.STRONG).detail)
    return ControlGroup(f"{PREFIX}{os.getpid()}-test", find_hierarchies(), Allowance())


def start_in(group: ControlGroup, *command: str) -> subprocess.Popen[bytes]:
    join = "".join(f"echo 0 > {folder}/cgroup.procs; " for folder in group.folders)
    return subprocess.Popen(["sh", "-c", f'{join} exec "$@"', "sh", *command])


def test_a_real_group_measures_freezes_and_kills(real: ControlGroup) -> None:
    with start_in(real, "sh", "-c", "while :; do :; done") as process:
        until(lambda: real.cpu_ns() >= 50_000_000)
        assert real.processes() == [process.pid]
        real.freeze(True)
        used = real.cpu_ns()
        for _ in range(50):  # time in progress may still be added; then it does not change
            time.sleep(0.02)
            before, used = used, real.cpu_ns()
            if used == before:
                break
        assert used == before
        real.freeze(False)
        until(lambda: real.cpu_ns() != used)
        real.kill()
        process.wait(PATIENCE)
    until(real.remove)
    assert not any(tree.folder.joinpath(f"{PREFIX}{os.getpid()}-test").exists() for tree in find_hierarchies().values())


@pytest.mark.alone  # or an arena that another test starts would do it
def test_groups_of_a_killed_arena_are_removed() -> None:
    if not probe(Tier.STRONG).works:
        pytest.skip(probe(Tier.STRONG).detail)
    with subprocess.Popen(["true"]) as gone:
        pass
    left = ControlGroup(f"{PREFIX}{gone.pid}-1", find_hierarchies(), Allowance())
    with start_in(left, "sleep", "60") as process:
        deadline = time.monotonic() + PATIENCE
        while left.processes() != [process.pid]:
            assert time.monotonic() < deadline
        while any(folder.exists() for folder in left.folders):
            remove_orphans(find_hierarchies())
            assert time.monotonic() < deadline
        assert process.wait(PATIENCE) == -9
    left.remove()
