"""The store: real SQLite files and a real PostgreSQL server, written, reopened, damaged and killed."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import func, select, text

from arena.errors import BadStore, BadSubmission, HomeInUse, NotFound
from arena.rating.standings import SeatTally, Standings
from arena.rating.trueskill import Scale
from arena.records import BlockRecord
from arena.store.history import MatchFilter
from arena.store.home import Home
from arena.store.matches import Batch
from arena.store.schema import ALL, matches, metadata, seats
from arena.store.store import Store
from arena.store.tournaments import TournamentState
from tests.support.stores import WRITER, play_blocks, record, seat, two_bots

OLD_STORES = sorted(Path(__file__).parent.glob("schema-*.sql"))


def copy_to_0002(new: Path, old: Path) -> None:
    """Create a store of schema 0002 with what is in the other one, as far as it has a place there."""
    connection = sqlite3.connect(old)
    connection.executescript(OLD_STORES[1].read_text(encoding="utf-8"))
    connection.execute("ATTACH ? AS new", (str(new),))
    names = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'alembic_version'"
    for (table,) in connection.execute(names).fetchall():
        columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA main.table_info({table})"))
        connection.execute(f"DELETE FROM main.{table}")  # noqa: S608, our own
        connection.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")  # noqa: S608
    connection.commit()
    connection.close()


@pytest.fixture
def in_a_file(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "home" / "arena.db") as opened:
        yield opened


# The schema


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    database: Path | str = tmp_path / "home" / "arena.db"
    if request.param == "postgresql":
        database = str(request.getfixturevalue("postgresql_url"))
    with Store.open(database) as opened:
        yield opened


def test_a_new_store_has_the_schema(store: Store) -> None:
    with store.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []


@pytest.mark.parametrize("old", OLD_STORES, ids=lambda path: path.stem)
def test_a_store_of_every_schema_is_brought_up_to_date_with_all_that_is_in_it(old: Path, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "arena.db") as connection:
        connection.executescript(old.read_text(encoding="utf-8"))
    connection.close()
    with Store.open(tmp_path / "arena.db") as store:
        assert [version.label for version in store.bots.all_versions()] == ["a 1", "b 1"]
        (tournament,) = store.tournaments.latest()
        assert tournament.brackets[0].matches == 6
        standings = store.standings.load(tournament.id, "mantis")
        assert standings.bots[1].matches == 6
        assert standings.head_to_head[1, 2].points == 6
        assert len(store.history.page(limit=100)) == tournament.played == 6
        assert store.standings.by_seat(tournament.id, "mantis") == {
            1: {2: [SeatTally(3, 3.0, 3), SeatTally(3, 3.0, 3)]},
            2: {2: [SeatTally(3, 0.0, 6), SeatTally(3, 0.0, 6)]},
        }
        assert len(store.history.page(MatchFilter(tournament.id, "mantis", [2]), limit=100)) == 6
        assert store.matches.replay("1-mantis-1-1") == "{}\n"
        with store.engine.connect() as open_connection:
            assert compare_metadata(MigrationContext.configure(open_connection), metadata) == []


def test_tentagram_of_before_was_played_with_free_placement(tmp_path: Path) -> None:
    """Its matches, standings and what is left to play of it belong to the bracket of that option now."""
    old = next(path for path in OLD_STORES if path.stem == "schema-0004")
    options = {"brackets": ["mantis/icons", "tentagram", "tentagram/strict"]}
    with sqlite3.connect(tmp_path / "arena.db") as connection:
        connection.executescript(old.read_text(encoding="utf-8").replace("'mantis'", "'tentagram'"))
        connection.execute("UPDATE tournaments SET options = ?", [json.dumps(options)])
        connection.execute("INSERT INTO brackets VALUES (1, 'tentagram/strict', 1, 'running', 0, 0, 0)")
    connection.close()
    with Store.open(tmp_path / "arena.db") as store:
        (tournament,) = store.tournaments.latest()
        assert [each.bracket for each in tournament.brackets] == ["tentagram/free", "tentagram"]
        assert tournament.options == {
            "brackets": ["mantis/icons", "tentagram/free", "tentagram"],
            "dealt_as": {"tentagram/free": "tentagram", "tentagram": "tentagram/strict"},
        }
        assert store.standings.load(tournament.id, "tentagram/free").bots[1].matches == 6
        assert len(store.history.page(MatchFilter(tournament.id, "tentagram/free", [2]), limit=100)) == 6
        assert store.history.page(MatchFilter(tournament.id, "tentagram", [2]), limit=100) == []


def test_a_store_of_before_has_the_surprises_that_it_would_have_had(tmp_path: Path) -> None:
    """They are found again in an old store, the ratings of each match taken from the history."""
    with Store.open(tmp_path / "new.db") as store:
        first, second = two_bots(store)
        tournament = store.tournaments.begin("", "round-robin", {}, "seed", [first, second], ["mantis"])
        standings = Standings(Scale(0.01))
        batch = Batch(tournament.id, "mantis", [BlockRecord(number, "", 1, (0, 1)) for number in range(20)])
        for number in range(20):  # the first wins three of four
            for rotation in range(2):
                won = (2 * number + rotation) % 4 < 3
                seated = [seat(first, 1 if won else 2), seat(second, 2 if won else 1)]
                match = record(number, rotation, *(seated[::-1] if rotation else seated))
                batch.matches.append(match)
                standings.fold(match.seats, match.name)
            batch.pairs.append((batch.blocks[number], bytes(4)))
        changes = standings.take_changes()
        store.matches.write(batch, [(1, standings, changes), (ALL, standings, changes)])
        kept = [store.standings.upsets(scope, "mantis") for scope in (1, ALL)]
        tallies = [store.standings.by_seat(scope, "mantis") for scope in (1, ALL)]
    copy_to_0002(tmp_path / "new.db", tmp_path / "old.db")
    with Store.open(tmp_path / "old.db") as store:
        for scope, surprises, tally in zip((1, ALL), kept, tallies, strict=True):
            assert store.standings.by_seat(scope, "mantis") == tally
            found = store.standings.upsets(scope, "mantis")
            assert (found.wins.keys(), found.losses.keys()) == (surprises.wins.keys(), surprises.losses.keys())
            # Up to the 32nd match the history has every rating, later every other one.
            for old, new in ((surprises.wins, found.wins), (surprises.losses, found.losses)):
                for version, expected in old.items():
                    assert [each.chance for each in new[version]] == pytest.approx(
                        [each.chance for each in expected], abs=0.02
                    )
        assert store.tournaments.load(1).played == 40


def test_there_is_an_example_of_every_schema() -> None:
    versions = Path(__file__).parents[2] / "arena" / "store" / "migrations" / "versions"
    assert [path.stem.removeprefix("schema-") for path in OLD_STORES] == sorted(p.stem for p in versions.glob("0*.py"))


def test_a_store_of_a_newer_arena_is_refused_and_left_alone(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store, store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(BadStore, match=r"written by a newer arena \(schema 9999"):
        Store.open(tmp_path / "arena.db")


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "arena.db").write_text("This is not a database, it is a letter to my aunt. " * 100)
    with pytest.raises(BadStore, match="is damaged or not a store of the arena: file is not a database"):
        Store.open(tmp_path / "arena.db")


OPENER = (
    "import sys; from pathlib import Path; from arena.store.store import Store; Store.open(Path(sys.argv[1])).close()"
)


def test_several_may_open_a_new_home_at_the_same_moment(tmp_path: Path) -> None:
    command = (sys.executable, "-c", OPENER, str(tmp_path / "arena.db"))
    openers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    for opener in openers:
        _, errors = opener.communicate(timeout=300)
        assert (opener.returncode, errors) == (0, "")


def test_a_full_disk_is_told_in_a_sentence(in_a_file: Store) -> None:
    play_blocks(in_a_file, 1)
    with in_a_file.engine.connect() as connection:
        connection.execute(text("PRAGMA max_page_count=1"))  # no page more than there are
        with pytest.raises(BadStore, match="cannot be used: database or disk is full"):
            connection.execute(text("CREATE TABLE more AS SELECT randomblob(100000) AS something"))


# Bots


def test_versions_count_up_and_old_ones_stay(store: Store) -> None:
    first = store.bots.register("bot", None, "one", "one/", "python 3.11", ["mantis", "tentagram"], "the first")
    second = store.bots.register("bot", None, "two", "two/", "python 3.11", ["mantis"])
    assert (first.label, second.label) == ("bot 1", "bot 2")
    assert store.bots.find("bot") == store.bots.find("bot 2") == store.bots.find("bot@2") == second
    assert store.bots.find("bot@1") == first == store.bots.with_content("one")["bot"]
    assert store.bots.latest() == [second]
    assert first.games == ("mantis", "tentagram")


def test_a_version_is_not_given_twice(store: Store) -> None:
    store.bots.register("bot", "1.0", "one", "one/", "", ["mantis"])
    with pytest.raises(BadSubmission, match=r"`bot` already has a version `1\.0`"):
        store.bots.register("bot", "1.0", "two", "two/", "", ["mantis"])
    assert len(store.bots.all_versions()) == 1


def test_a_name_that_is_not_known_is_answered_with_the_nearest(store: Store) -> None:
    with pytest.raises(NotFound, match="No bot has been submitted yet"):
        store.bots.find("greedy")
    store.bots.register("greedy", None, "one", "one/", "", ["mantis"])
    with pytest.raises(NotFound, match="did you mean `greedy`"):
        store.bots.find("gredy")


def test_a_retired_bot_is_kept_but_does_not_enter_by_itself_until_it_is_submitted_again(store: Store) -> None:
    store.bots.register("bot", None, "one", "one/", "", ["mantis"])
    store.bots.retire("bot", retired=True)
    assert store.bots.latest() == []
    assert store.bots.find("bot").retired
    store.bots.register("bot", None, "two", "two/", "", ["mantis"])
    assert [version.label for version in store.bots.latest()] == ["bot 2"]


# Tournaments and matches


def test_what_a_tournament_writes_can_be_read_again(store: Store) -> None:
    standings = play_blocks(store, 3)
    assert store.standings.table_sizes(1, "mantis") == [2]
    assert store.standings.table_sizes(1, "tentagram") == store.standings.table_sizes(2, "mantis") == []
    tournament = store.tournaments.load(1)
    assert (tournament.name, tournament.state) == ("tournament 1", TournamentState.RUNNING)
    assert (tournament.brackets[0].folded, tournament.brackets[0].matches) == (3, 6)
    assert store.tournaments.load(1).played == 6
    assert [block.deal for block in store.matches.schedule_page(1, "mantis", limit=9)] == [3, 2, 1]
    results = list(store.matches.results(1, "mantis"))
    assert [result[:3] for result in results][:2] == [(0, 0, "1-mantis-1-1"), (0, 1, "1-mantis-1-2")]
    assert results[1][3] == (seat(2, 2), seat(1, 1))
    assert store.matches.pairs(1, "mantis") == store.matches.pairs(ALL, "mantis")
    loaded = store.standings.load_to_continue(1, "mantis", Scale(0.01))
    assert loaded.bots == standings.bots  # the very same floating point numbers
    assert loaded.head_to_head == standings.head_to_head
    assert store.standings.by_seat(1, "mantis", [2]) == {2: standings.bots[2].by_seat}
    assert [point.matches for point in store.standings.history(1, "mantis")[1]] == [1, 2, 3, 4, 5, 6]


def test_a_tournament_is_over_when_its_last_bracket_is(store: Store) -> None:
    tournament = store.tournaments.begin("cup", "swiss", {}, "s", two_bots(store), ["mantis", "tentagram"])
    store.tournaments.end_bracket(tournament.id, "mantis")
    assert store.tournaments.unfinished() is not None
    store.tournaments.end_bracket(tournament.id, "tentagram")
    assert store.tournaments.unfinished() is None
    assert store.tournaments.find("cup").state is TournamentState.DONE
    with pytest.raises(NotFound, match="no tournament `7`"):
        store.tournaments.find("7")


def test_a_batch_is_written_whole_or_not_at_all(store: Store) -> None:
    play_blocks(store, 1)
    batch = Batch(1, "mantis", [BlockRecord(1, "round 2", 2, (0, 1))])
    batch.matches = [record(1, 0, seat(1, 1), seat(2, 2)), record(0, 0, seat(1, 1), seat(2, 2))]  # the latter is there
    with pytest.raises(Exception, match=r"(?i)unique"):
        store.matches.write(batch, [])
    assert store.tournaments.load(1).played == 2
    assert store.matches.scheduled(1, "mantis") == 1


def test_matches_are_found_by_bot_and_by_fault(store: Store) -> None:
    play_blocks(store, 2)
    batch = Batch(1, "mantis", [BlockRecord(2, "round 2", 3, (0, 1))])
    batch.matches = [record(2, 0, seat(1, 1), seat(2, 2, "timeout"))]
    store.matches.write(batch, [])
    assert [match.name for match in store.history.page(limit=2)] == ["1-mantis-3-1", "1-mantis-2-2"]
    (faulty,) = store.history.page(MatchFilter(only_faults=True, version_ids=[2]), limit=9)
    assert (faulty.bots, faulty.seats[1].fault, faulty.round) == (("a 1", "b 1"), "timeout", "round 2")
    assert store.history.page(MatchFilter(only_faults=True, version_ids=[1]), limit=9) == []
    assert store.history.fault_reasons(1) == [("b 1", "timeout", "It fell asleep.", 1)]


# What was acknowledged is there


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    database = tmp_path / "arena.db"
    with subprocess.Popen((sys.executable, "-c", WRITER, str(database)), stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = -1
        for line in writer.stdout:
            acknowledged = int(line)
            if acknowledged == 40:
                os.kill(writer.pid, signal.SIGKILL)
    with Store.open(database) as store, store.engine.connect() as connection:
        written = connection.execute(select(func.count()).select_from(matches)).scalar_one()
        assert written in (acknowledged + 1, acknowledged + 2)  # one may have been written but not told
        assert connection.execute(select(func.count()).select_from(seats)).scalar_one() == 2 * written
        assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"


def test_one_conductor_at_a_time(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with home.conducting(), pytest.raises(HomeInUse, match="Another tournament is running"), home.conducting():
        pass
    with home.conducting():
        pass
