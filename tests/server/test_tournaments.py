"""Tournaments that an organiser runs on a server: real servers, real processes."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from arena.client.desk import DESK, RemoteArena
from arena.client.play import Destination
from arena.errors import ArenaError, NotFound
from arena.requests import ResumeRequest, TournamentRequest
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tokens import Scope
from arena.store.tournaments import TournamentState
from arena.tournament.outcome import TournamentEvent, TournamentProgress, TournamentStarted
from arena.v1 import desk_pb2 as pb
from tests.support.arena_server import PATIENCE, Serving, serving
from tests.support.cli import ARENA, arena, complaint
from tests.support.waiting import until

NUMBER = 2
"""Of the tournament: the first one is the ladder."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Serving]:
    with serving(tmp_path, "--sandbox", "none", "--insecure") as server:
        yield server


def played(store: Store) -> int:
    return sum(record.played for record in store.tournaments.latest() if record.id == NUMBER)


def organiser(served: Serving) -> RemoteArena:
    return RemoteArena(Destination(served.address, served.token("olga", Scope.ORGANISE), None, insecure=True))


def test_a_tournament_continues_without_its_client_and_stops_with_the_server(served: Serving) -> None:
    with Store.open(Home(served.home).database) as store, ThreadPoolExecutor(1) as thread:
        environment = {**os.environ, "ARENA_SERVER_TOKEN": served.token("olga", Scope.ORGANISE), "PYTHONUTF8": "1"}
        options = ("--bracket", "mantis", "--rounds", "1000000", "--jobs", "1", "--name", "cup")
        command = [*ARENA, "tournament", "random", "greedy", *options, "--server", served.address, "--insecure"]
        started = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        until(lambda: played(store) > 0)
        started.send_signal(signal.SIGINT)
        _, printed = started.communicate(timeout=PATIENCE)
        assert started.returncode == 130
        assert "The tournament continues on the server." in printed
        before = played(store)
        until(lambda: played(store) > before)
        with organiser(served) as server:
            with pytest.raises(ArenaError, match="Another tournament is running"):
                server.run(TournamentRequest(bots=("random", "greedy")))
            server.stop()
            events: list[TournamentEvent] = []
            stopped = server.follow(events.append)
            assert (stopped.tournament, stopped.name, stopped.finished) == (NUMBER, "cup", False)
            assert [event.name for event in events if isinstance(event, TournamentStarted)] == ["cup"]
            assert stopped.leaderboard("mantis").rows
            with pytest.raises(NotFound, match="No tournament is running"):
                server.stop()
            before = played(store)
            resumed = thread.submit(server.run, ResumeRequest(tournament="cup", jobs=1), events.append)
            until(lambda: played(store) > before)
            assert served.stop() == 0
            assert not resumed.result(PATIENCE).finished
            assert isinstance(events[-1], TournamentProgress)
        record = store.tournaments.find("cup")
        assert record.state is TournamentState.RUNNING
        assert record.played >= played(store)
        with Home(served.home).conducting():  # no process is left that plays
            pass
        audit = [entry.deed for entry in store.tokens.audit(99, "olga")][::-1]
    assert "started a tournament" in audit
    assert audit[-2:] == ["stopped a tournament", "resumed a tournament"]


def test_a_tournament_is_shown_as_a_local_one(served: Serving, tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text(served.token("olga", Scope.ORGANISE))
    there = ("--server", served.address, "--insecure", "--token-file", token)
    knockout = ("random", "greedy", "counter", "--format", "knockout", "--bracket", "mantis", "--seed", "s", "--name")
    remote = arena("tournament", *knockout, "cup", *there)
    local = arena("tournament", *knockout, "cup", "--home", tmp_path / "local", "--sandbox", "none")
    assert remote.returncode == local.returncode == 0, remote.stderr
    assert "Won by" in remote.stdout
    assert _without_times(remote.stdout.replace(f"tournament {NUMBER}", "tournament 1")) == _without_times(local.stdout)
    followed = arena("tournament", "--follow", *there)
    assert followed.stdout == remote.stdout
    forecast = ("random", "greedy", "--bracket", "mantis", "--rounds", "5", "--jobs", "2", "--dry-run")
    assert arena("tournament", *forecast, *there).stdout.splitlines()[0].startswith("mantis: round-robin, 2 bots")
    assert "does not apply" in complaint("tournament", "--follow", "--rounds", "3", *there)
    assert "--sandbox" in complaint("tournament", "random", "greedy", "--sandbox", "none", *there)


def _without_times(printed: str) -> list[str]:
    """Return the lines that do not depend on how fast the machine is."""
    return [line for line in printed.splitlines() if "ms" not in line and "±" not in line]


def test_what_the_command_line_would_refuse_is_refused(served: Serving) -> None:
    with organiser(served) as server:
        with pytest.raises(NotFound, match="No tournament was started"):
            server.follow()
        for request, why in (
            (TournamentRequest(bots=("/etc/passwd",)), "Unknown bot `/etc/passwd`: expected counter, greedy, random, "),
            (TournamentRequest(jobs=1000), "Invalid jobs `1000`"),
            (TournamentRequest(rounds=0), "Invalid rounds `0`"),
            (TournamentRequest(seconds=float("nan")), "Invalid seconds `nan`"),
            (TournamentRequest(name="\x1b[2J"), "printable"),
            (TournamentRequest(format="chess"), "Unknown format `chess`"),
            (ResumeRequest(tournament="cup"), "cup"),
        ):
            with pytest.raises(ArenaError, match=why):
                server.run(request)


def test_messages_without_an_action_are_refused(served: Serving) -> None:
    bearer = (("authorization", f"Bearer {served.token('olga', Scope.ORGANISE)}"),)
    with grpc.insecure_channel(served.address, options=[("grpc.enable_http_proxy", 0)]) as channel:
        call = channel.unary_stream(f"/{DESK}/RunTournament")
        for message in (pb.RunTournamentRequest().SerializeToString(), b"\xff\xff"):
            with pytest.raises(grpc.RpcError) as refused:
                list(call(message, metadata=bearer, timeout=PATIENCE))
            assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
