"""Games in the browser from the inside: those that everybody has left, and hints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import uvloop

from arena.errors import NotFound
from arena.games import mantis
from arena.games.registry import codec_of
from arena.protocol.clock import Spent
from arena.referee import MatchPlan, Referee
from arena.referee.match import Limits, Match
from arena.sandbox import Sandbox
from arena.store.home import Home
from arena.store.store import Store
from arena.web.config import CONFIG
from arena.web.play import lobby as lobby_module
from arena.web.play.hints import advice, adviser
from arena.web.play.lobby import Lobby
from arena.web.play.match import Phase
from arena.web.play.opponents import Opponent, Origin, all_opponents, default_opponents
from arena.web.play.request import PlayRequest
from tests.support.waiting import until_async
from tests.support.web_play import PLAYS, add_bot

PATIENCE = 60.0
TABLE = PlayRequest("mantis", {"edition": "classic"}, ("bundled-random",), seat=0, seed="a")


def test_a_game_that_everybody_has_left_ends_and_is_not_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby_module, "CONFIG", replace(CONFIG, abandoned_poll_interval=0.01))
    home = Home(tmp_path)

    async def play(store: Store) -> None:
        async with Lobby(home, store, Sandbox) as lobby:
            match = await lobby.start(TABLE)
            await until_async(lambda: match.decision is not None)
            assert match.is_running
            monkeypatch.setattr(
                lobby_module, "CONFIG", replace(CONFIG, abandoned_poll_interval=0.01, abandoned_after=0.0)
            )
            await until_async(lambda: match.key not in lobby.matches)
            assert match.phase is Phase.BROKEN
            assert "was not stored" in match.problem
            seat = match.referee_seat
            assert seat
            await until_async(lambda: seat.match.over)  # the bots are released
            with pytest.raises(NotFound, match="no such match"):
                lobby.find(match.key)

    with Store.open(home.database) as store:
        uvloop.run(play(store))
        assert store.history.page(limit=10) == []


def test_a_home_that_cannot_be_written_is_no_reason_not_to_play(tmp_path: Path) -> None:
    home = Home(tmp_path)
    Store.open(home.database).close()

    async def play(store: Store) -> None:
        async with Lobby(home, store, Sandbox) as lobby:
            match = await lobby.start(TABLE)
            await until_async(lambda: match.decision is not None)
            match.resign()
            await until_async(lambda: match.phase is Phase.OVER)
            assert match.stored_as is None
            assert "could not be stored" in match.why_not_stored
            assert match.now()["end"]

    with Store.open(f"sqlite:///file:{home.database}?mode=ro&uri=true") as store:
        uvloop.run(play(store))


def test_hints_come_from_the_position_and_leave_nothing_behind() -> None:
    plan = MatchPlan("hinted", "mantis", {"edition": "icons"}, "seed", ("a", "b", "c"))
    match = Match(plan, Limits())

    async def ask(referee: Referee) -> None:
        for _ in range(4):
            seat = match.seat_to_ask
            assert seat is not None
            before = len(match.replay.entries)
            said = await advice(referee, match, seat)
            assert said in [str(action) for action in match.state.legal()]
            assert len(match.replay.entries) == before
            assert said == await advice(referee, match, seat)
            match.answer(seat, codec_of("mantis").codes.code_of[mantis.SCORE], Spent(0.0))
        async with referee.pool.lease(adviser()) as process:
            assert process.session.seats == {}
            assert process.matches == 1

    async def run() -> None:
        async with Referee() as referee:
            await ask(referee)

    uvloop.run(run())


def test_who_can_be_asked_to_a_table(tmp_path: Path) -> None:
    add_bot(tmp_path, "mine", PLAYS)
    with Store.open(Home(tmp_path).database) as store:
        found = all_opponents(store)
    assert [(each.label, each.origin) for each in found if each.origin is not Origin.BUNDLED] == [
        ("mine 1", Origin.LATEST)
    ]
    assert {each.label for each in found} >= {"counter 1.0", "greedy 1.0", "random 1.0", "searcher 1.0"}
    assert default_opponents(found, "mantis", 3) == ["version-1", "bundled-counter", "bundled-searcher"]
    assert default_opponents(found, "tentagram", 2) == ["bundled-counter", "bundled-searcher"]
    lonely = [Opponent("version-9", "random 9", Origin.LATEST, ("mantis",))]
    assert default_opponents(lonely, "mantis", 2) == ["version-9", "version-9"]


def test_everybody_moves_one_seat_on() -> None:
    table = PlayRequest("mantis", {}, ("a", "b", "c"), seat=3)
    seats = []
    for _ in range(4):
        assert table.seat is not None
        around = [*table.opponents]
        around.insert(table.seat, "me")
        seats.append("".join(each[0] for each in around))
        table = table.again(table.seat, rotate=True)
    assert seats == ["abcm", "mabc", "cmab", "bcma"]
    assert table.again(3, rotate=False) == PlayRequest("mantis", {}, ("a", "b", "c"), seat=3)
