"""Copies of stores: row for row, between SQLite and PostgreSQL, both ways."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from arena.errors import BadStore
from arena.store.archive import Choice
from arena.store.copying import copy
from arena.store.home import Home
from arena.store.schema import metadata
from arena.store.store import Store
from bench.stores import fill
from tests.cli.run import arena, complaint
from tests.store.test_archive import everything
from tests.store.test_casual import by_anna
from tests.store.test_store import two_bots

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
    return home


def content(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables."""
    with store.engine.connect() as connection:
        return {
            table.name: [
                tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns)).all()
            ]
            for table in metadata.sorted_tables
        }


def test_there_and_back_again_every_row_is_as_it_was(home: Home, postgresql_url: str, tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    with (
        Store.open(home.database) as first,
        Store.open(postgresql_url) as second,
        Store.open(tmp_path / "arena.db") as third,
    ):
        rows = copy(first, second, lambda done, in_all: steps.append((done, in_all)))
        assert copy(second, third) == rows
        original = content(first)
        assert all(original.values()), "every table has something"
        assert sum(map(len, original.values())) == rows == steps[-1][0] == steps[-1][1]
        assert len(steps) > len(original)
        assert content(second) == original
        assert content(third) == original
        for choice in (
            Choice(),
            Choice(1, "mantis", (1, 4)),
            Choice(2, only_faults=True),
            Choice(version_ids=(2,), only_faults=True),
            Choice(3, version_ids=(2,)),
        ):
            assert everything(second, choice) == everything(first, choice) != []
        for store in (second, third):  # both go on counting
            assert [bot.version for bot in store.bots.versions_of("a")] == []
            two_bots(store)
            begun = store.tournaments.begin("", "ladder", {}, "s", [1, 2], ["mantis"])
            assert begun.id == max(row[0] for row in original["tournaments"]) + 1
            assert store.casual.begin("mantis").block == 1


def test_a_store_that_is_not_empty_is_refused_and_left_alone(home: Home, postgresql_url: str, tmp_path: Path) -> None:
    with Store.open(home.database) as source, Store.open(postgresql_url) as target, Store.open(tmp_path / "a") as other:
        for each in (target, other):
            two_bots(each)
            before = content(each)
            with pytest.raises(BadStore, match=r"there is something in .* already.*copy into an empty one"):
                copy(source, each)
            assert content(each) == before


def test_a_copy_that_fails_leaves_nothing_behind(home: Home, postgresql_url: str) -> None:
    def fail(done: int, in_all: int) -> None:
        if done > in_all // 2:
            raise KeyboardInterrupt

    with Store.open(home.database) as source, Store.open(postgresql_url) as target:
        with pytest.raises(KeyboardInterrupt):
            copy(source, target, fail)
        assert not any(content(target).values())


def test_the_command_copies_between_a_home_and_a_server(home: Home, postgresql_url: str, tmp_path: Path) -> None:
    there = arena("store", "copy", home.path, postgresql_url, columns=300)
    assert (there.returncode, there.stderr) == (0, "")
    assert f"rows of {home.database} are in postgresql://arena@/" in there.stdout
    assert arena("store", "copy", postgresql_url, tmp_path / "back").returncode == 0
    with Store.open(home.database) as first, Store.open(tmp_path / "back" / "arena.db") as last:
        assert content(first) == content(last)
    assert "there is nothing in" in complaint("store", "copy", tmp_path / "none", postgresql_url)
