"""The schedule on record, in pages, and what is new of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.rating.standings import pair_points
from arena.records import BlockRecord
from arena.store.home import Home
from arena.store.matches import Batch, ScheduledBlock
from arena.store.store import Store
from bench.stores import fill
from tests.support.stores import plans_of


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    home = Home(tmp_path_factory.mktemp("home"))
    fill(home, 200, bots=5, brackets=("mantis", "tentagram"), tournaments=1)
    with Store.open(home.database) as store:
        (record,) = store.tournaments.latest()
        store.matches.write(Batch(record.id, "mantis", [BlockRecord(1000, "last", 1, (0, 1))]), [])
        yield store


def test_pages_have_every_block_once_the_latest_first(store: Store) -> None:
    (record,) = store.tournaments.latest()
    blocks: list[ScheduledBlock] = []
    before = None
    while page := store.matches.schedule_page(record.id, "mantis", limit=7, before=before):
        blocks += page
        before = page[-1].number
    assert [block.number for block in blocks] == [1000, *reversed(range(len(blocks) - 1))]
    assert len(blocks) == store.matches.scheduled(record.id, "mantis")
    assert (blocks[0].round, blocks[0].pairs, blocks[0].matches) == ("last", None, ())
    names = [name for block in reversed(blocks) for name in block.matches]
    assert sorted(names) == sorted(name for name in store.history.names(record.id) if "-mantis-" in name)
    for block in blocks[1:]:
        assert len(block.matches) == len(block.entrants)
        assert block.pairs is not None
        assert len(block.pairs) == len(pair_points([list(block.entrants)]))


def test_outcomes_go_on_from_where_one_was(store: Store) -> None:
    (record,) = store.tournaments.latest()
    everything = store.matches.outcomes(record.id, "mantis", 0)
    assert len(everything) == store.matches.scheduled(record.id, "mantis") - 1
    assert store.matches.outcomes(record.id, "mantis", 3) == everything[3:]
    assert store.matches.outcomes(record.id, "mantis", 5000) == []


def test_a_page_reads_only_what_it_shows(store: Store) -> None:
    (record,) = store.tournaments.latest()
    with plans_of(store) as plans:
        store.matches.schedule_page(record.id, "mantis", limit=5, before=20)
        store.matches.outcomes(record.id, "mantis", 3)
    assert len(plans) >= 3
    assert all((plan.startswith("SEARCH") and "number" in plan) or "block>" in plan for plan in plans), plans


def test_a_block_is_the_same_whether_it_is_counted_with_its_schedule_or_later(tmp_path: Path) -> None:
    first, second = BlockRecord(0, "round 1", 7, (1, 0)), BlockRecord(1, "round 1", 8, (0, 1))
    with Store.open(tmp_path / "arena.db") as store:
        versions = [store.bots.register(name, "1", name * 64, "", "python", ["mantis"]).id for name in "ab"]
        record = store.tournaments.begin("", "round-robin", {}, "7", versions, ["mantis"])
        store.matches.write(Batch(record.id, "mantis", [first, second], pairs=[(first, b"abcd")]), [])
        store.matches.write(Batch(record.id, "mantis", pairs=[(second, b"efgh")]), [])
        later, earlier = store.matches.schedule_page(record.id, "mantis", limit=5)
        (bracket,) = store.tournaments.load(record.id).brackets
        assert (earlier.deal, earlier.entrants, earlier.pairs) == (7, (1, 0), b"abcd")
        assert (later.deal, later.entrants, later.pairs) == (8, (0, 1), b"efgh")
        assert (bracket.folded, bracket.matches, bracket.played) == (2, 4, 0)
        assert store.matches.pairs(record.id, "mantis") == [
            (record.id, (1, 0), b"abcd", 7),
            (record.id, (0, 1), b"efgh", 8),
        ]
