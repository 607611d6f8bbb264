"""`arena token`, run as people run it."""

from __future__ import annotations

import json
from pathlib import Path

from arena.store.home import Home
from arena.store.store import Store
from arena.store.tokens import Scope
from tests.support.cli import arena, complaint


def test_a_token_is_printed_once_and_alone_and_ends_when_it_is_revoked(tmp_path: Path) -> None:
    made = arena("token", "create", "anna", "--scope", "play,submit", "--expires", "30d", "--home", tmp_path)
    assert made.returncode == 0, made
    (secret,) = made.stdout.splitlines()
    assert "Token 1 lets anna play and submit until 2" in made.stderr
    with Store.open(Home(tmp_path).database) as store:
        assert store.tokens.admit(secret, Scope.SUBMIT).user == "anna"
    (row,) = json.loads(arena("token", "list", "--json", "--home", tmp_path).stdout)
    assert (row["user"], row["scopes"], row["state"]) == ("anna", ["play", "submit"], "valid")
    assert "Token 1 of anna is revoked." in arena("token", "revoke", "anna", "--home", tmp_path).stdout
    listed = arena("token", "list", "--home", tmp_path).stdout
    assert "revoked" in listed
    assert secret not in listed
    log = arena("token", "log", "--home", tmp_path).stdout.splitlines()
    assert [line.split("  ", 1)[1] for line in log] == [
        "token 1 of anna  created: play, submit",
        "token 1 of anna  revoked",
    ]


def test_what_makes_no_sense_is_answered_with_what_does(tmp_path: Path) -> None:
    home = ("--home", tmp_path)
    assert "Unknown scope `plya`: did you mean `play`?" in complaint("token", "create", "a", "--scope", "plya", *home)
    assert "expected 90m, 12h, 30d or never" in complaint("token", "create", "a", "--expires", "soon", *home)
    assert "Invalid user name" in complaint("token", "create", "a b", *home)
