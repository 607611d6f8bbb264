"""Matches that people play: kept beside tournaments, and nowhere among the bots."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import text

from arena.records import PERSON, MatchRecord
from arena.store.dump import TABLES, rows
from arena.store.home import Home
from arena.store.schema import ALL
from arena.store.store import Store
from arena.store.tournaments import TournamentState
from tests.support.cli import arena
from tests.support.stores import by_anna, play_blocks


def test_it_is_on_record_like_any_other_match_but_counts_for_nothing(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        play_blocks(store, 1)
        before = {table: list(rows(store, table)) for table in TABLES}
        place = store.casual.begin("mantis")
        assert store.tournaments.load(place.tournament_id).played == 0
        store.casual.write(place, by_anna(place, 2))
        (newest, *_) = store.history.page(limit=9)
        assert (newest.name, newest.bots) == ("2-mantis-1-1", ("Anna", "b 1"))
        assert [(seat.version_id, seat.person) for seat in newest.seats] == [(PERSON, "Anna"), (2, None)]
        after = {table: list(rows(store, table)) for table in TABLES}
        for table in ("bots", "entries", "standings", "ratings"):
            assert after[table] == before[table]
        assert [(row["bot"], row["person"]) for row in after["seats"][-2:]] == [(None, "Anna"), ("b", None)]
        assert store.standings.matches(ALL, "mantis") == 2
        assert [version.label for version in store.bots.all_versions()] == ["a 1", "b 1"]


def test_all_of_them_are_one_tournament_that_is_never_continued(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        places = [store.casual.begin(bracket) for bracket in ("mantis", "mantis/icons", "mantis")]
        assert [place.name for place in places] == ["1-mantis-1-1", "1-mantis.icons-2-1", "1-mantis-3-1"]
        (tournament,) = store.tournaments.latest()
        assert (tournament.format, tournament.rated, tournament.state) == ("play", False, TournamentState.DONE)
        assert tournament.entrants == ()
        assert store.tournaments.unfinished() is None


def test_a_person_who_is_nobody_is_refused(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        play_blocks(store, 1)
        place = store.casual.begin("mantis")
        match = by_anna(place, 2)
        nobody = match.seats[0]._replace(person=None)
        with pytest.raises(Exception, match="ck_seats_occupant"):
            store.casual.write(place, MatchRecord(place.block, 0, place.name, "", "", (nobody,), b"", ""))
        assert len(store.history.page(limit=9)) == 2


def test_the_commands_find_it(tmp_path: Path) -> None:
    with Store.open(Home(tmp_path).database) as store:
        play_blocks(store, 1)
        place = store.casual.begin("mantis/icons")
        store.casual.write(place, by_anna(place, 2, "icons"))
    assert place.name == "2-mantis.icons-1-1"
    verified = arena("replay", "verify", place.name, "--tournament", "play", "--home", tmp_path)
    assert (verified.returncode, verified.stdout.splitlines()[-1]) == (0, "2 of 2 verified.")
    (match, *_) = json.loads(arena("history", "--matches", "--json", "--home", tmp_path).stdout)
    assert (match["match"], match["bots"]) == (place.name, ["Anna", "b 1"])


# Two writers

WRITER = """
import sys
from pathlib import Path
from arena.records import BlockRecord
from arena.store.matches import Batch
from arena.store.store import Store
from tests.support.stores import by_anna
from tests.support.stores import record, seat
kind, count = sys.argv[2], int(sys.argv[3])
with Store.open(Path(sys.argv[1])) as store:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(1, count + 1):
        if kind == "tournament":
            store.matches.write(Batch(1, "mantis", [BlockRecord(number, "", 1, (0, 1))]), [])
            store.matches.write(Batch(1, "mantis", [], [record(number, 0, seat(1, 1), seat(2, 2))]), [])
        else:
            place = store.casual.begin("mantis")
            store.casual.write(place, by_anna(place, 2))
"""


def test_people_may_play_while_a_tournament_is_written_and_several_at_once(tmp_path: Path) -> None:
    database = tmp_path / "arena.db"
    with Store.open(database) as store:
        play_blocks(store, 1)
    count = 15
    with ExitStack() as stack:
        writers = [
            stack.enter_context(
                subprocess.Popen(
                    (sys.executable, "-c", WRITER, str(database), kind, str(count)),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for kind in ("tournament", "people", "people")
        ]
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            assert writer.stdin is not None
            writer.stdin.write("go\n")
            writer.stdin.flush()
        assert [writer.wait(300) for writer in writers] == [0, 0, 0]
    with Store.open(database) as store:
        by_id = store.history.page(limit=1000)
        assert sorted(match.id for match in by_id) == list(range(1, 2 + 3 * count + 1))
        assert [tournament.played for tournament in store.tournaments.latest()] == [2 * count, 2 + count]
        names = {match.name for match in by_id if match.tournament_id == 2}
        assert names == {f"2-mantis-{number}-1" for number in range(1, 2 * count + 1)}
        with store.engine.connect() as connection:
            assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
