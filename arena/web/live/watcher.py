"""Follow the workers' live files while at least one browser is subscribed.

While there are spectators, the workers are asked to write a few of their matches to files (arena.tournament.live).
The files are read once for all browsers. The page of the event shows one featured match at a time, the same to all,
at a speed that people can follow, and then the next one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection

from anyio import to_thread

from arena.errors import ArenaError
from arena.games.frames import More
from arena.store.home import Home
from arena.tournament.live import LiveFolder
from arena.web.config import CONFIG
from arena.web.events import EventHub, Messages, Subscriber, Topic, encode, encode_json
from arena.web.live.match import LiveMatch

log = logging.getLogger("arena.web")


class FilmTopic(Topic):
    """Browsers that follow the film of one match, or of the featured one."""

    def __init__(self, render: Callable[[], Messages], watcher: LiveWatcher, match: str | None) -> None:
        super().__init__(render)
        self.watcher = watcher
        self.match = match

    def welcome(self, subscriber: Subscriber) -> None:
        super().welcome(subscriber)
        if film := self._film():
            subscriber.put("film", film)

    def send_film(self) -> None:
        """Send the whole film to all subscribers."""
        if film := self._film():
            self.send("film", film)

    def _film(self) -> bytes | None:
        shown = self.watcher.matches.get(self.match or self.watcher.featured)
        message = shown.message(time.monotonic()) if shown else None
        return encode_json("film", message) if message else None

    def send_more(self, match: str, more: More) -> None:
        """Send an addition to the film."""
        message = encode("more", {**more, "match": match})
        for subscriber in self.subscribers:
            waiting = subscriber.waiting
            if ("film" in waiting or len(waiting) > CONFIG.max_waiting_updates) and (film := self._film()):
                subscriber.waiting = {key: each for key, each in waiting.items() if not key.startswith("more ")}
                subscriber.put("film", film)
            else:
                subscriber.put(f"more {more['start']}", message)


class LiveWatcher:
    """Reads the live files and chooses the featured match."""

    def __init__(self, home: Home, hub: EventHub) -> None:
        self.home = home
        self.hub = hub
        self.folder = LiveFolder(home.live)
        self.matches: dict[str, LiveMatch] = {}
        """By name, the latest one last."""
        self.featured = ""
        self.problem = ""
        """Why no match can be shown."""
        self._last_render = 0.0

    async def run(self) -> None:
        """Poll the files while there are spectators."""
        while True:
            await asyncio.sleep(CONFIG.live_poll_interval)
            topics = [topic for topic in self.hub.topics.values() if isinstance(topic, FilmTopic)]
            try:
                if topics:
                    await self._poll(topics)
                else:
                    self._last_render = 0.0
                    self.matches.clear()
                    self.featured = ""
            except Exception as error:  # the next poll may succeed
                if not self.problem:
                    unexpected = not isinstance(error, ArenaError)
                    log.error("Live matches cannot be followed at the moment: %s", error, exc_info=unexpected)
                self.problem = "Live matches cannot be followed at the moment. The server's output says why."

    async def _poll(self, topics: Collection[FilmTopic]) -> None:
        now = time.monotonic()
        renders = now - self._last_render > CONFIG.live_render_interval
        if renders:
            self._last_render = now
            await to_thread.run_sync(self._request_matches)
        followed = {topic.match for topic in topics} | {self.featured}
        news = await to_thread.run_sync(self._read, now, followed)
        before = self.featured
        self._choose_featured(now)
        for topic in topics:
            name = topic.match or self.featured
            if topic.match is None and self.featured != before:
                topic.send_film()
            elif name in news:
                shown, more = self.matches.get(name), news[name]
                if more is None or shown is None or shown.steps == len(more["entries"]):
                    topic.send_film()
                else:
                    topic.send_more(name, more)
            if renders:
                await topic.refresh()

    def _request_matches(self) -> None:
        """Ask the workers to write live files, and remove stale ones."""
        self.problem = ""
        try:
            self.folder.ask()
            if not self.folder.is_wanted():
                self.problem = "No live matches: other users may enter the folder `live` in the home. Run `chmod 700`."
        except OSError as error:
            self.problem = f"No live matches: the folder `live` in the home cannot be written: {error.strerror}."
        if self.home.conducted() is None:
            self.folder.clear(older_than=CONFIG.stale_live_file)

    def _read(self, now: float, followed: Collection[str | None]) -> dict[str, More | None]:
        """Return what is new, by match; None: everything."""
        news: dict[str, More | None] = {}
        found = dict(self.folder.matches())
        for name, file in found.items():
            known = self.matches.get(name)
            if known is None or known.inode != file.st_ino or file.st_size < known.bytes_read:
                known = self.matches[name] = LiveMatch(name, self.folder.file(name), file.st_ino, now)
                news[name] = None
            if known.is_broken or known.is_over:
                continue
            try:
                more = known.read_more()
            except OSError:
                continue  # removed since it was listed
            if more:
                news.setdefault(name, more)
        for name, known in self.matches.items():
            if name not in found:
                known.inode = 0  # a later file of this name is another one, even with the same inode
                known.is_broken = known.is_broken or not known.is_over
        self._forget(followed)
        return news

    def _forget(self, followed: Collection[str | None]) -> None:
        """Keep only the latest finished or broken matches."""
        ended = [name for name, each in self.matches.items() if each.is_over or each.is_broken]
        for name in ended[: -CONFIG.kept_live_matches]:
            if name not in followed:
                del self.matches[name]

    def _choose_featured(self, now: float) -> None:
        current = self.matches.get(self.featured)
        if current is not None and not current.is_through(now, CONFIG.featured_linger):
            return
        others = [
            each for each in self.latest() if not each.was_featured and each.maker is not None and not each.is_broken
        ]
        if others:
            chosen = next((each for each in others if not each.is_over), others[0])
            chosen.was_featured = True
            chosen.restart(now)
            self.featured = chosen.name

    def latest(self) -> list[LiveMatch]:
        """Return the matches, the latest first."""
        return list(self.matches.values())[::-1]
