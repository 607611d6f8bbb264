"""The home: who conducts a tournament in it."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from threading import Timer

from arena.store.home import Home


def test_who_looks_sees_which_tournament_is_played_and_is_in_nobodys_way(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    assert home.conducted() is None
    with home.conducting():
        assert home.conducted() is None, "it has not said yet"
        home.note_conducted(17)
        assert home.conducted() == 17
    assert home.conducted() is None
    lock = os.open(tmp_path / "home" / "conductor.lock", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)  # somebody looks, for a moment
    let_go = Timer(0.03, os.close, [lock])
    let_go.start()
    with home.conducting():
        assert home.conducted() is None, "what was played last is forgotten"
    let_go.join()
