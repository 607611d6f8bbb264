"""An older store is migrated when it is opened, completely or not at all, in SQLite and in PostgreSQL."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from sqlalchemy import text

from arena.errors import BadStore
from arena.store import engine as store_engine
from arena.store.store import Store
from tests.support.postgresql import Server
from tests.support.stores import content, play_blocks

MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table("mottos", sa.Column("id", sa.Integer, primary_key=True))
    with op.batch_alter_table("bots") as bots:
        bots.add_column(sa.Column("{column}", sa.Text, nullable=False, server_default="none"))
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path | str:
    if request.param == "sqlite":
        return tmp_path / "arena.db"
    server: Server = request.getfixturevalue("postgresql")
    return server.address(server.new_database())


@pytest.fixture
def next_migration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The file of a migration to the next version; the test writes it."""
    folder = tmp_path / "100% migrations"
    shutil.copytree(store_engine.MIGRATIONS, folder, ignore=shutil.ignore_patterns("000[6-9].py", "__pycache__"))
    monkeypatch.setattr(store_engine, "MIGRATIONS", folder)
    return folder / "versions" / "0006.py"


def test_an_older_store_is_migrated_with_all_its_rows(
    database: Path | str, next_migration: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(database) as store:
        play_blocks(store, 3)
        before = content(store)
    next_migration.write_text(MIGRATION.format(column="motto"), encoding="utf-8")
    monkeypatch.setattr(store_engine, "SCHEMA_VERSION", "0006")
    for _ in range(2):  # the second time it is up to date
        with Store.open(database) as store, store.engine.connect() as connection:
            assert content(store) == before
            assert connection.scalars(text("SELECT motto FROM bots")).all() == ["none", "none"]
            assert connection.scalars(text("SELECT version_num FROM alembic_version")).all() == ["0006"]


def test_a_migration_that_fails_changes_nothing(
    database: Path | str, next_migration: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Store.open(database) as store:
        play_blocks(store, 1)
        before = content(store)
    with monkeypatch.context() as newer:
        newer.setattr(store_engine, "SCHEMA_VERSION", "0006")
        next_migration.write_text(MIGRATION.format(column="name"), encoding="utf-8")  # there is such a column
        with pytest.raises(BadStore, match="name"):
            Store.open(database)
    with Store.open(database) as store:
        assert content(store) == before
        with store.engine.connect() as connection:
            assert not store.engine.dialect.has_table(connection, "mottos")
