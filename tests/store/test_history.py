"""Lists of matches and faults: what is in them, and that they are found without a look at all the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from arena.errors import NotFound
from arena.records import BlockRecord
from arena.store.history import MatchFilter
from arena.store.home import Home
from arena.store.matches import Batch
from arena.store.schema import ALL
from arena.store.store import Store
from bench.stores import fill
from tests.support.stores import everything, plans_of, record, seat, two_bots

FEW, MANY = 240, 2400
BRACKETS = ("mantis", "tentagram")

Filled = tuple[Store, Store]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    """A store of few matches and one of many, with two tournaments of two brackets each."""
    homes = [Home(tmp_path_factory.mktemp(name)) for name in ("few", "many")]
    for home, matches in zip(homes, (FEW, MANY), strict=True):
        fill(home, matches, bots=5, brackets=BRACKETS, tournaments=2)
    with Store.open(homes[0].database) as few, Store.open(homes[1].database) as many:
        yield few, many


def played(store: Store) -> int:
    return sum(tournament.played for tournament in store.tournaments.latest())


# What is in the lists


@pytest.mark.parametrize("only_faults", [False, True], ids=["all", "faults"])
@pytest.mark.parametrize("version_ids", [None, (1,), (1, 4)], ids=str)
@pytest.mark.parametrize("bracket", [None, "tentagram"])
@pytest.mark.parametrize("tournament_id", [None, 1, 2])
def test_a_list_has_all_that_was_chosen_and_nothing_else_the_newest_first(
    stores: Filled,
    tournament_id: int | None,
    bracket: str | None,
    version_ids: tuple[int, ...] | None,
    only_faults: bool,
) -> None:
    store = stores[0]
    expected = [
        match.name
        for match in store.history.page(limit=FEW)
        if tournament_id in (None, match.tournament_id)
        and bracket in (None, match.bracket)
        and (
            version_ids is None
            or any(seat.version_id in version_ids and (seat.fault or not only_faults) for seat in match.seats)
        )
        and (not only_faults or any(seat.fault for seat in match.seats))
    ]
    assert expected
    assert everything(store, MatchFilter(tournament_id, bracket, version_ids, only_faults)) == expected


def test_a_match_is_found_by_its_name_with_all_that_a_page_shows(stores: Filled) -> None:
    found = stores[0].history.find("2-tentagram-3-1")
    assert (found.tournament_id, found.bracket, found.round) == (2, "tentagram", "round 1")
    assert len(found.bots) == 4
    assert sorted(seat.placement for seat in found.seats) == [1, 2, 3, 4]
    assert all(label == f"bot{seat.version_id - 1} 1" for label, seat in zip(found.bots, found.seats, strict=True))
    assert stores[0].history.named(["2-tentagram-3-1", "9-mantis-1-1"]) == {found.name: found}
    with pytest.raises(NotFound, match="no match `9-mantis-1-1` here"):
        stores[0].history.find("9-mantis-1-1")


def test_the_neighbours_of_a_match_are_those_of_its_tournament(stores: Filled) -> None:
    newest, middle, oldest = stores[0].history.page(MatchFilter(1), limit=3)
    assert stores[0].history.neighbours(middle) == (oldest.name, newest.name)
    assert stores[0].history.neighbours(newest) == (middle.name, None)
    first = stores[0].history.page(MatchFilter(2), limit=FEW)[-1]
    assert stores[0].history.neighbours(first)[0] is None


def test_the_latest_faults_with_their_reasons(stores: Filled) -> None:
    archive = stores[0].history
    everybody = archive.faults(limit=100)
    assert [fault.match_id for fault in everybody] == sorted((fault.match_id for fault in everybody), reverse=True)
    assert {(fault.fault, fault.detail) for fault in everybody} == {("timeout", "It has not answered within 1 s.")}
    first = archive.faults(tournament_id=1, limit=100)
    assert first == [fault for fault in everybody if fault.tournament_id == 1]
    weakest = archive.faults(version_ids=[1], limit=100)
    assert weakest == [fault for fault in everybody if fault.version_id == 1]
    assert {fault.bot for fault in weakest} == {"bot0 1"}
    assert sum(times for *_, times in archive.fault_reasons(1)) == len(first)


def test_a_version_that_has_several_seats_is_listed_once(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        first, second = two_bots(store)
        store.tournaments.begin("", "compare", {}, "seed", [first, second], ["mantis"], rated=False)
        twice = record(0, 0, seat(first, 1), seat(second, 2, "crash"), seat(first, 3), seat(second, 4, "crash"))
        store.matches.write(Batch(1, "mantis", [BlockRecord(0, "", 1, (0, 1))], [twice]), [])
        assert len(store.history.page(MatchFilter(version_ids=[first, second]), limit=9)) == 1
        assert [fault.seat for fault in store.history.faults(version_ids=[second], limit=9)] == [1, 3]
        assert store.tournaments.load(1).played == 1


# That they are found quickly

LISTS: dict[str, Callable[[Store], Any]] = {
    "all": lambda store: store.history.page(limit=5),
    "further back": lambda store: store.history.page(limit=5, before=played(store) // 2),
    "a tournament's": lambda store: store.history.page(MatchFilter(1), limit=5),
    "a bracket's": lambda store: store.history.page(MatchFilter(bracket="mantis"), limit=5),
    "a tournament's in a bracket": lambda store: store.history.page(MatchFilter(1, "mantis"), limit=5),
    "a version's": lambda store: store.history.page(MatchFilter(version_ids=[3]), limit=5),
    "a bot's": lambda store: store.history.page(MatchFilter(version_ids=[3, 4]), limit=5, before=played(store) // 2),
    "a version's in a bracket": lambda store: store.history.page(MatchFilter(None, "mantis", [3]), limit=5),
    "a version's in a tournament": lambda store: store.history.page(MatchFilter(1, None, [3]), limit=5),
    "further back in it": lambda store: store.history.page(
        MatchFilter(1, None, [3]), limit=5, before=played(store) // 4
    ),
    "a version's in both": lambda store: store.history.page(MatchFilter(1, "mantis", [3]), limit=5),
    "faults": lambda store: store.history.faults(limit=2),
    "faults in a tournament": lambda store: store.history.faults(tournament_id=1, limit=2),
    "faults of a version": lambda store: store.history.faults(version_ids=[1], limit=2),
    "matches with faults": lambda store: store.history.page(MatchFilter(only_faults=True), limit=2),
    "one": lambda store: store.history.find("1-mantis-3-2"),
    "its neighbours": lambda store: store.history.neighbours(store.history.find("1-mantis-3-2")),
    "tournaments": lambda store: store.tournaments.latest(5),
    "versions": lambda store: store.bots.versions_of("bot3"),
    "counts": lambda store: store.standings.matches(ALL, "mantis"),
    "by seat": lambda store: store.standings.by_seat(ALL, "mantis"),
    "surprises": lambda store: store.standings.upsets(ALL, "mantis", [3]).wins,
}


@contextmanager
def steps_counted(store: Store) -> Iterator[list[int]]:
    """Counts the steps that SQLite takes: unlike the time they are the same on every machine."""
    steps = [0]

    def count() -> int:
        steps[0] += 1
        return 0

    def begin(connection: sqlite3.Connection, *_: object) -> None:
        connection.set_progress_handler(count, 1)

    def end(connection: sqlite3.Connection, *_: object) -> None:
        connection.set_progress_handler(None, 1)

    event.listen(store.engine, "checkout", begin)
    event.listen(store.engine, "checkin", end)
    try:
        yield steps
    finally:
        event.remove(store.engine, "checkout", begin)
        event.remove(store.engine, "checkin", end)


@pytest.mark.parametrize("what", LISTS)
def test_it_takes_no_longer_with_ten_times_as_many_matches(what: str, stores: Filled) -> None:
    taken = []
    for store in stores:
        with steps_counted(store) as steps:
            assert LISTS[what](store)
        taken.append(steps[0])
    assert 0 < taken[1] <= 1.2 * taken[0]


@pytest.mark.parametrize("what", LISTS)
def test_no_query_goes_through_all_matches_or_seats(what: str, stores: Filled) -> None:
    with plans_of(stores[0]) as plans:
        LISTS[what](stores[0])
    assert plans
    scans = {plan for plan in plans if plan.startswith(("SCAN matches", "SCAN seats"))}
    # All matches are a list too: it begins at the end and stops when the page is full. And some go through all faults.
    assert scans <= {"SCAN matches" if what == "all" else "", "SCAN seats USING INDEX ix_seats_fault"}
