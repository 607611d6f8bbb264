"""What the local runner sends to its workers."""

from __future__ import annotations

from multiprocessing import Pipe
from multiprocessing.connection import Connection

from arena.games.brackets import Bracket
from arena.records import BlockRecord
from arena.referee import Limits, Settings
from arena.tournament.config import CONFIG
from arena.tournament.planner import MatchPlanner, PlannedMatch
from arena.tournament.runners.local import LocalRunner, WorkerProcess
from arena.tournament.runners.worker import WorkerSetup


class SilentWorker(WorkerProcess):
    """A worker without a process: what is sent to it stays in its pipe."""

    def __init__(self) -> None:
        self.matches = {}
        self.unsent = []
        self.connection, self.pipe = Pipe()


def runner_of(workers: int) -> tuple[LocalRunner, list[Connection]]:
    runner = LocalRunner(WorkerSetup({}, Limits(), Settings(), core=None), workers, at_once=200)
    silent = [SilentWorker() for _ in range(workers)]
    runner._workers.extend(silent)
    return runner, [each.pipe for each in silent]


def received(pipe: Connection) -> list[list[PlannedMatch]]:
    messages = []
    while pipe.poll():
        messages.append(pipe.recv())
    return messages


def blocks(count: int) -> list[list[PlannedMatch]]:
    planner = MatchPlanner(1, Bracket.parse("mantis"), "lot", (1, 2), {1: "a", 2: "b"})
    return [planner.matches(BlockRecord(number, "", number, (0, 1)), [0, 1]) for number in range(count)]


def test_many_blocks_are_one_message() -> None:
    runner, pipes = runner_of(2)
    planned = blocks(6)
    for block in planned:
        runner.play(block)
    assert [received(pipe) for pipe in pipes] == [[], []]
    assert list(runner.reports(0)) == []
    first, second = (received(pipe) for pipe in pipes)
    assert first == [[*planned[0], *planned[2], *planned[4]]]
    assert second == [[*planned[1], *planned[3], *planned[5]]]
    assert list(runner.reports(0)) == []
    assert [received(pipe) for pipe in pipes] == [[], []]


def test_very_many_matches_are_several_messages() -> None:
    runner, (pipe,) = runner_of(1)
    planned = blocks(CONFIG.matches_per_message)
    for block in planned:
        runner.play(block)
    assert list(runner.reports(0)) == []
    messages = received(pipe)
    assert [len(message) for message in messages] == [CONFIG.matches_per_message] * 2
    assert [match for message in messages for match in message] == [match for block in planned for match in block]


def test_a_worker_that_sends_nonsense_counts_as_dead() -> None:
    """Once nobody read its reports any more, and the tournament waited for ever."""
    runner, (pipe,) = runner_of(1)
    pipe.send_bytes(b"not a pickle")
    runner._listen(runner._workers[0])
    assert runner._reports.get_nowait() == (runner._workers[0], None)
