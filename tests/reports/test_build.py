"""Boards from the store, with some of their rows."""

from __future__ import annotations

from pathlib import Path

from arena.reports.build import BoardFilter, build_board, load_overall
from arena.store.store import Store
from tests.support.stores import play_blocks


def test_chosen_rows_keep_their_ranks_and_results(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        play_blocks(store, 3)
        whole = build_board(store, "mantis", BoardFilter(1))
        assert [(row.rank, row.bot, row.matches) for row in whole.rows] == [(1, "a", 6), (2, "b", 6)]
        assert build_board(store, "mantis", BoardFilter(1, seats=2)) == whole
        assert build_board(store, "mantis", BoardFilter(1), limit=10) == whole

        second = build_board(store, "mantis", BoardFilter(1, first=2), limit=1)
        assert second.bots == 2
        assert second.rows == whole.rows[1:]

        nothing = build_board(store, "mantis", BoardFilter(1, seats=3))
        assert (nothing.bots, nothing.rows) == (0, [])


def test_older_versions_can_be_left_out(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        play_blocks(store, 1)
        store.bots.register("a", None, "another hash", "a2/", "python", ["mantis"])
        latest = build_board(store, "mantis", BoardFilter(1, latest_only=True))
        assert latest.bots == 1
        assert [(row.rank, row.bot) for row in latest.rows] == [(2, "b")]
        overall = load_overall(store, BoardFilter(1, latest_only=True))
        assert [(row.rank, row.bot) for row in overall.rows] == [(2, "b")]
        assert [row.bot for row in load_overall(store, BoardFilter(1)).rows] == ["a", "b"]
