"""The parts of the server that need no server."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path
from random import Random
from unittest import mock

import pytest

from arena.errors import ArenaError
from arena.games.brackets import Bracket
from arena.rating.trueskill import Rating
from arena.server.log import log_event, logging_to
from arena.server.matchmaking import MAX_CANDIDATES, Matchmaker
from arena.server.rate_limit import RateLimit
from arena.server.tls import Certificate, self_signed
from arena.store.home import Home

MANTIS = Bracket.parse("mantis")


def test_a_burst_is_allowed_and_then_a_steady_rate() -> None:
    now = 0.0
    limit = RateLimit(3, 60, lambda: now)
    assert [limit.take("a") for _ in range(4)] == [True, True, True, False]
    assert limit.take("b")
    now = 1.0
    assert [limit.take("a") for _ in range(2)] == [True, False]
    now = 100.0
    assert limit.left("a") == 3


def test_a_rate_limit_forgets_the_least_recently_used_keys() -> None:
    limit = RateLimit(2, 60, lambda: 0.0)
    for number in range(2 * RateLimit.max_keys):
        assert limit.take(number)
    assert len(limit._buckets) == RateLimit.max_keys
    assert limit.left(RateLimit.max_keys - 1) == 2
    assert limit.left(RateLimit.max_keys) == 1


def test_the_least_known_bot_is_seated_and_meets_its_equals() -> None:
    ratings = {bot: Rating(25.0 + 5 * (bot % 2), 2.0) for bot in range(20)}
    ratings[7] = Rating(30.0, 8.0)
    for luck in range(20):
        table = Matchmaker(MANTIS, ratings.__getitem__, Random(luck)).pairing(range(20), 4)
        assert table
        assert 7 in table
        assert len(set(table)) == 4
        assert sum(bot % 2 for bot in table) == 4  # those of its strength


def test_of_many_the_least_known_is_seated_too_and_few_others_are_looked_at() -> None:
    looked_at: list[int] = []

    def appeal(bot: int, *_: object) -> float:
        looked_at.append(bot)
        return 1.0

    maker = Matchmaker(MANTIS, lambda bot: Rating(25.0, 8.0 if bot == 777 else 2.0), Random(1))
    with mock.patch.object(Matchmaker, "_appeal", staticmethod(appeal)):
        tables = [maker.pairing(range(1000), 4) or [] for _ in range(10)]
    assert all(777 in table and len(set(table)) == 4 for table in tables)
    assert len(set().union(*tables)) > 20
    assert len(looked_at) <= 10 * 3 * MAX_CANDIDATES


def test_everybody_meets_everybody_when_all_are_alike() -> None:
    maker = Matchmaker(MANTIS, lambda _: Rating(), Random(1))
    met = {frozenset(maker.pairing(range(5), 2) or ()) for _ in range(60)}
    assert len(met) == 10
    assert maker.pairing([1], 2) is None


def test_an_event_is_one_line_without_control_characters() -> None:
    nasty = 'a\nb\x1b[2J" =c'
    lines = []
    for as_json in (True, False):
        stream = io.StringIO()
        with logging_to(stream, as_json=as_json):
            log_event("bot.connected", bot=nasty)
        lines += stream.getvalue().splitlines()
    assert json.loads(lines[0])["bot"] == nasty
    assert len(lines) == 2
    assert all(line.isprintable() for line in lines)


def test_errors_of_the_pages_are_events() -> None:
    stream = io.StringIO()
    with logging_to(stream, as_json=True):
        logging.getLogger("arena.web").error("broken: %s", "x")
    assert json.loads(stream.getvalue()) | {"time": ""} == {"time": "", "event": "pages.failed", "why": "broken: x"}


def test_a_certificate_is_made_once_and_must_fit_its_key(tmp_path: Path) -> None:
    first = self_signed(Home(tmp_path / "one"), ["arena.example.org", "192.0.2.7"])
    assert self_signed(Home(tmp_path / "one"), ["arena.example.org"]).fingerprint == first.fingerprint
    with pytest.raises(ArenaError, match=r"does not include `other\.example\.org`"):
        self_signed(Home(tmp_path / "one"), ["other.example.org"])
    other = self_signed(Home(tmp_path / "two"), [])
    assert other.fingerprint != first.fingerprint
    with pytest.raises(ArenaError, match="does not belong to the certificate"):
        Certificate(first.certificate, other.key).read()
    with pytest.raises(ArenaError, match="are not a PEM certificate"):
        Certificate(first.key, first.key).read()
    with pytest.raises(ArenaError, match="Cannot read"):
        Certificate(tmp_path / "none", first.key).read()
