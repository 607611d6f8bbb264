"""Follow the workers' live files while at least one browser is subscribed.

While there are spectators, the workers are asked to write a few of their matches to files (arena.tournament.live).
The files are read once for all browsers. The page of the event shows one featured match at a time, the same to all,
at a speed that people can follow, and then the next one.
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
from arena.web.config import CONFIG
from arena.web.events import EventHub, Render, Subscriber, Topic, encode_json
from arena.web.live.match import LiveMatch

log = logging.getLogger("arena.web")


class FilmTopic(Topic):
    """Browsers that follow the film of one match, or of the featured one."""

    def __init__(self, render: Render, watcher: LiveWatcher, match: str | None) -> None:
        super().__init__(render)
        self.watcher = watcher
        self.match = match

    @property
    def shown(self) -> LiveMatch | None:
        return self.watcher.matches.get(self.match or self.watcher.featured)

    def welcome(self, subscriber: Subscriber) -> None:
        super().welcome(subscriber)
        self._send_film(subscriber)

    def send_film(self) -> None:
        """Send the whole film to all subscribers."""
        for subscriber in self.subscribers:
            self._send_film(subscriber)

    def send_more(self, more: More) -> None:
        """Send an addition to the film."""
        assert self.shown
        message = encode_json("more", json.dumps({**more, "match": self.shown.name}, ensure_ascii=False))
        for subscriber in self.subscribers:
            if "film" in subscriber.waiting or len(subscriber.waiting) > CONFIG.max_waiting_updates:
                subscriber.waiting = {
                    name: waiting for name, waiting in subscriber.waiting.items() if not name.startswith("more ")
                }
                self._send_film(subscriber)
            else:
                subscriber.put(f"more {more['start']}", message)

    def _send_film(self, subscriber: Subscriber) -> None:
        if self.shown and (message := self.shown.message(time.monotonic())):
            subscriber.put("film", encode_json("film", message))


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
        self._was_featured: set[str] = set()
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
            await asyncio.sleep(CONFIG.live_poll_interval)
            try:
                if self.topics:
                    await self._poll()
                elif self._last_render:
                    self._last_render = 0.0
                    self.matches.clear()
                    self.featured = ""
                    self._was_featured.clear()
            except Exception as error:  # the next poll may succeed
                if not self.problem:
                    unexpected = not isinstance(error, ArenaError)
                    log.error("Live matches cannot be followed at the moment: %s", error, exc_info=unexpected)
                self.problem = "Live matches cannot be followed at the moment. The server's output says why."

    async def _poll(self) -> None:
        now = time.monotonic()
        renders = now - self._last_render > CONFIG.live_render_interval
        if renders:
            self._last_render = now
            await to_thread.run_sync(self._request_matches)
        followed = {topic.match for topic in self.topics} | {self.featured}
        news = await to_thread.run_sync(self._read, now, followed)
        before = self.featured
        self._choose_featured(now)
        for topic in self.topics:
            name = topic.match or self.featured
            if topic.match is None and self.featured != before:
                topic.send_film()
            elif name in news:
                shown, more = self.matches.get(name), news[name]
                if more is None or shown is None or shown.steps == len(more["entries"]):
                    topic.send_film()
                else:
                    topic.send_more(more)
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
            if known is None or known.inode != file.st_ino or known.is_gone or file.st_size < known.bytes_read:
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
                known.is_gone = True  # a later file of this name is another one, even with the same inode
                known.is_broken = known.is_broken or not known.is_over
        self._forget(followed)
        return news

    def _forget(self, followed: Collection[str | None]) -> None:
        """Keep only the latest finished or broken matches."""
        ended = [name for name, each in self.matches.items() if each.is_over or each.is_broken]
        for name in ended[: -CONFIG.kept_live_matches]:
            if name not in followed:
                del self.matches[name]
                self._was_featured.discard(name)

    def _choose_featured(self, now: float) -> None:
        current = self.matches.get(self.featured)
        if current is not None and not current.is_through(now, CONFIG.featured_linger):
            return
        others = [
            name
            for name, each in self.matches.items()
            if name not in self._was_featured and each.maker is not None and not each.is_broken
        ]
        if others:  # the latest running one, or the latest
            self.featured = next((name for name in reversed(others) if not self.matches[name].is_over), others[-1])
            self._was_featured.add(self.featured)
            self.matches[self.featured].restart(now)

    def running(self) -> list[LiveMatch]:
        """Return the running matches, the latest first."""
        return [
            each
            for each in reversed(list(self.matches.values()))
            if each.maker and not (each.is_over or each.is_broken)
        ]

    def finished(self) -> list[LiveMatch]:
        return [each for each in reversed(list(self.matches.values())) if each.is_over]
