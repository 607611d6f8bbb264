"""Server-sent events: browsers hear what has changed, as soon as it is on record.

Any number of browsers may follow the same thing: what they are told is made once and sent to all of them. Nothing is
made, and the store is not looked at, while nobody follows. A browser that is too slow misses what is out of date
anyway: of each topic only the latest messages wait for it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import resource
import time
from collections.abc import AsyncIterator, Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Self

from anyio import to_thread
from starlette.responses import StreamingResponse

from arena.errors import ArenaError
from arena.games.base import Json

LOOK = 2.0
"""Seconds between two looks at the store: as often as people can follow, and no more work than that."""
SETTLED = 12.0
"""Seconds after the last change at which everything is made once more, for what is made less often than asked for."""
ALIVE = 15.0
"""Seconds after which a browser that heard nothing hears that we are still there; this also finds those that left."""
MOST_FOLLOWERS = 2000
"""So many browsers at once; each takes an open file and some memory."""
MOST_TOPICS = 200
"""So many different things can be followed at once: each is made anew whenever the store changes."""
FILES_FOR_THE_REST = 256
"""Open files that followers must leave to the pages, the store and the bots."""

log = logging.getLogger("arena.web")


class TooMany(ArenaError):
    """More browsers want to follow than we can serve."""


Messages = Mapping[str, Json]
"""By the name of the part of the page that it is about: what the browser needs to know."""
Maker = Callable[[], Messages]


@dataclass(eq=False)
class Subscriber:
    """A browser that waits for what is new."""

    waiting: dict[str, bytes] = field(default_factory=dict)
    """The latest messages that were not sent yet, by name."""
    has_mail: asyncio.Event = field(default_factory=asyncio.Event)

    def tell(self, name: str, message: bytes) -> None:
        self.waiting[name] = message
        self.has_mail.set()

    async def mail(self) -> bytes:
        """What has come together; a comment where nothing has."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.has_mail.wait(), ALIVE)
        self.has_mail.clear()
        messages, self.waiting = self.waiting, {}
        return b"".join(messages.values()) or b": still here\n\n"


@dataclass(eq=False)
class Topic:
    """Something that browsers follow."""

    make: Maker
    followers: set[Subscriber] = field(default_factory=set)
    latest: dict[str, bytes] = field(default_factory=dict)
    """What was told last, by name."""

    def greet(self, follower: Subscriber) -> None:
        """Tells somebody who has just come how it is."""
        for name, message in self.latest.items():
            follower.tell(name, message)

    async def refresh(self) -> None:
        """Makes the messages anew, and tells those that differ."""
        try:
            made = await to_thread.run_sync(self.make)
        except ArenaError:
            self.latest.clear()  # who comes now must not be told what is out of date
            raise
        for name, content in made.items():
            message = encoded(name, content)
            if self.latest.get(name) != message:
                self.latest[name] = message
                for follower in self.followers:
                    follower.tell(name, message)


def encoded(name: str, content: Json) -> bytes:
    """A message as it travels. JSON has no line breaks, so one line of data is enough."""
    return raw(name, json.dumps(content, ensure_ascii=False))


def raw(name: str, content: str) -> bytes:
    """The same, of what is JSON already."""
    return f"event: {name}\ndata: {content}\n\n".encode()


class EventHub:
    """Knows the topics and who follows them."""

    def __init__(self, look: Callable[[], int]) -> None:
        """`look`: a number that stays as it is as long as nothing changes in the store."""
        self.look = look
        self._seen: int | None = None
        self._settled = math.inf
        self._trouble = ""
        """What went wrong at the last look."""
        self.topics: dict[Hashable, Topic] = {}
        self.closed = asyncio.Event()
        self._guests: set[Subscriber] = set()
        self._ticking: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._ticking
        self._ticking.cancel()
        with suppress(asyncio.CancelledError):
            await self._ticking

    @property
    def followers(self) -> int:
        return sum(len(topic.followers) for topic in self.topics.values())

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            if not self.topics:
                continue
            try:
                await self._look_once()
            except Exception as error:  # whatever it was, the next look may find it mended
                self._seen = None
                if str(error) != self._trouble:
                    # What the user can mend is a sentence; of anything else the trace is wanted.
                    unexpected = not isinstance(error, ArenaError)
                    log.error("Pages are not kept up to date at the moment: %s", error, exc_info=unexpected)
                self._trouble = str(error)

    async def _look_once(self) -> None:
        seen = await to_thread.run_sync(self.look)
        now = time.monotonic()
        if seen == self._seen and now < self._settled:
            return
        self._settled = math.inf if seen == self._seen else now + SETTLED
        for topic in list(self.topics.values()):
            await topic.refresh()
        self._seen = seen
        self._trouble = ""

    async def follow(self, key: Hashable, make: Maker, new: Callable[[Maker], Topic] = Topic) -> AsyncIterator[bytes]:
        """What a browser is sent that follows the topic: how it is now, then whatever changes.

        `new`: makes the topic where nobody has followed it before.
        """
        topic = self.topics.get(key) or self.topics.setdefault(key, new(make))
        follower = Subscriber()
        is_first = not topic.followers
        topic.followers.add(follower)
        try:
            if is_first:
                with suppress(ArenaError):  # it is told at the next look
                    await topic.refresh()
            topic.greet(follower)
            while not self.closed.is_set():
                yield await follower.mail()
        finally:
            topic.followers.discard(follower)
            if not topic.followers and self.topics.get(key) is topic:
                del self.topics[key]

    def close(self) -> None:
        """Ends all streams: the server is about to stop."""
        self.closed.set()
        for topic in self.topics.values():
            for follower in topic.followers:
                follower.has_mail.set()
        for guest in self._guests:
            guest.has_mail.set()

    @contextmanager
    def woken_at_the_end(self, follower: Subscriber) -> Iterator[None]:
        """For a browser that follows what is no topic here: it must not wait, either, when the server stops."""
        self._guests.add(follower)
        try:
            yield
        finally:
            self._guests.discard(follower)

    def response(self, key: Hashable, make: Maker, new: Callable[[Maker], Topic] = Topic) -> StreamingResponse:
        """The stream for a browser's EventSource."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = min(MOST_FOLLOWERS, max(16, files - FILES_FOR_THE_REST))
        if self.followers >= most or (key not in self.topics and len(self.topics) >= MOST_TOPICS):
            raise TooMany("too many browsers follow this arena already: reload the page now and then instead.")
        return stream(self.follow(key, make, new))


def stream(messages: AsyncIterator[bytes]) -> StreamingResponse:
    """A response that never ends by itself. Proxies are asked not to collect it."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(messages, media_type="text/event-stream", headers=headers)
