"""bench/usage.py, bench/stages and bench/peer_games.py: what is measured adds up, and samples are attributed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.checkouts import ROOT
from bench.usage import Usage

BUSY = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\nprint('done')"
# In a process of its own, because `measure` waits for all children of the process that calls it.
MEASURE = """
import json, sys
from pathlib import Path
from bench.usage import measure
used = measure(json.loads(sys.argv[1]), Path(sys.argv[2]), main="conductor")
print(json.dumps({"cpu": used.cpu, "by_process": used.by_process, "printed": used.printed}))
"""


def run_measure(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    measuring = [sys.executable, "-c", MEASURE, json.dumps(command), str(folder)]
    return subprocess.run(measuring, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_shares_of_processes_add_up_to_the_total(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "arena.toml").write_text('name = "busy"\n')
    start = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {BUSY!r}], cwd={str(bot)!r}, check=True)"
    used = json.loads(run_measure([sys.executable, "-c", start], tmp_path).stdout)
    assert used["by_process"].keys() == {"conductor", "busy", "other"}
    assert sum(used["by_process"].values()) == pytest.approx(used["cpu"])
    assert used["printed"] == "done\n"


def test_a_command_that_fails_is_an_error_with_its_message(tmp_path: Path) -> None:
    done = run_measure([sys.executable, "-c", "raise SystemExit('no such thing')"], tmp_path)
    assert done.returncode
    assert "exit code 1\nno such thing" in done.stderr


def test_the_difference_of_two_runs_has_every_process() -> None:
    short, long = Usage(1.0, 2.0, {"a": 0.5, "b": 1.5}, "short"), Usage(3.0, 5.0, {"a": 1.5, "c": 3.5}, "long")
    assert long.minus(short) == Usage(2.0, 3.0, {"a": 1.0, "b": -1.5, "c": 3.5}, "long")


def test_samples_name_the_process_and_the_stage(tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "bench" / "stages"), "BENCH_STAGES": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", BUSY], env=env, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "done\n"
    (samples,) = tmp_path.iterdir()
    process, *stages = samples.read_text("utf-8").splitlines()
    assert process == "conductor"
    assert any(stage.endswith("\t__main__") for stage in stages)


def test_the_raw_pipe_deals_all_games() -> None:
    cores = len(os.sched_getaffinity(0))
    command = [sys.executable, str(ROOT / "bench" / "peer_games.py"), "pipe", str(2 * cores)]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"{2 * cores * 30}\n"
