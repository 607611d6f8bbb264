"""Old stores in PostgreSQL are brought up to date with all that is in them, and come out as they do in SQLite."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Engine, MetaData, create_engine, func, insert, inspect, select, text

from arena.errors import BadStore
from arena.store import migrations, postgresql
from arena.store.history import MatchFilter
from arena.store.home import Home
from arena.store.schema import metadata
from arena.store.store import Store
from arena.store.tokens import Scope
from bench.stores import fill
from tests.support.postgresql import Server
from tests.support.stores import OLD_STORES, content, copy_to_0002

OLDER = [path.stem.removeprefix("schema-") for path in OLD_STORES[:-1]]


@contextmanager
def connected(address: str) -> Iterator[Engine]:
    engine = postgresql.engine_for(postgresql.parse(address))
    try:
        yield engine
    finally:
        engine.dispose()


def bring_to(engine: Engine, revision: str) -> None:
    """Runs the migrations up to this one, as an arena of that time would have."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)


def copy_rows(file: Path, target: Engine) -> None:
    """Copies what is in an old store in a file to one of the same version in PostgreSQL."""
    source = create_engine(f"sqlite:///{file}")
    here, there = MetaData(), MetaData()
    here.reflect(source)
    there.reflect(target)
    assert here.tables.keys() == there.tables.keys()
    with source.connect() as reading, target.begin() as writing:
        for name in (table.name for table in there.sorted_tables if table.name != "alembic_version"):
            rows = [dict(row) for row in reading.execute(select(here.tables[name])).mappings()]
            if not rows:
                continue
            writing.execute(insert(there.tables[name]), rows)
            if "id" in there.tables[name].primary_key.columns:  # whoever wrote them would have counted
                sequence = func.pg_get_serial_sequence(name, "id")
                writing.execute(select(func.setval(sequence, max(row["id"] for row in rows))))
    source.dispose()


@pytest.fixture(scope="module")
def old_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A store of each earlier schema, in files, to be copied before they are opened.

    That of 0002 has much in it, because the next one works out from it what it adds.
    """
    folder = tmp_path_factory.mktemp("old")
    files = {revision: folder / f"{revision}.db" for revision in OLDER}
    for revision, file in files.items():
        if revision != "0002":
            with sqlite3.connect(file) as connection:
                connection.executescript((Path(__file__).parent / f"schema-{revision}.sql").read_text("utf-8"))
            connection.close()
    home = Home(folder / "new")
    fill(home, 240, bots=5, brackets=("mantis", "tentagram"), tournaments=2)
    copy_to_0002(home.path / "arena.db", files["0002"])
    return files


@pytest.mark.parametrize("revision", OLDER)
def test_what_comes_of_an_old_store_is_the_same_as_in_sqlite(
    revision: str, old_files: dict[str, Path], postgresql: Server, tmp_path: Path
) -> None:
    address = postgresql.address(postgresql.new_database())
    with connected(address) as engine:
        bring_to(engine, revision)
        copy_rows(old_files[revision], engine)
    in_a_file = shutil.copy(old_files[revision], tmp_path)
    with Store.open(address) as store, Store.open(Path(in_a_file)) as expected:
        assert content(store) == content(expected)
        assert len(store.history.page(limit=1000)) == sum(record.played for record in store.tournaments.all()) > 0
        for record in store.tournaments.all():
            for bracket in record.brackets:
                assert store.standings.by_seat(record.id, bracket.bracket)
        with store.engine.connect() as connection:
            assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert store.tokens.create("anna", [Scope.PLAY])[0].id == 1


A_BLOCK = text("INSERT INTO blocks VALUES (1, 'mantis', :number, 'round 1', 1, '[0, 1]')")
A_MATCH = text(
    "INSERT INTO matches "
    "(id, tournament_id, bracket, block, rotation, name, seed, ending, decisions, reruns, played, replay) "
    "VALUES (:number, 1, 'mantis', :number, 0, '1-mantis-' || :number, 's', 'over', 2, 0, 'today', '')"
)
ITS_SEATS = text(
    "INSERT INTO seats (match_id, seat, version_id, placement, won, think_ms, decisions) "
    "VALUES (:number, :seat, :version, 1, 0.5, 1.5, 1)"
)
"""One more match of the two bots, in the columns that there were at first."""


def test_one_step_after_the_other_with_rows_in_between_comes_to_the_same(
    old_files: dict[str, Path], postgresql: Server, tmp_path: Path
) -> None:
    """As in a store that every arena that there was has opened, and has added a match to, which is not counted yet."""
    address = postgresql.address(postgresql.new_database())
    with connected(address) as engine:
        bring_to(engine, OLDER[0])
        copy_rows(old_files[OLDER[0]], engine)
        for number, revision in enumerate([*OLDER[1:], "head"], 7):
            with engine.begin() as connection:
                connection.execute(A_BLOCK, {"number": number})
                connection.execute(A_MATCH, {"number": number})
                connection.execute(
                    ITS_SEATS, [{"number": number, "seat": seat, "version": seat + 1} for seat in (0, 1)]
                )
                if revision == "head":  # of what 0003 has added
                    connection.execute(text("UPDATE brackets SET played = played + 1"))
                    connection.execute(text("UPDATE seats SET bracket = 'mantis' WHERE match_id = 9"))
            bring_to(engine, revision)
    untouched = shutil.copy(old_files[OLDER[0]], tmp_path)
    with Store.open(address) as store, Store.open(Path(untouched)) as expected:
        (record,) = store.tournaments.all()
        assert (record.brackets[0].matches, record.played) == (6, 9)
        assert [match.name for match in store.history.page(limit=4)] == [
            f"1-mantis-{n}" for n in ("9", "8", "7", "3-2")
        ]
        assert len(store.history.page(MatchFilter(1, "mantis", [2]), limit=100)) == 9
        assert content(store)["seat_tallies"] == content(expected)["seat_tallies"] != []


def columns(engine: Engine) -> set[tuple[str, str, bool]]:
    """Table, column, and whether it may be empty."""
    look = inspect(engine)
    return {
        (table, column["name"], column["nullable"])
        for table in look.get_table_names()
        for column in look.get_columns(table)
    }


def test_where_a_step_fails_nothing_has_changed(old_files: dict[str, Path], postgresql: Server) -> None:
    name = postgresql.new_database()
    with connected(postgresql.address(name)) as engine:
        bring_to(engine, OLDER[0])
        copy_rows(old_files[OLDER[0]], engine)
        postgresql.run("CREATE TABLE tokens (wood text)", name)  # the last step's
        before = columns(engine)
        with pytest.raises(BadStore, match="already exists") as caught:
            Store.open(postgresql.address(name))
        assert "give the arena its own database" in (caught.value.hint or "")
        assert columns(engine) == before
        postgresql.run("DROP TABLE tokens", name)
    with Store.open(postgresql.address(name)) as store:
        assert len(store.history.page(limit=100)) == 6
