"""Tournaments that an organiser holds from elsewhere: real servers, real processes."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from arena.client.desk import DeskClient
from arena.client.play import Destination
from arena.errors import ArenaError, NotFound
from arena.store.home import Home
from arena.store.store import Store
from arena.store.tokens import Scope
from arena.store.tournaments import State
from arena.v1 import desk_pb2 as pb
from tests.support.arena_server import PATIENCE, Serving, serving
from tests.support.cli import ARENA
from tests.support.waiting import until

NUMBER = 2
"""Of the tournament: the first one is the ladder."""
KEPT = f"Interrupted. All matches played so far are stored. Resume with: arena tournament --resume {NUMBER}"


def test_a_tournament_goes_on_without_who_began_it_and_ends_with_the_server(tmp_path: Path) -> None:
    with (
        serving(tmp_path, "--sandbox", "none", "--insecure") as served,
        Store.open(Home(served.home).database) as store,
    ):
        environment = {**os.environ, "ARENA_SERVER_TOKEN": served.token("olga", Scope.ORGANISE), "PYTHONUTF8": "1"}
        options = ("--bracket", "mantis", "--rounds", "1000000", "--jobs", "1", "--name", "cup")
        command = [*ARENA, "tournament", "random", "greedy", *options, "--server", served.door, "--insecure"]
        begun = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
        until(lambda: played(store) > 0)
        begun.send_signal(signal.SIGINT)
        _, said = begun.communicate(timeout=PATIENCE)
        assert begun.returncode == 130
        assert "It goes on there." in said
        before = played(store)
        until(lambda: played(store) > before)
        with organiser(served) as server:
            refused(server)
            server.stop()
            *_, last, ended = server.hold(pb.HOLDING_FOLLOW, [], [], 0)
            assert last.progress == KEPT
            assert ended.ended == 143
            with pytest.raises(NotFound, match="No tournament is running"):
                server.stop()
            before = played(store)
            going_on = server.hold(pb.HOLDING_RESUME, ["cup"], [("jobs", "1")], 0)
            until(lambda: played(store) > before)
            assert served.stop() == 0
            assert [news.ended for news in going_on if news.HasField("ended")] == [143]
        record = store.tournaments.find("cup")
        assert record.state is State.RUNNING
        assert record.played >= played(store)
        with Home(served.home).conducting():  # nobody is left behind who plays
            pass
        deeds = [entry.deed for entry in store.tokens.audit(99, "olga")][::-1]
    assert deeds[1] == "began a tournament"
    assert deeds[-2:] == ["stopped a tournament", "resumed a tournament"]


def played(store: Store) -> int:
    return sum(record.played for record in store.tournaments.all() if record.id == NUMBER)


def organiser(served: Serving, *scopes: Scope) -> DeskClient:
    return DeskClient(
        Destination(served.door, served.token("olga", *(scopes or [Scope.ORGANISE])), None, insecure=True)
    )


def refused(server: DeskClient) -> None:
    """What cannot be asked for."""
    for bots, options, why in (
        (["random", "greedy"], [], "A tournament is being held here"),
        (["/etc/passwd"], [], "Unknown bot '/etc/passwd'|No bot has been submitted"),
        ([], [("sandbox", "none")], "--sandbox is not for tournaments from elsewhere"),
        ([], [("home", "x")], "--home is not for tournaments from elsewhere"),
    ):
        with pytest.raises(ArenaError, match=why):
            list(server.hold(pb.HOLDING_BEGIN, bots, options, 0))
