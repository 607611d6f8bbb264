"""The ladder in the store: every match is written once, also if the disk fails in between."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from arena.errors import BadStore, BadSubmission, HomeInUse
from arena.games.brackets import Bracket
from arena.protocol.clock import NO_TIME
from arena.referee.match import Limits
from arena.server.ladder_record import LadderRecord
from arena.server.log import logging_to
from arena.store.bots import BotVersion
from arena.store.store import Store
from arena.v1 import mantis_pb2
from arena.v1 import referee_pb2 as pb
from tests.support.postgresql import Server


def come(record: LadderRecord, user: str, name: str = "bot") -> tuple[BotVersion, int]:
    return record.register(user, pb.Hello(name=name, version="1", games=[pb.GAME_MANTIS], language="c\x1b[2J"))


def play(record: LadderRecord, *seated: tuple[BotVersion, int]) -> str:
    ladder_match = record.brackets["mantis"].plan(seated, Limits())
    match = ladder_match.match
    while (seat := match.seat_to_ask) is not None:
        match.answer(seat, mantis_pb2.MANTIS_ACTION_SCORE, NO_TIME)
    record.add(ladder_match, match.outcome())
    return ladder_match.name


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    with logging_to(stream, as_json=True):
        yield stream


def logged(log: io.StringIO) -> list[str]:
    """The events, or the matches of `match.ended`."""
    lines = map(json.loads, log.getvalue().splitlines())
    return [line["match"] if line["event"] == "match.ended" else line["event"] for line in lines]


def test_a_failed_write_is_repeated_and_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        record = LadderRecord(store, [Bracket.parse("mantis")])
        anna, ben = come(record, "anna"), come(record, "ben")
        names = [play(record, anna, ben)]
        with monkeypatch.context() as broken:

            def full(*_: object, **__: object) -> None:
                raise BadStore("the disk is full")

            broken.setattr(store.ladder, "write", full)
            with pytest.raises(BadStore):
                record.write()
        names.append(play(record, ben, anna))
        assert record.unwritten == 2
        while record.unwritten:
            record.write()
        record.write()
        assert [match.name for match in store.history.page(limit=9)][::-1] == names
        standings = store.standings.load(record.ladder, "mantis")
        assert [each.matches for each in standings.bots.values()] == [2, 2]
        before = {version: each.rating for version, each in standings.bots.items()}
    with Store.open(tmp_path / "arena.db") as store:  # the next time it goes on from there
        again = LadderRecord(store, [Bracket.parse("mantis"), Bracket.parse("tentagram")])
        assert again.ladder == record.ladder
        assert come(again, "anna") == anna
        assert play(again, anna, ben) == "1-mantis-3-1"
        assert {version: again.brackets["mantis"].standings.rating(version) for version in before} == before


def test_a_write_whose_answer_was_lost_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: io.StringIO
) -> None:
    """As where a server is lost after it has written and before it has said so."""
    with Store.open(tmp_path / "arena.db") as store:
        record = LadderRecord(store, [Bracket.parse("mantis")])
        anna, ben = come(record, "anna"), come(record, "ben")
        names = [play(record, anna, ben), play(record, ben, anna)]
        with monkeypatch.context() as broken:
            write = store.ladder.write

            def write_and_vanish(*arguments: Any, **named: Any) -> None:
                write(*arguments, **named)
                raise BadStore("the server closed the connection unexpectedly")

            broken.setattr(store.ladder, "write", write_and_vanish)
            with pytest.raises(BadStore):
                record.write()
        assert logged(log) == []
        record.write()
        assert logged(log) == names
        names.append(play(record, anna, ben))
        record.write()
        assert [match.name for match in store.history.page(limit=9)][::-1] == names
        assert [each.matches for each in store.standings.load(record.ladder, "mantis").bots.values()] == [3, 3]


def test_a_failure_of_the_store_is_logged_once_and_its_end_with_the_next_match(
    tmp_path: Path, log: io.StringIO
) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        record = LadderRecord(store, [Bracket.parse("mantis")])
        name = play(record, come(record, "anna"), come(record, "ben"))
        for error in (RuntimeError("the pool is empty"), RuntimeError("the pool is empty"), BadStore("no disk")):
            record.log_failure(error)
        record.write()
        assert logged(log) == ["store.failed", "store.failed", "store.back", name]


def test_a_write_after_another_servers_write_is_refused(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        one, other = (LadderRecord(store, [Bracket.parse("mantis")]) for _ in range(2))
        anna, ben = come(one, "anna"), come(one, "ben")
        play(one, anna, ben)
        play(other, ben, anna)
        one.write()
        for _ in range(2):
            with pytest.raises(BadStore, match="Another `arena serve` has played in this ladder meanwhile"):
                other.write()
        assert store.tournaments.load(one.ladder).played == 1


def test_one_of_the_homes_that_share_a_store_has_the_lease(postgresql: Server, postgresql_url: str) -> None:
    with Store.open(postgresql_url) as store, Store.open(postgresql_url) as elsewhere, ExitStack() as later:
        one = later.enter_context(closing(LadderRecord(store, [Bracket.parse("mantis")])))
        anna, ben = come(one, "anna"), come(one, "ben")
        play(one, anna, ben)
        with pytest.raises(HomeInUse, match="another arena serve, whose home shares this store"):
            LadderRecord(elsewhere, [Bracket.parse("mantis")])
        cut_off(postgresql, postgresql_url)
        one.write()  # it takes its place again
        with pytest.raises(HomeInUse):
            LadderRecord(elsewhere, [Bracket.parse("mantis")])
        cut_off(postgresql, postgresql_url)
        with closing(LadderRecord(elsewhere, [Bracket.parse("mantis")])) as other:  # it was quicker
            play(one, ben, anna)
            with pytest.raises(HomeInUse, match="stop that one first"):
                one.write()
            assert play(other, ben, anna) == "1-mantis-2-1"
            other.write()
        with pytest.raises(BadStore, match="has played in this ladder meanwhile"):
            one.write()
        assert store.tournaments.load(one.ladder).played == 2


def cut_off(server: Server, address: str) -> None:
    """Ends all connections to the store, as a server does that is restarted."""
    name = make_url(address).database
    server.run(f"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '{name}'")  # noqa: S608


def test_a_bot_cannot_use_another_users_name(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        store.bots.register("anna/bot", "7", "0" * 64, "0/bot.py", "", ["mantis"])
        record = LadderRecord(store, [Bracket.parse("mantis")])
        with pytest.raises(BadSubmission, match="The name `anna/bot` is taken"):
            come(record, "anna")
        assert come(record, "ben")[0].label == "ben/bot 1"
        assert store.bots.find("ben/bot").language == "c[2J"
        assert [version.bot for version in store.bots.latest()] == ["anna/bot"]


def test_a_remote_bots_name_cannot_be_submitted(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        come(LadderRecord(store, [Bracket.parse("mantis")]), "anna")
        with pytest.raises(BadSubmission, match="`anna/bot` is taken by a remote bot"):
            store.bots.register("anna/bot", "2", "0" * 64, "0/bot.py", "", ["mantis"])
        assert [version.version for version in store.bots.versions_of("anna/bot")] == ["1"]
