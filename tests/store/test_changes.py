"""The state of a store: it differs after every change, and after nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from arena.store.changes import ChangeDetector
from arena.store.store import Store
from tests.support.stores import play_blocks


@pytest.mark.parametrize("kind", ["SQLite", "PostgreSQL"])
def test_every_change_is_detected_once(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    database = request.getfixturevalue("postgresql_url") if kind == "PostgreSQL" else tmp_path / "arena.db"
    with Store.open(database) as store, closing(ChangeDetector(store.engine)) as looking, Store.open(database) as other:
        seen = looking.state()
        assert looking.state() == seen
        changes: list[Callable[[], object]] = [
            lambda: play_blocks(other, 1),
            lambda: other.bots.retire("a", retired=True),
            lambda: store.bots.register("c", None, "c", "c/", "", ["mantis"]),  # by ourselves
            lambda: other.tournaments.end_bracket(1, "mantis"),
            lambda: other.tournaments.begin("cup", "swiss", {}, "s", [1, 2], ["mantis"]),
        ]
        for change in changes:
            change()
            before, seen = seen, looking.state()
            assert seen != before
            assert looking.state() == seen
        other.history.page(limit=9)
        assert looking.state() == seen
