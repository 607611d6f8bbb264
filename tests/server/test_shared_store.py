"""`arena serve` with a PostgreSQL store that others share, while the database dies and returns."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.store.postgresql import CHECK_SERVER, RESTART_SERVER
from arena.store.store import Store
from tests.support.arena_server import PATIENCE, Serving, serving
from tests.support.cli import ARENA, SLOW_MACHINE, complaint
from tests.support.postgresql import kill, prepared, started
from tests.support.tournaments import start
from tests.support.waiting import until
from tests.support.web_server import serving as web_serving

pytestmark = pytest.mark.slow

ENDLESS = ("random", "greedy", "--matches", "100000", "--bracket", "mantis", *SLOW_MACHINE)
AT_LEISURE = ("--jobs", "1", "--at-once", "1")


def connect(served: Serving, bot: str, user: str) -> subprocess.Popen[str]:
    command = [*ARENA, "bot", "connect", bot, "--server", served.address, "--insecure"]
    environment = {**os.environ, "ARENA_SERVER_TOKEN": served.token(user), "PYTHONUTF8": "1", "TERM": "dumb"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)


def status(address: str) -> int:
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:  # noqa: S310, our own
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_a_database_that_dies_and_returns_loses_no_logged_match(tmp_path: Path) -> None:
    """Bots play on meanwhile, pages say what is wrong, a tournament stops with a sentence and goes on later."""
    with prepared() as server, ExitStack() as later:
        address = server.address("postgres")
        shared = ("--store", address)
        first = later.enter_context(started(server))
        store = later.enter_context(Store.open(address))
        pages = later.enter_context(web_serving(tmp_path / "pages", *shared))
        options = ("--insecure", "--pace", "120", "--bracket", "mantis")
        served = later.enter_context(serving(tmp_path, *shared, *options))
        served.store = address
        sites = [f"{each}/tournaments" for each in (served.pages, pages.address)]
        bots = [connect(served, bot, user) for bot, user in (("random", "anna"), ("greedy", "ben"))]
        with start(tmp_path / "home", *ENDLESS, *AT_LEISURE, *shared) as conductor:
            until(lambda: len(store.tournaments.latest()) > 1 and store.tournaments.load(2).played > 0)
            until(lambda: len(served.events("match.ended")) > 2)
            assert [status(site) for site in sites] == [200, 200]
            kill(first)
            _, errors = conductor.communicate(timeout=PATIENCE)
        assert conductor.returncode == 2
        assert "Resume with: arena tournament --resume 2" in errors
        message = r"The store `postgresql://\S+` cannot be used: .+\."
        hint = "|".join(map(re.escape, (RESTART_SERVER, CHECK_SERVER)))  # depends on what it was doing
        assert re.search(rf"^error: {message}\n\nhint: ({hint})$", errors, re.MULTILINE), errors
        assert "Traceback" not in errors
        until(lambda: served.events("store.failed") != [])
        assert [status(site) for site in sites] == [503, 503]
        assert served.events("pages.failed") != []
        ended_before = len(served.events("match.ended"))
        later.enter_context(started(server))
        until(lambda: len(served.events("match.ended")) > ended_before + 2)
        assert served.events("store.back") != []
        assert [status(site) for site in sites] == [200, 200]
        other = ("--home", tmp_path / "other", *shared, "--insecure", "--port", "0", "--grpc-port", "0")
        assert "another arena serve, whose home shares this store" in complaint("serve", *other)
        before = store.tournaments.load(2).played
        with start(tmp_path / "home", "--resume", "2", *AT_LEISURE, *shared) as conductor:
            until(lambda: store.tournaments.load(2).played > before)
            conductor.send_signal(signal.SIGINT)
            conductor.communicate(timeout=PATIENCE)
        assert served.stop() == 0
        for bot in bots:
            bot.communicate(timeout=PATIENCE)
        ladder, tournament = sorted(store.tournaments.latest(), key=lambda record: record.id)
        ended = [line["match"] for line in served.events("match.ended")]
        assert sorted(store.history.names(ladder.id)) == sorted(ended)
        assert ladder.played == len(ended)
        for record in (ladder, tournament):
            counted = [each.matches for each in store.standings.load(record.id, "mantis").bots.values()]
            assert counted == [record.brackets[0].matches] * 2
