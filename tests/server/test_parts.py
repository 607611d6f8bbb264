"""The parts of the server that need no server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest

from arena.errors import ArenaError
from arena.rating.trueskill import Rating
from arena.referee import Limits
from arena.server.admission import MOST_KNOWN, Allowance
from arena.server.journal import Journal
from arena.server.ladder import OpenLadder
from arena.server.matchmaking import CANDIDATES, Matchmaker
from arena.server.metrics import Metrics
from arena.server.tls import Identity, generated
from arena.store.home import Home


def test_so_many_at_once_then_so_many_a_minute() -> None:
    now = 0.0
    allowance = Allowance(3, 60, lambda: now)
    assert [allowance.take("a") for _ in range(4)] == [True, True, True, False]
    assert allowance.take("b")
    now = 1.0
    assert [allowance.take("a") for _ in range(2)] == [True, False]
    now = 100.0
    assert allowance.left("a") == 3


def test_who_knocks_with_ever_new_names_takes_no_memory() -> None:
    now = 0.0
    allowance = Allowance(3, 60, lambda: now)
    for number in range(2 * MOST_KNOWN):
        assert allowance.take(number)
    assert len(allowance._left) <= MOST_KNOWN
    now = 100.0
    allowance.take("a")
    assert len(allowance._left) == 1


def test_the_least_known_bot_is_seated_and_meets_its_equals() -> None:
    ratings = {bot: Rating(25.0 + 5 * (bot % 2), 2.0) for bot in range(20)}
    ratings[7] = Rating(30.0, 8.0)
    for luck in range(20):
        table = Matchmaker(ratings.__getitem__, Random(luck)).table(range(20), 4)
        assert table
        assert 7 in table
        assert len(set(table)) == 4
        assert sum(bot % 2 for bot in table) == 4  # those of its strength


def test_of_many_the_least_known_is_seated_too_and_few_others_are_looked_at() -> None:
    looked_at: list[int] = []

    def appeal(bot: int, *_: object) -> float:
        looked_at.append(bot)
        return 1.0

    maker = Matchmaker(lambda bot: Rating(25.0, 8.0 if bot == 777 else 2.0), Random(1))
    with mock.patch.object(Matchmaker, "_appeal", staticmethod(appeal)):
        tables = [maker.table(range(1000), 4) or [] for _ in range(10)]
    assert all(777 in table and len(set(table)) == 4 for table in tables)
    assert len(set().union(*tables)) > 20
    assert len(looked_at) <= 10 * 3 * CANDIDATES


def test_everybody_meets_everybody_when_all_are_alike() -> None:
    maker = Matchmaker(lambda _: Rating(), Random(1))
    met = {frozenset(maker.table(range(5), 2) or ()) for _ in range(60)}
    assert len(met) == 10
    assert maker.table([1], 2) is None


def test_whatever_goes_wrong_with_the_store_it_is_told_once_and_tried_again() -> None:
    lines: list[str] = []
    ledger = mock.Mock(pages=[], unwritten=1)
    ledger.write.side_effect = [RuntimeError("the pool is empty")] * 2 + [None]
    ledger.take_written.return_value = ["1-mantis-1-1"]

    async def write() -> list[bool]:
        limits, journal = Limits(), Journal(lines.append, as_json=False)
        unfinished: Any = mock.Mock()
        ladder = OpenLadder(mock.Mock(), ledger, journal, Metrics(), limits=limits, pace=None, unfinished=unfinished)
        ladder._ended["1-mantis-1-1"] = lambda: lines.append("told")
        return [await ladder.write() for _ in range(3)]

    assert asyncio.run(write()) == [False, False, True]
    assert [line.split("  ")[1:2] for line in lines] == [["store.failed"], ["store.back"], []]
    assert "the pool is empty" in lines[0]
    assert lines[2] == "told"


def test_lines_of_the_journal_are_one_line_whatever_is_in_them() -> None:
    lines: list[str] = []
    nasty = 'a\nb\x1b[2J" =c'
    Journal(lines.append, as_json=True).tell("bot.connected", bot=nasty)
    Journal(lines.append, as_json=False).tell("bot.connected", bot=nasty)
    assert json.loads(lines[0])["bot"] == nasty
    assert all(line.isprintable() for line in lines)


def test_a_certificate_is_made_once_and_must_fit_its_key(tmp_path: Path) -> None:
    first = generated(Home(tmp_path / "one"), ["arena.example.org", "192.0.2.7"])
    assert generated(Home(tmp_path / "one"), ["arena.example.org"]).fingerprint == first.fingerprint
    with pytest.raises(ArenaError, match=r"is not for other\.example\.org: delete it"):
        generated(Home(tmp_path / "one"), ["other.example.org"])
    other = generated(Home(tmp_path / "two"), [])
    assert other.fingerprint != first.fingerprint
    with pytest.raises(ArenaError, match="is not that of the certificate"):
        Identity(first.certificate, other.key).read()
    with pytest.raises(ArenaError, match="are not a certificate and its key"):
        Identity(first.key, first.key).read()
    with pytest.raises(ArenaError, match="cannot be read"):
        Identity(tmp_path / "none", first.key).read()
