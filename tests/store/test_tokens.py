"""Tokens in a real store: what they allow, for how long, and what is written down about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from arena.errors import BadToken, NotFound
from arena.store.config import CONFIG
from arena.store.store import Store
from arena.store.tokens import Scope


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    database: Path | str = tmp_path / "arena.db"
    if request.param == "postgresql":
        database = str(request.getfixturevalue("postgresql_url"))
    with Store.open(database) as opened:
        yield opened


def deeds(store: Store) -> list[tuple[str, str]]:
    return [(entry.user, entry.deed) for entry in store.tokens.audit(100)]


def test_a_token_allows_what_its_scopes_say_and_nothing_else(store: Store) -> None:
    made, secret = store.tokens.create("anna", [Scope.PLAY, Scope.SUBMIT], timedelta(days=1))
    assert store.tokens.admit(secret, Scope.PLAY) == store.tokens.admit(secret, Scope.SUBMIT) == made
    with pytest.raises(BadToken, match="This token permits play and submit, not organise"):
        store.tokens.admit(secret, Scope.ORGANISE)
    assert deeds(store) == [("anna", "refused"), ("anna", "created")]


def test_the_secret_is_not_in_the_store(tmp_path: Path) -> None:
    with Store.open(tmp_path / "arena.db") as store:
        _, secret = store.tokens.create("anna", [Scope.PLAY])
    with closing(sqlite3.connect(tmp_path / "arena.db")) as connection:
        dump = "\n".join(connection.iterdump())
    assert "'anna'" in dump
    assert secret not in dump
    assert secret.removeprefix("arena_") not in dump
    assert not any(secret.encode() in path.read_bytes() for path in tmp_path.iterdir())


@pytest.mark.parametrize("wrong", ["", "arena_", "arena_" + "x" * 43, "x" * 1_000_000, "\ud800", "' OR 1=1 --"])
def test_what_nobody_has_made_is_refused_and_leaves_no_trace(store: Store, wrong: str) -> None:
    store.tokens.create("anna", [Scope.PLAY])
    with pytest.raises(BadToken):
        store.tokens.admit(wrong, Scope.PLAY)
    assert deeds(store) == [("anna", "created")]


def test_an_expired_token_is_refused(store: Store) -> None:
    token, secret = store.tokens.create("anna", [Scope.PLAY], timedelta(seconds=-1))
    with pytest.raises(BadToken, match=r"expired at .* ask the organiser for another"):
        store.tokens.admit(secret, Scope.PLAY)
    assert store.tokens.valid() == set()
    assert token.state == "expired"


def test_a_token_is_revoked_by_its_number_and_a_user_with_all_tokens(store: Store) -> None:
    made = [store.tokens.create(user, [Scope.PLAY]) for user in ("anna", "anna", "ben", "anna")]
    assert [token.id for token in store.tokens.revoke("2")] == [2]
    assert [token.id for token in store.tokens.revoke("anna")] == [1, 4]
    assert store.tokens.revoke("anna") == []
    assert [token.state for token in store.tokens.all()] == ["revoked", "revoked", "valid", "revoked"]
    with pytest.raises(BadToken, match="revoked at"):
        store.tokens.admit(made[0][1], Scope.PLAY)
    assert store.tokens.admit(made[2][1], Scope.PLAY).user == "ben"
    assert store.tokens.valid() == {3}
    with pytest.raises(NotFound, match="did you mean `anna`"):
        store.tokens.revoke("ana")


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
@pytest.mark.parametrize("name", ["", " anna", "anna ben", "-anna", "a/b", "x" * 41, "anna\n", "\x1b[31m"])
def test_names_that_could_be_taken_for_something_else_are_refused(store: Store, name: str) -> None:
    with pytest.raises(BadToken, match="Invalid user name"):
        store.tokens.create(name, [Scope.PLAY])


def test_the_audit_log_has_who_did_what_the_newest_first(store: Store) -> None:
    anna, _ = store.tokens.create("anna", [Scope.PLAY])
    ben, _ = store.tokens.create("ben", [Scope.PLAY])
    store.tokens.note(ben, "connected", "x" * 10_000)
    store.tokens.note(anna, "connected", "from afar")
    assert [(entry.user, entry.deed) for entry in store.tokens.audit(2)] == [
        ("anna", "connected"),
        ("ben", "connected"),
    ]
    assert [entry.deed for entry in store.tokens.audit(9, "ben")] == ["connected", "created"]
    assert len(store.tokens.audit(9, "ben")[0].detail) == CONFIG.max_audit_detail
