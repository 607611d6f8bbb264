"""Copies of stores: row for row, between SQLite and PostgreSQL, both ways."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from arena.errors import BadStore
from arena.rating.standings import Standings
from arena.rating.trueskill import Scale
from arena.records import BlockRecord
from arena.store.copying import copy_records
from arena.store.history import MatchFilter
from arena.store.home import Home
from arena.store.matches import Batch
from arena.store.store import Store
from arena.store.tokens import Scope
from bench.stores import fill
from tests.support.cli import arena, complaint
from tests.support.stores import by_anna, content, everything, record, seat, two_bots

MATCHES = 240
BRACKETS = ("mantis", "tentagram")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which every table has something, among it what PostgreSQL's text cannot hold."""
    home = Home(tmp_path_factory.mktemp("home"))
    fill(home, MATCHES, bots=5, brackets=BRACKETS, tournaments=2)
    with Store.open(home.database) as store:
        store.bots.register("nasty", None, "n", "n/", "x" * 300, ["mantis"], notes="\x00 \uf8ff \U0001f980 '\\")
        store.bots.retire("nasty", retired=True)
        place = store.casual.begin("mantis")
        store.casual.write(place, by_anna(place, 2))
        play_from_elsewhere(store)
    return home


def play_from_elsewhere(store: Store) -> None:
    """Tokens, valid, expired and revoked, what was done with them, and a match in the ladder of those elsewhere."""
    anna, _ = store.tokens.create("anna", [Scope.PLAY, Scope.SUBMIT])
    store.tokens.create("ben", [Scope.PLAY], timedelta(seconds=-1))
    store.tokens.revoke("ben")
    store.tokens.note(anna, "connected", "\x00 \uf8ff \U0001f980 from afar")
    ladder = store.ladder.open(BRACKETS)
    seated = [store.ladder.enter(ladder, f"anna/{name}", "1", "go", ["mantis"])[0] for name in ("c", "d")]
    match = record(0, 0, *(seat(bot.id, 1 + n) for n, bot in enumerate(seated)))._replace(name=f"{ladder}-mantis-1-1")
    standings = Standings(Scale(0.01))
    standings.fold(match.seats, match.name)
    batch = Batch(ladder, "mantis", [BlockRecord(0, "", 1, (0, 1))], [match])
    store.ladder.write(batch, standings, standings.take_changes(), before=0)


def test_there_and_back_again_every_row_is_as_it_was(home: Home, postgresql_url: str, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    with (
        Store.open(home.database) as first,
        Store.open(postgresql_url) as second,
        Store.open(tmp_path / "arena.db") as third,
    ):
        rows = copy_records(first, second, lambda done, in_all: steps.append((done, in_all)))
        assert copy_records(second, third) == rows
        original = content(first)
        assert all(original.values()), "every table has something"
        assert sum(map(len, original.values())) == rows == steps[-1][0] == steps[-1][1]
        assert len(steps) > len(original)
        assert content(second) == original
        assert content(third) == original
        for choice in (
            MatchFilter(),
            MatchFilter(1, "mantis", (1, 4)),
            MatchFilter(2, only_faults=True),
            MatchFilter(version_ids=(2,), only_faults=True),
            MatchFilter(3, version_ids=(2,)),
        ):
            assert everything(second, choice) == everything(first, choice) != []
        for store in (second, third):  # both go on counting
            assert [bot.version for bot in store.bots.versions_of("a")] == []
            two_bots(store)
            assert store.tokens.create("anna", [Scope.PLAY])[0].id == max(row[0] for row in original["tokens"]) + 1
            begun = store.tournaments.begin("", "ladder", {}, "s", [1, 2], ["mantis"])
            assert begun.id == max(row[0] for row in original["tournaments"]) + 1
            assert store.casual.begin("mantis").block == 1


def test_a_store_that_is_not_empty_is_refused_and_left_alone(home: Home, postgresql_url: str, tmp_path: Path) -> None:
    with Store.open(home.database) as source, Store.open(postgresql_url) as target, Store.open(tmp_path / "a") as other:
        for each in (target, other):
            two_bots(each)
            before = content(each)
            with pytest.raises(BadStore, match="is not empty, and stores cannot be merged"):
                copy_records(source, each)
            assert content(each) == before


@pytest.fixture(params=["to a server", "from a server"])
def both_ends(
    request: pytest.FixtureRequest, home: Home, postgresql_url: str, tmp_path: Path
) -> Iterator[tuple[Store, Store]]:
    """A store with something in each table, and an empty one: a file and a server, or the other way round."""
    in_a_file = tmp_path / "arena.db"
    if request.param == "to a server":
        shutil.copy(home.database, in_a_file)
        with Store.open(in_a_file) as source, Store.open(postgresql_url) as target:
            yield source, target
    else:
        with Store.open(home.database) as first, Store.open(postgresql_url) as source, Store.open(in_a_file) as target:
            copy_records(first, source)
            yield source, target


def test_a_copy_that_fails_leaves_nothing_behind(both_ends: tuple[Store, Store]) -> None:
    def fail(done: int, in_all: int) -> None:
        if done > in_all // 2:
            raise KeyboardInterrupt

    source, target = both_ends
    with pytest.raises(KeyboardInterrupt):
        copy_records(source, target, fail)
    assert not any(content(target).values())


COPIER = """
import signal, sys
from arena.store.copying import copy_records
from arena.store.matches import Batch
from arena.store.store import Store
from arena.store.tokens import Scope

def show(done, in_all):
    if done > in_all // 2:
        print("half of it", flush=True)
        signal.pause()

with Store.open(sys.argv[1]) as source, Store.open(sys.argv[2]) as target:
    copy_records(source, target, show)
"""


def test_a_copy_that_is_killed_midway_leaves_nothing_behind_and_can_be_made_again(
    both_ends: tuple[Store, Store],
) -> None:
    source, target = both_ends
    addresses = [str(store.engine.url.set(drivername=store.engine.dialect.name)) for store in both_ends]
    with subprocess.Popen((sys.executable, "-c", COPIER, *addresses), stdout=subprocess.PIPE, text=True) as copier:
        assert copier.stdout
        assert copier.stdout.readline() == "half of it\n"
        copier.kill()
    assert not any(content(target).values())
    copy_records(source, target)
    assert content(target) == content(source)


def test_a_copy_has_what_was_there_when_it_began_whoever_writes_meanwhile(both_ends: tuple[Store, Store]) -> None:
    source, target = both_ends
    before = content(source)

    def write(done: int, in_all: int) -> None:
        assert done <= in_all
        source.bots.register(f"late {done}", None, f"late {done}", "l/", "", ["mantis"])
        source.tokens.create("late", [Scope.PLAY])

    copy_records(source, target, write)
    assert content(target) == before
    late = len(content(source)["tokens"]) - len(before["tokens"])
    assert late > 10, "whoever wrote did not have to wait for the copy's end"


def test_the_command_copies_between_a_home_and_a_server(home: Home, postgresql_url: str, tmp_path: Path) -> None:
    there = arena("store", "copy", home.path, postgresql_url, columns=300)
    assert (there.returncode, there.stderr) == (0, "")
    assert f"rows from {home.database} to postgresql://arena@/" in there.stdout
    assert arena("store", "copy", postgresql_url, tmp_path / "back").returncode == 0
    with Store.open(home.database) as first, Store.open(tmp_path / "back" / "arena.db") as last:
        assert content(first) == content(last)
    assert "There is no arena in" in complaint("store", "copy", tmp_path / "none", postgresql_url)
