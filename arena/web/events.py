"""Server-sent events: browsers receive changed parts of a page as soon as the store has them.

A topic is what one kind of page shows. Its messages are rendered once and sent to all its subscribers; nothing is
rendered, and the store is not polled, without subscribers. Back-pressure: for each message name only the latest
message waits for a slow browser.
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
from arena.web.config import CONFIG
from arena.web.errors import ServerBusy

log = logging.getLogger("arena.web")


Messages = Mapping[str, Json]
"""Content by message name, which is the name of a part of the page."""
Render = Callable[[], Messages]


@dataclass(eq=False)
class Subscriber:
    """A browser with an open event stream."""

    waiting: dict[str, bytes] = field(default_factory=dict)
    """Encoded messages that were not sent yet, by name."""
    has_messages: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, name: str, message: bytes) -> None:
        self.waiting[name] = message
        self.has_messages.set()

    async def next_chunk(self) -> bytes:
        """Wait for messages and return them; a comment if there are none for a while."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.has_messages.wait(), CONFIG.keep_alive_interval)
        self.has_messages.clear()
        messages, self.waiting = self.waiting, {}
        return b"".join(messages.values()) or b": keep-alive\n\n"


@dataclass(eq=False)
class Topic:
    """What one kind of page shows, with its subscribers."""

    render: Render
    subscribers: set[Subscriber] = field(default_factory=set)
    latest: dict[str, bytes] = field(default_factory=dict)
    """The message last sent, by name."""

    def welcome(self, subscriber: Subscriber) -> None:
        """Send the current state to a new subscriber."""
        for name, message in self.latest.items():
            subscriber.put(name, message)

    async def refresh(self) -> None:
        """Render the messages and send those that changed."""
        try:
            rendered = await to_thread.run_sync(self.render)
        except ArenaError:
            self.latest.clear()  # new subscribers must not get outdated messages
            raise
        for name, content in rendered.items():
            message = encode(name, content)
            if self.latest.get(name) != message:
                self.latest[name] = message
                for subscriber in self.subscribers:
                    subscriber.put(name, message)


def encode(name: str, content: Json) -> bytes:
    """Return the content as an event. JSON has no line breaks, so one data line is enough."""
    return encode_json(name, json.dumps(content, ensure_ascii=False))


def encode_json(name: str, text: str) -> bytes:
    return f"event: {name}\ndata: {text}\n\n".encode()


class EventHub:
    """All topics, refreshed when the store changes."""

    def __init__(self, store_state: Callable[[], int]) -> None:
        """`store_state`: returns a number that differs after every change of the store."""
        self._store_state = store_state
        self._seen: int | None = None
        self._settled_at = math.inf
        self._last_error = ""
        self.topics: dict[Hashable, Topic] = {}
        self.closed = asyncio.Event()
        self._other_subscribers: set[Subscriber] = set()
        self._polling: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._polling = asyncio.create_task(self._poll_forever())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._polling
        self._polling.cancel()
        with suppress(asyncio.CancelledError):
            await self._polling

    async def _poll_forever(self) -> None:
        while True:
            await asyncio.sleep(CONFIG.store_poll_interval)
            if not self.topics:
                continue
            try:
                await self._poll()
            except Exception as error:  # the next poll may succeed
                self._seen = None
                if str(error) != self._last_error:
                    unexpected = not isinstance(error, ArenaError)
                    log.error("Pages cannot be updated at the moment: %s", error, exc_info=unexpected)
                self._last_error = str(error)

    async def _poll(self) -> None:
        seen = await to_thread.run_sync(self._store_state)
        now = time.monotonic()
        if seen == self._seen and now < self._settled_at:
            return
        self._settled_at = math.inf if seen == self._seen else now + CONFIG.settle_delay
        for topic in list(self.topics.values()):
            await topic.refresh()
        self._seen = seen
        self._last_error = ""

    async def follow(
        self, key: Hashable, render: Render, new_topic: Callable[[Render], Topic] = Topic
    ) -> AsyncIterator[bytes]:
        """Yield the current state of the topic, then every change. The first subscriber creates the topic."""
        topic = self.topics.get(key) or self.topics.setdefault(key, new_topic(render))
        subscriber = Subscriber()
        is_first = not topic.subscribers
        topic.subscribers.add(subscriber)
        try:
            if is_first:
                with suppress(ArenaError):  # the next poll logs it
                    await topic.refresh()
            topic.welcome(subscriber)
            while not self.closed.is_set():
                yield await subscriber.next_chunk()
        finally:
            topic.subscribers.discard(subscriber)
            if not topic.subscribers and self.topics.get(key) is topic:
                del self.topics[key]

    def close(self) -> None:
        """End all streams, because the server shuts down."""
        self.closed.set()
        for topic in self.topics.values():
            for subscriber in topic.subscribers:
                subscriber.has_messages.set()
        for subscriber in self._other_subscribers:
            subscriber.has_messages.set()

    @contextmanager
    def closing(self, subscriber: Subscriber) -> Iterator[None]:
        """Also wake a subscriber that belongs to no topic of the hub when the server shuts down."""
        self._other_subscribers.add(subscriber)
        try:
            yield
        finally:
            self._other_subscribers.discard(subscriber)

    def response(
        self, key: Hashable, render: Render, new_topic: Callable[[Render], Topic] = Topic
    ) -> StreamingResponse:
        """Return the event stream of a topic. Raise `ServerBusy` if there are too many subscribers or topics."""
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        limit = min(CONFIG.max_subscribers, max(16, files - CONFIG.reserved_files))
        subscribers = sum(len(topic.subscribers) for topic in self.topics.values())
        if subscribers >= limit or (key not in self.topics and len(self.topics) >= CONFIG.max_topics):
            raise ServerBusy("Too many browsers follow this arena: reload the page from time to time instead.")
        return event_stream(self.follow(key, render, new_topic))


def event_stream(messages: AsyncIterator[bytes]) -> StreamingResponse:
    """Return a response that stays open. The header asks proxies not to buffer it."""
    return StreamingResponse(messages, media_type="text/event-stream", headers={"x-accel-buffering": "no"})
