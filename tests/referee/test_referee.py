"""The referee with real bot processes, good ones and bad ones, over real gRPC."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from arena.errors import ArenaError, HostFault
from arena.referee import Launch, Limits, MatchPlan, Outcome, Referee, Settings
from arena.referee.config import CONFIG
from arena.referee.host_load import HostLoad, share_of_memory_left
from arena.referee.match import Match
from arena.referee.series import plan_series, play_series
from arena.replay import FaultKind
from tests.referee.naughty import CHILD
from tests.support.referees import LIMITS, PATIENCE, RANDOM, check_outcome, play, run
from tests.support.waiting import until

NAUGHTY = Path(__file__).parent / "naughty.py"
SHORT = Limits(start=PATIENCE, turn=1.0)
"""For bots that take too long: a second of processor time, which the others at the table never need."""


def naughty(mode: str) -> Launch:
    return Launch(f"naughty-{mode}", "", NAUGHTY.parent, (sys.executable, str(NAUGHTY), mode))


@pytest.mark.parametrize(
    ("game", "options", "seats"),
    [
        ("mantis", {"edition": "classic"}, 2),
        ("mantis", {"edition": "icons"}, 6),
        ("mantis", {"edition": "grab"}, 4),
        ("tentagram", {"placement": "free"}, 3),
        ("tentagram", {"placement": "strict"}, 16),
    ],
)
def test_a_match_of_every_kind(game: str, options: dict[str, str], seats: int) -> None:
    outcome = run(lambda referee: play(referee, *[RANDOM] * seats, game=game, options=options))
    check_outcome(outcome)
    assert outcome.faults == ()
    assert all(outcome.decisions)
    assert all(ms > 0 for ms in outcome.think_ms)


def test_the_same_seed_plays_the_same_match() -> None:
    async def twice(referee: Referee) -> list[Outcome]:
        return [await play(referee, RANDOM, RANDOM, RANDOM, options={"edition": "icons"}) for _ in range(2)]

    first, second = run(twice)
    actions = [[entry.action for entry in outcome.replay.entries] for outcome in (first, second)]  # type: ignore[union-attr]
    assert actions[0] == actions[1]


def test_bots_cannot_tell_the_seed_from_the_name_of_a_match(tmp_path: Path) -> None:
    """It was part of the name, so a bot could compute all cards."""
    file = tmp_path / "nosy.py"
    file.write_text(
        "from arena.bot import Bot\n"
        "class B(Bot):\n"
        "    def mantis(self, turn): return turn.legal[0]\n"
        "    def match_over(self, match, placement, forfeited): print('played', match, flush=True)\n"
        "B().run()\n",
        encoding="utf-8",
    )
    nosy = Launch("nosy", "", tmp_path, (sys.executable, str(file)))

    async def job(referee: Referee) -> list[str]:
        series = plan_series("mantis", {}, ["nosy", "random"], 4, "a secret")
        return [match.name async for match, _ in play_series(referee, series, [nosy, RANDOM], 1)]

    names = run(job, settings=Settings(logs=tmp_path / "logs"))
    assert names == [f"mantis-a secret-{number}" for number in range(1, 5)]
    log = (tmp_path / "logs" / "nosy.log").read_text(encoding="utf-8")
    assert "played mantis-1" in log
    assert "secret" not in log


def test_many_matches_at_once_share_the_processes() -> None:
    async def series(referee: Referee) -> tuple[list[Outcome], int]:
        matches = plan_series("tentagram", {}, ["a", "b", "c"], 60, "seed")
        outcomes = [outcome async for _, outcome in play_series(referee, matches, [RANDOM] * 3, 32)]
        return outcomes, len(referee.pool.processes)

    outcomes, processes = run(series)
    assert processes == 3
    assert len({outcome.plan.id for outcome in outcomes}) == 60
    for outcome in outcomes:
        check_outcome(outcome)
        assert outcome.faults == ()


IN_THE_MIDDLE = [
    ("crash", FaultKind.CRASH, "signal SIGSEGV"),
    ("exit", FaultKind.CRASH, "exit code 3"),
    ("sleep", FaultKind.TIMEOUT, "s, limit 1 s of CPU time (seat"),
    ("slow-once", FaultKind.TIMEOUT, "s of CPU time, limit 1 s (seat"),
    ("illegal", FaultKind.ILLEGAL, "'steal 5' is not legal: seat 0 cannot steal from seat 5"),
    ("no-such-action", FaultKind.ILLEGAL, "4711 is not the code of an action"),
    ("another-match", FaultKind.PROTOCOL, "It answered in match 4711, which it does not play."),
    ("answer-twice", FaultKind.PROTOCOL, "which it was not asked"),
    ("wrong-turn", FaultKind.PROTOCOL, "which it was not asked"),
    ("uneven-lists", FaultKind.PROTOCOL, "in lists of different lengths"),
    ("second-hello", FaultKind.PROTOCOL, "hello twice"),
    ("garbage", FaultKind.PROTOCOL, "bytes that are not a PlayRequest"),
    ("empty", FaultKind.TIMEOUT, "Time limit exceeded: waited 6."),
    ("huge", FaultKind.PROTOCOL, "It sent a message of 10000000 bytes, the limit is 4194304."),
    ("flood", FaultKind.PROTOCOL, "which it was not asked"),
    ("hang-up", FaultKind.DISCONNECT, "closed its stream"),
]
LISTENING = ("illegal", "garbage", "answer-twice", "another-match")
"""Those that listen to what becomes of them, and end when there is nothing more to hear."""


@dataclass(frozen=True, slots=True)
class Evening:
    """What came of the matches of several bots that go wrong, played at the same time under one referee."""

    bad: dict[str, Outcome]
    after: dict[str, Outcome]
    """Matches without them under the same referee, each begun when theirs was over."""
    logs: Path

    def log(self, mode: str) -> str:
        file = self.logs / f"naughty-{mode}.log"
        return file.read_text() if file.exists() else ""


def evening(modes: Sequence[str], limits: Limits, logs: Path) -> Evening:
    async def both(referee: Referee, number: int, mode: str) -> tuple[Outcome, Outcome]:
        bad = await play(referee, naughty(mode), RANDOM, RANDOM, number=2 * number)
        return bad, await play(referee, RANDOM, RANDOM, number=2 * number + 1)

    async def job(referee: Referee) -> list[tuple[Outcome, Outcome]]:
        return await asyncio.gather(*(both(referee, number, mode) for number, mode in enumerate(modes)))

    played = dict(zip(modes, run(job, limits, Settings(logs=logs)), strict=True))
    return Evening({mode: bad for mode, (bad, _) in played.items()}, {mode: o for mode, (_, o) in played.items()}, logs)


@pytest.fixture(scope="module")
def listening(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    with pytest.MonkeyPatch.context() as monkeypatch:  # they are not to be ended before they have heard
        monkeypatch.setattr("arena.referee.processes.child.CONFIG", replace(CONFIG, grace=PATIENCE))
        return evening(LISTENING, LIMITS, tmp_path_factory.mktemp("listening"))


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    modes = [mode for mode, kind, _ in IN_THE_MIDDLE if kind is FaultKind.TIMEOUT]
    return evening(modes, SHORT, tmp_path_factory.mktemp("late"))


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Evening:
    modes = [mode for mode, kind, _ in IN_THE_MIDDLE if kind is not FaultKind.TIMEOUT and mode not in LISTENING]
    return evening(modes, LIMITS, tmp_path_factory.mktemp("wrong"))


@pytest.mark.parametrize(("mode", "kind", "detail"), IN_THE_MIDDLE, ids=[mode for mode, *_ in IN_THE_MIDDLE])
def test_a_bot_that_goes_wrong_in_the_middle_hurts_only_itself(
    mode: str, kind: FaultKind, detail: str, request: pytest.FixtureRequest
) -> None:
    together = "listening" if mode in LISTENING else "late" if kind is FaultKind.TIMEOUT else "wrong"
    played: Evening = request.getfixturevalue(together)
    outcome, other = played.bad[mode], played.after[mode]
    check_outcome(outcome)
    (fault,) = outcome.faults
    assert fault.seat == 0
    assert outcome.result.placements[0] == 3
    assert fault.fault is kind, fault
    assert detail in fault.detail
    assert other.faults == ()
    if mode in LISTENING:
        assert "fault:" in played.log(mode), "the bot was not sent its fault before the stream was closed"


AT_THE_START = [
    ("crash-at-start", "ended before it said hello (exit code 1).\n    | I do not feel like it."),
    ("never-hello", "did not say hello within 2 s."),
    ("other-protocol", "speaks version 9 of the protocol, and the referee versions 1 and 2."),
    ("no-games", "said in its hello that it plays no game."),
    ("wrong-token", "ended before it said hello (exit code 0)."),
]


@pytest.mark.parametrize(("mode", "detail"), AT_THE_START, ids=[mode for mode, _ in AT_THE_START])
def test_a_bot_that_does_not_start_forfeits_with_its_own_words(mode: str, detail: str) -> None:
    async def job(referee: Referee) -> Outcome:
        if mode == "never-hello":
            await play(referee, RANDOM, RANDOM)  # they are here already when the time to start gets short
            referee.pool.start_seconds = 2.0
        return await play(referee, RANDOM, naughty(mode), RANDOM, number=2)

    outcome = run(job)
    check_outcome(outcome)
    (fault,) = outcome.faults
    assert (fault.seat, fault.fault) == (1, FaultKind.START)
    assert detail in fault.detail


def test_a_bot_is_asked_only_for_games_it_plays() -> None:
    outcome = run(lambda referee: play(referee, naughty("good"), RANDOM, RANDOM, game="tentagram"))
    (fault,) = outcome.faults
    assert fault.detail == "naughty-good does not play tentagram."


def test_a_claim_in_the_manifest_must_be_kept() -> None:
    program = naughty("good")
    claims = Launch("claims", "", program.folder, program.command, games=("mantis", "tentagram"))

    async def start(referee: Referee) -> str:
        with pytest.raises(ArenaError) as caught:
            await referee.pool.start(claims)
        return str(caught.value)

    assert "claims in arena.toml to play tentagram, but not in its hello" in run(start)


def test_when_every_bot_fails_the_match_ends_without_a_winner() -> None:
    outcome = run(lambda referee: play(referee, naughty("crash"), naughty("exit")))
    check_outcome(outcome)
    assert outcome.result.winners == ()
    assert len(outcome.faults) == 2


def children_left() -> list[int]:
    return [process.pid for process in psutil.process_iter(["cmdline"]) if process.info["cmdline"] == CHILD]


@pytest.mark.parametrize("mode", ["ignore-sigterm", "leave-children", "megabytes-on-stderr"])
def test_a_bot_that_leaves_a_mess_is_cleaned_up(mode: str, tmp_path: Path) -> None:
    outcome = run(lambda referee: play(referee, naughty(mode), RANDOM), settings=Settings(logs=tmp_path))
    assert outcome.faults == ()
    until(lambda: not children_left())
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 1024 * 1024 + 65536


def test_a_slow_move_costs_only_its_match() -> None:
    """The bot is over time once; it answers late, and its other matches go on."""

    async def job(referee: Referee) -> list[Outcome]:
        bot = naughty("slow-once")
        return await asyncio.gather(*(play(referee, bot, RANDOM, number=number) for number in range(4)))

    outcomes = run(job, SHORT)
    faults = [fault for outcome in outcomes for fault in outcome.faults]
    assert [fault.fault for fault in faults] == [FaultKind.TIMEOUT]


def test_a_bot_that_plays_one_match_at_a_time_gets_one_at_a_time() -> None:
    async def job(referee: Referee) -> list[Outcome]:
        bot = naughty("one-at-a-time")
        return await asyncio.gather(*(play(referee, bot, RANDOM, number=number) for number in range(5)))

    assert [outcome.faults for outcome in run(job)] == [()] * 5


def test_a_crashed_bot_is_started_again_for_its_next_match() -> None:
    async def job(referee: Referee) -> list[Outcome]:
        return [await play(referee, naughty("exit"), RANDOM, number=number) for number in range(2)]

    first, second = run(job)
    assert [fault.fault for fault in (*first.faults, *second.faults)] == [FaultKind.CRASH] * 2
    assert second.decisions[0] >= 3


def test_idle_processes_are_ended() -> None:
    async def job(referee: Referee) -> int:
        await play(referee, RANDOM, RANDOM)
        async with asyncio.timeout(PATIENCE):
            while referee.pool.processes:
                await asyncio.sleep(0.05)
        return len(referee.pool.processes)

    assert run(job, settings=Settings(idle_seconds=0.1)) == 0


@pytest.mark.parametrize(("memory_left", "running"), [(0.5, 4), (0.1, 2)])
def test_idle_processes_are_kept_while_there_is_memory(
    memory_left: float, running: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.referee.processes.pool.share_of_memory_left", lambda: memory_left)

    async def job(referee: Referee) -> int:
        bots = [replace(RANDOM, name=f"bot {number}") for number in range(4)]
        await play(referee, *bots[:2])
        await play(referee, *bots[2:])
        return sum(not process.stopped for process in referee.pool.processes.values())

    assert run(job) == running


@pytest.mark.parametrize(
    ("limit", "usage", "stat", "cached"),
    [
        ("memory.max", "memory.current", "memory.stat", "inactive_file"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"),
    ],
)
def test_the_memory_left_in_a_container(tmp_path: Path, limit: str, usage: str, stat: str, cached: str) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / limit).write_text("1000\n")
    (tmp_path / usage).write_text("995\n")
    (tmp_path / stat).write_text(f"anon 945\n{cached} 45\n")
    assert share_of_memory_left(tmp_path) == pytest.approx(0.05)
    (tmp_path / limit).write_text("max\n")
    assert share_of_memory_left(tmp_path) > 0.05


def test_the_time_for_a_match_is_limited_too() -> None:
    outcome = run(lambda referee: play(referee, RANDOM, RANDOM), Limits(start=PATIENCE, turn=None, match=0.0001))
    assert {fault.fault for fault in outcome.faults} == {FaultKind.TIMEOUT}


def test_over_tcp_with_health_and_reflection() -> None:
    async def job(referee: Referee) -> tuple[Outcome, int, list[str]]:
        assert referee.address.startswith("127.0.0.1:")
        outcome = await play(referee, RANDOM, RANDOM)
        async with grpc.aio.insecure_channel(referee.address) as channel:
            health = await health_pb2_grpc.HealthStub(channel).Check(
                health_pb2.HealthCheckRequest(service="arena.v1.Referee")
            )
            asked = reflection_pb2.ServerReflectionRequest(list_services="")
            answers = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(iter([asked]))
            services = [service.name async for answer in answers for service in answer.list_services_response.service]
        return outcome, health.status, services

    outcome, status, services = run(job, settings=Settings(address="127.0.0.1:0"))
    check_outcome(outcome)
    assert outcome.faults == ()
    assert status == health_pb2.HealthCheckResponse.SERVING
    assert {"arena.v1.Referee", "grpc.health.v1.Health"} <= set(services)


def test_a_second_referee_on_the_same_port_is_refused() -> None:
    async def job(referee: Referee) -> None:
        with pytest.raises(ArenaError, match="Cannot listen on"):
            async with Referee(settings=Settings(address=referee.address)):
                pass

    run(job, settings=Settings(address="127.0.0.1:0"))


def test_a_stream_without_a_token_is_refused() -> None:
    async def job(referee: Referee) -> bytes:
        async with grpc.aio.insecure_channel(referee.address) as channel:
            stream = channel.stream_stream("/arena.v1.Referee/Play")()
            await stream.write(b"hello?")
            return bytes(await stream.read())

    assert b"ARENA_TOKEN" in run(job)


def test_a_program_that_is_not_there_forfeits() -> None:
    ghost = Launch("ghost", "", Path(os.sep), ("/nowhere/ghost",))
    outcome = run(lambda referee: play(referee, ghost, RANDOM))
    assert outcome.faults[0].detail == "ghost cannot be started: No such file or directory: /nowhere/ghost."


def test_bots_that_die_all_the_time_stop_no_other() -> None:
    """Two bots that end after three answers, in many matches at once: every match comes to its end."""

    async def job(referee: Referee) -> list[Outcome]:
        programs = [naughty("exit"), RANDOM, naughty("crash")]
        series = plan_series("mantis", {}, ["a", "b", "c"], 40, "seed")
        return [outcome async for _, outcome in play_series(referee, series, programs, 16)]

    outcomes = run(job)
    assert len(outcomes) == 40
    for outcome in outcomes:
        check_outcome(outcome)
        assert {outcome.plan.bots[fault.seat] for fault in outcome.faults} <= {"a", "c"}


# What the host lacks


def test_a_bot_that_cannot_be_started_for_want_of_open_files_has_not_lost() -> None:
    async def job(referee: Referee) -> Outcome:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        # None at all: others may be closed at any moment, and would make room for more.
        resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
        try:
            with pytest.raises(HostFault, match=r"random 1\.0 was not started: Too many open files"):
                await play(referee, RANDOM, RANDOM)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return await play(referee, RANDOM, RANDOM, number=2)

    outcome = run(job)
    assert not outcome.faults


def test_a_match_can_be_watched_and_have_limits_of_its_own() -> None:
    seen: list[int] = []
    limits: set[Limits] = set()

    def watch(match: Match) -> None:
        seen.append(len(match.replay.entries))
        limits.add(match.limits)

    async def job(referee: Referee) -> Outcome:
        plan = MatchPlan("watched", "mantis", {}, "seed", (RANDOM.label, RANDOM.label))
        return await referee.play(plan, [RANDOM, RANDOM], SHORT, watch)

    outcome = run(job)
    assert seen == list(range(len(outcome.replay.entries) + 1))
    assert limits == {SHORT}


def test_a_bot_that_is_lent_is_kept_for_so_long() -> None:
    async def job(referee: Referee) -> None:
        async with referee.pool.lease(RANDOM) as process:
            assert process.matches == 1
        async with referee.pool.lease(RANDOM) as again:
            assert again is process
        assert [each.matches for each in referee.pool.processes.values()] == [0]

    run(job)


SLOW_SECOND_START = """
import time
from pathlib import Path
from arena.bot import Bot

class B(Bot):
    def mantis(self, turn):
        return turn.legal[0]

marker = Path("started")
if marker.exists():
    time.sleep(600)
marker.touch()
B().run()
"""


@pytest.mark.parametrize("overloaded", [True, False])
def test_a_slow_start_on_an_overloaded_machine_is_no_fault_of_a_bot_that_started_before(
    overloaded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HostLoad, "overloaded_since", lambda *_: overloaded)
    file = tmp_path / "bot.py"
    file.write_text(SLOW_SECOND_START, encoding="utf-8")
    bot = Launch("slow", "", tmp_path, (sys.executable, str(file)))

    async def play_twice(referee: Referee) -> Outcome:
        referee.pool.start_seconds = PATIENCE
        assert (await play(referee, bot, RANDOM)).faults == ()
        (process,) = [each for each in referee.pool.processes.values() if each.launch == bot]
        await process.stop()
        referee.pool.start_seconds = 0.5
        return await play(referee, bot, RANDOM, number=2)

    if overloaded:
        with pytest.raises(HostFault, match="the machine is overloaded"):
            run(play_twice)
    else:
        (fault,) = run(play_twice).faults
        assert fault.fault is FaultKind.START
