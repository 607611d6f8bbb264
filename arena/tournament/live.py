"""Matches for spectators while they are played: a few of them, line by line, in files in the home's folder `live`.

Laws:
- nothing is written unless somebody watches: a web server keeps the file `wanted` fresh for as long as it has
  spectators, and a stale one counts as nobody;
- no match is disturbed: the way of a bot's answer through the referee knows nothing of this. A worker looks on now and
  then, at what its matches have written down so far. Where files cannot be written the broadcast ends, the match not;
- spectators see all cards, so players must not see them: only the home's owner may enter the folder, and a bot in a
  sandbox sees no home at all. The seed is left out, because it tells the cards of matches to come;
- bounded: a few matches at a time for each worker, a new one every other second at the most, and a file goes away some
  seconds after its match has ended. What a killed worker leaves behind is removed by the next tournament in this home,
  and by the web server that watches.

A file has the lines of the match's replay (docs/replay.md) as far as it has come; the last one may be incomplete while
it is being written.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from math import inf
from pathlib import Path

from arena.referee.match import Match
from arena.replay import entry_line, header_line, last_line

TICK = 0.05
"""Seconds between two looks at the matches, while somebody watches."""
LOOK = 0.5
"""Seconds between two looks whether somebody does."""
FRESH = 5.0
"""Seconds for which spectators are taken to be there after they were last heard of."""
AT_ONCE = 3
"""So many matches of a worker are shown at the same time, at the most."""
NEW_ONE_AFTER = 2.0
"""Seconds from the beginning of one broadcast to that of the next, at the least."""
KEEP = 8.0
"""Seconds for which the file of a match stays after its end, so that everybody sees the end."""
REST = 10.0
"""Seconds without broadcasts after a file could not be written."""
MOST_BYTES = 1_000_000
"""No file becomes longer. A replay of a match has some ten thousand bytes."""
MATCH_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
SUFFIX = ".jsonl"


class LiveFolder:
    """The folder that workers and web servers share."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.wanted = path / "wanted"

    def ask(self) -> None:
        """Somebody watches. To be called every other second as long as that is so. Raises OSError."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.wanted.touch(mode=0o600)

    def is_wanted(self) -> bool:
        """Whether somebody watches. A folder that others may enter is not one to show all cards in."""
        try:
            if self.path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                return False
            return abs(time.time() - self.wanted.stat().st_mtime) < FRESH
        except OSError:
            return False

    def file(self, match: str) -> Path:
        assert MATCH_NAME.fullmatch(match), match
        return self.path / f"{match}{SUFFIX}"

    def matches(self) -> Iterator[tuple[str, os.stat_result]]:
        """What is there: names of matches, with what the system says of their files."""
        with suppress(OSError), os.scandir(self.path) as entries:
            for entry in entries:
                name = entry.name.removesuffix(SUFFIX)
                if name != entry.name and MATCH_NAME.fullmatch(name):
                    with suppress(FileNotFoundError):
                        yield name, entry.stat(follow_symlinks=False)

    def clear(self, older_than: float = 0.0) -> None:
        """Removes the files of matches that were last written to so many seconds ago: nobody writes there any more."""
        now = time.time()
        for name, found in list(self.matches()):
            if now - found.st_mtime >= older_than:
                with suppress(OSError):
                    self.file(name).unlink(missing_ok=True)


@dataclass(slots=True, eq=False)
class Broadcast:
    """A match that is shown."""

    match: Match
    file: Path
    written: int = 0
    """So many of its entries are in the file."""
    length: int = 0
    is_over: bool = False
    """The result is in the file, too."""
    remove_after: float = inf

    def begin(self) -> None:
        self.file.unlink(missing_ok=True)  # of a worker that was killed in the middle of the same match
        os.close(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        self._write(header_line(replace(self.match.replay.header, seed="")))
        self.go_on()

    def go_on(self) -> None:
        """Writes down what is new. Raises OSError."""
        replay = self.match.replay
        new = replay.entries[self.written :]
        self.written += len(new)
        text = "".join(map(entry_line, new))
        if replay.result:
            text += last_line(replay.result)
            self.is_over = True
        if text:
            self._write(text)

    def _write(self, text: str) -> None:
        data = text.encode()
        self.length += len(data)
        if self.length > MOST_BYTES:
            raise OSError("the match is too long to be shown")
        # Not held open: open files may be scarce, and the bots need them more.
        file = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if os.write(file, data) < len(data):
                raise OSError("the disk is full")
        finally:
            os.close(file)

    def remove(self) -> None:
        with suppress(OSError):
            self.file.unlink(missing_ok=True)


class Broadcaster:
    """Shows matches of one worker."""

    def __init__(self, folder: LiveFolder, under_way: dict[str, Match]) -> None:
        """`under_way`: the matches that are being played, the latest one last; it changes while they are."""
        self.folder = folder
        self.under_way = under_way
        self.broadcasts: dict[str, Broadcast] = {}
        self._next_after = 0.0

    async def run(self) -> None:
        while True:
            if self.folder.is_wanted():
                self.look_on(time.monotonic())
                await asyncio.sleep(TICK)
            else:
                self._stop_all()
                await asyncio.sleep(LOOK)

    def look_on(self, now: float) -> None:
        """Writes down what has happened since the last look, and takes up another match where there is room."""
        for name, broadcast in list(self.broadcasts.items()):
            if now > broadcast.remove_after:
                self._stop(name)
            elif not broadcast.is_over:
                self._go_on(name, broadcast, now)
        playing = sum(not broadcast.is_over for broadcast in self.broadcasts.values())
        if now >= self._next_after and playing < AT_ONCE:
            self._take_up_another(now)

    def _go_on(self, name: str, broadcast: Broadcast, now: float) -> None:
        is_under_way = name in self.under_way
        if self._attempt(name, broadcast.go_on, now):
            if broadcast.is_over:
                broadcast.remove_after = now + KEEP
            elif not is_under_way:
                self._stop(name)  # it was broken off

    def _take_up_another(self, now: float) -> None:
        """The latest one: it has most to show, and in most formats the most is at stake."""
        for name in islice(reversed(self.under_way), AT_ONCE + 1):
            if name not in self.broadcasts and MATCH_NAME.fullmatch(name):
                self._next_after = now + NEW_ONE_AFTER
                self.broadcasts[name] = broadcast = Broadcast(self.under_way[name], self.folder.file(name))
                self._attempt(name, broadcast.begin, now)
                return

    def _attempt(self, name: str, step: Callable[[], None], now: float) -> bool:
        """Whether the files could be written."""
        try:
            step()
        except OSError:
            self._stop(name)
            self._next_after = now + REST
            return False
        return True

    def _stop(self, name: str) -> None:
        self.broadcasts.pop(name).remove()

    def _stop_all(self) -> None:
        for name in list(self.broadcasts):
            self._stop(name)

    def close(self) -> None:
        """The worker ends. Those who watch see the end of what has ended; the rest will not go on."""
        for name, broadcast in list(self.broadcasts.items()):
            if not broadcast.is_over:
                self._go_on(name, broadcast, 0.0)
        for name in [name for name, broadcast in self.broadcasts.items() if not broadcast.is_over]:
            self._stop(name)
