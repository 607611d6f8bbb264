"""Many rows at once come out as they went in, whatever is in them, in SQLite and in PostgreSQL."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    event,
    select,
)

from arena.store import bulk
from arena.store.columns import words
from arena.store.store import Store

things = Table(
    "things",
    MetaData(),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", words(10), primary_key=True),
    Column("said", words()),
    Column("flag", Boolean),
    Column("size", Float(53)),
    Column("list", JSON),
    Column("packed", LargeBinary),
)
COLUMNS = tuple(things.columns.keys())
NASTY = "a\x00b \uf8ff0 \uf8ff\uf8ff\x00 \U0001f980 'quoted' \"twice\" %s %(rows)s :rows \\x00 \\u0000 Infinity NaN\n"


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    database: Path | str = tmp_path / "arena.db"
    if request.param == "postgresql":
        database = str(request.getfixturevalue("postgresql_url"))
    with Store.open(database) as opened:
        things.create(opened.engine)
        try:
            yield opened
        finally:
            things.drop(opened.engine)


def row(number: int, **values: object) -> dict[str, Any]:
    usual: dict[str, object] = {"said": "something", "flag": True, "size": 0.1, "list": [1, 2], "packed": b"\x00\xff"}
    return {"number": number, "kind": "a", **usual, **values}


ROWS = [
    row(1),
    row(2, said=NASTY, kind=NASTY),
    row(3, said="", packed=b"", list=[]),
    row(4, said=None, flag=None, size=None, packed=None),
    row(5, size=math.inf, flag=False),
    row(6, size=-math.inf),
    row(7, size=5e-324),
    row(8, size=0.1 + 0.2, list={"\uf8ff \x00 \U0001f980": [None, True, 1.5, {"": NASTY}]}),
    row(9, size=1e308, packed=bytes(range(256))),
]


def insert_rows(connection: Connection, rows: list[dict[str, Any]], *, replace: bool = False) -> None:
    bulk.insert_rows(connection, things, COLUMNS, [tuple(each.values()) for each in rows], replace=replace)


def rows_of(store: Store) -> list[dict[str, Any]]:
    with store.engine.connect() as connection:
        return [dict(found) for found in connection.execute(select(things).order_by(things.c.number)).mappings()]


def test_rows_are_as_they_were_whatever_is_in_them(store: Store) -> None:
    by_themselves = [{**each, "number": each["number"] + 100} for each in ROWS]
    with store.engine.begin() as connection:
        insert_rows(connection, ROWS)
        insert_rows(connection, [])
        for each in by_themselves:
            insert_rows(connection, [each])
    assert rows_of(store) == ROWS + by_themselves


@pytest.mark.parametrize("word", ["b", NASTY])
def test_rows_with_the_same_keys_are_replaced_and_others_added(word: str, store: Store) -> None:
    old = [row(1), row(2, kind=word), row(3, said=word)]
    new = [row(2, said="new", kind=word), row(10, said=word), row(3, kind="other")]
    with store.engine.begin() as connection:
        insert_rows(connection, old)
        insert_rows(connection, new, replace=True)
        insert_rows(connection, [], replace=True)
    assert sorted(rows_of(store), key=repr) == sorted([old[0], old[2], *new], key=repr)


def test_however_many_there_are_it_is_one_statement(store: Store) -> None:
    seen = []
    with store.engine.begin() as connection:
        event.listen(connection, "before_cursor_execute", lambda *arguments: seen.append(arguments))
        insert_rows(connection, [row(number) for number in range(1000)])
        insert_rows(connection, [row(number, said="new") for number in range(1000)], replace=True)
    assert len(seen) == 2
    assert {each["said"] for each in rows_of(store)} == {"new"}
