"""The ladder's books: what was played is written once, also where the disk fails in between."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.errors import BadStore, BadSubmission
from arena.referee.match import NOTHING, Limits, Match, Outcome
from arena.serve.guest import Registered
from arena.serve.ledger import Ledger
from arena.store.store import Store
from arena.tournament.brackets import Bracket
from arena.tournament.jobs import Job
from arena.v1 import mantis_pb2
from arena.v1 import referee_pb2 as pb


def come(ledger: Ledger, user: str, name: str = "bot") -> Registered:
    return ledger.register(user, pb.Hello(name=name, version="1", games=[pb.GAME_MANTIS], language="c\x1b[2J"))


def played(job: Job) -> Outcome:
    match = Match(job.plan, Limits())
    while (seat := match.seat_to_ask) is not None:
        match.answer(seat, mantis_pb2.MANTIS_ACTION_SCORE, NOTHING)
    return match.outcome()


def play(ledger: Ledger, *seated: Registered) -> str:
    page = ledger.pages[0]
    job, block = page.plan(seated, "seed")
    ledger.take(page, job, block, played(job))
    return job.plan.id


def test_a_write_that_fails_is_tried_again_and_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        ledger = Ledger(store, [Bracket.parse("mantis")])
        anna, ben = come(ledger, "anna"), come(ledger, "ben")
        names = [play(ledger, anna, ben)]
        with monkeypatch.context() as broken:

            def full(*_: object) -> None:
                raise BadStore("the disk is full")

            broken.setattr(store.remote, "write", full)
            with pytest.raises(BadStore):
                ledger.write()
        names.append(play(ledger, ben, anna))
        assert ledger.unwritten == 2
        while ledger.unwritten:
            ledger.write()
        ledger.write()
        assert [match.name for match in store.archive.page(limit=9)][::-1] == names
        standings = store.standings.load(ledger.ladder, "mantis")
        assert [each.matches for each in standings.bots.values()] == [2, 2]
        before = {version: each.rating for version, each in standings.bots.items()}
    with Store.open(tmp_path / "arena.db") as store:  # the next time it goes on from there
        again = Ledger(store, [Bracket.parse("mantis"), Bracket.parse("tentagram")])
        assert again.ladder == ledger.ladder
        assert come(again, "anna") == anna
        assert play(again, anna, ben) == "1-mantis-3-1"
        assert {version: again.pages[0].standings.rating(version) for version in before} == before


def test_nobody_plays_under_the_name_of_somebody_else(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        store.bots.register("anna/bot", "7", "0" * 64, "0/bot.py", "", ["mantis"])
        ledger = Ledger(store, [Bracket.parse("mantis")])
        with pytest.raises(BadSubmission, match="is called 'anna/bot' already"):
            come(ledger, "anna")
        assert come(ledger, "ben").label == "ben/bot 1"
        assert store.bots.find("ben/bot").language == "c[2J"
        assert [version.bot for version in store.bots.latest()] == ["anna/bot"]
