"""Bots' processes and their logs, with tiny shell programs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
import uvloop

from arena.errors import BadSubmission
from arena.referee.config import CONFIG
from arena.referee.launch import Launch
from arena.referee.processes.child import BotChild, BotLog
from arena.sandbox import Allowance, Cell, SandboxView
from tests.support.referees import alive
from tests.support.waiting import until_async

PATIENCE = 60.0
"""Seconds after which something that must happen has not."""


def total_size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.iterdir())


# The log


def test_the_log_never_outgrows_its_cap_and_keeps_the_end(tmp_path: Path) -> None:
    log = BotLog(tmp_path / "bot.log")
    everything = b"".join(b"%09d\n" % number for number in range(400_000))
    for start in range(0, len(everything), CONFIG.read_size):
        log.write(everything[start : start + CONFIG.read_size])
        assert total_size(tmp_path) <= CONFIG.log_cap + CONFIG.read_size
    kept = (tmp_path / "bot.old").read_bytes() + (tmp_path / "bot.log").read_bytes()
    assert everything.endswith(kept)
    assert len(kept) >= CONFIG.log_cap // 2 - CONFIG.read_size
    assert log.tail == everything[-CONFIG.log_tail :]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bot.log", "bot.old"]


def test_the_log_goes_on_where_an_earlier_one_stopped(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "bot.log"
    BotLog(path).write(b"yesterday\n")
    BotLog(path).write(b"today\n")
    assert path.read_text() == "yesterday\ntoday\n"
    path.write_bytes(b"x" * (CONFIG.log_cap // 2))
    BotLog(path).write(b"tomorrow\n")
    assert path.read_text() == "tomorrow\n"
    assert path.with_suffix(".old").stat().st_size == CONFIG.log_cap // 2


def test_the_log_survives_its_removal(tmp_path: Path) -> None:
    log = BotLog(tmp_path / "bot.log")
    log.write(b"x" * (CONFIG.log_cap // 2))
    (tmp_path / "bot.log").unlink()
    log.write(b"still here\n")
    assert (tmp_path / "bot.log").read_text() == "still here\n"


def test_a_log_without_a_file_keeps_the_tail_at_hand(tmp_path: Path) -> None:
    log = BotLog(None)
    for number in range(2000):
        log.write(b"line %d \xff\n" % number)
    assert len(log.tail) == CONFIG.log_tail
    lines = log.last_lines().splitlines()
    assert lines[0] == ""
    assert lines[1:] == [f"    | line {number} \N{REPLACEMENT CHARACTER}" for number in range(1988, 2000)]
    assert list(tmp_path.iterdir()) == []


def test_a_note_may_name_a_file_whose_name_is_not_utf8(tmp_path: Path) -> None:
    log = BotLog(tmp_path / "bot.log")
    log.note("started " + os.fsdecode(b"bot-\xff"))
    assert "started bot-" in (tmp_path / "bot.log").read_text(errors="replace")
    assert log.tail == b""


# The process


class Shell:
    """A running shell program, and what the tests ask about it."""

    def __init__(self, script: str, folder: Path, program_env: dict[str, str], env: dict[str, str]) -> None:
        self.exits = 0
        self.log = BotLog(folder / "logs" / "bot.log")
        program = Launch("shell", "", folder, ("sh", "-c", script), env=program_env)
        self.process = BotChild(program, env, self.log, self._on_exit, Cell(SandboxView(folder, folder), Allowance()))

    def _on_exit(self) -> None:
        self.exits += 1

    @property
    def said(self) -> str:
        return self.log.tail.decode()

    async def until_it_said(self, text: str) -> None:
        await until_async(lambda: text in self.said)

    async def end(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self.process.exited.wait()


def descriptors() -> set[tuple[str, str]]:
    """The open files of this process. Those that earlier tests left may be closed at any moment: compare with <=."""
    found = set()
    for file in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add((file.name, str(file.readlink())))
    # the folder itself is open while it is read
    return {(number, target) for number, target in found if not target.endswith("/fd")}


def run(
    script: str,
    job: Callable[[Shell], Awaitable[None]],
    folder: Path,
    program_env: dict[str, str] | None = None,
    env: dict[str, str] | None = None,
) -> Shell:
    """Does the job with the running program, stops it, and sees to it that nothing is left over."""

    async def with_shell() -> Shell:
        before = descriptors()
        shell = Shell(script, folder, program_env or {}, env or {})
        try:
            await job(shell)
        finally:
            async with asyncio.timeout(PATIENCE):
                await shell.process.stop()
        assert descriptors() <= before
        return shell

    shell = uvloop.run(with_shell())
    assert shell.exits == 1
    assert not alive(shell.process.pid)
    return shell


def numbers(text: str) -> list[int]:
    return [int(word) for word in text.split() if word.isdecimal()]


async def end(shell: Shell) -> None:
    await shell.end()


def test_its_output_is_captured_between_the_notes_of_its_start_and_end(tmp_path: Path) -> None:
    shell = run("echo out; echo err >&2; exit 3", end, tmp_path)
    assert shell.said == "out\nerr\n"
    start, *lines, last = (tmp_path / "logs" / "bot.log").read_text().splitlines()
    assert lines == ["out", "err"]
    assert start.startswith("[arena] ")
    assert f"started, process {shell.process.pid}: sh -c echo out" in start
    assert last.startswith("[arena] ")
    assert last.endswith("ended with exit code 3")


def test_a_note_has_a_line_of_its_own(tmp_path: Path) -> None:
    shell = run("printf unfinished", end, tmp_path)
    assert shell.said == "unfinished"
    _, line, note = (tmp_path / "logs" / "bot.log").read_text().splitlines()
    assert line == "unfinished"
    assert note.startswith("[arena] ")


def test_it_starts_in_its_folder_with_its_environment_and_without_input(tmp_path: Path) -> None:
    env = {"ARENA_TOKEN": "t", "BOTH": "referee"}
    shell = run('cat; pwd; echo "$A $BOTH $ARENA_TOKEN"', end, tmp_path, {"A": "a", "BOTH": "manifest"}, env)
    assert shell.said.splitlines() == [str(tmp_path.resolve()), "a referee t"]


HOW = [
    ("exit 0", "exit code 0", True),
    ("exit 3", "exit code 3", True),
    ("kill -SEGV $$", "signal SIGSEGV", False),
    ("kill -40 $$", "signal 40", False),
]


@pytest.mark.parametrize(("script", "how", "by_itself"), HOW, ids=[script for script, *_ in HOW])
def test_how_it_ended(script: str, how: str, by_itself: bool, tmp_path: Path) -> None:
    shell = run(script, end, tmp_path)
    assert shell.process.exit_status == how
    assert shell.process.exited_by_itself is by_itself


def test_while_it_runs_it_has_not_ended(tmp_path: Path) -> None:
    async def job(shell: Shell) -> None:
        await shell.until_it_said("running")
        assert shell.process.exit_status == ""
        assert not shell.process.exited_by_itself
        assert not shell.process.exited.is_set()
        assert shell.process.memory() > 0

    shell = run("echo running; exec sleep 300", job, tmp_path)
    assert shell.process.memory() == 0


def test_the_memory_of_its_children_counts(tmp_path: Path) -> None:
    async def job(shell: Shell) -> None:
        alone = psutil.Process(shell.process.pid)
        await until_async(lambda: bool(alone.children()))
        await until_async(lambda: shell.process.memory() > alone.memory_info().rss)

    run("sleep 300 & wait", job, tmp_path)


def test_kill_ends_it_at_once(tmp_path: Path) -> None:
    async def job(shell: Shell) -> None:
        await shell.until_it_said("ready")
        shell.process.cell.kill()
        await shell.end()

    shell = run("trap '' TERM; echo ready; while :; do sleep 0.1; done", job, tmp_path)
    assert shell.process.exit_status == "signal SIGKILL"
    shell.process.cell.kill()  # once more does no harm


async def ready(shell: Shell) -> None:
    await shell.until_it_said("ready")


def test_stop_lets_it_end_by_itself(tmp_path: Path) -> None:
    shell = run("exit 0", end, tmp_path)
    assert shell.process.exited_by_itself


def test_stop_asks_before_it_forces(tmp_path: Path) -> None:
    shell = run("trap 'echo goodbye; exit 5' TERM; echo ready; while :; do sleep 0.01; done", ready, tmp_path)
    assert shell.process.exit_status in ("exit code 5", "signal SIGKILL")  # the latter on a machine that is very busy
    assert run("echo ready; exec sleep 300", ready, tmp_path).process.exit_status == "signal SIGTERM"


def test_stop_ends_what_ignores_the_request(tmp_path: Path) -> None:
    shell = run("trap '' TERM; echo ready; while :; do sleep 0.1; done", ready, tmp_path)
    assert shell.process.exit_status == "signal SIGKILL"


def test_stop_ends_the_children_in_its_session_and_in_another(tmp_path: Path) -> None:
    children: list[int] = []

    async def job(shell: Shell) -> None:
        await ready(shell)
        children.extend(numbers(shell.said))
        own, other = children
        await until_async(lambda: os.getsid(other) == other)
        assert os.getsid(own) == shell.process.pid

    run("sleep 300 & echo $!; setsid sleep 300 & echo $!; echo ready; wait", job, tmp_path)
    asyncio.run(until_async(lambda: not any(map(alive, children))))


def test_children_of_a_program_that_has_ended_are_ended_too(tmp_path: Path) -> None:
    shell = run("sleep 300 & echo $!; exit 1", end, tmp_path)
    (child,) = numbers(shell.said)
    asyncio.run(until_async(lambda: not alive(child)))


def test_children_in_another_session_of_a_program_that_has_ended_are_ended_too(tmp_path: Path) -> None:
    # It waits for a reader of the pipe, who never comes: were it a program that has just been started, its
    # environment could not be read for a moment.
    inside = "mkfifo pipe; echo $$ > child; echo > pipe"
    run(f"setsid sh -c '{inside}' & while [ ! -s child ]; do sleep 0.01; done; exit 1", end, tmp_path)
    (child,) = numbers((tmp_path / "child").read_text())
    try:
        asyncio.run(until_async(lambda: not alive(child)))
    finally:
        if alive(child):
            psutil.Process(child).kill()


def test_more_output_than_a_pipe_holds(tmp_path: Path) -> None:
    shell = run("yes 0123456789 | head -c 5000000; echo; echo the end", end, tmp_path)
    assert shell.said.endswith("\nthe end\n")
    assert total_size(tmp_path / "logs") <= CONFIG.log_cap + CONFIG.read_size


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    empty.chmod(0o755)
    secret = tmp_path / "secret"
    secret.touch()

    async def start(command: str) -> str:
        cell = Cell(SandboxView(tmp_path, tmp_path), Allowance())
        with pytest.raises(BadSubmission) as caught:
            BotChild(Launch("ghost", "7", tmp_path, (command,)), {}, BotLog(None), lambda: None, cell)
        return str(caught.value)

    before = descriptors()
    assert asyncio.run(start("/nowhere")) == "ghost 7 cannot be started: No such file or directory: /nowhere."
    assert asyncio.run(start(str(empty))) == f"ghost 7 cannot be started: Exec format error: {empty}."
    assert asyncio.run(start(str(secret))) == f"ghost 7 cannot be started: Permission denied: {secret}."
    assert descriptors() <= before
