"""The change counter: it counts every change, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.store.store import Store
from tests.support.stores import play_blocks


@pytest.mark.parametrize("kind", ["SQLite", "PostgreSQL"])
def test_every_change_is_counted_once(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    database = request.getfixturevalue("postgresql_url") if kind == "PostgreSQL" else tmp_path / "arena.db"
    with Store.open(database) as store, store.change_counter() as looking, Store.open(database) as other:
        assert [looking.count(), looking.count()] == [0, 0]
        changes: list[Callable[[], object]] = [
            lambda: play_blocks(other, 1),
            lambda: other.bots.retire("a", retired=True),
            lambda: store.bots.register("c", None, "c", "c/", "", ["mantis"]),  # by ourselves
            lambda: other.tournaments.end_bracket(1, "mantis"),
            lambda: other.tournaments.begin("cup", "swiss", {}, "s", [1, 2], ["mantis"]),
        ]
        for number, change in enumerate(changes, start=1):
            change()
            assert [looking.count(), looking.count()] == [number, number]
        other.history.page(limit=9)
        assert looking.count() == len(changes)
