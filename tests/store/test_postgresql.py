"""PostgreSQL as a store: what goes wrong is told, and those who share it are in nobody's way."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from threading import Barrier

import psycopg
import pytest
from sqlalchemy import Connection, func, select

from arena.errors import BadStore, HomeInUse
from arena.rating.standings import Standings, pair_points
from arena.rating.trueskill import Scale
from arena.records import BlockRecord
from arena.store.changes import ChangeDetector
from arena.store.engine import write_transaction
from arena.store.leases import TournamentLease, leased_tournaments
from arena.store.matches import Batch
from arena.store.schema import ALL, matches, seats
from arena.store.standings import SharedStandings
from arena.store.store import Store
from tests.support.cli import arena
from tests.support.postgresql import Server, free_port, kill, prepared, started
from tests.support.stores import WRITER, play_blocks, record, seat, two_bots

SCALE = Scale(0.01)


@pytest.fixture
def store(postgresql_url: str) -> Iterator[Store]:
    with Store.open(postgresql_url) as opened:
        yield opened


# What goes wrong is told, and the password is not


@contextmanager
def told(words: str, remedy: str) -> Iterator[None]:
    with pytest.raises(BadStore) as caught:
        yield
    sentence, hint = str(caught.value), caught.value.hint or ""
    assert words in sentence
    assert remedy in hint
    assert "geheim" not in sentence + hint


def test_who_cannot_get_in_is_told_why(postgresql: Server, arena_database: str) -> None:
    Store.open(postgresql.over_tcp(arena_database)).close()
    with told("password authentication failed", "Check the user and the password"):
        Store.open(postgresql.over_tcp(arena_database, "geheim"))
    with told('database "elsewhere" does not exist', "createdb"):
        Store.open(postgresql.over_tcp("elsewhere"))
    with told("Connection refused", "Is the server running"):
        Store.open(f"postgresql://arena:geheim@127.0.0.1:{free_port()}/arena")
    with told("cannot be used", "Is the server running"):
        Store.open("postgresql:///arena?host=/nowhere&password=geheim")


def test_both_ends_find_out_that_the_other_one_has_gone_without_a_word(postgresql: Server, arena_database: str) -> None:
    """Otherwise whoever waits for an answer over a line that was cut waits for a quarter of an hour."""
    with Store.open(postgresql.over_tcp(arena_database)) as store, store.engine.connect() as connection:
        assert connection.exec_driver_sql("SHOW tcp_user_timeout").scalar() == "90000"
        assert connection.exec_driver_sql("SHOW tcp_keepalives_idle").scalar() == "60"
        ours = connection.connection.driver_connection
        assert isinstance(ours, psycopg.Connection)
        with socket.socket(fileno=os.dup(ours.fileno())) as line:
            assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 90_000
            assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 60


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://arena:a@geheim@host/arena",
        "postgresql://arena:a/b@c:geheim/d",
        "mysql://arena:geheim@host/arena",
        "geheim",
        "",
    ],
)
def test_an_address_that_is_none_is_not_repeated(address: str) -> None:
    with told("not the address of a store: expected postgresql://USER@HOST/DATABASE", "In a password write"):
        Store.open(address)


def test_without_the_package_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with told("needs the package", "pip install 'arena[postgresql]'"):
        Store.open("postgresql://arena@127.0.0.1/arena")


def test_a_database_with_tables_of_something_else_is_left_alone(postgresql: Server) -> None:
    name = postgresql.new_database()
    postgresql.run("CREATE TABLE matches (wood text)", name)
    with told("already exists", "give the arena its own database"):
        Store.open(postgresql.address(name))
    with postgresql.connect(name) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert tables == [("matches",)]


@pytest.mark.usefixtures("postgresql_url")  # which empties what is copied here
def test_a_user_who_may_only_look_is_told_so(postgresql: Server, arena_database: str) -> None:
    name = postgresql.new_database(like=arena_database)
    postgresql.run("CREATE ROLE guest LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO guest", name)
    with Store.open(postgresql.address(name).replace("arena@", "guest@")) as store:
        assert store.bots.all_versions() == []
        with told("permission denied", "Allow this user to create and change tables"):
            two_bots(store)


def test_the_command_line_tells_it_in_a_sentence(tmp_path: Path) -> None:
    address = f"postgresql://arena:geheim@127.0.0.1:{free_port()}/arena"
    done = arena("bots", "--home", tmp_path, env={**os.environ, "ARENA_STORE": address})
    assert (done.returncode, done.stdout) == (2, "")
    assert "Connection refused" in done.stderr
    assert "geheim" not in done.stderr


def test_a_server_that_is_killed_and_comes_back_has_all_that_was_acknowledged() -> None:
    """Who was connected is told, and goes on with the same store: a web server is there for days."""
    with prepared() as server, ExitStack() as later:
        with started(server) as process:
            store = later.enter_context(Store.open(server.address("postgres")))
            watch = later.enter_context(closing(ChangeDetector(store.engine)))
            play_blocks(store, 3)
            seen = watch.state()
            with store.engine.connect() as connection:
                connection.execute(select(func.count()).select_from(matches))
                kill(process)
                with told("cannot be used", "start the server again"):
                    connection.execute(select(func.count()).select_from(matches))
            with told("cannot be used", "Is the server running"):
                watch.state()
        with started(server):
            assert store.tournaments.load(1).played == 6
            assert watch.state() == seen


# Text


def test_text_is_kept_as_it_is_whatever_bots_write(store: Store) -> None:
    nasty = "a\x00b \uf8ff0 \uf8ff\uf8ff\x00 \U0001f980 'quoted' %s \\x00"
    long = "x" * 1000
    store.bots.register("bot", None, "hash", "bot/", long, ["mantis"], notes=nasty)
    assert store.bots.find("bot").notes == nasty
    assert store.bots.find("bot").language == long


def test_names_are_in_the_order_that_sqlite_has(store: Store) -> None:
    names = ["b", "B", "a_", "aa", "Z", "ä", "1"]
    for name in names:
        store.bots.register(name, None, name, f"{name}/", "", ["mantis"])
    assert [version.bot for version in store.bots.all_versions()] == sorted(names)


# Several at once

OPENER = "import sys; from arena.store.store import Store; Store.open(sys.argv[1]).close()"


def test_several_may_open_a_new_database_at_the_same_moment(postgresql: Server) -> None:
    command = (sys.executable, "-c", OPENER, postgresql.address(postgresql.new_database()))
    openers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for opener in openers:
        _, errors = opener.communicate(timeout=300)
        assert (opener.returncode, errors) == (0, "")


def test_what_was_acknowledged_survives_kill_9(postgresql_url: str) -> None:
    command = (sys.executable, "-c", WRITER, postgresql_url)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = -1
        for line in writer.stdout:
            acknowledged = int(line)
            if acknowledged == 40:
                os.kill(writer.pid, signal.SIGKILL)
    with Store.open(postgresql_url) as store, store.engine.connect() as connection:
        store.bots.retire("a", retired=True)  # nobody holds anything any more
        written = connection.execute(select(func.count()).select_from(matches)).scalar_one()
        assert written in (acknowledged + 1, acknowledged + 2)  # one may have been written but not told
        assert connection.execute(select(func.count()).select_from(seats)).scalar_one() == 2 * written


def together(*tasks: Callable[[], None]) -> None:
    """Runs the tasks at the same time, each in a thread."""
    ready = Barrier(len(tasks))

    def begin(task: Callable[[], None]) -> None:
        ready.wait()
        task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        for done in [pool.submit(begin, task) for task in tasks]:
            done.result(timeout=60)


def test_versions_are_given_once_to_homes_that_submit_at_the_same_moment(postgresql_url: str) -> None:
    def submit_some(home: str) -> None:
        with Store.open(postgresql_url) as store:
            for number in range(5):
                store.bots.register("bot", None, f"{home} {number}", "bot/", "", ["mantis"])

    together(lambda: submit_some("one"), lambda: submit_some("other"))
    with Store.open(postgresql_url) as store:
        assert [version.version for version in store.bots.versions_of("bot")] == [str(n) for n in range(1, 11)]


def test_two_conductors_at_once_count_every_match_once_in_all_tournaments_together(postgresql_url: str) -> None:
    with Store.open(postgresql_url) as store:
        bots = two_bots(store)
        records = [store.tournaments.begin("", "ladder", {}, "s", bots, ["mantis"]) for _ in range(2)]
    together(*(partial(conduct, postgresql_url, record.id, bots, blocks=20) for record in records))
    with Store.open(postgresql_url) as store:
        # Later ids were written later, and whoever writes counts what is new on top of what is on record.
        expected = Standings(SCALE)
        for match in reversed(store.history.page(limit=100)):
            expected.fold(match.seats, match.name)
        found = store.standings.load_to_continue(ALL, "mantis", SCALE)
        assert found.bots == expected.bots  # the very same floating point numbers
        assert found.bots[bots[0]].matches == 80
        assert found.head_to_head == expected.head_to_head
        assert found.upsets.wins == expected.upsets.wins
        assert [point.matches for point in store.standings.history(ALL, "mantis")[bots[0]]][-1] == 80
        names = [match.name.partition("-")[0] for match in store.history.page(limit=100)]
        assert names != sorted(names), "they have taken turns"


def conduct(address: str, tournament: int, bots: list[int], blocks: int) -> None:
    """Plays and counts as a conductor does, without the bots: the second one wins every third match."""
    with Store.open(address) as store, TournamentLease(store.engine, tournament) as lease:
        own = Standings(SCALE)
        overall = SharedStandings(store.standings, tournament, "mantis", own)
        for number in range(blocks):
            batch = Batch(tournament, "mantis", [BlockRecord(number, "", number + 1, (0, 1))])
            for rotation in range(2):
                first = 1 + ((number + tournament + rotation) % 3 == 0)
                seated = (seat(bots[0], first), seat(bots[1], 3 - first))
                named = f"{tournament}-mantis-{number}-{rotation}"
                played = record(number, rotation, *seated)._replace(name=named)
                batch.matches.append(played)
                own.fold(seated, played.name)
                overall.fold(seated, played.name)
            batch.pairs.append((batch.blocks[0], pair_points([[1, 2], [1, 2]])))
            changes = own.take_changes()
            write = partial(overall.write, own_changes=changes)
            store.matches.write(batch, [(tournament, own, changes)], first=both(lease.check, write))


def both(*steps: Callable[[Connection], None]) -> Callable[[Connection], None]:
    def run(connection: Connection) -> None:
        for step in steps:
            step(connection)

    return run


def test_a_tournament_has_one_lease(postgresql_url: str) -> None:
    with Store.open(postgresql_url) as one, Store.open(postgresql_url) as other:
        with TournamentLease(one.engine, 1), TournamentLease(other.engine, 2):
            assert leased_tournaments(one.engine) == leased_tournaments(other.engine) == {1, 2}
            with (
                pytest.raises(HomeInUse, match="Tournament 1 is being played by another process"),
                TournamentLease(other.engine, 1),
            ):
                pass
        with TournamentLease(other.engine, 1):
            assert leased_tournaments(one.engine) == {1}
        assert leased_tournaments(one.engine) == frozenset()


def test_nothing_is_written_after_the_lease_was_lost(postgresql: Server, postgresql_url: str) -> None:
    with Store.open(postgresql_url) as one, Store.open(postgresql_url) as other:
        play_blocks(one, 1)
        with TournamentLease(one.engine, 1) as lease:
            postgresql.run(f"SELECT pg_terminate_backend({lease.holder}, 60000)")
            with TournamentLease(other.engine, 1):
                batch = Batch(1, "mantis", [BlockRecord(1, "", 2, (0, 1))])
                with pytest.raises(BadStore, match="another process may be playing it"):
                    one.matches.write(batch, [], first=lease.check)
        assert one.matches.scheduled(1, "mantis") == 1


def test_who_waits_too_long_for_others_is_told(postgresql_url: str) -> None:
    impatient = f"{postgresql_url}&options=-c%20lock_timeout%3D50ms"
    with Store.open(postgresql_url) as one, Store.open(impatient) as other, write_transaction(one.engine):
        with told("lock timeout", "Another process is writing"):
            two_bots(other)
        assert other.bots.all_versions() == [], "reading does not wait"
