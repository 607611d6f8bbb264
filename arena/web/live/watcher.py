"""What is being played now: a page that follows the event, and one for each match that is shown.

While somebody watches, the workers are asked to write down some of their matches (arena.tournament.live), and the
files are read here, once for all who watch. One match at a time is featured: on the page that follows the event
everybody sees the same one, at a speed that people can follow, until its end, and then the next.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Collection
from contextlib import suppress
from typing import Self

from anyio import to_thread

from arena.errors import ArenaError
from arena.games.frames import More
from arena.store.home import Home
from arena.tournament.live import LiveFolder
from arena.web.events import EventHub, Maker, Subscriber, Topic, raw
from arena.web.live.match import LiveMatch

LOOK = 0.2
"""Seconds between two looks at the files."""
SAY = 2.0
"""Seconds between two times that the lists are made anew and the workers are asked to go on."""
LINGER = 8.0
"""Seconds for which the end of a featured match is shown."""
KEPT = 12
"""So many matches that are over can still be seen here."""
OLD = 30.0
"""Seconds after which a file is litter, where no tournament is played."""
NOT_OURS = "Nothing can be shown here, because others may enter the folder live/ in the home: chmod 700 helps."
MOST_WAITING = 40
"""A browser for which more additions wait than this gets the whole film instead."""

log = logging.getLogger("arena.web")


class FilmTopic(Topic):
    """Browsers that follow a film: of one match, or of whichever is featured."""

    def __init__(self, make: Maker, live: LiveWatcher, match: str | None) -> None:
        super().__init__(make)
        self.live = live
        self.match = match

    @property
    def screening(self) -> LiveMatch | None:
        return self.live.screenings.get(self.match or self.live.featured)

    def greet(self, follower: Subscriber) -> None:
        super().greet(follower)
        self._show(follower)

    def show(self) -> None:
        """There is another film."""
        for follower in self.followers:
            self._show(follower)

    def extend(self, more: More) -> None:
        """The film goes on."""
        assert self.screening
        message = raw("more", json.dumps({**more, "match": self.screening.name}, ensure_ascii=False))
        for follower in self.followers:
            if "film" in follower.waiting or len(follower.waiting) > MOST_WAITING:
                follower.waiting = {
                    name: waiting for name, waiting in follower.waiting.items() if not name.startswith("more ")
                }
                self._show(follower)
            else:
                follower.tell(f"more {more['start']}", message)

    def _show(self, follower: Subscriber) -> None:
        if self.screening and (message := self.screening.message(time.monotonic())):
            follower.tell("film", raw("film", message))


class LiveWatcher:
    """Watches the workers' files as long as somebody watches us."""

    def __init__(self, home: Home, hub: EventHub) -> None:
        self.home = home
        self.hub = hub
        self.folder = LiveFolder(home.live)
        self.screenings: dict[str, LiveMatch] = {}
        """By name, the latest one last."""
        self.featured = ""
        self.trouble = ""
        """Why nothing can be shown."""
        self._asked = 0.0
        self._shown: set[str] = set()
        """What has been featured before."""
        self._watching: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._watching = asyncio.create_task(self._watch())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._watching
        self._watching.cancel()
        with suppress(asyncio.CancelledError):
            await self._watching

    @property
    def topics(self) -> list[FilmTopic]:
        return [topic for topic in self.hub.topics.values() if isinstance(topic, FilmTopic)]

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            try:
                if self.topics:
                    await self._go_on()
                elif self._asked:
                    self._asked = 0.0
                    self.screenings.clear()  # who comes next is to see what is played then
                    self.featured = ""
                    self._shown.clear()
            except Exception as error:  # whatever it was, the next look may find it mended
                if not self.trouble:
                    # What the user can mend is a sentence; of anything else the trace is wanted.
                    unexpected = not isinstance(error, ArenaError)
                    log.error("LiveWatcher matches are not followed at the moment: %s", error, exc_info=unexpected)
                self.trouble = "LiveWatcher matches are not followed at the moment. The server's own output says why."

    async def _go_on(self) -> None:
        now = time.monotonic()
        says = now - self._asked > SAY
        if says:
            self._asked = now
            await to_thread.run_sync(self._ask)
        followed = {topic.match for topic in self.topics} | {self.featured}
        news = await to_thread.run_sync(self._read, now, followed)
        before = self.featured
        self._feature(now)
        for topic in self.topics:
            shown = topic.match or self.featured
            if topic.match is None and self.featured != before:
                topic.show()
            elif shown in news:
                screening, more = self.screenings.get(shown), news[shown]
                if more is None or screening is None or screening.steps == len(more["entries"]):
                    topic.show()
                else:
                    topic.extend(more)
            if says:
                await topic.refresh()

    def _ask(self) -> None:
        try:
            self.folder.ask()
            self.trouble = "" if self.folder.is_wanted() else NOT_OURS
        except OSError as error:
            self.trouble = f"Nothing can be shown here, because {self.folder.path.name}/ in the home cannot be written"
            self.trouble += f": {error.strerror}." if error.strerror else "."
        if self.home.conducted() is None:
            self.folder.clear(older_than=OLD)

    def _read(self, now: float, followed: Collection[str | None]) -> dict[str, More | None]:
        """What is new, by match; None: all of it."""
        news: dict[str, More | None] = {}
        found = dict(self.folder.matches())
        for name, file in found.items():
            known = self.screenings.get(name)
            if known is None or known.inode != file.st_ino or known.is_gone or file.st_size < known.read:
                known = self.screenings[name] = LiveMatch(name, self.folder.file(name), file.st_ino, now)
                news[name] = None
            if known.is_broken or known.is_over:
                continue
            try:
                more = known.read_on()
            except OSError:
                continue  # it has just been taken away
            if more:
                news.setdefault(name, more)
        for name, known in list(self.screenings.items()):
            if name not in found:
                known.is_gone = True  # the next file of this name is another one, even in the same place on the disk
                known.is_broken = known.is_broken or not known.is_over
        self._forget(followed)
        return news

    def _forget(self, followed: Collection[str | None]) -> None:
        """What is over, or broken off, is kept for a while."""
        ended = [name for name, each in self.screenings.items() if each.is_over or each.is_broken]
        for name in ended[:-KEPT]:
            if name not in followed:
                del self.screenings[name]
                self._shown.discard(name)

    def _feature(self, now: float) -> None:
        """Chooses the match that everybody sees."""
        current = self.screenings.get(self.featured)
        if current is not None and not current.is_through(now, LINGER):
            return
        others = [
            name
            for name, each in self.screenings.items()
            if name not in self._shown and each.maker is not None and not each.is_broken
        ]
        if others:
            # One that goes on is really live; of those the latest.
            self.featured = next((name for name in reversed(others) if not self.screenings[name].is_over), others[-1])
            self._shown.add(self.featured)
            self.screenings[self.featured].begin_anew(now)

    # What is told

    def running(self) -> list[LiveMatch]:
        return [
            each
            for each in reversed(list(self.screenings.values()))
            if each.maker and not (each.is_over or each.is_broken)
        ]

    def over(self) -> list[LiveMatch]:
        return [each for each in reversed(list(self.screenings.values())) if each.is_over]
