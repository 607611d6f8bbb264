"""Child processes: how they end, and how they are ended."""

from __future__ import annotations

import subprocess
import sys

import pytest

from arena import supervisor

STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"


def started(script: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen((sys.executable, "-c", script), stdout=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    process.stdout.close()
    return process


def test_a_process_that_obeys_is_terminated() -> None:
    process = started("import time; print(flush=True); time.sleep(600)")
    supervisor.end(process, grace=60.0)
    assert supervisor.exit_status(process.returncode) == "signal SIGTERM"


def test_a_process_that_ignores_sigterm_is_killed() -> None:
    process = started(STUBBORN)
    supervisor.end(process, grace=0.1)
    assert supervisor.exit_status(process.returncode) == "signal SIGKILL"


def test_a_process_that_was_asked_to_exit_is_waited_for() -> None:
    process = started("import time; print(flush=True); time.sleep(0.2); exit(3)")
    supervisor.end(process, grace=60.0, terminate=False)
    assert supervisor.exit_status(process.returncode) == "exit code 3"


def test_an_ended_process_is_left_alone() -> None:
    process = started("print(flush=True)")
    process.wait()
    supervisor.end(process, grace=0.0)
    assert process.returncode == 0


@pytest.mark.parametrize(("code", "status"), [(0, "exit code 0"), (-11, "signal SIGSEGV"), (-33, "signal 33")])
def test_exit_status(code: int, status: str) -> None:
    assert supervisor.exit_status(code) == status
