"""SIGINT and SIGTERM, in processes of their own: handlers belong to a whole process."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from arena import interrupts

DEFERRED = """
from arena import interrupts
interrupts.install()
with interrupts.Interrupts() as deferred:
    print(flush=True)
    try:
        for _ in range(600_000_000):
            pass
            if deferred._received:
                print("half done", flush=True)
                deferred.check()
    finally:
        print("cleaned up", flush=True)
"""
IN_A_LOOP = """
import asyncio
from arena import interrupts
interrupts.install()
async def job():
    try:
        print(flush=True)
        await asyncio.sleep(600)
    finally:
        await asyncio.sleep(0.01)
        print("cleaned up", flush=True)
interrupts.run(job())
"""
NOT_INSTALLED = """
import asyncio, signal
from arena import interrupts
before = [signal.getsignal(sign) for sign in interrupts.STOP_SIGNALS]
with interrupts.Interrupts():
    assert [signal.getsignal(sign) for sign in interrupts.STOP_SIGNALS] == before
async def job():
    return signal.getsignal(signal.SIGTERM)
assert interrupts.run(job()) == before[1]
async def notebook():
    return interrupts.run(job())
assert asyncio.run(notebook()) == before[1]
assert [signal.getsignal(sign) for sign in interrupts.STOP_SIGNALS] == before
print()
"""


def ended_by(script: str, sign: signal.Signals) -> tuple[int, str]:
    with subprocess.Popen((sys.executable, "-c", script), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(sign)
        return process.wait(60), process.stdout.read().decode()


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGTERM, interrupts.EXIT_TERMINATED), (signal.SIGINT, -2)])
def test_deferred_signals_wait_for_a_check(sign: signal.Signals, code: int) -> None:
    assert ended_by(DEFERRED, sign) == (code, "half done\ncleaned up\n")


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGTERM, interrupts.EXIT_TERMINATED), (signal.SIGINT, -2)])
def test_a_coroutine_cleans_up_before_the_process_ends(sign: signal.Signals, code: int) -> None:
    assert ended_by(IN_A_LOOP, sign) == (code, "cleaned up\n")


def test_without_install_no_handler_is_changed() -> None:
    assert subprocess.run((sys.executable, "-c", NOT_INSTALLED), check=False).returncode == 0


def test_a_thread_changes_no_handler() -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen = []

    def play() -> None:
        with interrupts.Interrupts():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=play)
    thread.start()
    thread.join()
    assert seen == [before]


def test_a_stop_function_raises_stopped() -> None:
    with interrupts.Interrupts(lambda: True) as deferred, pytest.raises(interrupts.Stopped):
        deferred.check()
